# SPDX-License-Identifier: BSD-3-Clause
"""Contents of a sum over ranks, without the numbers of rows.

usage: ranks.py dump SUM.h5                print the sums, ranks and kept samples, sorted
       ranks.py check PAGE.md SUM.h5 RANKS.h5...   the sums equal the ordinary profiles; PAGE.md has the columns
       ranks.py caliper RANKS.caliper.json REPORT.json SUM.caliper.json   exported columns over ranks are those of the report by rank and
                                           function; a sum has none
       ranks.py trace TRACE.json SUM.h5     the bursts of kept ranks are in the trace, and no missing value"""
import collections
import json
import sys

import h5py
import numpy

MISSING = 2**32 - 1


def table(run, name):
    if name not in run:
        return {}
    return {k: (d.asstr()[:] if h5py.check_string_dtype(d.dtype) else d[:]) for k, d in run[name].items()}


def paths(rows, label):
    """The full name of each row of a tree."""
    names = []
    for parent, own in zip(rows["parent"], rows[label]):
        names.append(own if parent == MISSING else names[parent] + "/" + own)
    return names


def dump(run):
    nodes = paths(table(run, "nodes"), "label") + [""]
    phases = paths(table(run, "phases"), "name") + [""]
    raw = table(run, "lines")
    lines = [f"{f}:{n}:{fn}" for f, n, fn in zip(raw["file"], raw["line"], raw["function"])] + [""]
    out = []
    of = {"node": nodes, "phase": phases, "line": lines, "mpi_line": lines}
    for name in ("sums", "rank_data"):
        t = table(run, name)
        for i in range(len(t.get("node", []))):
            row = []
            for key, values in t.items():
                if key in of:
                    row.append(of[key][min(int(values[i]), len(of[key]) - 1)])
                elif name == "rank_data" and key == "rank":
                    row.append(int(run["ranks/rank"][:][values[i]]))
                else:
                    row.append(int(values[i]))
            out.append(f"{name} {row}")
    ranks = table(run, "ranks")
    for i in range(len(ranks["rank"])):
        out.append("rank " + str([ranks[k][i] for k in sorted(ranks) if k not in ("id", "process")]))
    # samples of kept ranks, and the rest
    samples, processes = table(run, "samples"), table(run, "processes")
    rank_of = processes["rank"][table(run, "threads")["process"]]
    total = collections.Counter()
    for thread, cost, stall, count, node in zip(samples["thread"], samples["cost_ns"], samples["stall_ns"],
                                                samples["count"], samples["node"]):
        n = 1 if count == MISSING else int(count)
        key = (int(rank_of[thread]), nodes[min(int(node), len(nodes) - 1)])
        total[key + ("n",)] += n
        total[key + ("cost",)] += int(cost)
        total[key + ("stall",)] += int(stall)
    out += [f"samples {k} {v}" for k, v in total.items()]
    bursts = table(run, "bursts")
    whole = collections.Counter()
    for thread, weight, count in zip(bursts["thread"], bursts["weight_ns"], bursts["count"]):
        whole[int(rank_of[thread])] += int(weight)
    out += [f"bursts {k} {v}" for k, v in whole.items()]
    run_attrs = run["run"].attrs
    out += [f"run {k} {run_attrs[k]}" for k in ("ranks", "cpu_ns", "user_ns", "kernel_ns", "recording_ns", "represented_ns",
                                                 "unrepresented_ns", "instructions_stepped", "start_realtime_ns", "duration_ns")]
    kernel, events = table(run, "kernel"), table(run, "events")
    out += [f"kernel {nodes[n]} {lines[l]} {c} {t:.0f}" for n, l, c, t in zip(kernel["node"], kernel["line"], kernel["calls"], kernel["time_ns"])]
    out += [f"events {row}" for row in zip(events["kind"], events["text"], events["count"])]
    return sorted(out)


