#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what the profiler says with what is known otherwise.

Latency: pointer chases over rings of 16 KiB to 1 GiB. In one and the same run the program times its own steps (the median of short
stretches, which the few sampled moments do not move) and the profiler probes its loads.

Time shares: a program gathers, chases and streams over arrays of its own and clocks each part; the sampled shares of these arrays
must agree. Runs are added until the 95 % interval is +-3 points; the clocked share must lie inside.

usage: truth.py --loadstone CMD --programs DIR --write FILE [--quick]
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

CHASE_SIZES = [16 << 10, 128 << 10, 512 << 10, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30]
PARTS = ["gather", "chase", "stream"]


def size_text(n):
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if n >= 1 << shift:
            return "%g %s" % (n / (1 << shift), unit)
    return "%d B" % n


class Recorder:
    def __init__(self, args, work):
        self.args, self.work = args, work

    def record(self, overhead, *command):
        """Record a bench program; its output and the file."""
        path = os.path.join(self.work, "run.h5")
        whole = [self.args.loadstone, "record", "--quiet", "--force", "--paused", "--overhead", "%g%%" % overhead, "-o", path, "--",
                 os.path.join(self.args.programs, command[0])] + [str(c) for c in command[1:]]
        done = subprocess.run(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit("%s: status %d\n%s" % (" ".join(whole), done.returncode, done.stderr))
        return done.stdout, h5py.File(path)


def column(table, name):
    return table[name][:]


def text(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def typical(latencies, step):
    """The median, refined where the time stamp counter is coarse: the mean of all within 1.5 steps of it."""
    median = numpy.median(latencies)
    return latencies[abs(latencies - median) <= 1.5 * step].mean()


def level_split(levels):
    counts = numpy.bincount(levels[levels < 4], minlength=4)
    return " / ".join("%.0f" % (100 * c / max(1, counts.sum())) for c in counts)


def chase_row(recorder, size, seconds, overhead):
    out, run = recorder.record(overhead, "truth_chase", size, seconds)
    native_ns = float(out.split()[1])
    labels = text(column(run["nodes"], "label"))
    samples, about = run["samples"], run["run"].attrs
    of_ring = (column(samples, "node") == labels.index("ring")) & (column(samples, "latency_valid") == 1) & (column(samples, "op") == 0)
    latencies = column(samples, "latency_cycles")[of_ring].astype(float)
    if len(latencies) == 0:
        return None
    native_cycles = native_ns * float(about["tsc_hz"]) / 1e9
    mean = latencies[latencies <= numpy.percentile(latencies, 99)].mean()
    step = float(about["tsc_step_cycles"]) if "tsc_step_cycles" in about else 1.0
    return native_ns, native_cycles, typical(latencies, step), mean, level_split(column(samples, "level")[of_ring]), len(latencies)


def chases(recorder, say, quick):
    say("## Latency of a pointer chase")
    say()
    say("| ring | native ns/load | native cycles | probed median | of native | probed mean | of native | L1 / L2 / L3 / DRAM, % | latencies |")
    say("|---|---|---|---|---|---|---|---|---|")
    for size in CHASE_SIZES[: 6 if quick else None]:
        rows = [chase_row(recorder, size, 2 if quick else 4, 10) for _ in range(1 if quick else 3)]
        rows = sorted((r for r in rows if r), key=lambda r: r[0])
        row = rows[0] if rows else None
        if row is None:
            say("| %s | no latency was measured | | | | | | | 0 |" % size_text(size))
            continue
        native_ns, native, median, mean, split, n = row
        say("| %s | %.2f | %.1f | %.1f | **%.2f** | %.1f | %.2f | %s | %d |" % (
            size_text(size), native_ns, native, median, median / native, mean, mean / native, split, n))
    say()


def burst_parts(run):
    """The part of the program that each burst fell into (by the arrays it touched most) and its weight."""
    nodes = run["nodes"]
    labels, parents = text(column(nodes, "label")), column(nodes, "parent")
    part_of_node = numpy.full(len(labels), -1)
    for i, label in enumerate(labels):
        parent = int(parents[i])
        if parent < len(labels) and labels[parent] in PARTS:
            part_of_node[i] = PARTS.index(labels[parent])
    samples, weights = run["samples"], column(run["bursts"], "weight_ns").astype(float)
    node, burst = column(samples, "node"), column(samples, "burst")
    counts = numpy.zeros((len(weights), len(PARTS)))
    part = part_of_node[node]
    numpy.add.at(counts, (burst[part >= 0], part[part >= 0]), 1)
    touched = counts.sum(axis=1) > 0
    return counts.argmax(axis=1)[touched], weights[touched], int((~touched).sum())


def shares(parts, weights):
    return numpy.array([weights[parts == p].sum() for p in range(len(PARTS))]) / weights.sum()


def interval(parts, weights, rounds=2000):
    rng = numpy.random.default_rng(1)
    picks = rng.integers(0, len(parts), size=(rounds, len(parts)))
    resampled = numpy.array([shares(parts[p], weights[p]) for p in picks])
    return numpy.percentile(resampled, [2.5, 97.5], axis=0)


def time_shares(recorder, say, quick):
    seconds, clocked = (8 if quick else 30), numpy.zeros(len(PARTS))
    parts, weights, outside, runs = numpy.array([], dtype=int), numpy.array([]), 0, 0
    low = high = None
    while runs < (2 if quick else 12):
        out, run = recorder.record(15, "truth_phases", seconds)
        runs += 1
        clocked += [float(line.split()[1]) for line in out.splitlines()]
        p, w, o = burst_parts(run)
        parts, weights, outside = numpy.append(parts, p), numpy.append(weights, w), outside + o
        low, high = interval(parts, weights)
        if (high - low).max() <= 0.06:
            break
    sampled, truth = shares(parts, weights), clocked / clocked.sum()
    say("## Time shares of a program with known parts")
    say()
    say("%d runs of %d s, %d bursts (%d more touched none of the arrays)." % (runs, seconds, len(parts), outside))
    say()
    say("| part | clocked | sampled | 95 % interval | clocked inside |")
    say("|---|---|---|---|---|")
    for i, name in enumerate(PARTS):
        inside = low[i] <= truth[i] <= high[i]
        say("| %s | %.1f %% | %.1f %% | %.1f .. %.1f %% | %s |" % (name, 100 * truth[i], 100 * sampled[i], 100 * low[i], 100 * high[i], "yes" if inside else "**no**"))
    say()
    return all(low[i] <= truth[i] <= high[i] for i in range(len(PARTS)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--loadstone", "--programs", "--write"):
        parser.add_argument(option, required=True)
    parser.add_argument("--machine", default="", help="description of the machine")
    parser.add_argument("--quick", action="store_true", help="shorter runs, wider intervals")
    args = parser.parse_args()
    args.loadstone, args.programs = os.path.abspath(args.loadstone), os.path.abspath(args.programs)
    work = tempfile.mkdtemp(prefix="loadstone-truth.")
    lines, before = [], os.getloadavg()[0]

    def say(line=""):
        print(line, flush=True)
        lines.append(line)

    try:
        recorder = Recorder(args, work)
        chases(recorder, say, args.quick)
        good = time_shares(recorder, say, args.quick)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    with open(args.write, "w") as f:
        f.write("""# What the numbers are worth

Measured by `make bench-truth` on:

    %s

The load of the processors was %.1f before and %.1f after (1 minute average).

A probe times one load by itself: where the processor would have overlapped it with others, or a prefetcher would have come too late,
the native program sees another time than the probe. A pointer chase has neither, so both can be compared: in one and the same run the
program times its own steps (the median of stretches of a millisecond) and the profiler probes its loads. Of three runs the one counts
whose native steps were the fastest: other programs disturbed it least.

What makes a reading comparable, and where it comes from:

* **The probe's own cost** is not taken from a table. Beside every probe a control is timed in the same place, a line that is in L1
  for certain. The mean of the controls without the latency of L1 is subtracted. That latency is the one figure that is calibrated: a
  chase over half of L1, timed natively once per processor model. Nothing else is fitted, to these rings or to any.
* **The time stamp counter advances in steps** (26 cycles, 10 ns, on recent AMD processors). Single latencies inside the caches are that
  coarse, and some are negative; the means are right, because probes come at random phases of a step. The median below is refined: the
  mean of all latencies within 1.5 steps of the plain median, as in reports. Means leave out the highest 1 %%. The levels of single loads
  are told apart only as far as the steps allow: with steps of 26 cycles about one in eight loads from L1 reads as L2, and half of those
  from L2 as L1.
* **Translations**: between two stepped instructions the kernel and the handlers run and push the program's out of the first-level TLB.
  Before the probe the translation is fetched back, by way of a line that the burst has touched already, if the page is among as many
  latest ones as that TLB has entries.
* **Lines touched lately** (at most 512 touches before) natively are in L1; they count with its latency. So does the first row.
* **Preemption**: natively a program that comes back to the processor has its caches again within microseconds, a burst would not. It
  ends there. On a machine with more runnable programs than processors bursts are therefore shorter, and those that get far began early in
  a time slice, in cold caches: measure on a machine that has a processor to spare.

What remains: the kernel, the handlers and the timer tick use part of L2 themselves, and a burst takes some milliseconds for what
natively takes microseconds, in which neighbours push its lines out of a shared L3. Rings that natively fit L2 or L3 with little room to
spare therefore lose some of their lines; the mean shows it first. A virtual machine shares L3 with unseen neighbours at all times.

%s""" % (args.machine.replace("\n", "\n    "), before, os.getloadavg()[0], "\n".join(lines)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
