# SPDX-License-Identifier: BSD-3-Clause
"""Loops, and replays of the patterns that are extracted from exact traces of them, by the commands that users have: is the
proxy as fast as the loop?
usage: fidelity.py --loadstone PROGRAM --fidelity PROGRAM --programs PROGRAM --machine TEXT [--rounds N] [--write PAGE] [LOOP...]"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# Sizes at which arrays are beyond the second-level cache, so that memory is what a loop waits for.
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
GOAL = 6
EXTRACT = ["--trivial", "--no-index-loads", "--min-accesses", "10000", "--top", "64", "--longest", "30000000"]
REPLAY = ["-t", "1", "--no-stream"]
FAIR = """## What is fair

The proxy does the loop's accesses and nothing that the loop does not do:

* Each access is one instruction, in the program's order, of the pattern's places; nothing is done for several elements at once. An update is one instruction that changes the
  element where it is, by one index, and counts as a load and a store of 8 bytes, as in the loop.
* Indices are loaded where the loop loads them, from a list. Where a pattern says that offsets are constant and the place moves on by a constant step, they stay in registers:
  the loop computes them, too. Which of both it is comes from the pattern alone. What the loop does once for all its accesses (count, add steps), a replay does once for several elements,
  so that the sum of the patterns does not have it several times.
* A chain of pointers is one in memory: each element holds the address of the next, nothing else is read. Other loads of a pattern do not wait for each other.

What a pattern does not say, the replay cannot do: arithmetic, and **branches that loaded values decide**. A hash table's probe goes on or ends as the slot says; each wrong guess
of the processor throws away the loads that it had begun ahead, and the replay, which knows the places beforehand, has none of that. Patterns of one loop are replayed one
after the other: where the loop's stores overlap with its loads (the stencil), their sum is more than the loop takes. Turns of a thousand accesses of each were tried on it
and took longer than that sum."""


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def extract(a, loop, size, folder):
    trace, patterns = os.path.join(folder, "trace"), os.path.join(folder, "P.json")
    run(a.loadstone, "trace", "-q", "--phase", "loop", "-o", trace, "--", a.programs, loop, str(size), stdout=subprocess.DEVNULL)
    run(a.loadstone, "patterns", *EXTRACT, "-o", patterns, trace, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.remove(trace)
    return patterns


def loop_seconds(a, loop, size):
    return float(run(a.fidelity, loop, str(size), capture_output=True, text=True).stdout)


def replays(a, patterns):
    results = json.loads(run(a.loadstone, "replay", *REPLAY, "--json", patterns, capture_output=True, text=True).stdout)["results"]
    for r in results:
        assert r["valid"], r
    return results


def run_as_often(patterns, results):
    """The least of few runs is more than that of many: each pattern runs for a second, as the loop does (bench/fidelity.c)."""
    configurations = json.load(open(patterns))
    for c, r in zip(configurations, results):
        c["nruns"] = min(200, max(10, int(1 / r["cpu_seconds_min"])))
    json.dump(configurations, open(patterns, "w"))


def measure(a, loop):
    size = LOOPS[loop][0]
    with tempfile.TemporaryDirectory() as folder:
        patterns = extract(a, loop, size, folder)
        run_as_often(patterns, replays(a, patterns))
        rounds = [(loop_seconds(a, loop, size), replays(a, patterns)) for _ in range(a.rounds)]
    each = rounds[0][1]
    parts = [statistics.median(r[i]["cpu_seconds_min"] for _, r in rounds) for i in range(len(each))]
    ratios = [seconds / sum(r["cpu_seconds_min"] for r in results) for seconds, results in rounds]
    typical = statistics.median(seconds for seconds, _ in rounds)
    return {"loop": loop, "size_bytes": sum(r["bytes"] for r in each), "seconds": typical, "ratio": typical / sum(parts), "ratios": ratios,
            "parts": [{"name": r["configuration"]["name"], "operation": r["configuration"]["operation"],
                       "seconds": part, "variant": r["variant"]} for r, part in zip(each, parts)]}


def short(part):
    """ "gather of `x` through `col` in f (f.c:1)": what is read of what """
    return part["name"].split(" in ")[0].split(" at 0x")[0].replace("`", "")


def page(a, rows):
    good = sum(abs(r["ratio"] - 1) <= WITHIN for r in rows)
    lines = f"""# Fidelity: is the proxy as fast as the loop?

A pattern is worth something when replaying it tells how fast the program is. Here eight loops are traced, their patterns extracted and replayed by the commands that users have:

```
loadstone trace --phase loop -o trace -- LOOP
loadstone patterns {" ".join(EXTRACT)} -o P.json trace
loadstone replay {" ".join(REPLAY)} --json P.json
```

`make bench-fidelity` writes this page. The loops are those of `tests/cases/truth_loops.c`, each access one instruction, at sizes beyond the second-level cache.

{a.machine.strip()}

| loop | what it is | loop, MB/s | replay, MB/s | replay / loop | rounds |
|---|---|---|---|---|---|
""".splitlines()
    for r in rows:
        mark = "**" if abs(r["ratio"] - 1) <= WITHIN else ""
        rate = r["size_bytes"] / r["seconds"] / 1e6
        lines.append(f"| {r['loop']} | {LOOPS[r['loop']][1]} | {rate:.0f} | {rate * r['ratio']:.0f} | {mark}{r['ratio']:.2f}{mark} | "
                     f"{min(r['ratios']):.2f} to {max(r['ratios']):.2f} |")
    lines += ["", f"{good} of {len(rows)} within {WITHIN * 100:.0f} % (bold; goal: {GOAL}). Above 1 the replay is the faster one.", "",
              f"Bandwidth is the bytes of the patterns' accesses over CPU time: of the loop, of all its patterns one after the other. {a.rounds} rounds of both in turn, in new processes;",
              "of a process the least time counts (loop and patterns run for a second each, 200 times at most), because neighbours only add to it; of the rounds the median, because which",
              "pages a process is given decides, too, most of all for a matrix about as large as the second-level cache. The last column has the ratios of each round. One thread,",
              "default pages.", "", *FAIR.splitlines(), "",
              "What the replays take, as shares of the loop's time:", "", "| loop | pattern | operation | share of the loop | variant |", "|---|---|---|---|---|"]
    for r in rows:
        for part in r["parts"]:
            lines.append(f"| {r['loop']} | {short(part)} | {part['operation']} | {part['seconds'] / r['seconds']:.2f} | {part['variant']} |")
    return "\n".join(lines + [""])


def main():
    p = argparse.ArgumentParser()
    for name in ("loadstone", "fidelity", "programs", "machine"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--write")
    p.add_argument("loops", nargs="*")
    a = p.parse_args()
    rows = []
    for loop in a.loops or LOOPS:
        rows.append(measure(a, loop))
        r = rows[-1]
        print(f"{loop}: replay / loop {r['ratio']:.2f}, median {statistics.median(r['ratios']):.2f}; " +
              ", ".join(f"{short(part)} {part['operation']} {part['seconds'] / r['seconds']:.2f}" for part in r["parts"]),
              file=sys.stderr, flush=True)
    text = page(a, rows)
    if a.write:
        open(a.write, "w").write(text)
    else:
        print(text)


main()
