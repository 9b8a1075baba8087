#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The files of every writer are read by an independent reader; replay runs the ones that are pattern files.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
make_patterns=$top_builddir/tests/patterns/make_patterns
must "$make_patterns" json ours.json
must "$make_patterns" spatter spatter.json
must "$make_patterns" gs-patterns gs.json >gs.out
must "$make_patterns" gem5 gem5.py

quick="--no-stream --quiet --max-count 64 --max-runs 2 --warmups 1 -b serial -t 1"
for f in ours spatter gs; do
    must "$loadstone" replay $quick $f.json >out 2>err
    must grep -q '^suite      6 configurations' out
    must grep -q '^validated  all results' out
    must test ! -s err
done
must "$loadstone" replay $quick -p RAW=gs.4.sbin >out
must "$loadstone" patterns show ours.json >out 2>err
must grep -q 'x\[col\] multiply: gather' out
must grep -q '3000, random' out

has_python ast json struct || { echo "no python3: files were written but not looked into"; exit $failed; }
must $python "$top_srcdir/tests/patterns/read_written.py"
exit $failed
