# SPDX-License-Identifier: BSD-3-Clause
"""Latency of pointer chases over rings of 16 KiB to 1 GiB: in one and the same run the program times its own steps, and the profiler
probes its loads."""
import itertools
import os

import h5py
import numpy

SIZES = [16 << 10, 128 << 10, 512 << 10, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30]


def size_text(n):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n >= 1 << shift:
            return "%g %s" % (n / (1 << shift), unit)
    return "%d B" % n


def text(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def typical(latencies, step):
    """The median, refined where the time stamp counter is coarse: the mean of all within 1.5 steps of it."""
    median = numpy.median(latencies)
    return latencies[abs(latencies - median) <= 1.5 * step].mean()


def level_split(levels):
    counts = numpy.bincount(levels[levels < 4], minlength=4)
    return " / ".join("%.0f" % (100 * c / max(1, counts.sum())) for c in counts)


def chase(runner, programs, engine, size, seconds):
    """Native and probed latency of one recording, or None where no load was timed."""
    path = os.path.join(runner.folder, "chase.h5")
    output, _, _ = runner.run([runner.loadstone, "record", "--quiet", "--force", "--paused", "--engine", engine.name, "--overhead", "10%", "-o", path, "--",
                               os.path.join(programs, "chase"), str(size), str(seconds)])
    native_ns = float(output.split()[1])
    with h5py.File(path) as run:
        samples, about = run["samples"], run["run"].attrs
        ring = text(run["nodes"]["label"][:]).index("ring")
        of_ring = (samples["node"][:] == ring) & (samples["latency_valid"][:] == 1) & (samples["op"][:] == 0)
        latencies = samples["latency_cycles"][:][of_ring].astype(float)
        if len(latencies) == 0:
            return None
        native_cycles = native_ns * float(about["tsc_hz"]) / 1e9
        step = float(about["tsc_step_cycles"]) if "tsc_step_cycles" in about else 1.0
        mean = latencies[latencies <= 20 * max(step, numpy.median(latencies))].mean()  # the others were interrupted
        return native_ns, native_cycles, typical(latencies, step), mean, level_split(samples["level"][:][of_ring]), len(latencies)


def rows(runner, programs, engines, say):
    """Return lines of the page's table: for each ring and engine, the run with the fastest native steps of three."""
    lines = []
    for size, engine in itertools.product(SIZES, engines):
        found, why = [], "no latency was measured"
        for _ in range(3):
            try:
                found.append(chase(runner, programs, engine, size, 4))
            except Exception as e:  # a ring that fails has a row with the error
                why = str(e)
        found = sorted((r for r in found if r), key=lambda r: r[0])
        if found:
            native_ns, native, median, mean, split, n = found[0]
            lines.append("| %s | %s | %.2f | %.1f | %.1f | %.2f | %.1f | **%.2f** | %s | %d |" % (
                size_text(size), engine.name, native_ns, native, median, median / native, mean, mean / native, split, n))
        else:
            lines.append("| %s | %s | failed: %s | | | | | | | |" % (size_text(size), engine.name, why))
        say(lines[-1])
    return lines
