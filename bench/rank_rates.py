# SPDX-License-Identifier: BSD-3-Clause
"""Two ranks on a processor each beside two threads, and beside the ranks of Spatter and RaiderSTREAM where binaries are named.

usage: rank_rates.py --loadstone LOADSTONE --machine TEXT [--write doc/scale.md] [--pairs N] [--size ELEMENTS] [--max-count N]
                     [--spatter FILE] [--raider-mpi FILE] [--raider-shmem FILE] PATTERNS.json...
A pair runs both, one after the other, in turns first; more pairs follow where an interval is wide. The ratio of a kernel is the
geometric mean of its pairs' ratios of rates, ranks over threads or Loadstone over peer, with Student's 95 % interval of the logarithms.
A kernel of RaiderSTREAM that fails is measured once more, and that result counts. The tables between the two marks of the page are
replaced."""
import argparse
import csv
import io
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

from peers import STUDENT, cut, write_part

BEGIN, END = "<!-- rates: begin -->", "<!-- rates: end -->"
LEAST, SAME = 0.97, 0.05
WIDE = 0.05
RAIDER = {"Sequential": "", "Gather": "gather-", "Scatter": "scatter-", "Scatter-Gather": "sg-", "Central": "central-"}
LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--bind-to", "core", "-n", "2"],
    "MPICH": ["mpirun.mpich", "-bind-to", "core", "-n", "2"],
    "OpenSHMEM": ["oshrun", "--mca", "osc", "^rdma", "--bind-to", "core", "-n", "2"],
}


def run(command, **env):
    done = subprocess.run(command, env=dict(os.environ, **env), capture_output=True, text=True, errors="replace", timeout=600)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def by_kernel(text):
    """Seconds of each kernel or configuration, from --format csv."""
    return {row["config"] if "config" in row else row["name"]: float(row.get("seconds_min") or row["min_s"]) for row in csv.DictReader(io.StringIO(text))}


def stream(a, launcher, kernels, *options):
    return lambda: by_kernel(run(launcher + [a.loadstone, "stream", "-k", kernels, "-n", str(a.size), "-r", str(a.runs),
                                             "--format", "csv", *options]))


def replay(a, launcher, path, *options):
    return lambda: by_kernel(run(launcher + [a.loadstone, "replay", "--quiet", "--no-stream", "-f", path, "--format", "csv", *options]))


