#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patterns diff and groups: equal and different patterns, pairs; bad input.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
cat >a.json <<'J'
[{"name": "rows", "kernel": "Gather", "pattern": "UNIFORM:8:1", "delta": 8, "count": 4096},
 {"name": "x", "kernel": "Gather", "pattern": [0, 512, 3, 77], "delta": 5, "count": 4096},
 {"name": "y", "kernel": "Scatter", "pattern": "UNIFORM:8:1", "delta": 8, "count": 4096},
 {"name": "before", "kernel": "Gather", "pattern": [0, 24, 48, 1, 25, 49], "delta": 100, "count": 4096},
 {"name": "both", "kernel": "GS", "pattern-gather": [0, 1], "pattern-scatter": [0, 8], "delta-gather": 2, "delta-scatter": 16, "count": 4096}]
J
cat >b.json <<'J'
[{"name": "after", "kernel": "Gather", "pattern": [7, 31, 55, 8, 32, 56], "delta": 100, "count": 4096},
 {"name": "rows", "kernel": "Gather", "pattern": "UNIFORM:16:1", "delta": 16, "count": 2048},
 {"name": "x", "kernel": "Gather", "pattern": [0, 512, 3, 99], "delta": 64, "count": 4096},
 {"name": "y", "kernel": "Gather", "pattern": "UNIFORM:8:64", "delta": 512, "count": 4096},
 {"name": "both", "kernel": "GS", "pattern-gather": [0, 1], "pattern-scatter": [0, 9], "delta-gather": 2, "delta-scatter": 16, "count": 4096}]
J
expect 0 "rows: the same accesses" "$loadstone" patterns diff a.json b.json
expect 0 "before = after: the same accesses" "$loadstone" patterns diff a.json b.json
expect 0 "y: only in A" "$loadstone" patterns diff a.json b.json # a store does not match a load
expect 0 "x: differs" "$loadstone" patterns diff a.json b.json
expect 0 "both: differs" "$loadstone" patterns diff a.json b.json
must "$loadstone" patterns diff --json a.json b.json >diff.json
must python3 - <<'P'
import json
d = json.load(open("diff.json"))
assert d["schema"] == 1 and abs(sum(d["weights"].values()) - 1) < 1e-9
rows = {(r.get("a") or r["b"])["name"]: r for r in d["rows"]}
assert rows["rows"]["distance"] == 0 and rows["rows"]["matched_by"] == "name"
assert rows["before"]["matched_by"] == "distance" and rows["before"]["b"]["name"] == "after"
x = rows["x"]
assert 0 < x["low"] <= x["distance"] <= x["high"] <= 1 and x["p_value"] < 0.05 and x["distance"] > x["halves_a"]
assert abs(sum(d["weights"][t] * v for t, v in x["terms"].items()) - x["distance"]) < 1e-5
assert x["a"]["accesses"] == 4 * 4096
P
# the distances are the same in both directions
must "$loadstone" patterns diff --json b.json a.json >turned.json
must python3 - <<'P'
import json
def distances(path, side):
    return {r[side]["name"]: r["distance"] for r in json.load(open(path))["rows"] if "distance" in r}
assert distances("diff.json", "a") == distances("turned.json", "b")
P
expect 0 "x = x: differs" "$loadstone" patterns diff --by-distance --within 100% a.json b.json
expect 0 "10 patterns of 2 files" "$loadstone" patterns groups a.json b.json
must "$loadstone" patterns groups --json a.json b.json >groups.json
must python3 - <<'P'
import json
d = json.load(open("groups.json"))
found = {frozenset((m["file"], m["pattern"]["name"]) for m in g["members"]) for g in d["groups"]}
for wanted in ({("a.json", "rows"), ("b.json", "rows")}, {("a.json", "before"), ("b.json", "after")}, {("a.json", "y")}):
    assert frozenset(wanted) in found, (wanted, found)