def check(run, parts):
    """Weights and samples of the parts are in the sum, by rank."""
    weights, samples, slow = collections.Counter(), collections.Counter(), collections.Counter()
    for path in parts:
        part = h5py.File(path)
        bursts, processes = table(part, "bursts"), table(part, "processes")
        rank_of = processes["rank"][table(part, "threads")["process"]]
        labels = table(part, "nodes")["label"]
        for rank in set(rank_of):
            mine = rank_of[bursts["thread"]] == rank
            weights[int(rank)] += int(bursts["weight_ns"][mine].sum())
            samples[int(rank)] += int(bursts["samples_len"][mine].sum())
            slow[int(rank)] += int(bursts["weight_ns"][mine & (bursts["samples_len"] > 0)].sum())
    ranks = table(run, "ranks")
    assert [int(r) for r in ranks["rank"]] == sorted(weights), (ranks["rank"], sorted(weights))
    for i, rank in enumerate(ranks["rank"]):
        assert int(ranks["time_ns"][i]) == weights[int(rank)], rank
        assert int(ranks["samples"][i]) == samples[int(rank)], rank
    sums = table(run, "sums")
    whole = sums["kind"] == 1
    assert int(sums["time_ns"][whole].sum()) == sum(weights.values())
    assert int(sums["count"][~whole].sum()) == sum(samples.values())
    # costs are rounded to ns
    assert abs(int(sums["time_ns"][~whole].sum()) - sum(slow.values())) < sum(samples.values())
    assert (sums["rank_least_ns"] <= sums["rank_most_ns"]).all()
    assert (sums["rest_count"] <= sums["count"]).all()
    data = table(run, "rank_data")
    by_rank = collections.Counter()
    for rank, time_ns in zip(data["rank"], data["time_ns"]):
        by_rank[int(ranks["rank"][rank])] += int(time_ns)
    for rank, time_ns in by_rank.items():
        assert abs(time_ns - slow[rank]) < samples[rank], rank
    # every reader counts every rank once
    bursts = table(run, "bursts")
    assert int(bursts["weight_ns"].sum()) == sum(weights.values())
    columns = table(run, "samples")
    counts = numpy.where(columns["count"] == MISSING, 1, columns["count"])
    assert int(counts.sum()) == sum(samples.values())
    assert int(columns["cost_ns"].sum()) == int(sums["time_ns"][~whole].sum())


def check_page(run, page):
    for name in ("ranks", "sums", "rank_data"):
        row = [line for line in page.splitlines() if line.startswith(f"| `/{name}` |")]
        assert len(row) == 1, name
        assert sorted(row[0].split("|")[3].split("`")[1].split()) == sorted(run[name]), name


def check_caliper(exported, report, of_sum):
    times = collections.defaultdict(dict)
    for row in report["rows"]:
        if set(row["keys"]) == {"rank", "function"}:
            times[row["keys"]["function"].split(" (")[0]][row["keys"]["rank"]] = row["time_ns"] / 1e9
    ranks = {rank for of in times.values() for rank in of}
    assert len(ranks) == exported["mpi.world.size"] == 40, ranks
    columns, found = exported["columns"], 0
    assert len(columns) == len(exported["column_metadata"]) and not any("#sum#" in c and c[:3] in ("min", "avg", "max") for c in of_sum["columns"])
    for row in exported["data"]:
        cells, node = dict(zip(columns, row)), exported["nodes"][row[0]]
        waiting = [cells[over + "#sum#waiting.duration"] for over in ("min", "avg", "max")]
        assert waiting == sorted(waiting) and abs(waiting[1] * len(ranks) - cells["sum#waiting.duration"]) < 1e-5, cells
        if "parent" in node:
            continue
        found += 1
        truth = [times[node["label"]].get(rank, 0) for rank in ranks]
        for part in ("", "inclusive#"):
            for over, want in (("min", min(truth)), ("avg", sum(truth) / len(truth)), ("max", max(truth))):
                got = cells[f"{over}#{part}sum#time.duration"]
                assert abs(got - want) < 1e-5 * max(want, 1), (node, part, over, got, want)
    assert found == len(times) > 5, found


def check_trace(text, run):
    events = json.loads(text, parse_int=lambda digits: int(digits) if int(digits) < 2**63 else sys.exit(f"the trace has {digits}"))["traceEvents"]
    assert all(e.get("ts", 0) < 2**53 / 1e3 for e in events)
    bursts = [e for e in events if e.get("cat") == "burst"]
    times = [int(t) for t in run["bursts/time_ns"][:] if t != 2**64 - 1]
    assert 0 < len(times) < len(run["bursts/time_ns"]), len(times)
    assert [round(e["ts"] * 1000) for e in bursts] == times


def main():
    if sys.argv[1] == "dump":
        print("\n".join(dump(h5py.File(sys.argv[2]))))
        return
    if sys.argv[1] == "caliper":
        check_caliper(*(json.load(open(path)) for path in sys.argv[2:]))
        return
    if sys.argv[1] == "trace":
        check_trace(open(sys.argv[2]).read(), h5py.File(sys.argv[3]))
        return
    run = h5py.File(sys.argv[3])
    check(run, sys.argv[4:])
    check_page(run, open(sys.argv[2]).read())


main()
