#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure the time that loadstone trace adds to an access. Compared are bare QEMU, QEMU with a plugin that
only counts, and the trace with patterns found while the program runs or written to a file; in turns, the
median of several runs. CPU seconds include all processes: the reader works on another core. The second table has the wall time that a trace
adds to programs that end at once: the difference of the least times of several runs."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

STARTS = 20

options = argparse.ArgumentParser()
options.add_argument("--loadstone", required=True)
options.add_argument("--program", required=True)
options.add_argument("--minimal", required=True)
options.add_argument("--rounds", type=int, default=5)
options.add_argument("--millions", type=int, default=100)
o = options.parse_args()
qemu = ["qemu-x86_64", "-cpu", "max,-avx2"]


def run(words):
    begin = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(words)}: status {status}\n{text}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, text


print(f"{'loop':8} {'accesses':>11} {'bare':>6} {'count':>6} {'online':>7} {'file':>6}   ns an access added to bare:"
      f" {'count':>6} {'online':>7} {'file':>6} {'CPU':>6}   bytes an access")
with tempfile.TemporaryDirectory() as scratch:
    for loop in ("stride", "gather", "chase", "matmul"):
        program = [o.program, loop, str(o.millions)]
        trace, patterns = f"{scratch}/t.trace", f"{scratch}/p.json"
        kinds = {"bare": [*qemu, *program],
                 "count": [*qemu, "-plugin", o.minimal, *program],
                 "online": [o.loadstone, "trace", "-f", "--patterns", patterns, "--", *program],
                 "file": [o.loadstone, "trace", "-f", "-o", trace, "--", *program]}
        wall = {k: [] for k in kinds}
        cpu = {k: [] for k in kinds}
        for _ in range(o.rounds):
            for kind, words in kinds.items():
                w, c, text = run(words)
                wall[kind].append(w)
                cpu[kind].append(c)
        accesses = int(re.search(r"(\d+) accesses", text)[1])
        w = {k: statistics.median(v) for k, v in wall.items()}
        c = {k: statistics.median(v) for k, v in cpu.items()}
        added = {k: (w[k] - w["bare"]) / accesses * 1e9 for k in kinds}
        print(f"{loop:8} {accesses:11} {w['bare']:6.2f} {w['count']:6.2f} {w['online']:7.2f} {w['file']:6.2f}   {'':27}"
              f" {added['count']:6.1f} {added['online']:7.1f} {added['file']:6.1f} {(c['online'] - c['bare']) / accesses * 1e9:6.1f}"
              f"   {os.path.getsize(trace) / accesses:.3f}", flush=True)
    print()
    for name, words in (("true", []), ("bc", ["--version"]), ("ls", ["/"]), ("perl", ["-e", "1"])):
        program = shutil.which(name)
        if not program:
            continue
        bare, file = ([*qemu, program, *words], [o.loadstone, "trace", "-q", "-f", "-o", trace, "--", program, *words])
        turns = [(run(bare)[0], run(file)[0]) for _ in range(STARTS)]
        least = [min(times) for times in zip(*turns)]
        print(f"start of {name:5} {least[0]:6.3f} s, traced {least[1]:6.3f} s, more {least[1] - least[0]:6.3f} s", flush=True)
