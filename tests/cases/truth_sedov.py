# SPDX-License-Identifier: BSD-3-Clause
"""usage: truth_sedov.py N PATTERNS.json TABLE.json: what find_areas of examples/sedov_separate loads, elements along x, y, z:
the eight corners of each element, and through them three coordinates each, as the numbering of the mesh has them.
Compilers load one or two coordinates at once, so that the places are worked out for words of 8 bytes."""
import json
import sys

from truth_check import lanes

CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]  # VTK's hexahedron
COORDINATES = 3


def node_of(n):
    side = n + 1
    return [[i + x + side * (j + y + side * (k + z)) for x, y, z in CORNERS]
            for k in range(n) for j in range(n) for i in range(n)]


def whole(want, got, before):
    """Is got what a loop that goes over want again and again does, from its access number `before` on?"""
    return all(place == want[(before + i) % len(want)] for i, place in enumerate(got))


def main(n, patterns_path, table_path):
    nodes = node_of(n)
    corners = {("nodes of elements", c): [8 * z + c for z in range(len(nodes))] for c in range(8)}
    words = {("position", c, d): [COORDINATES * corner[c] + d for corner in nodes] for c in range(8) for d in range(COORDINATES)}
    found, bad = set(), []
    patterns, table = json.load(open(patterns_path)), json.load(open(table_path))["patterns"]
    for configuration, row in zip(patterns, table):
        wanted = {"nodes of elements": corners, "position": words}.get(row["home"])
        if "find_areas" not in row["function"] or row["op"] != "load" or not wanted:
            continue
        for _, before, got in lanes(configuration, row):
            match = next((key for key, want in wanted.items() if key[0] == row["home"] and whole(want, got, before)), None)
            if match is None:
                bad.append(f"{row['home']}: {row['form']} {got[:12]}... are the corners of no mesh")
            found.add(match)
        if row["home"] == "position" and row["index_home"] not in ("nodes of elements", ""):
            bad.append(f"position through '{row['index_home']}'")
    bad += [f"corner {c}: not found" for _, c in corners.keys() - found]
    bad += [f"corner {c}: no coordinate found" for c in range(8) if not any(key in found for key in words if key[1] == c)]
    for line in bad:
        print(f"FAIL: sedov: {line}")
    print(f"sedov: {len(found)} of {len(corners) + len(words)} places of an element found, {len(nodes)} elements")
    return bool(bad)


sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
