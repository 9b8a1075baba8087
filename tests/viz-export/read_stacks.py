# SPDX-License-Identifier: BSD-3-Clause
# usage: read_stacks.py CALLS.json NODES.csv DIRECTORY: the files of call stacks that test_export_stacks.sh exported,
# read as their programs read them, and compared with loadstone report --by calls and the table of nodes.
import csv
import gzip
import json
import sys

calls_of, nodes_of, folder = sys.argv[1:]
failed = 0
DATA = "data: "


def near(got, want, what, part=1e-5):
    global failed
    if abs(got - want) > part * max(abs(want), 1):
        print(f"FAIL: {what}: {got}, not {want}")
        failed = 1


def is_(got, want, what):
    global failed
    if got != want:
        print(f"FAIL: {what}: {got!r}, not {want!r}")
        failed = 1


# --- truth: the times of stacks, and waiting by data
def stack_times():
    out, open_rows = {}, []
    for row in json.load(open(calls_of))["rows"]:
        del open_rows[row["depth"]:]
        open_rows.append(row["label"].split(" (")[0])
        out[";".join(open_rows)] = row["time_ns"]
    return out


nodes = list(csv.DictReader(open(nodes_of)))
times = stack_times()
waiting = float(nodes[0]["stall_ns"])
whole = sum(time_ns for stack, time_ns in times.items() if ";" not in stack)
wanted_data = {}
for row in nodes:
    path = row["path"].rsplit("/", 1)[0] if row["kind"] == "block" else row["path"]
    path = path.removeprefix("unregistered/")
    if float(row["self_stall_ns"]) > 0:
        wanted_data[path] = wanted_data.get(path, 0) + float(row["self_stall_ns"])


def compare(rows, name, unit=1.0):
    """rows: [(stack from the outermost frame on, CPU time, waiting)], both in units of `unit` ns."""
    cpu = sum(row[1] for row in rows) * unit
    near(cpu, whole, f"{name}: CPU time of all")
    near(sum(row[2] for row in rows) * unit, waiting, f"{name}: waiting of all")
    inclusive, data = {}, {}
    for stack, row_cpu, row_wait in rows:
        if stack[-1].startswith(DATA):
            near(row_cpu, 0, f"{name}: CPU time of data")
            label = stack[-1][len(DATA):]
            data[label] = data.get(label, 0) + row_wait * unit
        for i in range(len(stack)):
            key = ";".join(stack[:i + 1])
            inclusive[key] = inclusive.get(key, 0) + row_cpu * unit
    for stack, time_ns in times.items():
        near(inclusive.get(stack, 0), time_ns, f"{name}: {stack}")
    is_(len(times) > 5, True, f"{name}: stacks to compare")
    is_(sorted(data), sorted(wanted_data), f"{name}: data")
    for label, stall_ns in wanted_data.items():
        near(data.get(label, 0), stall_ns, f"{name}: waiting for {label}")


# --- speedscope: the rules of its file-format-schema.json
def read_speedscope(file):
    rows = []
    top = json.load(open(file))
    is_(top["$schema"], "https://www.speedscope.app/file-format-schema.json", "speedscope: schema")
    frames = [frame["name"] for frame in top["shared"]["frames"]]
    is_(len(set(map(json.dumps, top["shared"]["frames"]))), len(frames), "speedscope: each frame is once")
    for one in top["profiles"]:
        is_(one["type"], "sampled", "speedscope: type")
        is_(one["unit"], "nanoseconds", "speedscope: unit")
        is_(len(one["samples"]), len(one["weights"]), f"speedscope: {one['name']}: weights")
        near(sum(one["weights"]), one["endValue"] - one["startValue"], f"speedscope: {one['name']}: length")
        is_waiting = one["name"].endswith(": waiting")
        for stack, weight in zip(one["samples"], one["weights"]):
            names = [frames[f] for f in stack]
            rows.append((names, 0 if is_waiting else weight, weight if is_waiting else 0))
    is_(len(top["profiles"]), 6, "speedscope: two lists for each of three threads")
    return rows


