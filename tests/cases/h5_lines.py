# SPDX-License-Identifier: BSD-3-Clause
"""usage: h5_lines.py RUN.h5: the tables of a profile as lines of text, for the tests of whole programs."""
import sys

import h5py

NONE32, NONE64 = 2**32 - 1, 2**64 - 1


def rows(group):
    columns = {name: data.asstr()[:] if h5py.check_string_dtype(data.dtype) else data[:]
               for name, data in group.items()}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def path_of(table, row, key):
    names = []
    while row != NONE32:
        names.append(table[row][key])
        row = table[row]["parent"]
    return "/".join(reversed(names)) or "-"


def optional(number, none=NONE32):
    return "-" if number == none else int(number)


def main():
    run = h5py.File(sys.argv[1], "r")
    processes, threads, nodes, phases = (rows(run[n]) for n in ("processes", "threads", "nodes", "phases"))
    origins = [str(n, "utf-8") for n in run["processes"].attrs["origins"]]
    ends = [str(n, "utf-8") for n in run["processes"].attrs["ends"]]
    kinds = [str(n, "utf-8") for n in run["nodes"].attrs["kinds"]]
    for i, p in enumerate(processes):
        print(f"process {i} parent {optional(p['parent'])} pid {p['pid']} image {p['image']} "
              f"origin {origins[p['origin']]} ended {ends[p['ended']]} code {optional(p['exit_code'])} "
              f"signal {optional(p['exit_signal'])} rank {p['rank']} of {p['ranks_len']} from '{p['rank_from']}' "
              f"command '{p['cmdline']}'")
    for s in rows(run["phase_spans"]):
        t = threads[s["thread"]]
        print(f"span {path_of(phases, s['phase'], 'name')} process {t['process']} tid {t['tid']} "
              f"begin {s['begin_ns']} end {optional(s['end_ns'], NONE64)}")
    for e in rows(run["events"]):
        print(f"event {e['kind']} process {optional(e['process'])} count {e['count']} text {e['text']}")
    for name, group in run["series"].items():
        points = rows(group)
        for i in range(len(processes)):
            values = [p for p in points if p["process"] == i]
            if not values:
                continue
            times = [p["time_ns"] for p in values]
            back = [(i, times[i - 1], times[i]) for i in range(1, len(times)) if times[i] < times[i - 1]]
            assert not back, f"{name} of process {values[0]['process']} goes back: {back}"
            print(f"series {name} process {i} points {len(values)} first {values[0]['value']} "
                  f"last {values[-1]['value']} max {max(p['value'] for p in values)}")
    samples = {name: run["samples"][name][:] for name in ("addr", "node", "phase", "thread", "time_ns")}
    for addr, node, phase, thread, time_ns in zip(*samples.values()):
        print(f"sample process {threads[thread]['process']} tid {threads[thread]['tid']} addr {addr} time {time_ns} "
              f"kind {kinds[nodes[node]['kind']]} phase {path_of(phases, phase, 'name')} node {nodes[node]['label']}")


main()
