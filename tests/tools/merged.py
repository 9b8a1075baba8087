# SPDX-License-Identifier: BSD-3-Clause
"""usage: merged.py MERGED FILE...: every row of each FILE is in MERGED with the same values."""
import codecs
import sys
import h5py
import numpy as np

LINKS = {"process": "processes", "thread": "threads", "frame": "frames", "label_frame": "frames", "line": "lines",
         "node": "nodes", "phase": "phases", "burst": "bursts"}
TIMES = {"time_ns", "begin_ns", "end_ns", "born_ns", "died_ns", "until_ns"}
SKIPPED = {"id", "first_sample"}
MISSING = 2**32 - 1
FOREVER = 2**64 - 1


# as the reader of profiles does (common/ls_text.h)
codecs.register_error("question", lambda e: ("?" * (e.end - e.start), e.end))


class Profile:
    def __init__(self, path):
        self.file = h5py.File(path)
        self.start = int(self.file["run"].attrs["start_realtime_ns"])
        self.tables = {}
        self.said = {}
        self.fields = {int(g.attrs["number"]): name for name, g in self.file["fields"].items()}

    def table(self, name):
        if name not in self.tables:
            group = self.file[name]
            self.tables[name] = {k: (d.asstr(errors="question")[:] if h5py.check_string_dtype(d.dtype) else d[:]) for k, d in group.items()
                                 if isinstance(d, h5py.Dataset)}
        return self.tables[name]

    def length(self, name):
        columns = self.table(name)
        return len(next(iter(columns.values()))) if columns else 0

    def says(self, name, row):
        """The row with the rows that it points to in their place, times by the wall clock. Callers do not change it."""
        if (name, row) not in self.said:
            self.said[name, row] = self.expand(name, row)
        return self.said[name, row]

    def expand(self, name, row):
        out = {}
        for column, values in self.table(name).items():
            value = values[row]
            if column in SKIPPED:
                continue
            own = column == "parent" and name in ("frames", "processes", "phases")
            if own or (column in LINKS and not (name == "sources") and not (name == "lines" and column == "line")):
                target = name if own else LINKS[column]
                value = None if int(value) == MISSING else self.says(target, int(value))
            elif column == "parent":
                continue  # nodes: their place in the tree is looked at apart
            elif column in TIMES:
                value = None if int(value) == FOREVER else int(value) + self.start
            elif isinstance(value, (float, np.floating)) and np.isnan(value):
                value = None
            out[column] = value
        return out


def must(what, holds):
    if not holds:
        sys.exit(f"FAIL: {sys.argv[1]}: {what}")


def must_equal(what, a, b):
    if a != b:  # the rows are long: their text is made only here
        must(f"{what}: {a} is not {b}", False)


def field_of(p, samples, i):
    number = int(samples["field"][i]) if "field" in samples else MISSING
    return None if number == MISSING else (p.fields[number], int(samples["value"][i]))


merged, files = Profile(sys.argv[1]), [Profile(path) for path in sys.argv[2:]]
must("starts with the earliest", merged.start == min(f.start for f in files))
for name in ("threads", "processes", "bursts", "modules", "lines", "inlines", "phase_spans", "events", "frames", "sites", "watches",
             "series/resident_bytes", "series/minor_faults"):
    at = 0
    for f in files:
        for row in range(f.length(name)):
            must_equal(f"{name} row {at}", merged.says(name, at), f.says(name, row))
            at += 1
    must(f"{name}: {at} rows", at == merged.length(name))
for name in ("sources", "phases"):
    for f in files:
        there = [merged.says(name, i) for i in range(merged.length(name))]
        must(f"each of {name}, once", all(there.count(f.says(name, i)) == 1 for i in range(f.length(name))))
at = 0
all_samples = merged.table("samples")
for f in files:
    samples = f.table("samples")
    for i in range(f.length("samples")):
        a, b = merged.expand("samples", at), f.expand("samples", i)
        for d in (a, b):
            for column in ("field", "value"):
                d.pop(column, None)
            if d["node"] and d["node"].get("process") is None:  # nodes that processes share were born with the first
                d["node"] = {k: v for k, v in d["node"].items() if k != "born_ns"}
        must_equal(f"sample {at}", a, b)
        mine, theirs = field_of(merged, all_samples, at), field_of(f, samples, i)
        must(f"sample {at} is in {mine}, not in {theirs}", (mine is None) == (theirs is None))
        if mine:
            must(f"sample {at}: cell", mine[1] == theirs[1] and mine[0].split(" #")[0] == theirs[0].split(" #")[0])
        at += 1
must("samples", at == merged.length("samples"))
bursts = merged.table("bursts")
firsts = [int(x) for x in bursts["first_sample"]]
expected, base = [], 0
for f in files:
    expected += [int(x) + base for x in f.table("bursts")["first_sample"]]
    base += f.length("samples")
must("samples of bursts", firsts == expected)
fields = [name for f in files for name in f.file["fields"]]
must("fields", len(merged.file["fields"]) == len(fields))
for name, group in merged.file["fields"].items():
    number = int(group.attrs["number"])
    at = 0
    for f in files:
        for other in f.file["fields"].values():
            if at + int(other.attrs["number"]) == number:
                must(f"{name}: metrics", set(group) == set(other))
                must(f"{name}: values", all(np.array_equal(group[m][...], other[m][...], equal_nan=True) for m in group
                                            if isinstance(group[m], h5py.Dataset) and group[m].dtype.kind == "f"))
        at += len(f.file["fields"])
print(f"{sys.argv[1]}: {merged.length('samples')} samples, {merged.length('nodes')} nodes, {len(fields)} fields: the same")
