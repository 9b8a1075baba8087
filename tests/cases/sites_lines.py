# SPDX-License-Identifier: BSD-3-Clause
"""usage: sites_lines.py RUN.h5 [LIVES]: print allocation sites as lines of text; with LIVES, the lifetimes that a program
printed for its blocks (life LABEL BASE LENGTH BEGIN END), each sample inside a lifetime must be on the site of that label."""
import collections
import sys

import h5py

NONE = 2**32 - 1


def texts(data):
    return data.asstr()[:]


def main():
    run = h5py.File(sys.argv[1], "r")
    labels, kinds, parents = texts(run["nodes/label"]), run["nodes/kind"][:], run["nodes/parent"][:]
    names = [str(n, "utf-8") for n in run["nodes"].attrs["kinds"]]
    sites = run["sites"]
    for i, label in enumerate(texts(sites["label"])):
        rate = sites["sample_rate"][i]
        print(f"site '{label}' blocks {sites['blocks'][i]} bytes {sites['bytes'][i]} recorded {sites['recorded'][i]} "
              f"{'exact' if rate == 1 else 'estimated'} process {sites['process'][i]}")
    if len(sys.argv) < 3:
        return 0

    def site_of(node):
        while node != NONE and names[kinds[node]] != "site":
            node = parents[node]
        return None if node == NONE else labels[node]

    start = int(run["run"].attrs["start_mono_ns"])
    lives = [line.split()[1:] for line in open(sys.argv[2]) if line.startswith("life ")]
    lives = [(w[0], *map(int, w[1:])) for w in lives]
    right, wrong = collections.Counter(), collections.Counter()
    samples = zip(run["samples/addr"][:], run["samples/time_ns"][:], run["samples/node"][:])
    for addr, time_ns, node in samples:
        for number, (label, base, length, begin, end) in enumerate(lives):
            if base <= addr < base + length and begin <= int(time_ns) + start <= end:
                found = site_of(node)
                is_right = found is not None and found.split(" (")[0] == label  # named by its line
                (right if is_right else wrong)[number] += 1
                if not is_right and wrong[number] < 3:
                    print(f"wrong: {addr:#x} of life {number} {label} is on {found} ({labels[node]})")
    for number, life in enumerate(lives):
        print(f"life {number} {life[0]} right {'some' if right[number] >= 5 else right[number]} wrong {wrong[number]}")
    return 0


sys.exit(main())
