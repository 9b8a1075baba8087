#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the memory traffic that bursts estimate with the traffic of kernels that a formula gives.

Each kernel of `loadstone traffic` runs natively on data of several times the last-level cache, and is recorded; the bytes that the
report estimates for its arrays stand beside repetitions times the cache model's bytes. Prints a table.

usage: traffic.py --loadstone CMD [--seconds S] [--only KERNEL,...]
"""
import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time

# Sizes whose arrays are larger than the last-level caches of most processors; the model takes seconds.
SIZES = {"gemv": 6000, "s1cf-1": 408, "s1cf-2": 408, "s1cf": 408, "s2cf": 408}


def output(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def modelled(loadstone, kernel, size):
    """Bytes of one repetition by the model with the caches of this machine."""
    rows = list(csv.DictReader(io.StringIO(output([loadstone, "traffic", kernel, "-n", str(size), "--cache", "machine", "-f", "csv"]))))
    return float(rows[0]["model_read_bytes"]) + float(rows[0]["model_written_bytes"])


def estimated(loadstone, kernel, size, repetitions, folder):
    """Bytes of all repetitions by bursts: estimate, low, high; and the number of bursts."""
    path = os.path.join(folder, "run.h5")
    output([loadstone, "record", "-q", "--force", "-o", path, "--", loadstone, "traffic", "run", kernel, "-n", str(size), "--repetitions",
            str(repetitions)])
    report = json.loads(output([loadstone, "report", "--json", path]))
    traffic = report.get("traffic")
    if not traffic:
        return None, None, None, report["estimates"]["bursts"]
    arrays = sum(row["share"] or 0 for row in traffic["rows"] if row["label"] in ("A", "x", "y", "B", "C", "in", "out", "tmp"))
    return [arrays * traffic[key] if traffic[key] is not None else None for key in ("bytes", "bytes_low", "bytes_high")] + [
        report["estimates"]["bursts"]]


def run_seconds(loadstone, kernel, size, repetitions):
    begin = time.monotonic()
    output([loadstone, "traffic", "run", kernel, "-n", str(size), "--repetitions", str(repetitions)])
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print("| kernel | size | repetitions | model, GB | bursts estimate, GB | 95 % | ratio | bursts |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kernel in args.only.split(",") if args.only else SIZES:
            size = SIZES[kernel]
            one = (run_seconds(args.loadstone, kernel, size, 9) - run_seconds(args.loadstone, kernel, size, 1)) / 8
            repetitions = max(4, int(args.seconds / max(one, 0.01)))
            model = modelled(args.loadstone, kernel, size) * repetitions
            value, low, high, bursts = estimated(args.loadstone, kernel, size, repetitions, folder)
            if value is None:
                print("| %s | %d | %d | %.2f | none | | | %d |" % (kernel, size, repetitions, model * 1e-9, bursts))
                continue
            interval = "%.2f .. %.2f" % (low * 1e-9, high * 1e-9) if low is not None else ""
            print("| %s | %d | %d | %.2f | %.2f | %s | %.2f | %d |" % (kernel, size, repetitions, model * 1e-9, value * 1e-9, interval,
                                                                       value / model, bursts), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
