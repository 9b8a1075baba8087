#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure the cost of the idle runtime: programs under `loadstone run` that nobody records.

Each program runs plainly and under `loadstone run` in turns (A B B A), and does the same work each time. The ratio of the CPU times of
each pair is taken, so that a drift of the machine hits both alike; the table has the median of the ratios and its 95 %
interval (bootstrap). The start, which costs the same for each program, is measured apart, with a program that does nothing. Times have
the noise of the machine; a second table has exact counts: instructions, accesses to memory and lines that the first cache has to fetch, in
valgrind's cachegrind. Each program does a little and more of its work, and the difference is what the work takes, without the start.
Writes a page of documentation.

usage: idle.py --loadstone CMD --programs DIR --write FILE [--rounds N] [--counts-only]
"""
import argparse
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import overhead

STARTS = 100
COUNT_LEAST = 10000  # fewer lines have no ratio


def run(command, env):
    """CPU time of a child, user and all, in seconds, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = after.ru_utime - before.ru_utime
    return user, user + after.ru_stime - before.ru_stime, done.stdout


def median_interval(values):
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(2000))
    return statistics.median(values), medians[50], medians[-51]


def programs(args):
    pairs = os.path.join(args.programs, "alloc_pairs")
    yield "allocations only, 64 bytes", [pairs, "64", "1", "20"], lambda cpu, out: float(out)
    yield "allocations only, 16 to 8192 bytes", [pairs, "0", "1", "20"], lambda cpu, out: float(out)
    yield "STREAM-like loops", [os.path.join(args.programs, "overhead_stream"), "20"], lambda cpu, out: cpu
    if shutil.which("python3"):
        yield "python3", [overhead.python(), "-c", overhead.PYTHON % 30], lambda cpu, out: cpu
    if shutil.which("sqlite3"):
        yield "sqlite3", ["sqlite3", ":memory:", overhead.SQL % 700000], lambda cpu, out: cpu
    if shutil.which("perl"):
        yield "perl", ["perl", "-e", overhead.PERL % 20], lambda cpu, out: cpu


def counted_programs(args):
    """Commands for an amount of work, and a small and a larger amount."""
    pairs = os.path.join(args.programs, "alloc_pairs")
    yield "allocations only, 64 bytes", lambda n: [pairs, "64", "1", "20", str(n)], 10, 60
    yield "allocations only, 16 to 8192 bytes", lambda n: [pairs, "0", "1", "20", str(n)], 10, 60
    yield "STREAM-like loops", lambda n: [os.path.join(args.programs, "overhead_stream"), str(n)], 1, 2
    if shutil.which("python3"):
        yield "python3", lambda n: [overhead.python(), "-c", overhead.PYTHON % n], 1, 2
    if shutil.which("sqlite3"):
        yield "sqlite3", lambda n: ["sqlite3", ":memory:", overhead.SQL % n], 10000, 20000
    if shutil.which("perl"):
        yield "perl", lambda n: ["perl", "-e", overhead.PERL % n], 1, 2


def count(command, env):
    """Instructions, accesses, and lines fetched into the first cache."""
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", *command], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return [int(re.search(what + r":\s+([\d,]+)", done.stderr).group(1).replace(",", "")) for what in ("I +refs", "D +refs", "D1 +misses")]


