#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# report --sharing on two counters in one line, one counter for two threads, and counters in separate lines.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_step
[ "$(nproc)" -ge 2 ] || skip "one processor: threads do not run at the same time"
attempt=1
while :; do
    "$loadstone" record -q --force --overhead 20% -o run.h5 -- "$top_builddir/tests/cases/sharing_victim" $((attempt * 1500)) >where.txt || exit 1
    "$loadstone" report --sharing --json run.h5 >sharing.json 2>err || { cat err; exit 1; }
    COLUMNS=80 "$loadstone" report --sharing run.h5 >sharing.txt 2>err || failed=1
    # a machine that is busy samples little: try longer before it counts
    python3 - where.txt sharing.json $attempt <<'P' && break
import json, sys
where = [line.split() for line in open(sys.argv[1])]
found = {line["base"]: line for line in json.load(open(sys.argv[2]))["lines"]}
enough = all(int(at) in found for what, at in where if what in ("false", "true"))
if not enough and int(sys.argv[3]) < 16:
    sys.exit(1)
bad = 0
for what, at in where:
    line = found.get(int(at))
    got = line["sharing"] if line else "not listed"
    wanted = {"false": "false sharing", "true": "true sharing"}.get(what, "not listed")
    if got != wanted:
        print(f"FAIL: {what} {at}: {got}, wanted {wanted}")
        bad = 2
for what, at in where:
    if what == "false" and int(at) in found:
        offsets = {p["offset_bytes"] for p in found[int(at)]["uses"]}
        threads = {p["tid"] for p in found[int(at)]["uses"]}
        if offsets != {0, 8} or len(threads) != 2 or not all("sharing_victim.c:" in p["code"] for p in found[int(at)]["uses"]):
            print(f"FAIL: uses of the false sharing: {found[int(at)]['uses']}")
            bad = 2
sys.exit(bad)
P
    [ $? -eq 1 ] || { failed=1; break; }
    attempt=$((attempt * 2))
done
grep -q "give each its own line" sharing.txt || { echo "FAIL: no advice:"; cat sharing.txt; failed=1; }
exit $failed
