#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure the cost of an allocation under the profiler; overhead.py measures whole programs.

Pairs of free and malloc, in CPU time: plain, with a preload that only jumps to the real functions, with the hooks alone (no sampling),
as recorded by default, and under heaptrack where it is installed; the kinds take turns, so that a drift of the machine hits all alike.

usage: alloc.py --preload LIB --programs DIR --write FILE [--rounds N]
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import overhead

CASES = [(16, 1), (64, 1), (512, 1), (4096, 1), (65536, 1), (0, 1), (64, 2), (0, 2), (0, 4)]
DEPTH = 20


def pairs(args, kind, size, threads, work):
    command = [os.path.join(args.programs, "alloc_pairs"), str(size), str(threads), str(DEPTH)]
    env = {k: v for k, v in os.environ.items() if not k.startswith("LOADSTONE_")}
    if kind in ("hooks", "no tags", "default"):
        env.update(LD_PRELOAD=args.preload, LOADSTONE_SPOOL=tempfile.mkdtemp(dir=work))
        if kind == "hooks":
            env["LOADSTONE_ENGINE"] = "null"
        if kind == "no tags":
            env["LOADSTONE_TAGS"] = "0"
    if kind == "jump":
        env.update(LD_PRELOAD=os.path.join(args.programs, "alloc_jump.so"))
    if kind == "heaptrack":
        command = ["heaptrack", "-o", os.path.join(work, "heaptrack")] + command
    done = subprocess.run(command, env=env, cwd=work, capture_output=True, text=True, check=True)
    for name in os.listdir(work):
        if name.startswith(("tmp", "heaptrack")):
            path = os.path.join(work, name)
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)
    for line in done.stdout.splitlines():  # heaptrack talks on the same stream
        try:
            return float(line)
        except ValueError:
            pass
    raise RuntimeError("%s printed no figure: %s" % (command, done.stdout))


def measure_pairs(args, kinds, work, say):
    say("| bytes | threads | " + " | ".join("%s, ns" % k for k in kinds) + " | default / plain |")
    say("|---" * (3 + len(kinds)) + "|")
    for size, threads in CASES:
        values = {kind: [] for kind in kinds}
        for _ in range(args.rounds):
            for kind in kinds:
                values[kind].append(pairs(args, kind, size, threads, work))
        medians = {kind: statistics.median(v) for kind, v in values.items()}
        ratio = statistics.median(with_ / plain for with_, plain in zip(values["default"], values["plain"]))
        say("| %s | %d | %s | %.2f |" % (size or "16 to 8192", threads, " | ".join("%.1f" % medians[k] for k in kinds), ratio))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--preload", "--programs", "--write"):
        parser.add_argument(option, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--machine", default="")
    args = parser.parse_args()
    args.preload, args.programs = os.path.abspath(args.preload), os.path.abspath(args.programs)
    kinds = ["plain", "jump", "hooks", "no tags", "default"] + (["heaptrack"] if shutil.which("heaptrack") else [])
    work = tempfile.mkdtemp(prefix="loadstone-alloc.")
    lines = []

    def say(line=""):
        print(line, flush=True)
        lines.append(line)

    try:
        measure_pairs(args, kinds, work, say)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    note = "" if "heaptrack" in kinds else "\nheaptrack was not installed.\n"
    overhead.write(args.write, """# Cost of allocations

Measured by `make bench-alloc` on:

    %s

A pair is a free and a malloc with 256 blocks alive in each thread, %d frames deep, in nanoseconds of CPU time (medians of %d runs of each kind,
in turns; the ratio is the median over turns). *plain*: no runtime. *jump*: a preload that only
calls the real functions, which is the cost of interposition itself. *hooks*: the runtime with the engine `null`, which
has interposition, call paths and records, but no sampling of accesses. *default*: like `loadstone record`, with a budget
of 3 %% of the run time for everything; *no tags*: the same with `--no-tags`. *heaptrack* records every allocation with its stack.
%s
%s

A program that only allocates is the worst case. The runtime records each block above a threshold, and a sample of the
smaller ones. Threshold and sample follow the budget, so that records cost half of it, and so that an hour of records at
3 %% takes less than 256 MiB. The remaining cost is that of examining each call, and of its site tag: the number of the
allocation site, found by the return address and the depth of the stack, is written to a table beside the heap: once for
each 16 bytes of a block of up to 256 bytes; once for each 256 bytes of a longer one, and for the 16 bytes at both ends. The tags take up
to an eighth of the heap's memory. Tags are charged to the budget: bursts become fewer, by up to a half, but
tags do not, because a block without its tag would have the name of an older one. Records get the part of their half that tags leave.
When the budget is spent, blocks still get their tags, but only the first 2,048 call paths of a process are unwound for them.
As long as there is no budget, blocks of other paths are named by the calling function alone. `report --how` prints how many
allocations had the tag of another call path, by a random sample. `overhead.md` has whole programs that allocate much
(python3, node, gcc, redis-server, perl), with the cost of hooks, call paths and sampling together.
""" % (args.machine.replace("\n", "\n    "), DEPTH, args.rounds, note, "\n".join(lines)))


if __name__ == "__main__":
    sys.exit(main())
