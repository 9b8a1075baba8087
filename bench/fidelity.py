# SPDX-License-Identifier: BSD-3-Clause
"""Compare the speed of loops with that of replays of their patterns, which are extracted from exact traces by the commands
that users have.
usage: fidelity.py --loadstone PROGRAM --fidelity PROGRAM --programs PROGRAM --machine TEXT [--rounds N] [--write PAGE] [LOOP...]"""
import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

# With these sizes the arrays exceed the second-level cache, so that loops wait for memory.
LOOPS = {
    "spmv": (1000000, "sparse matrix times vector, rows of 1 to 7, x 8 MB"),
    "hash": (1000000, "probes of a hash table of 16 MB"),
    "stencil": (160, "7-point stencil, 160 x 161 x 162"),
    "matmul": (512, "textbook matrix product, 512 x 512"),
    "list": (1000000, "list of 64 MB in random order"),
    "histogram": (4000000, "histogram of 4 M values, 8 MB of bins"),
    "fields": (4000000, "one field of 4 M structures of 56 bytes"),
    "shuffle": (22, "bit-reversal shuffle of 4 M values"),
}
WITHIN = 0.15
GOAL = 7
TURN = 0.05
EXTRACT = ["--trivial", "--no-index-loads", "--min-accesses", "10000", "--top", "64", "--longest", "30000000"]
REPLAY = ["-t", "1", "--no-stream", "--pages", "huge", "--pin", "none"]  # the processor is chosen here
REGULAR = {"uniform stride", "stencil", "broadcast"}  # classes that the processor prefetches
FAIR = """## Rules of a fair comparison

The proxy makes the loop's accesses and no others:

* Each access is one instruction, in the program's order, to the pattern's elements; no instruction handles several
  elements at once. An update is one instruction that changes the element in place, by one index, and counts as a load
  and a store of 8 bytes, as in the loop.
* Indices are loaded from a list where the loop loads them. Where the pattern has constant offsets from a base that
  advances by a constant step, they stay in registers, because the loop computes them, too. The pattern alone decides
  between the two. Indices are as wide as the program's. One instruction walks over a uniform stride, as in the loop,
  because processors learn strides by instruction. Work that the loop does once for all its accesses (count, add steps) is done
  once for several elements in a replay, so that the sum of the patterns does not contain it several times.
* A chain of pointers is a chain in memory: each element holds the address of the next, nothing else is read. Other loads
  of a pattern do not wait for each other.

* Where the number of accesses varies from one iteration of the outer loop to the next (rows of a sparse matrix, probes of a
  hash table, conditional accesses), the pattern has the lengths of its rows. Interleaved, each row is an inner loop with a
  branch at its end, which the processor mispredicts as it does in the loop.

* Where the value that an access loads decides whether its row goes on (a probe of a hash table), the branch of the replay waits
  for the value, too: the processor notices a misprediction when the slot has arrived.

The replay lacks everything that is not in the pattern: arithmetic, and other branches that depend on loaded values.

## Interleaved or one after the other

The speed of a loop with irregular accesses depends on the part of its data that is still in the caches, and therefore on
its other accesses: a gather that is replayed alone has the caches for itself. Such loops are replayed by `--together`,
which interleaves all patterns in turns of 2048 accesses and places patterns of one array in one memory. Two patterns with
as many units (rows of a few offsets, or indices of a list) alternate unit by unit, as in an iteration of the loop. Patterns with
rows alternate row by row. The classes of the patterns decide before the replay which loops these are: all loops except the ones with only uniform strides,
stencils and broadcasts. For loops that are regular throughout, the processor prefetches the next elements whatever else
is accessed. Their patterns are replayed one after the other, and the times are added, because a turn ends before its
stores are complete. Where all patterns of a regular loop have as many rows, they alternate without turns (a stencil and its
result), and are interleaved, too. Both figures are in the table.

Arrays and lists of indices are in huge pages on both sides. With small pages, the pages that a process happens to get would affect the loop
and its replay independently. The loop and its replays run on the same processor, in turns of 50 ms, and rounds go from processor to processor: what
other programs, or other virtual machines on the same core, do to one processor for seconds slows some loops threefold and others not at all."""


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def extract(a, loop, size, folder):
    trace, patterns = os.path.join(folder, "trace"), os.path.join(folder, "P.json")
    run(a.loadstone, "trace", "-q", "--phase", "loop", "-o", trace, "--", a.programs, loop, str(size), stdout=subprocess.DEVNULL)
    run(a.loadstone, "patterns", *EXTRACT, "-o", patterns, trace, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.remove(trace)
    return patterns


def in_turns(*commands):
    """Run programs on one processor in turns of TURN seconds, so that all of them meet the same other programs. Return their outputs."""
    with contextlib.ExitStack() as files:
        outputs = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in commands]
        programs = [subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=env) for (command, env), out in zip(commands, outputs)]
        alive = programs
        for p in programs:
            p.send_signal(signal.SIGSTOP)
        while alive:
            for p in alive:
                p.send_signal(signal.SIGCONT)
                time.sleep(TURN)
                if p.poll() is None:
                    p.send_signal(signal.SIGSTOP)
            alive = [p for p in alive if p.poll() is None]
        for p, (command, _) in zip(programs, commands):
            if p.returncode:
                sys.exit(f"{' '.join(command)}: status {p.returncode}")
        for out in outputs:
            out.seek(0)
        return [out.read() for out in outputs]


