# SPDX-License-Identifier: BSD-3-Clause
"""usage: callbacks_compare.py run.h5 NODE COUNTS [PROCESS]

Check that the counts of a natural-domain function ("element samples cycles" lines) equal the recording's
samples of NODE, element by element: every sample once, and no others. Cycles may differ by the probe's cost,
which the program estimates; their sum must be close."""
import collections
import sys

import h5py

path, label, counts_path = sys.argv[1:4]
wanted_process = int(sys.argv[4]) if len(sys.argv) > 4 else 0


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


with h5py.File(path) as f:
    nodes = [i for i, n in zip(f["/nodes/id"][:], f["/nodes/label"].asstr()[:]) if n == label]
    samples = f["/samples"]
    thread_process = f["/threads/process"][:]
    recorded, cycles = collections.Counter(), 0
    rows = zip(samples["node"][:], samples["element"][:], samples["thread"][:], samples["latency_cycles"][:], samples["latency_valid"][:])
    for node, element, thread, latency, valid in rows:
        if node not in nodes or thread_process[thread] != wanted_process:
            continue
        recorded[int(element)] += 1
        cycles += int(latency) if valid else 0
counted, counted_cycles = {}, 0
for line in open(counts_path):
    element, n, cost = map(int, line.split())
    counted[element] = n
    counted_cycles += cost
n_recorded, n_counted = sum(recorded.values()), sum(counted.values())
print(f"recorded {n_recorded} counted {n_counted} cycles {cycles} counted {counted_cycles}")
different = [e for e in set(recorded) | set(counted) if recorded.get(e, 0) != counted.get(e, 0)]
if different:
    print(f"FAIL: {len(different)} elements differ, such as", [(e, recorded.get(e, 0), counted.get(e, 0)) for e in sorted(different)[:5]])
    sys.exit(1)
if n_recorded == 0:
    print("FAIL: no sample at all")
    sys.exit(1)
if cycles > 1000 and not 0.5 < (counted_cycles + 1) / cycles < 2:
    print("FAIL: far from the recorded latencies")
    sys.exit(1)
