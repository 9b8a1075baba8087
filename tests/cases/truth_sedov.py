# SPDX-License-Identifier: BSD-3-Clause
"""usage: truth_sedov.py N PATTERNS.json TABLE.json: check the loads of find_areas of examples/sedov_separate and
similar functions, elements along x, y, z: the eight corners of each element, and through them three coordinates each, in the
numbering of the mesh.
Compilers load one or two coordinates at once, so that the addresses are computed for words of 8 bytes."""
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
    """Does got repeat the loop over want from its access number `before` on?"""
    return all(place == want[(before + i) % len(want)] for i, place in enumerate(got))


def candidates(nodes):
    """Possible accesses of an instruction to an array, by corner and coordinate: one corner where the loop
    over corners was unrolled, else all of them in turn."""
    out = {"nodes of elements": {}, "position": {}}
    for corners in [(c,) for c in range(8)] + [tuple(range(8))]:
        out["nodes of elements"][corners, 0] = [8 * z + c for z in range(len(nodes)) for c in corners]
        for d in range(COORDINATES):
            out["position"][corners, d] = [COORDINATES * corner[c] + d for corner in nodes for c in corners]
    return out


def main(n, patterns_path, table_path):
    wanted, found, bad = candidates(node_of(n)), {"nodes of elements": set(), "position": set()}, []
    patterns, table = json.load(open(patterns_path)), json.load(open(table_path))["patterns"]
    for configuration, row in zip(patterns, table):
        home = row["home"]
        if row["op"] != "load" or home not in wanted:
            continue
        is_here = "find_areas" in row["function"] # compilers name the parts of parallel loops in their own ways
        for _, before, got in lanes(configuration, row):
            match = next((key for key, want in wanted[home].items() if whole(want, got, before)), None)
            if match is None and is_here:
                bad.append(f"{home}: {row['form']} {got[:12]}... are the corners of no mesh")
            elif match:
                found[home] |= set(match[0])
        if is_here and home == "position" and row["index_home"] not in ("nodes of elements", ""):
            bad.append(f"position through '{row['index_home']}'")
    # the nodes of several corners may be loaded at once, each coordinate is
    bad += [f"position: corner {c} not found" for c in set(range(8)) - found["position"]]
    bad += [] if found["nodes of elements"] else ["nodes of elements: not found"]
    for line in bad:
        print(f"FAIL: sedov: {line}")
    print(f"sedov: all corners of {n ** 3} elements found" if not bad else "sedov: not as the mesh is numbered")
    return bool(bad)


sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
