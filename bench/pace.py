#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the pace that bursts measure with that of whole programs.

A program's own pace is its CPU time in user mode over its instructions, which callgrind counts. The bursts' pace is the CPU time that
they represent over the instructions that they stand for: if it is too slow by a factor, so are traffic and accesses too few. Bursts
without a pace go as fast as the others on average. Prints a table.

usage: pace.py --loadstone CMD [--overhead 3] [--rounds N] [--counts FILE] [--only NAME,...] PROGRAMS
PROGRAMS: a file with a name and a command in each line. FILE keeps the counts of instructions for the next time.
"""
import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile

import h5py


def run(command, **options):
    """The status is not looked at: some benchmarks use it for a checksum of their own."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(command, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def count_instructions(command):
    done = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], stderr=subprocess.PIPE)
    return int(re.search(rb"Collected : (\d+)", done.stderr)[1])


def bursts_of(loadstone, command, overhead, folder):
    """The columns of all bursts by name, and the frequency of the time stamp counter."""
    path = os.path.join(folder, "run.h5")
    run([loadstone, "record", "-q", "--force", "--engine", "translate", "--overhead", overhead + "%", "-o", path, "--", *command],
        stderr=subprocess.DEVNULL)
    with h5py.File(path) as f:
        columns = ("weight_ns", "pace_instructions", "pace_cycles", "spent_ns")
        return {name: f["bursts"][name][:].astype(float) for name in columns}, float(f["run"].attrs["tsc_hz"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--overhead", default="3", help="percent")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--counts", help="JSON file")
    parser.add_argument("--only", default="")
    parser.add_argument("programs")
    args = parser.parse_args()
    counts = {}
    if args.counts and os.path.exists(args.counts):
        with open(args.counts) as f:
            counts = json.load(f)
    with open(args.programs) as f:
        programs = dict((line.split(None, 1)[0], shlex.split(line.split(None, 1)[1])) for line in f if line.strip())
    print("| program | instructions, 1e9 | cycles each | bursts a second | us each | with a pace | their pace | ratio | represented |\n"
          "|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.only.split(",") if args.only else programs:
            command = programs[name]
            if name not in counts:
                counts[name] = count_instructions(command)
                if args.counts:
                    with open(args.counts, "w") as f:
                        json.dump(counts, f)
            weight = paced = instructions = seconds = spent = bursts = with_pace = 0
            for _ in range(args.rounds):
                seconds += user_seconds(command)
                b, hz = bursts_of(args.loadstone, command, args.overhead, folder)
                known = (b["pace_instructions"] > 0) & (b["pace_cycles"] > 0)
                bursts += len(known)
                with_pace += known.sum()
                spent += b["spent_ns"].sum()
                weight += b["weight_ns"].sum()
                paced += b["weight_ns"][known].sum()
                instructions += (b["weight_ns"] * b["pace_instructions"])[known] @ (1e-9 * hz / b["pace_cycles"][known])
            own = seconds * hz / counts[name] / args.rounds
            mean = 1e-9 * hz * paced / instructions if instructions else float("nan")
            print("| %s | %.2f | %.2f | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f |" % (
                name, counts[name] * 1e-9, own, bursts / seconds, spent / bursts * 1e-3, with_pace / bursts, mean, mean / own,
                instructions * weight / max(paced, 1) / counts[name] / args.rounds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
