#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program with five arrays on one grid: samples are in the cells that it touched, and nowhere else.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py
needs_runtime
needs_step
attempt=1
while :; do
    must "$loadstone" record -q --force --overhead 20% -o run.h5 -- "$top_builddir/tests/cases/ndm_victim" $((attempt * 1000))
    # a machine that is busy samples little: try longer before it counts
    "$python" - run.h5 $attempt <<'P' && break
import sys
import h5py
import numpy as np

fields = h5py.File(sys.argv[1])["fields"]
z, y, x = np.indices((8, 10, 12))
# array: cells that it touches, whether there are samples beside the field
truth = {
    "vectors": (x < 4, False),
    "ghosted": ((y == 4) & (z == 2), True),
    "tiled": (z == 3, True),  # padding: two rows of the last tiles
    "reversed": (x + 12 * (y + 10 * z) >= 12 * 10 * 8 - 60, False),
    "mirrored": (x == 11, False),
}
found = {str(f.attrs["label"], "utf-8"): f for f in fields.values()}
missing = [name for name in truth if name not in found or found[name].attrs["mapped"] == 0]
if missing and int(sys.argv[2]) < 16:
    sys.exit(1)
bad = 0
for name in missing:
    print(f"FAIL: {name} has no samples in a field")
    bad = 2
for name, (cells, may_be_outside) in truth.items():
    if name in missing:
        continue
    samples, outside = found[name]["samples"][...], found[name].attrs["outside"]
    if samples.shape != (8, 10, 12) or (samples[~cells] != 0).any():
        print(f"FAIL: {name}: shape {samples.shape}, samples in {np.argwhere((samples != 0) & ~cells)[:5].tolist()}")
        bad = 2
    if samples.sum() != found[name].attrs["mapped"] or (outside != 0 and not may_be_outside):
        print(f"FAIL: {name}: {samples.sum()} samples, {found[name].attrs['mapped']} mapped, {outside} outside")
        bad = 2
sys.exit(bad)
P
    [ $? -eq 1 ] || { failed=1; break; }
    attempt=$((attempt * 2))
done
exit $failed