def loop(a, name, size):
    huge = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")  # arrays in huge pages, as in the replay
    return [a.fidelity, name, str(size)], huge


def replay(a, patterns, *options):
    return [a.loadstone, "replay", *REPLAY, *options, "--json", patterns], None


def results_of(text):
    results = json.loads(text)["results"]
    for r in results:
        assert r["valid"], r
        if "configuration" in r:
            data = r["memory_bytes"] - 8 * len(r["configuration"]["pattern"])
            assert data < 8 << 20 or r["huge_bytes"] > 0.8 * data, "no huge pages: " + r["configuration"]["name"]
    return results


def replays(a, patterns, *options):
    return results_of(in_turns(replay(a, patterns, *options))[0])


def is_irregular(patterns):
    return any(c["class"] not in REGULAR for c in json.load(open(patterns)))


def has_equal_rows(patterns):
    """Do several patterns have as many rows? Their accesses alternate in one loop."""
    counts = [c["count"] for c in json.load(open(patterns))]
    return len(counts) > 1 and len(set(counts)) == 1


def run_as_often(patterns, results):
    """Let each pattern run for a second, like the loop (bench/fidelity.c): the minimum of few runs exceeds that of many."""
    configurations = json.load(open(patterns))
    for c, r in zip(configurations, results):
        c["nruns"] = min(200, max(10, int(1 / r["cpu_seconds_min"])))
    json.dump(configurations, open(patterns, "w"))


def runs_together(results):
    """Options that limit the runs of --together, which would otherwise run as often as the shortest pattern."""
    return ["--max-runs", str(min(200, max(10, int(1 / results[0]["cpu_seconds_min"]))))]


def measure(a, name):
    size = LOOPS[name][0]
    with tempfile.TemporaryDirectory() as folder:
        patterns = extract(a, name, size, folder)
        run_as_often(patterns, replays(a, patterns))
        irregular = is_irregular(patterns) or has_equal_rows(patterns)
        turns = ["--together", *runs_together(replays(a, patterns, "--together", "--max-runs", "10"))]
        rounds = []
        for r in range(a.rounds):
            os.sched_setaffinity(0, {a.processors[r % len(a.processors)]})
            seconds, results, together = in_turns(loop(a, name, size), replay(a, patterns), replay(a, patterns, *turns))
            rounds.append((float(seconds), results_of(results), results_of(together)))
    each = rounds[0][1]
    parts = [min(r[i]["cpu_seconds_min"] for _, r, _ in rounds) for i in range(len(each))]
    together = min(t[0]["cpu_seconds_min"] for _, _, t in rounds)
    ratios = [seconds / (t[0]["cpu_seconds_min"] if irregular else sum(r["cpu_seconds_min"] for r in results)) for seconds, results, t in rounds]
    least = min(seconds for seconds, _, _ in rounds)
    after, turns = least / sum(parts), least / together
    return {"loop": name, "size_bytes": sum(r["bytes"] for r in each), "seconds": least, "irregular": irregular, "ratio": turns if irregular else after,
            "after": after, "turns": turns, "ratios": ratios,
            "parts": [{"name": r["configuration"]["name"], "operation": r["configuration"]["operation"],
                       "seconds": part, "variant": r["variant"]} for r, part in zip(each, parts)]}


