#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replay beside Spatter's published method, and beside Spatter itself where a binary is named: every configuration of every file.

usage: peers.py --loadstone FILE --machine TEXT [--plain FILE] [--spatter FILE] [--pairs N] [--threads 1,2] [--loads 0,2]
                [--max-count N] [--divide N] [--backend NAME] [--write PAGE [--add]] FILE.json...
A pair runs both programs on a file, one after the other, in turns first. The ratio of a configuration is the geometric mean of its
pairs' ratios of bandwidth (replay over peer), with Student's 95 % interval of the logarithms. A configuration fails if its interval
is wholly below 0.97; if the peer's least time is below 100 ns, times within one tick of the peer's clock (10 ns) are a tie.
With a backend of devices, Spatter runs on its backend cuda, and a file of irregular patterns is added. The option divide shortens counts of more
than 4,000 iterations. Loads are numbers of busy processes beside. Wall time is that of the whole program: first without remembered choices, then with."""
import argparse
import json
import math
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LEAST = 0.97
SHORT_SECONDS, TICK_SECONDS = 100e-9, 10e-9
# Two-sided 95 % points of Student's t for 1 to 30 degrees of freedom.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
           2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def count_one(path):
    """20 gathers and scatters of one iteration, as GS Patterns writes them: 8 to 4,096 indices in some parts of 64 MB."""
    draw, rows = random.Random(1), []
    for n in range(20):
        length, base = 8 << n // 2, draw.randrange(1 << 22)
        indices = [base + draw.randrange(length * 16) for _ in range(length)]
        rows.append({"kernel": "gather" if n % 4 else "scatter", "pattern": [i - min(indices) for i in indices], "count": 1})
    json.dump(rows, open(path, "w"))


def irregular(path):
    """A million indices in 128 MiB: runs of 4 to 16 neighbours, as in an unstructured mesh (xRAGE), and single elements."""
    draw, runs = random.Random(3), []
    while len(runs) < 1 << 20:
        at = draw.randrange(1 << 24)
        runs += range(at, at + draw.randrange(4, 17))
    runs = runs[:1 << 20]
    single = [draw.randrange(1 << 24) for _ in range(1 << 20)]
    rows = [{"kernel": k, "pattern": p, "delta": 8, "count": 64} for k, p in (("gather", runs), ("scatter", runs), ("gather", single))]
    json.dump(rows, open(path, "w"))


def cut(path, out, a):
    rows = json.load(open(path))
    for row in rows:
        count = int(row.get("count", 1024))
        if a.divide and count > 4000:
            count //= a.divide
        row["count"] = min(count, a.max_count or count)
    json.dump(rows, open(out, "w"))


class Others:
    """Processors that other programs (and a host of virtual machines) used since the begin."""

    def __init__(self):
        self.begin = self.read()

    @staticmethod
    def read():
        user, nice, system, _, _, irq, softirq, steal = map(int, open("/proc/stat").readline().split()[1:9])
        own = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        return used - own.ru_utime - own.ru_stime, time.monotonic()

    def processors(self):
        used, now = self.read()
        return max(0, (used - self.begin[0]) / (now - self.begin[1]))


def run(command, env):
    """Seconds of the program, and bytes and time of each configuration."""
    begin = time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    wall = time.monotonic() - begin
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    rows = [line.split() for line in done.stdout.splitlines()]
    return wall, [(float(row[1]), float(row[2])) for row in rows if len(row) == 4 and row[0].isdigit()]


def commands(a, path, threads):
    run_with = ["-t", str(threads)] if threads else []
    ours = [a.loadstone, "replay", "--quiet", "--format", "spatter", "-v0", "-b", a.backend, *run_with, "-f", path]
    peers = {"plain": [a.plain, path, str(threads)]} if a.plain else {}
    if a.spatter:
        peers["Spatter"] = [a.spatter, "-v0", "-b", "cuda" if a.on_device else "openmp", *run_with, "-f", path]
    return ours, peers


def pairs_of(a, path, threads, peer_command, ours_command):
    """Times of both by pair, and wall times; replay's choices are remembered after a first run, which is returned apart."""
    with tempfile.TemporaryDirectory() as cache:
        env = dict(os.environ, XDG_CACHE_HOME=cache)
        first, _ = run(ours_command, env)
        pairs, walls = [], []
        for n in range(a.pairs):
            turn = [("peer", peer_command), ("ours", ours_command)]
            got = {who: run(command, env) for who, command in (turn if n % 2 else reversed(turn))}
            pairs.append((got["peer"][1], got["ours"][1]))
            walls.append((got["peer"][0], got["ours"][0]))
    return first, pairs, walls