def spatter_rows(text):
    """Average time of a rank, from Spatter's columns for ranks, which replay has, too."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: float(row[3]) for row in rows if len(row) == 6 and row[0].isdigit()}


def raider_rows(text):
    found = re.findall(r"^([A-Z][A-Za-z-]+) (Copy|Scale|Add|Triad) +([0-9.]+)", text, flags=re.M)
    return {RAIDER[group] + {"Add": "sum"}.get(name, name.lower()): float(seconds) for group, name, seconds in found}


def interval(logs):
    """Geometric mean, and its 95 % interval."""
    mean = statistics.mean(logs)
    half = STUDENT[min(len(logs) - 2, len(STUDENT) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def compare(a, ours, theirs):
    """Ratio of rates by kernel."""
    logs = {}
    ours(), theirs()  # choices of variants, and files in memory
    for pair in range(a.most or 3 * a.pairs):
        first, second = (ours, theirs) if pair % 2 else (theirs, ours)
        x, y = first(), second()
        mine, other = (x, y) if pair % 2 else (y, x)
        for name in other:
            if name in mine and other[name] > 0:
                logs.setdefault(name, []).append(math.log(other[name] / mine[name]))
        print(".", end="", file=sys.stderr, flush=True)
        if pair + 1 >= a.pairs and all(i[2] - i[1] < WIDE for i in map(interval, logs.values())):
            break
    if not logs:
        sys.exit("no kernel was measured")
    return {name: interval(values) + (len(values),) for name, values in logs.items()}


def confirmed(a, make, theirs, names, fails):
    """compare(), where kernels that fail are measured once more, and that result counts: one process in several chooses another loop, or meets
    other programs for minutes, which the intervals do not cover. make(names) returns our side for these kernels."""
    ratios = compare(a, make(names), theirs)
    again = [name for name, r in ratios.items() if fails(r)]
    if again:
        print(f" again: {', '.join(again)} ", end="", file=sys.stderr, flush=True)
        ratios.update(compare(a, make(again), theirs))
    return ratios


def row_of(label, ratios, fails):
    """A row of the table: the kernels together, the lowest and the highest one, and kernels beyond the goal."""
    low = min(ratios.items(), key=lambda i: i[1][0])
    high = max(ratios.items(), key=lambda i: i[1][0])
    whole = math.exp(statistics.mean(math.log(r[0]) for r in ratios.values()))
    bad = [f"{name} ({r[1]:.2f} to {r[2]:.2f})" for name, r in ratios.items() if fails(r)]
    row = (f"| {label} | {len(ratios)} | {max(r[3] for r in ratios.values())} | {whole:.3f} | {low[1][0]:.2f} {low[0]} ({low[1][1]:.2f} to {low[1][2]:.2f}) "
            f"| {high[1][0]:.2f} {high[0]} | {', '.join(bad) or 'none'} |")
    print(row, file=sys.stderr)
    return row


HEAD = "| {} | kernels | pairs | ratio | lowest (interval) | highest | {} |\n|---|---|---|---|---|---|---|"


def unequal(r):
    """The whole interval is beyond 5 %."""
    return r[2] < 1 - SAME or r[1] > 1 + SAME


def slower(r):
    return r[2] < LEAST


def against_threads(a, path):
    lines = [HEAD.format("two ranks against two threads", "interval wholly beyond 5 %")]
    for name, launcher in LAUNCHERS.items():
        if name not in a.launchers.split(","):
            continue
        shmem = ["--backend", "shmem"] if name == "OpenSHMEM" else []
        threads = ["-t", "2", "--pin", "close"]
        lines.append(row_of(f"stream, {name}", compare(a, stream(a, launcher, a.kernels, *shmem), stream(a, [], a.kernels, *threads)),
                            unequal))
        lines.append(row_of(f"replay --strong-scaling, {name}", compare(a, replay(a, launcher, path, "--strong-scaling", *shmem),
                                                       replay(a, [], path, "--dense-buffers", *threads)), unequal))
    return lines


def side_by_side(what, columns):
    """A table with a row for each kernel, and its ratio and interval for each peer."""
    cell = lambda r: f"{r[0]:.2f} ({r[1]:.2f} to {r[2]:.2f})" if r else "-"
    kernels = list(dict.fromkeys(name for _, ratios in columns for name in ratios))
    return ["", f"| {what} | " + " | ".join(label for label, _ in columns) + " |", "|---" * (len(columns) + 1) + "|",
            *(f"| {k} | " + " | ".join(cell(ratios.get(k)) for _, ratios in columns) + " |" for k in kernels)]


def against_peers(a, path):
    lines, spatter, raider = [], [], []
    if a.spatter:
        launcher = LAUNCHERS["Open MPI"]
        spatter.append(("Spatter, 2 ranks of MPI", compare(
            a, lambda: spatter_rows(run(launcher + [a.loadstone, "replay", "--quiet", "--no-stream", "--format", "spatter", "-v0", "-f", path])),
            lambda: spatter_rows(run(launcher + [a.spatter, "-v0", "-b", "serial", "-f", path])))))
    for peer, label, name in ((a.raider_mpi, "RaiderSTREAM, 2 ranks of MPI", "Open MPI"),
                              (a.raider_shmem, "RaiderSTREAM, 2 PEs of OpenSHMEM", "OpenSHMEM")):
        if peer:
            launcher = LAUNCHERS[name]
            options = ["--backend", "shmem"] if name == "OpenSHMEM" else []
            raider.append((label, confirmed(
                a, lambda names, launcher=launcher, options=options: stream(a, launcher, ",".join(names), *options),
                lambda peer=peer, launcher=launcher: raider_rows(run(
                    launcher + [peer, "-k", "all", "-s", str(a.size), "-np", "2"], OMP_NUM_THREADS="1",
                    RS_REPEAT=str(a.runs + 1))), ["sequential", "gather", "scatter", "sg", "central"], slower)))
    if spatter or raider:
        lines = [HEAD.format("Loadstone against", "interval wholly below 0.97"),
                 *(row_of(label, ratios, slower) for label, ratios in spatter + raider)]
    if raider:
        lines += side_by_side("kernel", raider)
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--write")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--most", type=int, help="pairs at most; default: 3 times --pairs")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--size", type=int, default=4000000)
    parser.add_argument("--max-count", type=int, default=200000)
    parser.add_argument("--kernels", default="sequential,stride", help="beside threads: random indices of a rank stay in its part")
    parser.add_argument("--launchers", default="Open MPI,MPICH,OpenSHMEM")
    parser.add_argument("--spatter")
    parser.add_argument("--raider-mpi")
    parser.add_argument("--raider-shmem")
    parser.add_argument("patterns", nargs="+")
    a = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl="self,vader",
                      OMPI_MCA_plm_rsh_agent="false", SHMEM_SYMMETRIC_SIZE="1G")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        rows = []
        for n, file in enumerate(a.patterns):
            cut(file, f"{folder}/cut.json", argparse.Namespace(max_count=a.max_count, divide=1))
            rows += json.load(open(f"{folder}/cut.json"))
        path = f"{folder}/all.json"
        json.dump(rows, open(path, "w"))
        peers = against_peers(a, path)
        lines = against_threads(a, path)
    names = ", ".join(os.path.splitext(os.path.basename(p))[0] for p in a.patterns)
    text = "\n".join([f"On {a.machine}; {os.cpu_count()} processors, load {load:.1f} at the start; `make bench-rank-rates` writes "
                      f"these tables. Arrays of {a.size:,} elements; {names} of Spatter's suite, counts of at most {a.max_count:,}.", "",
                      *lines, *([""] + peers if peers else [])])
    print(text)
    if a.write:
        write_part(a.write, BEGIN, text, END)


main()
