#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Patterns of an exact trace equal the patterns derived from the algorithm, access by access.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
for program in spmv hash stencil matmul list histogram fields shuffle; do
    if ! "$loadstone" trace -q --phase loop -o $program.trace -- "$top_builddir/tests/cases/truth_programs" $program >out 2>err; then
        echo "FAIL: trace of $program:"
        cat err
        failed=1
        continue
    fi
    must "$loadstone" patterns --trivial --min-accesses 1 --top 1000000 --json -o $program.patterns.json $program.trace >$program.json 2>err
    must python3 -B "$top_srcdir/tests/cases/truth_check.py" $program $program.patterns.json $program.json
done

# without loads that only run through the indices of others: all other patterns stay
for program in spmv:col histogram:data matmul:; do
    index=${program#*:} program=${program%:*}
    must "$loadstone" patterns --trivial --no-index-loads --min-accesses 1 --top 1000000 --json $program.trace >left.json 2>err
    python3 -B - $program.json left.json "$index" <<'P' || failed=1
import json, sys
rows = [[(r["op"], r["home"], r["accesses"]) for r in json.load(open(path))["patterns"] if r["accesses"] >= 1000] for path in sys.argv[1:3]]
wanted = [r for r in rows[0] if r[:2] != ("load", sys.argv[3])]
if rows[1] != wanted:
    sys.exit(f"FAIL: {sys.argv[1]} without loads of indices: {rows[1]}, wanted {wanted}")
P
done
exit $failed
