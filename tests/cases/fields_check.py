# SPDX-License-Identifier: BSD-3-Clause
"""usage: fields_check.py run.h5 REPORT.json

Check that the fields of fields_victim show its hot corner in every layout, and add up to the report's
figures. Status 3: no error, but too few samples to decide."""
import json
import sys

import h5py
import numpy as np

path, report_path = sys.argv[1:3]
failed = 0
too_few = 0
# If nine of ten accesses are in a corner of 256 cells, fewer than three quarters of 300 samples are there, or
# another cell has most, once in millions of runs.
LEAST = 300


def check(what, holds):
    global failed
    if not holds:
        print("FAIL:", what)
        failed = 1


def enough(what, samples, least):
    global too_few
    if samples < least:
        print(f"too few samples: {what}: {samples:.0f}, wanted {least}")
        too_few = 1


with open(report_path) as f:
    rows = {r["label"]: r for r in json.load(f)["rows"]}
with h5py.File(path) as f:
    mesh, fields = f["/meshes/plate"], f["/fields"]
    absent = [n for n in ["plate.dense", "plate.apart", "plate.ghosted", "plate.shuffled", "plate.halves/steps"] if n not in fields]
    if absent:
        print("too few samples: nothing of", *absent)
        sys.exit(3)
    check("extents and unit of the plate", list(mesh.attrs["extents"]) == [64, 64] and mesh.attrs["unit"] == b"m")
    for label in ["dense", "apart", "ghosted", "shuffled"]:
        field = fields["plate." + label]
        samples = field["samples"][:]
        all_samples = samples.sum()
        corner = samples[:16, 48:].sum()  # [y][x]
        print(f"{label}: {all_samples:.0f} samples, {corner / max(all_samples, 1):.3f} in the corner, outside {field.attrs['outside']}")
        enough(label, all_samples, LEAST)
        if all_samples >= LEAST:
            check(f"{label}: hot corner", corner / all_samples > 0.75)
            hot = np.unravel_index(np.argmax(samples), samples.shape)
            check(f"{label}: hottest cell {hot} in the corner", hot[0] < 16 and hot[1] >= 48)
        check(f"{label}: mapped is what is in the field", field.attrs["mapped"] == all_samples)
        # on a loaded machine every burst of a while may be preempted before it measures: then it has no time, and no row
        row = rows.get(label, {"samples": field.attrs["mapped"] + field.attrs["outside"], "time_ns": 0, "stall_ns": 0})
        check(f"{label}: mapped and outside are the report's samples", field.attrs["mapped"] + field.attrs["outside"] == row["samples"])
        check(f"{label}: means are missing where nothing was sampled", np.isnan(field["latency_mean_cycles"][:][samples == 0]).all())
        if label != "ghosted":
            for metric in ["time_ns", "stall_ns"]:
                there, here = row[metric] or 0, field[metric][:].sum()  # no stall without a timed load
                check(f"{label}: {metric} is {here}, the report's {there}", abs(here - there) <= 2e-8 * max(abs(there), 1))  # JSON has nine digits
    ghosted = fields["plate.ghosted"].attrs
    if ghosted["mapped"] >= LEAST:
        check("ghosts are outside", 0.02 < ghosted["outside"] / (ghosted["mapped"] + ghosted["outside"]) < 0.4)
    # on a loaded machine every burst of a while may be preempted before it times a load
    enough("timed loads", np.isfinite(fields["plate"]["latency_mean_cycles"][:]).sum(), 1)
    nodes = [fields[n]["samples"][:] for n in fields if n.startswith("plate.")]
    check("the plate's field is all its nodes'", (fields["plate"]["samples"][:] == sum(nodes)).all())
    numbers, values = f["/samples/field"][:], f["/samples/value"][:]
    for name, field in fields.items():
        if field.attrs["node"] == 0xFFFFFFFF:
            continue
        of_field = values[numbers == field.attrs["number"]]
        inside = of_field[of_field != 0xFFFFFFFF]
        samples = field["samples"][:]
        check(f"{name}: places of single samples make the field", (np.bincount(inside, minlength=samples.size) == samples.ravel()).all())
        check(f"{name}: and those outside", len(of_field) - len(inside) == field.attrs["outside"])
    steps = fields["plate.halves/steps"]
    labels = [s.decode() if isinstance(s, bytes) else s for s in steps["label"][:]]
    phases = ["left #1", "right #1", "left #2", "right #2"]
    check(f"steps are the phases: {labels}", labels == [p for p in phases if p in labels])
    enough("steps", len(labels), len(phases))
    check("steps begin in order", (np.diff(steps["begin_s"][:]) > 0).all())
    for i, label in enumerate(labels):
        samples = steps["samples"][i]
        half = samples[:, :32] if label.startswith("left") else samples[:, 32:]
        print(f"step {label}: {samples.sum():.0f} samples")
        enough(f"step {label}", samples.sum(), 10)
        check(f"step {label}: all of its half", half.sum() == samples.sum())
    processes = f["/threads/process"][:][f["/samples/thread"][:]]
    dense = f["/samples/node"][:] == fields["plate.dense"].attrs["node"]
    enough("the child's, on the plate, too", (dense & (processes == 1)).sum(), 11)
sys.exit(1 if failed else 3 if too_few else 0)
