#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Call stacks for the Firefox Profiler, speedscope, pprof and Hatchet: read as these programs read them (read_stacks.py).
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python
must "$top_builddir/tests/viz-export/make_view" flow.h5
must "$top_builddir/tests/tools/make_profile" plain.h5
mkdir files
for format in firefox:firefox.json speedscope:speedscope.json pprof:pb.gz caliper:caliper.json; do
    expect 0 "" "$loadstone" export flow.h5 -f ${format%%:*} -o files/flow.${format##*:}
    # the end of the name is enough, and the standard output will do
    expect 0 "" "$loadstone" export flow.h5 -o named.${format##*:}
    must cmp files/flow.${format##*:} named.${format##*:}
    "$loadstone" export flow.h5 -f ${format%%:*} -o - >piped 2>err || failed=1
    must cmp piped named.${format##*:}
    # without call stacks: the functions that bursts began in
    expect 0 "" "$loadstone" export plain.h5 -f ${format%%:*} -o plain.${format##*:}
    expect 1 "--force" "$loadstone" export flow.h5 -o named.${format##*:}
done
expect 0 "pprof -http=: -sample_index=waiting again.pb.gz" "$loadstone" export flow.h5 -o again.pb.gz
must grep -q '"multiply"' plain.speedscope.json
must grep -q '"data: Input/B"' plain.speedscope.json
# blocks have the name of their allocation site
must "$top_builddir/tests/tools/make_profile" blocks.h5 plain
expect 0 "" "$loadstone" export blocks.h5 -o blocks.speedscope.json
must grep -q '"data: matrix"' blocks.speedscope.json
must test "$(grep -c 'unregistered\|block 1' blocks.speedscope.json)" -eq 0
"$loadstone" report --json --min-share 0.0000001% --by calls flow.h5 >calls.json 2>err || failed=1
expect 0 "" "$loadstone" export flow.h5 -t nodes -o nodes.csv
must $python "$top_srcdir/tests/viz-export/read_stacks.py" calls.json nodes.csv files
# the comparison can fail
sed 's/"weights":\[[0-9]*/&1/' files/flow.speedscope.json >changed && mv changed files/flow.speedscope.json
$python "$top_srcdir/tests/viz-export/read_stacks.py" calls.json nodes.csv files >read.txt && { echo "FAIL: a changed weight was not found"; failed=1; }
must grep -q "speedscope: CPU time of all" read.txt
exit $failed
