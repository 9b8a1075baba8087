# SPDX-License-Identifier: BSD-3-Clause
"""usage: tags_lines.py RUN.h5: print a line for each function walk_NAME of tags_victim: how many of its loads from the heap have the
site NAME, how many another one, and how many none."""
import collections
import sys

import h5py

NONE = 2**32 - 1


def main():
    run = h5py.File(sys.argv[1], "r")
    labels, kinds, parents = run["nodes/label"].asstr()[:], run["nodes/kind"][:], run["nodes/parent"][:]
    names = [str(n, "utf-8") for n in run["nodes"].attrs["kinds"]]
    lines, samples = run["lines"], run["samples"]
    functions = {}
    for process, ip, function in zip(lines["process"][:], lines["ip"][:], lines["function"].asstr()[:]):
        functions[process, ip] = function.split("(")[0]
    processes = run["threads/process"][:]
    found = collections.defaultdict(collections.Counter)
    for thread, ip, node in zip(samples["thread"][:], samples["ip"][:], samples["node"][:]):
        function = functions.get((processes[thread], ip), "")
        if not function.startswith("walk_"):
            continue
        kind = names[kinds[node]]
        if kind in ("stack", "static", "code", "symbol", "section", "frame"):
            continue
        if kind == "block":
            node = parents[node]
        is_site = names[kinds[node]] == "site"
        found[function[len("walk_"):]][labels[node] if is_site else kind + " " + labels[node]] += 1
    for name, sites in sorted(found.items()):
        right = sum(n for label, n in sites.items() if name in label)
        small = sum(n for label, n in sites.items() if label.endswith("heap blocks") or label.endswith("memory"))
        wrong = sum(sites.values()) - right - small
        others = ", ".join(f"{label} {n}" for label, n in sites.most_common(6))
        print(f"walk {name} right {'some' if right >= 20 else right} wrong {wrong} unknown {small}: {others}")
    return 0


sys.exit(main())