def interval(logs):
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return mean, mean, mean
    half = STUDENT[min(len(logs) - 1, len(STUDENT)) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return mean, mean - half, mean + half


def judge(pairs, config):
    theirs, ours = [p[0][config][1] for p in pairs], [p[1][config][1] for p in pairs]
    mean, low, high = interval([math.log(t / o) for t, o in zip(theirs, ours)])
    short = min(theirs) < SHORT_SECONDS
    tie = short and statistics.median(ours) <= statistics.median(theirs) + TICK_SECONDS
    return {"config": config, "bytes": pairs[0][1][config][0], "theirs": statistics.median(theirs), "ours": statistics.median(ours), "ratio": math.exp(mean),
            "low": math.exp(low), "high": math.exp(high), "fails": math.exp(high) < LEAST and not tie}


def measure(a, path, threads, load):
    ours, peers = commands(a, path, threads)
    for peer, command in peers.items():
        others = Others()
        first, pairs, walls = pairs_of(a, path, threads, command, ours)
        theirs = statistics.median(w[0] for w in walls)
        yield {"file": os.path.basename(path), "threads": threads, "load": load, "peer": peer, "first": first / theirs,
               "again": statistics.median(w[1] for w in walls) / theirs, "wall": theirs, "others": others.processors(),
               "rows": [judge(pairs, c) for c in range(len(pairs[0][0]))]}


def geomean(rows):
    return math.exp(statistics.fmean(math.log(r["ratio"]) for r in rows))


def part_title(a):
    limits = [f"counts above 4,000 divided by {a.divide}"] if a.divide else []
    limits += [f"at most {a.max_count} iterations"] if a.max_count else []
    number = 1 + sum(line.startswith("## ") for line in a.before)
    return ", ".join([f"Run {number}: {a.pairs} pairs a row, backend {a.backend}", *limits])


def page(a, results):
    """The page, or with --add the earlier one with a further part."""
    head = ["# Replay beside Spatter", "", "Measured by `make bench-peers`.", "", *__doc__[__doc__.index("A pair"):].splitlines(), "", "`plain` is the published method as a program of this project (`bench/peers_plain.c`, compiled -O3), Spatter its own binary.",
             "count-1.json holds 20 patterns of one iteration.", "",
             "`others` is the number of processors that other programs used meanwhile: the busy processes, and on a shared machine whatever ran.",
             ""]
    lines = list(a.before or head)
    lines += ["## " + part_title(a), "", *("    " + line for line in a.machine.strip().splitlines()), "",
             "| file | threads | busy processes | others | peer | configurations | geometric mean | least | fail | wall time, first | wall time, again |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        rows = r["rows"]
        lines.append(f"| {r['file']} | {r['threads']} | {r['load']} | {r['others']:.1f} | {r['peer']} | {len(rows)} | {geomean(rows):.2f} | "
                     f"{min(x['ratio'] for x in rows):.2f} | {sum(x['fails'] for x in rows)} | {r['first']:.2f} | {r['again']:.2f} |")
    lines.append("")
    for load in a.loads:
        for peer in sorted({r["peer"] for r in results}):
            rows = [x for r in results if r["load"] == load and r["peer"] == peer for x in r["rows"]]
            if rows:
                lines.append(f"* {load} busy processes, {peer}: geometric mean **{geomean(rows):.2f}** of {len(rows)} configurations, "
                             f"**{sum(x['fails'] for x in rows)}** fail.")
    if a.on_device:
        lines += ["", "All configurations:", "", "| file | configuration | peer, s | replay, s | GB/s | ratio | interval |", "|---|---|---|---|---|---|---|"]
        lines += [f"| {r['file']} | {n} | {x['theirs']:.3g} | {x['ours']:.3g} | {x['bytes'] / x['ours'] / 1e9:.0f} | {x['ratio']:.2f} | "
                  f"{x['low']:.2f} to {x['high']:.2f}{' FAILS' if x['fails'] else ''} |" for r in results for n, x in enumerate(r["rows"])]
    lines += ["", "Configurations whose interval is below 1:", "",
              "| file | configuration | threads | busy processes | peer | peer, s | replay, s | ratio | interval |", "|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        lines += [f"| {r['file']} | {x['config']} | {r['threads']} | {r['load']} | {r['peer']} | {x['theirs']:.3g} | {x['ours']:.3g} | {x['ratio']:.2f} | "
                  f"{x['low']:.2f} to {x['high']:.2f}{' FAILS' if x['fails'] else ''} |" for x in r["rows"] if x["high"] < 1]
    return "\n".join(lines + [""])


def write_part(path, begin, text, end):
    """Replace what a page has between two marks."""
    page = open(path).read()
    open(path, "w").write(re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.S))


def busy(number):
    return [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(number)]


def main():
    p = argparse.ArgumentParser()
    for name in ("loadstone", "machine"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--plain")
    p.add_argument("--spatter")
    p.add_argument("--backend", default="openmp")
    p.add_argument("--pairs", type=int, default=15)
    p.add_argument("--threads", type=lambda text: [int(t) for t in text.split(",")], default=[1, 2])
    p.add_argument("--loads", type=lambda text: [int(t) for t in text.split(",")], default=[0, 2])
    p.add_argument("--max-count", type=int)
    p.add_argument("--divide", type=int)
    p.add_argument("--write")
    p.add_argument("--add", action="store_true", help="keep the page, and add this run as a further part")
    p.add_argument("files", nargs="+")
    a = p.parse_args()
    a.before = open(a.write).read().splitlines() + [""] if a.add else []
    a.on_device = a.backend != "openmp"
    if a.on_device:
        a.threads, a.loads = [0], [0]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the busy processes, too
    results = []
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for path in a.files:
            paths.append(path)
            if a.max_count or a.divide:
                paths[-1] = os.path.join(folder, os.path.basename(path))
                cut(path, paths[-1], a)
        paths.append(os.path.join(folder, "count-1.json"))
        count_one(paths[-1])
        if a.on_device:
            paths.append(os.path.join(folder, "irregular.json"))
            irregular(paths[-1])
        for load in a.loads:
            others = busy(load)
            try:
                for path in paths:
                    for threads in a.threads:
                        for r in measure(a, path, threads, load):
                            results.append(r)
                            if a.write:
                                open(a.write, "w").write(page(a, results))
                            print(f"{r['file']} -t {threads}, load {load}, {r['peer']}: {geomean(r['rows']):.2f}, least "
                                  f"{min(x['ratio'] for x in r['rows']):.2f}, {sum(x['fails'] for x in r['rows'])} fail; wall {r['first']:.2f} first, "
                                  f"{r['again']:.2f} again, of {r['wall']:.2f} s; others {r['others']:.1f}", file=sys.stderr, flush=True)
            finally:
                for other in others:
                    other.kill()
                    other.wait()
    if not a.write:
        print(page(a, results))
    return any(x["fails"] for r in results for x in r["rows"])


if __name__ == "__main__":
    sys.exit(main())
