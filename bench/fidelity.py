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
REPLAY = ["-t", "1", "--no-stream", "--pages", "huge"]
REGULAR = {"uniform stride", "stencil", "broadcast"}  # classes whose next places the processor foresees
FAIR = """## What is fair

The proxy does the loop's accesses and nothing that the loop does not do:

* Each access is one instruction, in the program's order, of the pattern's places; nothing is done for several elements at once. An update is one instruction that changes the
  element where it is, by one index, and counts as a load and a store of 8 bytes, as in the loop.
* Indices are loaded where the loop loads them, from a list. Where a pattern says that offsets are constant and the place moves on by a constant step, they stay in registers:
  the loop computes them, too. Which of both it is comes from the pattern alone. What the loop does once for all its accesses (count, add steps), a replay does once for several elements,
  so that the sum of the patterns does not have it several times.
* A chain of pointers is one in memory: each element holds the address of the next, nothing else is read. Other loads of a pattern do not wait for each other.

What a pattern does not say, the replay cannot do: arithmetic, and **branches that loaded values decide**. A hash table's probe goes on or ends as the slot says; each wrong guess
of the processor throws away the loads that it had begun ahead, and the replay, which knows the places beforehand, has none of that.

## In turn or one after the other

A loop that goes through irregular places waits for what is still in the caches of them, and that depends on what else it touches: by itself the gather of a sparse product has the caches alone.
Such loops are replayed by `--together`, all patterns in turns of 2048 accesses, those of one array in one memory. Which loops these are is told by the classes of their patterns before anything
is replayed: all but those with uniform strides, stencils and broadcasts only. Of those that are regular throughout the processor fetches ahead what comes next, whatever is beside it; their patterns are replayed one after
the other, and the times added, because a turn ends before its stores have gone out: the stencil's overlap with its loads, turns do not show that. Both figures are in the table.

Arrays are in huge pages on both sides: in small ones which pages a process is given decides, too, of the loop and of its replay, each by its own luck."""


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def extract(a, loop, size, folder):
    trace, patterns = os.path.join(folder, "trace"), os.path.join(folder, "P.json")
    run(a.loadstone, "trace", "-q", "--phase", "loop", "-o", trace, "--", a.programs, loop, str(size), stdout=subprocess.DEVNULL)
    run(a.loadstone, "patterns", *EXTRACT, "-o", patterns, trace, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.remove(trace)
    return patterns


def loop_seconds(a, loop, size):
    huge = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")  # its arrays in huge pages, as the replay's
    return float(run(a.fidelity, loop, str(size), capture_output=True, text=True, env=huge).stdout)


def replays(a, patterns, *options):
    results = json.loads(run(a.loadstone, "replay", *REPLAY, *options, "--json", patterns, capture_output=True, text=True).stdout)["results"]
    for r in results:
        assert r["valid"], r
        if "configuration" in r:
            data = r["memory_bytes"] - 8 * len(r["configuration"]["pattern"])
            assert data < 8 << 20 or r["huge_bytes"] > 0.8 * data, "no huge pages: " + r["configuration"]["name"]
    return results


def is_irregular(patterns):
    return any(c["class"] not in REGULAR for c in json.load(open(patterns)))


def run_as_often(patterns, results):
    """The least of few runs is more than that of many: each pattern runs for a second, as the loop does (bench/fidelity.c)."""
    configurations = json.load(open(patterns))
    for c, r in zip(configurations, results):
        c["nruns"] = min(200, max(10, int(1 / r["cpu_seconds_min"])))
    json.dump(configurations, open(patterns, "w"))


def runs_together(results):
    """The same for all of them in turn, whose runs would be those of the shortest."""
    return ["--max-runs", str(min(200, max(10, int(1 / results[0]["cpu_seconds_min"]))))]


def measure(a, loop):
    size = LOOPS[loop][0]
    with tempfile.TemporaryDirectory() as folder:
        patterns = extract(a, loop, size, folder)
        run_as_often(patterns, replays(a, patterns))
        irregular = is_irregular(patterns)
        turns = ["--together", *runs_together(replays(a, patterns, "--together", "--max-runs", "10"))]
        rounds = [(loop_seconds(a, loop, size), replays(a, patterns), replays(a, patterns, *turns)) for _ in range(a.rounds)]
    each = rounds[0][1]
    parts = [statistics.median(r[i]["cpu_seconds_min"] for _, r, _ in rounds) for i in range(len(each))]
    together = statistics.median(t[0]["cpu_seconds_min"] for _, _, t in rounds)
    ratios = [seconds / (t[0]["cpu_seconds_min"] if irregular else sum(r["cpu_seconds_min"] for r in results)) for seconds, results, t in rounds]
    typical = statistics.median(seconds for seconds, _, _ in rounds)
    after, turns = typical / sum(parts), typical / together
    return {"loop": loop, "size_bytes": sum(r["bytes"] for r in each), "seconds": typical, "irregular": irregular, "ratio": turns if irregular else after,
            "after": after, "turns": turns, "ratios": ratios,
            "parts": [{"name": r["configuration"]["name"], "operation": r["configuration"]["operation"],
                       "seconds": part, "variant": r["variant"]} for r, part in zip(each, parts)]}


def short(part):
    """ "gather of `x` through `col` in f (f.c:1)": what is read of what """
    return part["name"].split(" in ")[0].split(" at 0x")[0].replace("`", "")


def page(a, rows):
    good, good_turns, good_after = (sum(abs(r[how] - 1) <= WITHIN for r in rows) for how in ("ratio", "turns", "after"))
    lines = f"""# Fidelity: is the proxy as fast as the loop?

A pattern is worth something when replaying it tells how fast the program is. Here eight loops are traced, their patterns extracted and replayed by the commands that users have:

```
loadstone trace --phase loop -o trace -- LOOP
loadstone patterns {" ".join(EXTRACT)} -o P.json trace
loadstone replay {" ".join(REPLAY)} --json P.json                of regular loops
loadstone replay {" ".join(REPLAY)} --together --json P.json     of irregular ones
```

`make bench-fidelity` writes this page. The loops are those of `tests/cases/truth_loops.c`, each access one instruction, at sizes beyond the second-level cache.

{a.machine.strip()}

| loop | what it is | classes | loop, MB/s | replay, MB/s | replay / loop | rounds | in turn | one after the other |
|---|---|---|---|---|---|---|---|---|
""".splitlines()
    for r in rows:
        mark = "**" if abs(r["ratio"] - 1) <= WITHIN else ""
        rate = r["size_bytes"] / r["seconds"] / 1e6
        kind = "irregular" if r["irregular"] else "regular"
        lines.append(f"| {r['loop']} | {LOOPS[r['loop']][1]} | {kind} | {rate:.0f} | {rate * r['ratio']:.0f} | {mark}{r['ratio']:.2f}{mark} | "
                     f"{min(r['ratios']):.2f} to {max(r['ratios']):.2f} | {r['turns']:.2f} | {r['after']:.2f} |")
    lines += ["", f"{good} of {len(rows)} within {WITHIN * 100:.0f} % (bold; goal: {GOAL}). Above 1 the replay is the faster one.",
              f"All in turn it would be {good_turns}, all one after the other {good_after}.", "",
              f"Bandwidth is the bytes of the patterns' accesses over CPU time: of the loop, and of all its patterns. {a.rounds} rounds of all, in new processes;",
              "of a process the least time counts (loop and patterns run for a second each, 200 times at most), because neighbours only add to it; of the rounds the median.",
              "`rounds` has the ratios of each. One thread.", "", *FAIR.splitlines(), "",
              "What the replays take one after the other, as shares of the loop's time:", "", "| loop | pattern | operation | share of the loop | variant |", "|---|---|---|---|---|"]
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
        print(f"{loop}: replay / loop {r['ratio']:.2f}, in turn {r['turns']:.2f}, one after the other {r['after']:.2f}, median {statistics.median(r['ratios']):.2f}; " +
              ", ".join(f"{short(part)} {part['operation']} {part['seconds'] / r['seconds']:.2f}" for part in r["parts"]),
              file=sys.stderr, flush=True)
    text = page(a, rows)
    if a.write:
        open(a.write, "w").write(text)
    else:
        print(text)


main()
