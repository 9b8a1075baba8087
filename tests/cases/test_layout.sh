#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Accesses to data structures, in the heap, static and on the stack, have their type and member: in programs built with several kinds of debugging information.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
cxx=${CXX:-c++}
command -v "${cxx##* }" >/dev/null 2>&1 || skip "no C++ compiler"

# try NAME FLAG...: build, record until there are enough samples, compare with the known accesses
try() {
    name=$1
    shift
    $cxx "$@" -o "layout_$name" "$top_srcdir/tests/cases/layout_victim.cc" 2>err || { echo "SKIP $name: $(head -1 err)"; return; }
    for seconds in 0.8 3.2 9.6; do
        "$loadstone" record -q -f -o "$name.h5" --alloc-min 16 --overhead 40% --seed 1 -- "./layout_$name" $seconds >out 2>err </dev/null || {
            echo "FAIL: $name: $(cat err)"
            failed=1
            return
        }
        "$python" "$top_srcdir/tests/cases/layout_check.py" "$name.h5" >said 2>&1
        status=$?
        [ $status -eq 3 ] || break
    done
    echo "$name: $(cat said)"
    if [ $status -eq 3 ]; then
        echo "SKIP $name: too few samples on this machine"
    elif [ $status -ne 0 ]; then
        failed=1
    fi
}
try plain -g -O1
try types -g -O2 -gdwarf-4 -fdebug-types-section
try split -g -O0 -gsplit-dwarf

# the same by the report: rows of types and fields, and filters
expect 0 "particle" "$loadstone" report --by type plain.h5
expect 0 "particle.pos[]" "$loadstone" report --by field --min-share 0 --where type=particle plain.h5
if grep -q "link.key" out; then
    echo "FAIL: --where type=particle shows link.key"
    failed=1
fi
expect 0 "known for" "$loadstone" report --how plain.h5
# the members of a type
expect 0 "struct particle" "$loadstone" report --layout particle plain.h5
expect 0 "vel[]" "$loadstone" report --layout particle --csv plain.h5
expect 2 "no accessed type is called 'NOT_A_TYPE'" "$loadstone" report --layout NOT_A_TYPE plain.h5
expect 2 "is several types" "$loadstone" report --layout '*' plain.h5
cat >split_check.py <<'END'
import json, sys
layout = json.load(open(sys.argv[1]))
members = {m["path"]: m for m in layout["members"]}
wanted = {"pos[]": (0, 24), "vel[]": (24, 24), "mass": (48, 8), "flags": (60, 4), "name[]": (64, 40)}
for path, place in wanted.items():
    assert (members[path]["offset_bytes"], members[path]["len_bytes"]) == place, (path, members[path])
seen = {path: m["seen_loads"] + m["seen_stores"] for path, m in members.items() if path}
total = sum(seen.values())
# four accesses an object: two of pos, one of mass, one of flags
for path, part in {"pos[]": 0.5, "mass": 0.25, "flags": 0.25, "vel[]": 0}.items():
    assert total < 300 or abs(seen[path] / total - part) < 0.03 + 2 / total**0.5, (path, seen, total)
if total < 300:
    print(f"not tried: cold members, a split: only {total} accesses were seen")
    sys.exit(0)
# cold: less than one in a hundred; the objects are set to zero once, which a burst may see
for path, count in seen.items():
    if count * 100 < 0.8 * total or count * 100 > 1.25 * total:
        assert members[path]["is_cold"] == (count * 100 < total), (path, count, total)
if not (members["vel[]"]["is_cold"] and members["name[]"]["is_cold"]):
    print(f"FAIL: members that are only set to zero are not cold: {seen} of {total}")
    sys.exit(3)
assert not members["mass"]["is_cold"]
pairs = {frozenset((p["a"], p["b"])) for p in layout["together"]}
assert frozenset(("mass", "pos[]")) in pairs, pairs
assert set(layout["split"]["moved"]) >= {"vel[]", "name[]", "id"}, layout["split"]
assert layout["split"]["is_better"] and layout["split"]["lines_per_access"] < layout["lines_per_access"], layout["split"]
END
for seconds in 0 3.2 9.6; do # longer, until the zeroing is a small part of the accesses
    [ $seconds = 0 ] || must "$loadstone" record -q -f -o plain.h5 --alloc-min 16 --overhead 40% --seed 1 -- ./layout_plain $seconds >out 2>err </dev/null
    "$loadstone" report --layout particle --json plain.h5 >layout.json 2>err || { echo "FAIL: $(cat err)"; failed=1; }
    "$python" split_check.py layout.json >said 2>&1
    status=$?
    [ $status -eq 3 ] || break
done
[ $status -eq 0 ] || { echo "FAIL: $(cat said)"; failed=1; }
expect 2 "NOT_A_TYPE" "$loadstone" report --where type=NOT_A_TYPE plain.h5
exit $failed
