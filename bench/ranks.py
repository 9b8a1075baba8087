# SPDX-License-Identifier: BSD-3-Clause
"""Merge, report and view profiles of made-up ranks, and measure the cost of --per-node when a rank ends.

usage: ranks.py --loadstone LOADSTONE --make-ranks MAKE_RANKS --machine TEXT [--write doc/scale.md] [--ranks N[,N...]]
Each machine has 50 ranks of 100 bursts with 24 data and 40 lines (tests/tools/make_ranks.c), summed up by merge --sum as
record --per-node does. The table between the two marks of the page is replaced."""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

from peers import write_part

BEGIN, END = "<!-- ranks: begin -->", "<!-- ranks: end -->"
PER_NODE = 50


def run(command, **options):
    """Wall time in seconds, and most memory in MB."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    text = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command[:4])}: status {status}\n{text}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def mb(path):
    return os.path.getsize(path) / 1e6


def job(options, folder, ranks):
    """A row of the table: made, merged, reported, viewed."""
    files = []
    for node in range(ranks // PER_NODE):
        raw, summed = f"{folder}/raw.h5", f"{folder}/node{node}.h5"
        run([options.make_ranks, raw, f"host{node}", str(node * PER_NODE), str(PER_NODE), str(ranks)])
        run([options.loadstone, "merge", "-q", "-f", "--sum", "-o", summed, raw])
        files.append(summed)
    out = f"{folder}/job.h5"
    merge_s, merge_mb = run([options.loadstone, "merge", "-q", "-f", "-o", out] + files)
    report_s, _ = run([options.loadstone, "report", "--by", "rank", out])
    table_s, _ = run([options.loadstone, "report", out])
    view_s, _ = run([options.loadstone, "view", "-f", "-o", f"{folder}/job.html", out])
    row = (f"| {ranks:,} | {len(files):,} x {mb(files[0]):.2f} MB | {merge_s:.1f} s | {merge_mb:.0f} MB | {mb(out):.1f} MB "
           f"| {report_s:.2f} s | {table_s:.2f} s | {view_s:.2f} s |")
    for path in files:
        os.unlink(path)
    return row


def at_exit(options, folder, ranks=8, rounds=5):
    """Time that --per-node adds to each rank of a machine, by ranks that end one after the other: ms."""
    work = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"

    def record(number, option, total):
        env = dict(os.environ, OMPI_COMM_WORLD_RANK=str(number), OMPI_COMM_WORLD_SIZE=str(total),
                   OMPI_COMM_WORLD_LOCAL_SIZE=str(total))
        return run([options.loadstone, "record", "-q", "-f", *option, "-o", f"{folder}/exit.h5", "--", "sh", "-c", work],
                   env=env)[0]

    costs = []
    for _ in range(rounds):
        together = sum(record(n, ["--per-node"], ranks) for n in range(ranks))
        apart = sum(record(n, [], ranks) for n in range(ranks))
        costs.append((together - apart) / ranks * 1000)
    return statistics.median(costs), min(costs), max(costs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loadstone", required=True)
    parser.add_argument("--make-ranks", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--write")
    parser.add_argument("--ranks", default="1000,10000")
    options = parser.parse_args()
    os.environ["TMPDIR"] = tempfile.gettempdir()
    lines = [f"On {options.machine}; `make bench-ranks` writes this table.", "",
             "| ranks | files of machines | merge | its memory | result | report --by rank | report | view |",
             "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        lines += [job(options, folder, int(n)) for n in options.ranks.split(",")]
        cost, least, most = at_exit(options, folder)
    lines += ["", f"At the end of a rank, `--per-node` adds {cost:.0f} ms ({least:.0f} to {most:.0f}) to a profile for each "
              "rank, the sum at the last one's end included (8 ranks)."]
    text = "\n".join(lines)
    print(text)
    if options.write:
        write_part(options.write, BEGIN, text, END)


main()
