#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# report --layout predicts the cache lines per object from a recording: now, and after the split that it proposes. Exact traces of
# both programs, in a model of a small cache, have the same numbers.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
can_sample || skip "the step engine does not work here"
has_python json || skip "no Python"
cc=${CC:-cc}
command -v "${cc##* }" >/dev/null 2>&1 || skip "no C compiler"
source=$top_srcdir/tests/tracer/layout_loops.c
$cc -g -O1 -o before "$source" 2>err || skip "$(head -1 err)"
$cc -g -O1 -DSPLIT -o after "$source" 2>err || skip "$(head -1 err)"

# Lines per round and object of the data NAME..., by the trace of PROGRAM; the second round finds no line of the first one.
cat >lines.py <<'END'
import csv, sys
names, count = sys.argv[2:], 20000
rows = list(csv.DictReader(open(sys.argv[1])))
read = sum(float(r["read_bytes"]) for r in rows if r["data"] in names)
print(read / 64 / count / 2)
END
# exact PROGRAM FUNCTION LOOP NAME...
exact() {
    program=$1 function=$2 loop=$3
    shift 3
    must "$loadstone" trace -q -f -o t.trace --function "$function" -- "./$program" "$loop" 20000 2 >out 2>err </dev/null
    "$loadstone" traffic trace t.trace --cache 32K/8 --top 100 --format csv >trace.csv 2>err || { echo "FAIL: $(cat err)"; failed=1; }
    "$python" lines.py trace.csv "$@"
}
cat >compare.py <<'END'
import json, sys
layout, loop = json.load(open(sys.argv[1])), sys.argv[2]
before, after = map(float, sys.argv[3:5])
if layout["visits"] < 300:
    print(f"{loop}: only {layout['visits']} visits")
    sys.exit(3)
split = layout["split"]
now, then = layout["lines_per_visit"], split["lines_per_visit"] if split["is_better"] else layout["lines_per_visit"]
print(f"{loop}: {now:.3f} lines per object, the trace has {before:.3f}; after the split {then:.3f}, the trace has {after:.3f}; "
      f"moved {split['moved'] if split['is_better'] else '-'}")
wanted = {"sweep": True, "apart": True, "random": False, "whole": False}[loop]
assert split["is_better"] == wanted, split
if wanted:
    assert set(split["moved"]) >= {"a[]", "tail"} and not split["has_pointer"], split
assert abs(now - before) < 0.05 + 0.05 * before, (now, before)
# the program keeps two members together, but sweep needs only one, so that the advice may move the other
if loop == "sweep" and "next" in split["moved"]:
    after /= 2
assert not wanted or abs(then - after) < 0.03 + 0.05 * after, (then, after)
END
try() {
    loop=$1 function=$2 rounds=200
    one=$(exact before "$function" "$loop" objects)
    two=$(exact after "$function" "$loop" hot cold)
    while :; do
        must "$loadstone" record -q -f -o run.h5 --overhead 30% --seed 1 -- ./before "$loop" 200000 $rounds >out 2>err </dev/null
        "$loadstone" report --layout object --where "function=$function" --json run.h5 >layout.json 2>err || {
            grep -qE "no access|no accessed" err || { echo "FAIL: $loop: $(cat err)"; failed=1; return; }
            echo '{"visits": 0}' >layout.json
        }
        "$python" compare.py layout.json "$loop" "$one" "$two" >said 2>&1
        status=$?
        [ $status -eq 3 ] && [ $rounds -lt 10000 ] || break
        rounds=$((rounds * 5)) # a machine that is busy samples little
    done
    cat said
    case $status in
    0 | 3) ;;
    *) failed=1 ;;
    esac
}
try sweep sweep
try apart apart
try random in_random_order
try whole whole
exit $failed
