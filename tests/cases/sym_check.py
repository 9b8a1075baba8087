# SPDX-License-Identifier: BSD-3-Clause
"""usage: sym_check.py RUN.h5 TRUTH MAIN [stripped]
Every sample inside an object of TRUTH (lines of sym_victim.h) has that object as its home, with its element, below its
module; MAIN is the program's name in the profile. stripped: only sections are known.
Status 0: all are. 1: one is not. 3: an object has no sample, record longer."""
import sys

import h5py
import numpy

MISSING = 2**64 - 1


def texts(data):
    return data.asstr()[:] if h5py.check_string_dtype(data.dtype) else data[:]


class Profile:
    def __init__(self, path):
        run = h5py.File(path, "r")
        self.nodes = {k: texts(v) for k, v in run["nodes"].items()}
        self.kinds = [str(k) if isinstance(k, str) else k.decode() for k in run["nodes"].attrs["kinds"]]
        samples = run["samples"]
        self.addr, self.node, self.element = (samples[k][:] for k in ("addr", "node", "element"))
        self.time_ns = samples["time_ns"][:] + numpy.uint64(run["run"].attrs["start_mono_ns"])

    def describe(self, node):
        """kind, label, labels of all above"""
        above, at = [], self.nodes["parent"][node]
        while at != 2**32 - 1:
            above.append(self.nodes["label"][at])
            at = self.nodes["parent"][at]
        return self.kinds[self.nodes["kind"][node]], self.nodes["label"][node].replace(" ", "_"), above


def check(profile, truth, main, stripped):
    label, module, kind, base, end, elem, begin, until = truth
    base, end, elem = int(base), int(end), int(elem)
    inside = (profile.addr >= base) & (profile.addr < end)
    inside &= (profile.time_ns >= int(begin)) & (profile.time_ns < int(until))
    module = main if module == "MAIN" else module
    wrong = 0
    for node in numpy.unique(profile.node[inside]):
        got_kind, got_label, above = profile.describe(node)
        is_right = got_kind == kind and got_label == label
        if stripped:
            is_right = got_kind == ("section" if kind == "symbol" else "tls") and got_label in (
                ".data", ".bss", ".rodata", "thread-local_storage")
        is_right = is_right and any(a == module or a.startswith(module + " (") for a in above)
        if not is_right:
            wrong += 1
            print(f"FAIL: {label} of {module}: its samples are in {got_kind} {got_label} of {above}")
    if not stripped:
        want = (profile.addr[inside] - numpy.uint64(base)) // numpy.uint64(elem)
        if not numpy.array_equal(profile.element[inside], want):
            wrong += 1
            print(f"FAIL: {label}: elements are {profile.element[inside][:5]}, not {want[:5]}")
    return int(inside.sum()), wrong


def main():
    profile = Profile(sys.argv[1])
    truths = [line.split() for line in open(sys.argv[2]) if line.count(" ") == 7]
    if not truths:
        sys.exit("FAIL: the program printed nothing")
    without, wrong = [], 0
    for truth in truths:
        found, bad = check(profile, truth, sys.argv[3], "stripped" in sys.argv[4:])
        wrong += bad
        if not found:
            without.append(truth[0])
    if wrong:
        sys.exit(1)
    if without:
        print("no samples in " + " ".join(without))
        sys.exit(3)
    print(f"ok: {len(truths)} objects")


main()