# --- Firefox Profiler: tables are columns of equal length that refer to each other by row
def read_firefox(file):
    rows = []
    top = json.load(open(file))
    is_(top["meta"]["preprocessedProfileVersion"], 48, "firefox: version")
    categories = len(top["meta"]["categories"])
    columns = {"samples": {"stack": "stackTable", "time": None, "weight": None},
               "stackTable": {"prefix": "stackTable", "frame": "frameTable", "category": "categories", "subcategory": None},
               "frameTable": {"func": "funcTable", "category": "categories", "address": None, "line": None, "column": None, "inlineDepth": None,
                              "nativeSymbol": None, "innerWindowID": None, "implementation": None, "subcategory": None},
               "funcTable": {"name": "stringArray", "fileName": "stringArray", "isJS": None, "relevantForJS": None, "resource": None,
                             "lineNumber": None, "columnNumber": None},
               "resourceTable": {}, "nativeSymbols": {}, "markers": {}}
    for thread in top["threads"]:
        lengths = {name: thread[name]["length"] for name in columns}
        lengths.update(stringArray=len(thread["stringArray"]), categories=categories)
        for table, members in columns.items():
            for column, to in members.items():
                values = thread[table][column]
                is_(len(values), lengths[table], f"firefox: length of {table}.{column}")
                if to:
                    known = all(v is None or 0 <= v < lengths[to] for v in values)
                    is_(known, True, f"firefox: {table}.{column} refers to {to}")
        stacks, samples = thread["stackTable"], thread["samples"]
        is_(all(p is None or p < i for i, p in enumerate(stacks["prefix"])), True, "firefox: prefixes come first")
        is_(samples["time"], sorted(samples["time"]), "firefox: samples are in order of time")
        is_(samples["weightType"], "tracing-ms", "firefox: weights are times")
        is_(isinstance(thread["pid"], str), True, "firefox: pid")
        is_waiting = thread["name"].endswith(": waiting")
        for at, weight in zip(samples["stack"], samples["weight"]):
            names = []
            while at is not None:
                func = thread["frameTable"]["func"][stacks["frame"][at]]
                names.insert(0, thread["stringArray"][thread["funcTable"]["name"][func]])
                at = stacks["prefix"][at]
            rows.append((names, 0 if is_waiting else weight, weight if is_waiting else 0))
    return rows


# --- pprof: protocol buffers by hand, fields as in profile.proto
def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            is_(key & 7, 2, "pprof: type of a field")
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            is_(len(value), size, "pprof: length of a field")
        out.setdefault(key >> 3, []).append(value)
    return out


def packed(data):
    out, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def read_pprof(file):
    rows = []
    top = fields(gzip.open(file).read())
    strings = [text.decode() for text in top[6]]
    is_(strings[0], "", "pprof: the first string")
    types = [[strings[t[1][0]], strings[t[2][0]]] for t in map(fields, top[1])]
    is_(types, [["bursts", "count"], ["cpu", "nanoseconds"], ["waiting", "nanoseconds"]], "pprof: types of values")
    functions = {f[1][0]: strings[f[2][0]] for f in map(fields, top[5])}
    locations = {l[1][0]: functions[fields(l[4][0])[1][0]] for l in map(fields, top[4])}
    is_(0 in functions or 0 in locations, False, "pprof: numbers begin at 1")
    is_(strings[top[14][0]], "cpu", "pprof: default type")
    bursts, threads = 0, set()
    for sample in map(fields, top[2]):
        names = [locations[number] for number in packed(sample[1][0])]
        count, cpu, wait = packed(sample[2][0])
        bursts += count
        for label in map(fields, sample.get(3, [])):
            is_(strings[label[1][0]], "thread", "pprof: label")
            threads.add(strings[label[2][0]])
        rows.append((names[::-1], cpu, wait))
    is_(bursts, 690, "pprof: bursts")
    is_(sorted(threads)[:1] + sorted(threads)[2:], ["<img src=x onerror=\"document.body.dataset.broken=1\">", "worker ?? 2"], "pprof: threads")
    return rows


# --- Caliper's json-split: the rules of hatchet/readers/caliper_reader.py
def read_caliper(file):
    top = json.load(open(file))
    meta = {key: value for key, value in top.items() if key not in ("data", "columns", "column_metadata", "nodes")}
    is_(meta["executable"], "flow", "caliper: executable")
    is_(meta["cmdline"].startswith("flow --name"), True, "caliper: cmdline")
    columns = top["columns"]
    is_("source.function#callpath.address" in columns, False, "caliper: one hierarchy")
    path_at = columns.index("path")
    is_([m["is_value"] for m in top["column_metadata"]], [c != "path" for c in columns], "caliper: column_metadata")
    by_number = {}
    for number, node in enumerate(top["nodes"]):
        is_(node["column"], "path", "caliper: column of a node")
        is_(node["label"] != "", True, "caliper: labels")
        by_number[number] = (by_number[node["parent"]] if "parent" in node else []) + [node["label"]]
    is_(sorted(row[path_at] for row in top["data"]), list(range(len(top["nodes"]))), "caliper: one row for each node")
    renamed = [{"sum#time.duration": "time", "inclusive#sum#time.duration": "time (inc)"}.get(c, c) for c in columns]
    rows, inclusive = [], {}
    for row in top["data"]:
        cells = dict(zip(renamed, row))
        stack = by_number[cells["path"]]
        rows.append((stack, cells["time"], cells["sum#waiting.duration"]))
        inclusive[";".join(stack)] = cells["time (inc)"] * 1e9
    for stack, time_ns in times.items():
        near(inclusive[stack], time_ns, f"caliper: time (inc) of {stack}")
    return rows


compare(read_speedscope(f"{folder}/flow.speedscope.json"), "speedscope")
compare(read_firefox(f"{folder}/flow.firefox.json"), "firefox", 1e6)
compare(read_pprof(f"{folder}/flow.pb.gz"), "pprof")
compare(read_caliper(f"{folder}/flow.caliper.json"), "caliper", 1e9)
sys.exit(failed)
