#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure the cost of record --series: ratios of wall and CPU time with series to without, by pairs of runs.

usage: series.py --loadstone FILE --programs DIR [--series NAMES] [--interval TIME] [--rounds N]
Sampling of loads is off (--engine null) on both sides. A round runs both, in turns first; the figure is the median of the rounds'
ratios with its 95 % interval (sign test). On one CPU the reader competes with the program; on all it need not."""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile

import h5py


def interval(values):
    """The ranks between which the median is with 95 %: binomial, p = 1/2."""
    n, below, rank = len(values), 0.0, 0
    while rank < n // 2:
        below += math.comb(n, rank) / 2**n
        if below > 0.025:
            break
        rank += 1
    rank = max(rank - 1, 0)
    values = sorted(values)
    return values[rank], values[n - 1 - rank]


def run(args, command, cpus, series):
    """Seconds of the program by the wall clock, its CPU seconds, and the reader's."""
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "run.h5")
        record = [args.loadstone, "record", "-q", "--engine", "null", "-o", path]
        if series:
            record += ["--series", args.series, "--series-interval", args.interval]
        subprocess.run(record + ["--"] + command, check=True, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        with h5py.File(path) as f:
            reader_ns = f["counters/reader_cpu_ns"][:]
            cpu_ns = f["run"].attrs["cpu_ns"]
            return f["run"].attrs["duration_ns"] / 1e9, cpu_ns / 1e9, (reader_ns[0] / 1e9 if len(reader_ns) else 0), len(reader_ns)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--series", default="net")
    parser.add_argument("--interval", default="10ms")
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    command = [os.path.join(args.programs, "overhead_matmul"), "700", "8"]
    everywhere = os.sched_getaffinity(0)
    print("| series | CPUs | ratio of wall time | ratio of CPU time | reader, % of a CPU | counters | rounds |")
    print("|---|---|---|---|---|---|---|")
    for cpus in ({min(everywhere)}, everywhere):
        wall, cpu, reader = [], [], []
        for i in range(args.rounds):
            sides = {}
            for series in (i % 2 == 0, i % 2 == 1):
                sides[series] = run(args, command, cpus, series)
            wall.append(sides[True][0] / sides[False][0])
            cpu.append(sides[True][1] / sides[False][1])
            reader.append(100 * sides[True][2] / sides[True][0])
            counters = sides[True][3]
        if not counters:
            sys.exit("no counter of %s can be read here" % args.series)
        print("| %s, every %s | %d | **%.4f** (%.4f to %.4f) | **%.4f** (%.4f to %.4f) | %.2f | %d | %d |" % (
            args.series, args.interval, len(cpus), statistics.median(wall), *interval(wall), statistics.median(cpu), *interval(cpu),
            statistics.median(reader), counters, args.rounds))


main()
