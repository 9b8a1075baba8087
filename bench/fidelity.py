# SPDX-License-Identifier: BSD-3-Clause
"""Loops, and replays of the patterns that are extracted from exact traces of them: is the proxy as fast as the loop?
usage: fidelity.py --loadstone PROGRAM --fidelity PROGRAM --programs PROGRAM --machine TEXT [--write PAGE] [LOOP...]"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

LOOPS = {  # name: size, what it is, why a replay may differ
    "spmv": (1000000, "sparse matrix times vector, x 8 MB", ""),
    "hash": (1000000, "probes of a hash table of 16 MB", "every other probe ends in a branch that is predicted wrongly; what comes after it waits, in a replay nothing does"),
    "stencil": (160, "7-point stencil, 160 x 161 x 162", "instructions, not memory: for seven loads the loop has one store, a replay seven, and seven loads of indices"),
    "matmul": (256, "textbook matrix product, 256 x 256", "instructions, not memory: the loop's two loads overlap, their replays come one after the other, each with stores and indices"),
    "list": (1000000, "list of 64 MB in random order", "each load of the loop waits for the one before; gathers know all their addresses"),
    "histogram": (4000000, "histogram of 4 M values, 8 MB of bins", ""),
    "fields": (4000000, "one field of 4 M structures of 56 bytes", ""),
    "shuffle": (22, "bit-reversal shuffle of 4 M values", "a swap waits for both of its loads and for branches that depend on the place; the replay's stores wait for nothing"),
}
WITHIN = 0.15
LEAST_ACCESSES = 10000  # what is rarer is not of the loop's body


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def extract(a, loop, size, folder):
    """Rows of the table with their configurations, those of the loop's arrays only."""
    trace, patterns = os.path.join(folder, "trace"), os.path.join(folder, "patterns.json")
    run(a.loadstone, "trace", "-q", "-f", "--phase", "loop", "-o", trace, "--", a.programs, loop, str(size), stdout=subprocess.DEVNULL)
    table = run(a.loadstone, "patterns", "--trivial", "--top", "64", "--min-accesses", str(LEAST_ACCESSES), "--longest", "30000000",
                "--no-symbols", "--json", "-f", "-o", patterns, trace, capture_output=True, text=True).stdout
    rows = []
    for row, configuration in zip(json.loads(table)["patterns"], json.load(open(patterns))):
        if row["home"] and "stack" not in row["home"] and row["form"] in ("exact", "full"):
            words = max(1, row["element_bytes"] // 8)
            first = row["first_element"] * words
            rows.append({"op": row["op"], "home": row["home"], "ip": row["ip"], "kernel": configuration["kernel"],
                         "pattern": [i + first for i in configuration["pattern"]], "delta": configuration.get("delta", 8),
                         "count": configuration.get("count", 1)})
    return sorted(rows, key=lambda r: r["ip"])


def proxy(rows):
    """What is loaded and stored again at the same place counts once, as the store; instructions that take turns on one
    array are one pattern."""
    stores = [r for r in rows if r["op"] == "store"]
    rows = [r for r in rows if r["op"] == "store" or not any(
        (s["home"], s["pattern"], s["delta"], s["count"]) == (r["home"], r["pattern"], r["delta"], r["count"]) for s in stores)]
    turns = {}
    for r in rows:
        turns.setdefault((r["op"], r["home"], len(r["pattern"]), str(r["delta"]), r["count"]), []).append(r)
    out = []
    for (_, home, _, _, count), group in turns.items():
        indices = [i for together in zip(*(r["pattern"] for r in group)) for i in together]
        lowest = min(indices)
        out.append({"name": home, "kernel": group[0]["kernel"], "pattern": [i - lowest for i in indices],
                    "delta": group[0]["delta"], "count": count})
    return out


def measure(a, loop):
    size = LOOPS[loop][0]
    with tempfile.TemporaryDirectory() as folder:
        configurations = proxy(extract(a, loop, size, folder))
        path = os.path.join(folder, "proxy.json")
        json.dump(configurations, open(path, "w"))
        out = run(a.fidelity, loop, str(size), path, capture_output=True, text=True).stdout.split()
    size_bytes, loop_s, scalar_s, fastest_s = int(out[0]), *map(float, out[1:4])
    return {"loop": loop, "patterns": configurations, "mb_per_s": size_bytes / loop_s / 1e6,
            "scalar": loop_s / scalar_s, "fastest": loop_s / fastest_s}


def page(a, rows):
    good = sum(abs(r["scalar"] - 1) <= WITHIN for r in rows)
    lines = f"""# Fidelity: is the proxy as fast as the loop?

A pattern is worth something when replaying it tells how fast the program is. Here eight loops are traced (`loadstone trace`), their patterns are
extracted (`loadstone patterns`) and replayed on as much memory by the engine of `loadstone replay`, on one thread, in turn with the loop itself, in the same
process. `make bench-fidelity` writes this page.

{a.machine.strip()}

| loop | what it is | patterns | loop, MB/s | replay / loop, scalar code | replay / loop, fastest variant |
|---|---|---|---|---|---|
""".splitlines()
    for r in rows:
        names = ", ".join(f"{c['kernel'].lower()} {c['name']} ({len(c['pattern']) * c['count']:,})" for c in r["patterns"])
        mark = "**" if abs(r["scalar"] - 1) <= WITHIN else ""
        lines.append(f"| {r['loop']} | {LOOPS[r['loop']][1]} | {names} | {r['mb_per_s']:.0f} | {mark}{r['scalar']:.2f}{mark} | {r['fastest']:.2f} |")
    lines += ["", f"{good} of {len(rows)} within {WITHIN * 100:.0f} % (bold; goal: six). What counts is scalar code, because the loops are: each access of",
              "theirs is one instruction. The fastest variant tells what the machine could do with the same accesses.", ""]
    lines += ["The bandwidth of a loop is the bytes of its patterns over its time; the proxy is its patterns, one after the other. Instructions that take",
              "turns on one array are one pattern; what is loaded and stored again at the same place counts once, as the store.",
              "CPU time, the least of 15 or more rounds; what waiting for a processor took is no part of it. Default pages.", ""]
    missed = [r for r in rows if abs(r["scalar"] - 1) > WITHIN]
    if missed:
        lines += ["Not within, and what we take to be the reason (inferred from the code, not measured):", ""]
        lines += [f"* {r['loop']}: {LOOPS[r['loop']][2] or 'not explained'}." for r in missed]
        lines.append("")
    return "\n".join(lines)


def main():
    p = argparse.ArgumentParser()
    for name in ("loadstone", "fidelity", "programs", "machine"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--write")
    p.add_argument("loops", nargs="*")
    a = p.parse_args()
    rows = []
    for loop in a.loops or LOOPS:
        rows.append(measure(a, loop))
        r = rows[-1]
        print(f"{loop}: {r['mb_per_s']:.0f} MB/s, scalar {r['scalar']:.2f}, fastest {r['fastest']:.2f}", file=sys.stderr, flush=True)
    text = page(a, rows)
    if a.write:
        open(a.write, "w").write(text)
    else:
        print(text)


main()
