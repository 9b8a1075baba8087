#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patterns sectors: sectors, needed bytes, classes and bank conflicts of made-up warps equal a naive count.
. "${top_srcdir:-.}/tests/tools/check.sh"
has_python json || skip "python3 is not installed"
must $python - <<'T'
import json, random, struct
random.seed(3)
kinds = [  # operation, bytes, loads, lanes by turn
    ("LDG.E", 4, 1, lambda t: [0x700000000 + 4 * (32 * t + lane) for lane in range(32)]),
    ("LDG.E.64", 8, 1, lambda t: [0x700100000 + 8 * random.randrange(8192) for lane in range(32)]),
    ("LDG.E", 4, 1, lambda t: [0x700800000 + 128 * lane for lane in range(32)]),
    ("LDG.E", 4, 1, lambda t: [0x700000000 + 4 * t] * 32),
    ("STG.E", 8, 0, lambda t: [0x700000004 + 8 * (32 * t + lane) if lane % 4 else 0 for lane in range(32)]),
    ("RED.E", 4, 0, lambda t: [0x700800000 + 4 * random.randrange(64) for lane in range(32)]),
    ("LDS", 4, 1, lambda t: [4 + 4 * 2 * lane for lane in range(32)]),
    ("STS.64", 8, 0, lambda t: [8 + 8 * lane for lane in range(32)]),
    ("LDS", 4, 1, lambda t: [128 * (lane + 1) for lane in range(32)]),
]
maps, records, wanted = [], [], []
for id, (name, size, loads, lanes) in enumerate(kinds):
    maps.append(struct.pack("<24sH94s", b"ID_TO_OPCODE", id, name.encode()))
    maps.append(struct.pack("<24sH94s", b"ID_TO_OPCODE_SHORT", id, name.split(".")[0].encode()))
    maps.append(struct.pack("<24sH94s", b"ID_TO_LINE", id, b"/x/kern.cu:%d" % (10 + id)))
    sums = {"sectors": 0, "needed_bytes": 0, "bank_passes": 0, "lanes": 0}
    for turn in range(20):
        addrs = lanes(turn)
        records.append(struct.pack("<Q10iQ32Q", 1, 0, 0, 0, turn, id, id, loads, 1 - loads, size, id, 0x100 * (id + 1), *addrs))
        active = [a for a in addrs if a]
        sums["lanes"] += len(active)
        if "S" in name.split(".")[0][2:]:
            group = 32 * 4 // size
            for first in range(0, 32, group):
                words = {(a + b) // 4 for a in addrs[first:first + group] for b in range(size)}
                sums["bank_passes"] += max(sum(w % 32 == bank for w in words) for bank in range(32))
        else:
            touched = {a + b for a in active for b in range(size)}
            sums["needed_bytes"] += len(touched)
            sums["sectors"] += len({b // 32 for b in touched})
    wanted.append(sums)
records.append(struct.pack("<Q10iQ32Q", 1, 0, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0x100, *[0] * 32))  # no active lane
open("w.nv", "wb").write(struct.pack("<3Q", 3, len(maps), len(records)) + b"".join(maps) + b"".join(records))
json.dump(wanted, open("wanted.json", "w"))
T
must "$loadstone" patterns sectors w.nv --json >out.json
must $python - <<'T'
import json
wanted, got = json.load(open("wanted.json")), json.load(open("out.json"))
rows = {r["ip"] // 0x100 - 1: r for r in got["instructions"]}
assert len(rows) == len(wanted) == len(got["instructions"]), got
for i, sums in enumerate(wanted):
    for key, value in sums.items():
        assert rows[i][key] == value, (i, key, value, rows[i])
assert [rows[i]["class"] for i in range(9)] == ["coalesced", "scattered", "strided", "broadcast", rows[4]["class"], "scattered", "", "", ""], rows
assert rows[6]["bank_passes"] == 40 and rows[6]["bank_passes_least"] == 20, rows[6]
assert rows[7]["bank_passes"] == rows[7]["bank_passes_least"] == 40, rows[7]
assert rows[8]["bank_passes"] == 32 * 20, rows[8]
assert rows[5]["kind"] == "atomic" and rows[0]["line"] == "/x/kern.cu:10" and rows[6]["memory"] == "shared"
assert got["skipped"] == 1 and got["partial_warps"] == 21
assert sum(r["moved_bytes"] for r in got["regions"]) == got["moved_bytes"] == 32 * sum(s["sectors"] for s in wanted)
assert sum(r["needed_bytes"] for r in got["regions"]) == got["needed_bytes"]
assert got["regions"][0]["start"] == 0x700000000 and len(got["regions"]) == 3, got["regions"]
order = [r["moved_bytes"] - r["needed_bytes"] for r in got["instructions"]]
assert order == sorted(order, reverse=True)
T
must "$loadstone" patterns sectors w.nv --top 2 >out
grep -q "/x/kern.cu:11 .*LDG.E.64 .*global .*scattered" out && grep -q "^7 more" out && grep -q "^0x700000000-0x" out ||
    { echo "FAIL: table"; cat out; failed=1; }
must "$loadstone" patterns sectors w.nv --csv >out
[ "$(wc -l <out)" -eq 10 ] || { echo "FAIL: csv"; cat out; failed=1; }
# the patterns name the lines, and the atomic is no gather
must "$loadstone" patterns w.nv --json --min-accesses 1 >found.json 2>err
grep -q '"file": "/x/kern.cu"' found.json && grep -q '"line": 11' found.json || { echo "FAIL: lines"; head -40 found.json; failed=1; }
must $python - <<'T'
import json
rows = {r["ip"]: r for r in json.load(open("found.json"))["patterns"]}
assert rows[0x600]["op"] == "store", rows[0x600]
T
# arrays by a text: the first memory has two, one of them shared by two names, and none at the end
cat >arrays.txt <<'T'
# made up
0x700000000 4096 input
30064775168, 65536, output grid
0x700100000 32768 table
0x700102000 4096 later
0x700800000 2048 bins
T
must "$loadstone" patterns sectors w.nv --arrays arrays.txt --json >arrays.json
must $python - <<'T'
import json
got, plain = json.load(open("arrays.json")), json.load(open("out.json"))
arrays = {a.get("array", ""): a for a in got["arrays"]}
assert set(arrays) == {"input", "output grid", "table", "table, later", "bins", ""}, sorted(arrays)
for key in ("moved_bytes", "needed_bytes", "sectors"):  # a sector belongs to the array of its first touched byte
    assert sum(a[key] for a in arrays.values()) == got[key] == plain[key], key
rows = {r["ip"] // 0x100 - 1: r for r in got["instructions"]}
for r in rows.values():
    parts = r["arrays"]
    assert sum(p["moved_bytes"] for p in parts) == r["moved_bytes"] and sum(p["needed_bytes"] for p in parts) == r["needed_bytes"]
    if r["memory"] == "global":
        assert sum(p["lanes"] for p in parts) == r["lanes"], r
assert {p.get("array") for p in rows[1]["arrays"]} == {"table", "table, later", None}, rows[1]["arrays"]  # 64 KiB, half of it named
assert [p["array"] for p in rows[5]["arrays"]] == ["bins"] and rows[5]["arrays"][0]["class"] == "scattered"
# the strided load: 16 of its 32 lanes are in bins, each a sector with 4 needed bytes
(bins,) = [p for p in rows[2]["arrays"] if p.get("array") == "bins"]
assert (bins["lanes"], bins["sectors"], bins["needed_bytes"], bins["warps"]) == (16 * 20, 16 * 20, 16 * 4 * 20, 20), bins
assert rows[6]["arrays"] == []  # local memory
T
must "$loadstone" patterns sectors w.nv --arrays arrays.txt >out
grep -q "^array " out && grep -qE "^table +[0-9]+ .* % +scattered$" out && grep -qE "kern.cu:15 .*bins$" out || { echo "FAIL: arrays"; cat out; failed=1; }
must "$loadstone" patterns sectors w.nv --arrays arrays.txt --csv >out
grep -q ",bins$" out || { echo "FAIL: csv of arrays"; cat out; failed=1; }
must "$loadstone" patterns w.nv --arrays arrays.txt --json --min-accesses 1 >found.json 2>err
grep -q '"home": "bins"' found.json || { echo "FAIL: homes"; grep home found.json; failed=1; }
echo "0x10 ten x" >wrong.txt
expect 3 "wrong.txt:1: expected START LENGTH NAME" "$loadstone" patterns sectors w.nv --arrays wrong.txt
echo "# nothing" >none.txt
expect 2 "names no array" "$loadstone" patterns sectors w.nv --arrays none.txt

# the analysis of omniprobe: texts are not escaped, the outer bracket is open, and the second kernel is analysed twice
must $python - <<'T'
def kernel(name, count, line_bytes):
    return """{
  "kernel_analysis": {
    "kernel_info": {
      "name": "%s",
      "dispatch_id": 1
    },
    "cache_analysis": {
      "accesses": [
        {
          "source_location": {
            "file": "/x/k.hip",
            "line": 7,
            "column": 12
          },
          "code_context": "y[i] = x["a"[0]]; "used": 5",
          "access_info": {
            "type": "read",
            "execution_count": %d,
            "ir_bytes": 4,
            "isa_bytes": 16,
            "isa_instruction": "global_load_dwordx4",
            "cache_lines": {
              "needed": 8,
              "used": 64
            }
          }
        }
      ]
    },
    "bank_conflicts": {
      "accesses": [
        {
          "source_location": {
            "file": "/x/k.hip",
            "line": 9,
            "column": 3
          },
          "code_context": "",
          "access_info": {
            "type": "write",
            "execution_count": %d,
            "ir_bytes": 4,
            "total_conflicts": 31
          }
        }

      ]
    }
  },
  "metadata": {
    "version": "null",
    "timestamp": "2026-01-01 00:00:00",
    "gpu_info": {
      "architecture": "gfx90a",
      "cache_line_size": %d
    }
  }
}""" % (name, count, count, line_bytes)
whole = "[\n" + ",\n".join([kernel("first(float*)", 2, 128), kernel("second", 1, 64), kernel("second", 1, 64)])
open("omni.json", "w").write(whole)
open("omni-cut.json", "w").write(whole[:-300])
open("omni-bad.json", "w").write(whole.replace('"used": 64', '"used": many'))
T
must "$loadstone" patterns sectors omni.json --json >omni.out
must $python - <<'T'
import json
got = json.load(open("omni.out"))
rows = {(r["kernel"], r["memory"]): r for r in got["instructions"]}
assert len(rows) == len(got["instructions"]) == 4, got
first, second = rows["first(float*)", "global"], rows["second", "global"]
assert (first["warps"], first["sectors"], first["moved_bytes"], first["needed_bytes"], first["bytes"]) == (2, 64, 8192, 1024, 16), first
assert (second["warps"], second["sectors"], second["moved_bytes"], second["needed_bytes"]) == (2, 128, 8192, 1024), second
assert first["line"] == "/x/k.hip:7:12" and first["operation"] == "global_load_dwordx4" and first["kind"] == "load"
local = rows["second", "shared"]
assert local["bank_passes"] - local["bank_passes_least"] == 62 and local["kind"] == "store" and local["operation"] == "", local
assert got["moved_bytes"] == 16384
T
must "$loadstone" patterns sectors omni.json >out
grep -qE "^/x/k.hip:7:12 +global_load_dwordx4 +global +2 +- +16 " out || { echo "FAIL: omniprobe"; cat out; failed=1; }
expect 3 "ends inside the analysis of a kernel" "$loadstone" patterns sectors omni-cut.json
expect 3 "expected a number of cache lines" "$loadstone" patterns sectors omni-bad.json
expect 2 "has no addresses" "$loadstone" patterns sectors omni.json --arrays arrays.txt

head -c 4000 w.nv >cut.nv
expect 3 "ends at byte" "$loadstone" patterns sectors cut.nv
expect 3 "empty" "$loadstone" patterns sectors /dev/null
exit $failed