def short(part):
    """Shorten "gather of `x` through `col` in f (f.c:1)" to the operation and the data."""
    return part["name"].split(" in ")[0].split(" at 0x")[0].replace("`", "")


def page(a, rows):
    good, good_turns, good_after = (sum(abs(r[how] - 1) <= WITHIN for r in rows) for how in ("ratio", "turns", "after"))
    lines = f"""# Fidelity: is the proxy as fast as the loop?

A pattern is useful if its replay predicts the speed of the program. This benchmark traces eight loops, extracts their
patterns, and replays them, with the commands that users have:

```
loadstone trace --phase loop -o trace -- LOOP
loadstone patterns {" ".join(EXTRACT)} -o P.json trace
loadstone replay {" ".join(REPLAY)} --json P.json                # regular loops
loadstone replay {" ".join(REPLAY)} --together --json P.json     # irregular loops
```

`make bench-fidelity` writes this page. The loops are in `tests/cases/truth_loops.c`. Each access is one instruction, and
the arrays are larger than the second-level cache.

{a.machine.strip()}

| loop | description | classes | loop, MB/s | replay, MB/s | replay / loop | rounds | interleaved | one after the other |
|---|---|---|---|---|---|---|---|---|
""".splitlines()
    for r in rows:
        mark = "**" if abs(r["ratio"] - 1) <= WITHIN else ""
        rate = r["size_bytes"] / r["seconds"] / 1e6
        kind = "interleaved" if r["irregular"] else "regular"
        lines.append(f"| {r['loop']} | {LOOPS[r['loop']][1]} | {kind} | {rate:.0f} | {rate * r['ratio']:.0f} | {mark}{r['ratio']:.2f}{mark} | "
                     f"{min(r['ratios']):.2f} to {max(r['ratios']):.2f} | {r['turns']:.2f} | {r['after']:.2f} |")
    lines += ["", f"{good} of {len(rows)} within {WITHIN * 100:.0f} % (bold; goal: {GOAL}). Above 1 the replay is faster.",
              f"With all loops interleaved the number is {good_turns}, with all one after the other {good_after}.", "",
              f"Bandwidth is the bytes of the patterns' accesses over CPU time, for the loop and for all its patterns. There are {a.rounds} rounds",
              "in new processes. The least time counts, in a process (loop and patterns run for a second each, 200 times at most) and over",
              "the rounds, because other programs only add to it. `rounds` has the range of the ratios within a round. All runs use one thread.", "", *FAIR.splitlines(), "",
              "Time of the replays one after the other, as shares of the loop's time:", "", "| loop | pattern | operation | share of the loop | variant |", "|---|---|---|---|---|"]
    for r in rows:
        for part in r["parts"]:
            lines.append(f"| {r['loop']} | {short(part)} | {part['operation']} | {part['seconds'] / r['seconds']:.2f} | {part['variant']} |")
    return "\n".join(lines + [""])


def main():
    p = argparse.ArgumentParser()
    for name in ("loadstone", "fidelity", "programs", "machine"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--rounds", type=int, default=8)
    p.add_argument("--write")
    p.add_argument("loops", nargs="*")
    a = p.parse_args()
    a.processors = sorted(os.sched_getaffinity(0))[:8]
    rows = []
    for loop in a.loops or LOOPS:
        rows.append(measure(a, loop))
        r = rows[-1]
        print(f"{loop}: replay / loop {r['ratio']:.2f}, interleaved {r['turns']:.2f}, one after the other {r['after']:.2f}, median {statistics.median(r['ratios']):.2f}; " +
              ", ".join(f"{short(part)} {part['operation']} {part['seconds'] / r['seconds']:.2f}" for part in r["parts"]),
              file=sys.stderr, flush=True)
    text = page(a, rows)
    if a.write:
        open(a.write, "w").write(text)
    else:
        print(text)


main()
