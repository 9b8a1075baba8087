#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Patterns of an exact trace have the rows of the program's loops, and a replay of all of them runs by rows.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
patterns="patterns --trivial --no-index-loads --min-accesses 1000 --top 64"
for program in spmv hash histogram; do
    must "$loadstone" trace -q --phase loop -o $program.trace -- "$top_builddir/tests/cases/truth_programs" $program >out 2>err
    must "$loadstone" $patterns -o $program.json $program.trace >out 2>err
    must "$loadstone" $patterns --to spatter -o $program.spatter.json $program.trace >out 2>err
    must "$loadstone" replay -t 1 --no-stream --warmups 1 --max-runs 2 --together --json $program.json >$program.result 2>err
    PYTHONPATH="$top_srcdir/tests/cases" python3 -B - $program <<'P' || failed=1
import json, sys
from truth_expected import Steps

program = sys.argv[1]
step = Steps(1 if program == "spmv" else 2)
wanted = {}
if program == "spmv":
    rows = []
    for _ in range(3000):
        rows.append(1 + step() % 7)
        for _ in range(rows[-1]):
            step()
    wanted = {"x": rows, "a": rows}
if program == "hash":
    n, mask = 4000, 8191
    home = lambda key: (key * 0x9E3779B97F4A7C15 % 2**64 >> 40) & mask
    table = {}

    def probes(key):
        at, len = home(key), 1
        while table.get(at, key) != key:
            at, len = (at + 1) & mask, len + 1
        return at, len

    for _ in range(n):
        key = 1 + step() % (2 * n)
        table[probes(key)[0]] = key
    keys = [1 + step() % (2 * n) for _ in range(n)]
    wanted = {"slots": [probes(k)[1] for k in keys], "payload": [int(probes(k)[0] in table) for k in keys]}
found = {c["array"]: c["row-lengths"] for c in json.load(open(program + ".json")) if "row-lengths" in c}
if found != wanted:
    sys.exit(f"FAIL: {program}: rows of {sorted(found)}, wanted of {sorted(wanted)}; equal: {[a for a in found if found[a] == wanted.get(a)]}")
waits = [c["array"] for c in json.load(open(program + ".json")) if c.get("rows-wait")]
if waits != (["slots"] if program == "hash" else []):
    sys.exit(f"FAIL: {program}: rows of {waits} wait")
if any("row-lengths" in c or "rows-wait" in c for c in json.load(open(program + ".spatter.json"))):
    sys.exit(f"FAIL: {program}: rows in a file for Spatter")
result = json.load(open(program + ".result"))["results"][0]
if not result["valid"] or result["variant"].startswith("scalar, rows") != bool(wanted):
    sys.exit(f"FAIL: {program}: {result['variant']}, valid: {result['valid']}")
P
done

# a pipe is read once: its patterns have no rows
cat spmv.trace | must "$loadstone" $patterns --format trace -o piped.json - >out 2>err
must grep -q '"array": "x"' piped.json
if grep -q row-lengths piped.json; then
    echo "FAIL: rows of a trace that was read once"
    failed=1
fi
exit $failed
