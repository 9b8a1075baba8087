#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes profiles at random and passes them to the commands that read them: none may die by a signal, hang, or end with the status of
a sanitizer's finding. Values become extreme ones, bytes change anywhere, files are cut; a file that fails stays.

usage: change_profiles.py LOADSTONE COUNT SEED PROFILE..."""
import os
import random
import resource
import shutil
import subprocess
import sys

import h5py
import numpy

EXTREME = [0, 1, 2, 3, 8, 0x1000, 255, 2**31 - 1, 2**32 - 2, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
FLOATS = [0.0, -0.0, -1.0, 1e-308, 1e308, -1e308, float("inf"), float("-inf"), float("nan"), 2.0**64]
COMMANDS = [["report"], ["report", "--tree", "--json"], ["report", "--by", "line,thread"], ["report", "--sharing"],
            ["report", "--allocations"], ["report", "--by", "type,field"], ["report", "--layout", "*"],
            ["report", "--processes"], ["view", "-o", "page.html"], ["export", "-f", "dot", "-o", "-"],
            ["export", "-f", "csv", "-t", "samples", "-o", "table.csv"], ["merge", "-o", "merged.h5", "PROFILE"],
            ["patterns", "-o", "found.json"]]
SANITIZER = 99
CPU_S, WALL_S = 60, 1200  # limits of a command


def extreme(dtype):
    if dtype.kind == "f":
        return random.choice(FLOATS)
    if dtype.kind == "S":
        return random.choice([b"", b"A", b"/", b"\xff\xfe\x80", b"%", b"\x1b[2J"])[:dtype.itemsize]
    value = random.choice(EXTREME) & (256**dtype.itemsize - 1)
    return numpy.array([value], "u%d" % dtype.itemsize).view(dtype)[0]


def change_values(path):
    with h5py.File(path, "r+") as run:
        columns = []
        run.visititems(lambda name, item: columns.append(item) if isinstance(item, h5py.Dataset) and item.size else None)
        for _ in range(random.choice([1, 1, 2, 5, 20])):
            column = random.choice(columns)
            at = tuple(random.randrange(extent) for extent in column.shape)
            column[at] = extreme(column.dtype)


def change_bytes(path):
    with open(path, "r+b") as f:
        length = os.path.getsize(path)
        f.write(bytes(512))  # the seal
        if random.random() < 0.4:
            for _ in range(random.choice([1, 1, 3, 10])):
                f.seek(random.randrange(512, length))
                f.write(bytes([random.randrange(256)]))
        if random.random() < 0.05:
            f.truncate(random.randrange(512, length))


def problem(loadstone, command):
    arguments = [loadstone, command[0], *("PROFILE.h5" if a == "PROFILE" else a for a in command[1:])]
    try:
        done = subprocess.run(arguments + ["run.h5"], stdin=subprocess.DEVNULL, capture_output=True, timeout=WALL_S,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1)))
    except subprocess.TimeoutExpired:
        return "hangs"
    text = done.stderr.decode(errors="replace")
    if done.returncode < 0 or done.returncode == SANITIZER or "runtime error:" in text:
        return f"status {done.returncode}: {text[:2000]}"
    return None


def main(loadstone, count, seed, *profiles):
    os.environ["UBSAN_OPTIONS"] = f"exitcode={SANITIZER}"
    os.environ["ASAN_OPTIONS"] = f"exitcode={SANITIZER}:detect_leaks=0:quarantine_size_mb=16"  # libhdf5 leaks for damaged files
    numpy.seterr(over="ignore")
    random.seed(int(seed))
    failed = 0
    for number in range(int(count)):
        profile = random.choice(profiles)
        for name in "run.h5", "PROFILE.h5":
            shutil.copyfile(profile, name)
        if random.random() < 0.7:
            change_values("run.h5")
        change_bytes("run.h5")
        for command in random.sample(COMMANDS, 3):
            for output in "page.html", "table.csv", "merged.h5", "found.json":
                if os.path.exists(output):
                    os.remove(output)
            what = problem(loadstone, command)
            if what:
                kept = f"changed-{seed}-{number}.h5"
                shutil.copyfile("run.h5", kept)
                print(f"FAIL: {' '.join(command)} {kept} (of {os.path.basename(profile)}): {what}", flush=True)
                failed += 1
    print(f"{count} changed profiles, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
