#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the memory traffic that bursts estimate with the traffic that a model of the caches gives.

Without FILE: each kernel of `loadstone traffic` runs natively on data of 136 to 288 MB, several times most last-level caches, and is recorded; the bytes
that the report estimates for its arrays stand beside repetitions times the cache model's bytes.

With FILE: programs, a line for each, with `#` before comments:

    NAME CACHE SHORT LONG RUN COMMAND

The command contains {n} in the place of its number of iterations, and absolute paths, because it runs in a temporary folder. It is traced with
SHORT and with LONG iterations, the traces run through the caches of this machine with a last level of CACHE (as 2M/16), and the traffic is
continued in proportion to RUN iterations, which are recorded, and estimated with the same last level. The error is the sum of the errors of all data, over the bytes of the model.

usage: traffic.py --loadstone CMD [--seconds S] [--only NAME,...] [--cache SIZE/WAYS] [--rows N] [FILE]
"""
import argparse
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

# Sizes whose arrays are larger than the last-level caches of most processors; the model takes seconds.
SIZES = {"gemv": 6000, "s1cf-1": 408, "s1cf-2": 408, "s1cf": 408, "s2cf": 408}


def output(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def modelled(loadstone, kernel, size, levels):
    """Bytes of one repetition by the model."""
    rows = list(csv.DictReader(io.StringIO(output([loadstone, "traffic", kernel, "-n", str(size), "--cache", levels, "-f", "csv"]))))
    return float(rows[0]["model_read_bytes"]) + float(rows[0]["model_written_bytes"])


def estimated(loadstone, kernel, size, repetitions, cache, folder):
    """Bytes of all repetitions by bursts: estimate, low, high; and the number of bursts."""
    path = os.path.join(folder, "run.h5")
    output([loadstone, "record", "-q", "--force", "-o", path, "--", loadstone, "traffic", "run", kernel, "-n", str(size), "--repetitions",
            str(repetitions)])
    last_level = ["--last-level", cache.split("/")[0]] if cache else []
    report = json.loads(output([loadstone, "report", "--json", *last_level, path]))
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


def compare_kernels(args, folder):
    print("| kernel | size | repetitions | model, GB | bursts estimate, GB | 95 % | ratio | bursts |\n|---|---|---|---|---|---|---|---|")
    for kernel in args.only.split(",") if args.only else SIZES:
        size = SIZES[kernel]
        one = (run_seconds(args.loadstone, kernel, size, 9) - run_seconds(args.loadstone, kernel, size, 1)) / 8
        repetitions = max(4, int(args.seconds / max(one, 0.01)))
        levels = ",".join(nearer_levels() + [args.cache]) if args.cache else "machine"
        model = modelled(args.loadstone, kernel, size, levels) * repetitions
        value, low, high, bursts = estimated(args.loadstone, kernel, size, repetitions, args.cache, folder)
        if value is None:
            print("| %s | %d | %d | %.2f | none | | | %d |" % (kernel, size, repetitions, model * 1e-9, bursts))
            continue
        interval = "%.2f .. %.2f" % (low * 1e-9, high * 1e-9) if low is not None else ""
        print("| %s | %d | %d | %.2f | %.2f | %s | %.2f | %d |" % (kernel, size, repetitions, model * 1e-9, value * 1e-9, interval,
                                                                   value / model, bursts), flush=True)


def name_of(label):
    """A trace numbers or sizes the pieces of data that share a name, a recording does not."""
    return re.sub(r" (#.*|\(small\))$", "", label)


def summed(pairs):
    total = {}
    for label, count in pairs:
        total[name_of(label)] = total.get(name_of(label), 0) + count
    return total


def run_program(command, folder):
    """Some programs end with a status other than 0 although they ran, and some write files into their working directory."""
    subprocess.run(command, check=False, capture_output=True, cwd=folder)


def split_environment(command):
    """`env NAME=VALUE ...` before a program, and the program: a trace does not follow env into it."""
    end = 0
    if command[0] == "env":
        end = next(i for i, word in enumerate(command) if i and "=" not in word)
    return command[:end], command[end:]


def traced(loadstone, command, levels, folder):
    """Bytes read and written by the model, by data, for one run of the command."""
    path = os.path.join(folder, "trace")
    environment, program = split_environment(command)
    run_program(environment + [loadstone, "trace", "--force", "-o", path, "--"] + program, folder)
    rows = csv.DictReader(io.StringIO(output([loadstone, "traffic", "trace", "-f", "csv", "--top", "1000000", "--cache", levels, path])))
    return summed((row["data"], float(row["read_bytes"]) + float(row["written_bytes"])) for row in rows)


def nearer_levels():
    """The first two levels of this machine's data caches, as traffic --cache takes them."""
    levels = []
    for index in range(4):
        def entry(name):
            with open("/sys/devices/system/cpu/cpu0/cache/index%d/%s" % (index, name)) as file:
                return file.read().strip()
        try:
            if entry("type") != "Instruction" and int(entry("level")) < 3:
                levels.append("%s/%s" % (entry("size"), entry("ways_of_associativity")))
        except OSError:
            break
    return levels or ["32K/8", "512K/8"]


def compare_programs(args, folder):
    print("| program | L3 | model, GB | bursts estimate, GB | error | bursts |\n|---|---|---|---|---|---|")
    for line in open(args.programs):
        if not line.strip() or line.startswith("#"):
            continue
        name, cache, short, long, run, command = line.split(None, 5)
        if args.only and name not in args.only.split(","):
            continue

        def command_of(count):
            return shlex.split(command.replace("{n}", str(count)))

        levels = ",".join(nearer_levels() + [cache])
        first, second = (traced(args.loadstone, command_of(count), levels, folder) for count in (short, long))
        factor = (int(run) - int(long)) / (int(long) - int(short))
        model = {data: count + (count - first.get(data, 0)) * factor for data, count in second.items()}
        path = os.path.join(folder, "run.h5")
        run_program([args.loadstone, "record", "-q", "--force", "-o", path, "--"] + command_of(run), folder)
        report = json.loads(output([args.loadstone, "report", "--json", "--last-level", cache.split("/")[0], path]))
        traffic = report["traffic"]
        estimate = summed((row["label"], (row["share"] or 0) * traffic["bytes"]) for row in traffic["rows"])
        names = sorted(set(model) | set(estimate), key=lambda data: -model.get(data, 0))
        error = sum(abs(estimate.get(data, 0) - model.get(data, 0)) for data in names)
        total = sum(model.values())
        print("| %s | %s | %.2f | %.2f | %.0f %% | %d |" % (name, cache, total * 1e-9, traffic["bytes"] * 1e-9, 100 * error / total,
                                                     report["estimates"]["bursts"]), flush=True)
        for data in names[:args.rows]:
            print("    %-40s model %7.3f   bursts %7.3f" % (data, model.get(data, 0) * 1e-9, estimate.get(data, 0) * 1e-9))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", metavar="SIZE/WAYS", help="the last level of kernels (default: the machine's)")
    parser.add_argument("--rows", type=int, default=0, help="also print so many pieces of data of each program")
    parser.add_argument("programs", nargs="?", metavar="FILE")
    args = parser.parse_args()
    args.loadstone = os.path.abspath(args.loadstone)
    with tempfile.TemporaryDirectory() as folder:
        (compare_programs if args.programs else compare_kernels)(args, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