assert all(g["diameter"] <= d["within"] and g["files"] <= 2 for g in d["groups"])
P
expect 0 "a.json: rows" "$loadstone" patterns groups --members a.json b.json
for file in a.json b.json; do
    expect 0 "" "$loadstone" patterns diff $file $file
    [ "$(grep -c "the same accesses" out)" -eq 5 ] || { echo "FAIL: $file differs from itself"; cat out; failed=1; }
done
# a source of patterns: the text of valgrind's lackey; the second run reads x backwards
lackey() {
    awk -v back="$1" 'BEGIN {
        print "==1== Lackey"
        for (i = 0; i < 6000; i++) {
            printf "I  00401000,4\n L %x,8\n", 65536 + 8 * (back ? 6000 - i : i)
            printf "I  00401010,4\n L %x,8\n", 1048576 + 8 * ((i * 7919) % 6007)
        }
    }'
}
lackey 0 >one.lackey
lackey 1 >two.lackey
extract="--trivial --no-symbols"
expect 0 "the same accesses" "$loadstone" patterns diff $extract one.lackey one.lackey
expect 0 "the same accesses" "$loadstone" patterns diff $extract one.lackey two.lackey
expect 0 "only in A" "$loadstone" patterns diff $extract one.lackey two.lackey
expect 0 "patterns of 2 files in" "$loadstone" patterns groups $extract one.lackey two.lackey
# the cost of two files together is 100 %
must "$loadstone" patterns groups --json $extract one.lackey two.lackey >groups.json 2>/dev/null
must python3 - <<'EOF'
import json
assert 0.99 < sum(g["cost_share"] for g in json.load(open("groups.json"))["groups"]) < 1.01
EOF
grep -q '?' out && { echo "FAIL: a name is a question mark"; cat out; failed=1; }
# a trace and the file that was made of it: by name, as between two of a kind, also where the pattern became another one
must "$top_builddir/tests/tools/make_trace" t.trace
must "$loadstone" patterns t.trace -o t.json >/dev/null 2>&1
must "$loadstone" patterns t.trace --no-join -o apart.json >/dev/null 2>&1
must python3 - <<'P'
import json
rows = json.load(open("t.json"))
for row in rows:
    if row["found-as"].startswith("load A"):
        row["pattern"], row["delta"], row["count"] = [0, 4096, 77, 9000], 17, 500
    row["name"] = "of another run: " + row["name"]
json.dump(rows, open("other.json", "w"))
for row in rows:
    del row["found-as"]
json.dump(rows, open("old.json", "w"))
P
must "$loadstone" patterns diff --json t.trace t.json >trace_json.json 2>/dev/null
must "$loadstone" patterns diff --json t.json t.trace >json_trace.json 2>/dev/null
must "$loadstone" patterns diff --json --no-join t.trace apart.json >trace_apart.json 2>/dev/null
must "$loadstone" patterns diff --json t.trace other.json >trace_other.json 2>/dev/null
must "$loadstone" patterns diff --json other.json old.json >other_old.json 2>/dev/null
must python3 - <<'P'
import json
for name in "trace_json", "json_trace", "trace_apart", "trace_other", "other_old":
    rows = json.load(open(name + ".json"))["rows"]
    assert len(rows) == (7 if name == "trace_apart" else 6), (name, len(rows))
    for r in rows:
        assert r["matched_by"] == "name", (name, r)
        changed = name == "trace_other" and " A " in r["a"]["name"]
        assert (r["distance"] > 0.1) == changed, (name, r)
P
echo '[{"kernel": "Gather", "pattern": [0, 1, 2' >cut.json
echo '[]' >none.json
expect 3 "cut.json" "$loadstone" patterns diff a.json cut.json
expect 3 "no configurations" "$loadstone" patterns diff a.json none.json
expect 2 "patterns diff takes A B" "$loadstone" patterns diff a.json
expect 2 "" "$loadstone" patterns diff --within 300% a.json b.json
exit $failed
