# SPDX-License-Identifier: BSD-3-Clause
# read_written.py: the files that make_patterns wrote, read as their own programs read them.
import ast
import json
import re
import struct

FULL = [
    [3 * i + p for i in range(4) for p in (0, 1, 4, 2, 3, 6, 4, 5, 8)],
    [p + b for b in (0, 1, 2, 0, 1, 2, 0, 1, 2) for p in (0, 64, 128)],
    [35 - 8 * i + p for i in range(5) for p in (0, -1, -3)],
    list(range(400)),
    None,  # random: compared among the files
    [5, 5, 600, 0, 5],
]
BYTES = [8, 8, 8, 24, 8, 4]  # bytes of an element


def gs_patterns():
    rows = json.load(open("gs.json"))
    assert [r["kernel"] for r in rows] == 5 * ["Gather"] + ["Scatter"], rows
    lines = open("gs.txt").read().splitlines()
    assert lines[0] == "#sourceline, g/s, indices, percentage of g/s in trace"
    table = [line.split(",") for line in lines[1:]]
    assert [t[0] for t in table] == ["src/spmv.c:88", "matmul.c:17", "sweep.f90:7", "drift", "join.cc:31", "??:0"]
    assert [t[1] for t in table] == list("GGGGGS") and [float(t[3]) for t in table][:2] == [50.0, 12.5]
    for i, row in enumerate(rows):
        assert set(row) == {"kernel", "pattern", "count"} and row["count"] == 1
        assert int(table[i][2]) == len(row["pattern"]) and min(row["pattern"]) == 0
        if FULL[i]:
            assert row["pattern"] == [x - min(FULL[i]) for x in FULL[i]], i
        raw = open(f"gs.{i}.sbin", "rb").read()
        assert list(struct.unpack(f"<{len(raw) // 8}q", raw)) == row["pattern"], i
    blocks = open("gs.out").read().split("*" * 87 + "\n")
    assert len([b for b in blocks if b.strip()]) == 6
    assert "GIADDR    -- 0x1000\nSRCLINE   -- src/spmv.c:88\nGATHER % -- 50.000% (512-bit chunks)\nNDISTS  -- 36\n" in blocks[1]
    histogram = dict(re.findall(r"^ *([<>]? *-?\d+): (\d+)$", blocks[1].split("HISTOGRAM --\n")[1], re.M))
    distances = [b - a for a, b in zip(FULL[0], FULL[0][1:])]
    assert {int(k): int(v) for k, v in histogram.items()} == {d: distances.count(d) for d in distances}
    far = dict(re.findall(r"^ *([<>]? *-?\d+): (\d+)$", [b for b in blocks if b.startswith("SIADDR")][0], re.M))
    assert far == {"< -512": "1", "0": "1", "5": "1", ">  512": "1"}, far
    return rows


def varint(data, at):
    n = shift = 0
    while True:
        n |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return n, at


def message(data):
    at, fields = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        n, at = varint(data, at)
        if key & 7 == 2:
            fields[key >> 3] = data[at : at + n]
            at += n
        else:
            assert key & 7 == 0, key
            fields[key >> 3] = n
    return fields


def packets(path):
    data = open(path, "rb").read()
    assert data[:4] == b"gem5"
    at, out = 4, []
    while at < len(data):
        size, at = varint(data, at)
        out.append(message(data[at : at + size]))
        at += size
    assert at == len(data)
    return out


def gem5(rows):
    script = ast.parse(open("gem5.py").read())
    table = next(ast.literal_eval(s.value) for s in script.body if isinstance(s, ast.Assign) and s.targets[0].id == "PATTERNS")
    assert len(table) == 6 and table[4][3] == 'table probe "fast"'
    for i, (trace, requests, memory, name, origin) in enumerate(table):
        head, *all_packets = packets(trace)
        assert head[3] == 10**12 and head[1].decode() == name
        assert len(all_packets) == requests == len(rows[i]["pattern"])
        assert [p[3] for p in all_packets] == [x * BYTES[i] for x in rows[i]["pattern"]]
        assert {p[2] for p in all_packets} == {4 if i == 5 else 1}  # WriteReq, ReadReq
        assert {p[4] for p in all_packets} == {min(BYTES[i], 8)}
        assert all(p[3] // 64 == (p[3] + p[4] - 1) // 64 and p[3] + p[4] <= memory for p in all_packets)
        ticks = [p[1] for p in all_packets]
        assert ticks == sorted(set(ticks))


def spatter():
    known = {"name", "kernel", "pattern", "delta", "count", "boundary", "origin", "found-as", "class",
             "element-bytes", "object-bytes", "threads", "accesses"}
    for row in json.load(open("spatter.json")):
        assert set(row) <= known and isinstance(row["delta"], int) and row["delta"] >= 0
        assert all(0 <= x < row["boundary"] for x in row["pattern"])
    rows = json.load(open("ours.json"))
    assert rows[1]["delta"] == [1, 1, -2] and rows[0]["name"] == "x[col] multiply"
    assert rows[0]["found-as"] == "load x[col] in multiply" and rows[0]["class"] == "complex", rows[0]
    assert rows[0]["origin"] == "gather of x through col in multiply (spmv.c:88); complex, exact"


gem5(gs_patterns())
spatter()