def counts(args, env, idle, say):
    if not shutil.which("valgrind"):
        say("Not counted: valgrind is not installed.")
        return
    env, idle = (dict(e, PYTHONHASHSEED="0", PERL_HASH_SEED="0") for e in (env, idle))
    other = dict(env, LD_PRELOAD="librt.so.1")
    say("The times have the noise of the machine, and cannot show 0.1 %. Counts can: valgrind's cachegrind executes the programs and counts")
    say("instructions, accesses to memory, and lines that its model of the first cache (that of this machine) fetches. Each program")
    say("does a little of its work and more of it; the table has the differences, so that the start is left out. Where memory lies")
    say("elsewhere, counts differ a little by themselves: the last columns have the ratios with a library in place of the runtime that")
    say("has nothing to do (librt).")
    say()
    say("| program | instructions, plain | idle / plain | accesses | lines | instructions, librt / plain | lines |")
    say("|---|---|---|---|---|---|---|")
    starts = []
    for name, command, little, more in counted_programs(args):
        small, large = ([count(command(n), e) for e in (env, idle, other)] for n in (little, more))
        work = [[b - a for a, b in zip(small[k], large[k])] for k in range(3)]
        ratios = [["%.5f" % (i / p) if p > COUNT_LEAST else "few" for p, i in zip(work[0], w)] for w in work[1:]]
        say("| %s | %.1f million | %s |" % (name, work[0][0] / 1e6, " | ".join(ratios[0] + ratios[1][::2])))
        starts.append(small[1][0] - small[0][0])
    say()
    say("The start takes %.1f to %.1f million instructions more (loading the runtime, and finding the calls that it redirects)." %
        (min(starts) / 1e6, max(starts) / 1e6))
    say()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--loadstone", "--programs", "--write"):
        parser.add_argument(option, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--machine", default="")
    parser.add_argument("--counts-only", action="store_true", help="print the counts, measure no times, write nothing")
    args = parser.parse_args()
    args.programs = os.path.abspath(args.programs)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LOADSTONE_")}
    preload = subprocess.run([args.loadstone, "run", "--", "sh", "-c", "echo $LD_PRELOAD"], env=env, capture_output=True, text=True,
                             check=True).stdout.strip()
    idle = dict(env, LD_PRELOAD=preload, LOADSTONE_IDLE="1")
    lines = []

    def say(line=""):
        print(line, flush=True)
        lines.append(line)

    if args.counts_only:
        counts(args, env, idle, say)
        return
    say("# Cost of the idle runtime")
    say()
    say("Measured by `make bench-idle` on:")
    say()
    for line in args.machine.strip().splitlines():
        say("    " + line)
    say()
    say("A program that `loadstone run` started has the runtime loaded, which does nothing until `loadstone record --pid`. The first table has")
    say("the CPU time with the idle runtime over that without it (median of %d pairs, and its 95 %% interval); for" % (2 * args.rounds))
    say("the first two programs, which do nothing else, the time of a free and a malloc.")
    say()
    starts = {}
    for kind, e in (("plain", env), ("idle", idle)):
        starts[kind] = min(run(["sh", "-c", "i=0; while [ $i -lt %d ]; do /bin/true; i=$((i + 1)); done" % STARTS], e)[1] for _ in range(5))
    start = (starts["idle"] - starts["plain"]) / STARTS
    say("| program | plain | idle / plain | interval |")
    say("|---|---|---|---|")
    for name, command, figure in programs(args):
        ratios, plain = [], []
        run(command, env)
        for _ in range(args.rounds):
            a1, b1, b2, a2 = [figure(*run(command, e)[1:]) for e in (env, idle, idle, env)]
            if not name.startswith("allocations"):
                b1, b2 = b1 - start, b2 - start
            ratios += [b1 / a1, b2 / a2]
            plain += [a1, a2]
        middle, low, high = median_interval(ratios)
        unit = "%.1f ns" if name.startswith("allocations") else "%.2f s"
        say("| %s | %s | %.4f | %.4f to %.4f |" % (name, unit % statistics.median(plain), middle, low, high))
    say()
    say("The start of a program takes %.1f ms more CPU time (loading the runtime, and finding the calls that it redirects), which the" % (start * 1000))
    say("first table leaves out: it is under 0.1 %% of programs that run for more than %.0f s." % max(1, start * 1000))
    say()
    counts(args, env, idle, say)
    while not lines[-1]:
        lines.pop()
    with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(os.path.abspath(args.write)), delete=False) as f:
        f.write("\n".join(lines) + "\n")
    os.chmod(f.name, 0o644)
    os.replace(f.name, args.write)


if __name__ == "__main__":
    main()
