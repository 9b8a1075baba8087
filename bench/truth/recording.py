# SPDX-License-Identifier: BSD-3-Clause
"""Runs a case natively, under perf and under loadstone record, and reads their results."""
import collections
import csv
import dataclasses
import json
import os
import re
import resource
import shutil
import subprocess

import score

LIMIT_S = 600

# Time in nanoseconds that a program printed of itself. Keys are names of functions (joined by '+'), labels of data. data_of maps functions
# to the labels of their data. known_share is the part of the user time that those functions have, by perf; None: not measured.
Truth = collections.namedtuple("Truth", "functions others kernels data data_of total_user total_kernel known_share", defaults=(None,))


class Failed(Exception):
    """A run that failed; the text gives the reason."""


@dataclasses.dataclass
class Row:
    """A row of the report: shares of the time as fractions of 1."""
    label: str
    share: float
    low: float
    high: float
    bursts: int


@dataclasses.dataclass
class Engine:
    name: str
    overhead: float  # percent


@dataclasses.dataclass
class Recording:
    output: str
    functions: list
    data: list
    modules: list
    bursts: int
    sampled_ns: float
    overhead: float
    cpu: dict  # the identity, or empty
    spent: dict  # function in which bursts began -> nanoseconds that these bursts took
    path: str


def read_truth(output):
    functions, others, kernels, data, data_of, total, last = {}, {}, {}, {}, {}, (0, 0), ""
    kinds = {"function": functions, "other": others, "kernel": kernels, "data": data}
    for line in output.splitlines():
        words = line.split()
        if words[:2] == ["truth", "total"]:
            total = float(words[2]), float(words[3])
        elif words[:1] == ["truth"] and words[1] in kinds:
            times, name = kinds[words[1]], " ".join(words[2:-1])
            times[name] = times.get(name, 0) + float(words[-1])
            if times is data:
                data_of[last] = name
            last = name
    return Truth(functions, others, kernels, data, data_of, *total)


def without_bursts(truth, spent):
    """The truth without the time of the bursts, which are in the slices. Bursts in functions that the truth does not name took as
    much of their time as the others on average."""
    net = dict(truth.functions)
    for key in net:
        net[key] -= sum(ns for label, ns in spent.items() if any(score.is_named(label, name) for name in key.split("+")))
    data = dict(truth.data)
    for key, label in truth.data_of.items():
        data[label] -= truth.functions.get(key, 0) - net.get(key, 0)
    part = sum(net.values()) / (sum(truth.functions.values()) or 1)
    return truth._replace(functions=net, data=data, others={name: part * ns for name, ns in truth.others.items()})


class Runner:
    def __init__(self, loadstone, folder):
        self.loadstone, self.folder = loadstone, folder

    def run(self, command, env=()):
        """Run to the end; its output, and the user and kernel time of it and its children."""
        environment = dict(os.environ, LC_ALL="C", **dict(env))
        environment.pop("TRUTH_FD", None)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=LIMIT_S)
        except (OSError, subprocess.TimeoutExpired) as e:
            raise Failed(str(e)[:200]) from e
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise Failed("%s: status %d: %s" % (os.path.basename(command[0]), done.returncode, done.stderr[-200:].decode(errors="replace").strip()))
        return (done.stdout.decode(errors="replace"), 1e9 * (after.ru_utime - before.ru_utime),
                1e9 * (after.ru_stime - before.ru_stime))

    def native(self, case):
        output, user_ns, kernel_ns = self.run(case.command, case.env)
        return read_truth(output)._replace(total_user=user_ns, total_kernel=kernel_ns)

    def with_known_share(self, case, truth):
        """The truth, and which part of perf's samples of another native run its functions have. The kernel's split of CPU time by ticks
        is too coarse for that: in programs of many short threads or processes, it takes some per cent of kernel time for user time."""
        if case.part or truth.others or not shutil.which("perf"):
            return truth
        functions, _ = self.perf(case)
        names = [n for key in truth.functions for n in key.split("+")]
        inside = sum(count for label, count in functions.items() if any(score.is_named(label, n) for n in names))
        return truth._replace(known_share=inside / sum(functions.values())) if inside else truth

    def rows(self, path, *options):
        output, _, _ = self.run([self.loadstone, "report", "--json", "--min-share", "0.0001%", "--limit", "100000", *options, path])
        report = json.loads(output)
        # `time` is null in rows that have no time
        return report, [Row(r["label"], *[(r.get("time") or {}).get(k) or 0.0 for k in ("share", "low", "high")], r.get("bursts") or 0)
                        for r in report["rows"]]

    def record(self, case, engine, *options):
        path = os.path.join(self.folder, "run.h5")
        output, _, _ = self.run([self.loadstone, "record", "--quiet", "--force", "--engine", engine.name, "--overhead",
                                 "%g%%" % engine.overhead,
                                 *case.options, *options, "-o", path, "--", *case.command], case.env)
        report, functions = self.rows(path, "--by", "function")
        estimates = report["estimates"]
        return Recording(output, functions, self.rows(path, "--by", "node")[1], self.rows(path, "--by", "module")[1], estimates["bursts"],
                         estimates["sampled_ns"], report["run"]["overhead_achieved"], report.get("cpu") or {}, self.spent(path), path)

    def spent(self, path):
        """The time that bursts took, by the function in which they began."""
        output, _, _ = self.run([self.loadstone, "export", "--format", "csv", "--table", "bursts", "-o", "-", path])
        spent = collections.Counter()
        for burst in csv.DictReader(output.splitlines()):
            spent[burst["function"]] += float(burst["spent_ns"] or 0)
        return spent

    def together(self, recording, rows):
        """Several functions as one row, with the interval of the report: the time that passes the filter, as
        a share of all."""
        if len(rows) == 1:
            return rows[0]
        words = [re.sub(r"[ (].*", "*", r.label) for r in rows]
        _, found = self.rows(recording.path, "--by", "rank", "--where", "function=" + ",".join(words))
        if len(found) != 1:
            raise Failed("%d rows for %s" % (len(found), "+".join(words)))
        return found[0]

    def perf(self, case):
        """Samples of each function and of each module under perf, user code only. Functions that were inlined count by themselves, as they do
        in the report."""
        data = os.path.join(self.folder, "perf.data")
        self.run(["perf", "record", "--quiet", "-e", "cpu-clock:u", "-F", "4000", "-o", data, "--", *case.command], case.env)
        output, _, _ = self.run(["perf", "script", "-i", data, "--show-mmap-events", "--no-inline", "-F", "ip,sym,dso"])
        maps, places, modules = [], collections.Counter(), collections.Counter()
        for line in output.splitlines():
            mapped = re.search(r"PERF_RECORD_MMAP2? .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (\w+) .*\]: \S+ (.+)", line)
            sample = re.match(r" *([0-9a-f]+) (.*) \((.*)\)$", line)
            if mapped:
                begin, length, offset = (int(x, 0) for x in mapped.groups()[:3])
                maps.append((mapped.group(4), begin, begin + length, offset))
            elif sample:
                ip, symbol, path = int(sample.group(1), 16), sample.group(2), sample.group(3)
                # an address outside of mapped files keeps perf's name
                offset = next((ip - m[1] + m[3] for m in maps if m[0] == path and m[1] <= ip < m[2]), None)
                places[path, offset, symbol] += 1
                modules[os.path.basename(path)] += 1
        return self.named(places), modules

    def named(self, places):
        """Samples of each function, by the line tables where there are any."""
        functions = collections.Counter()
        for path in {path for path, _, _ in places}:
            here = [(offset, symbol, count) for (p, offset, symbol), count in places.items() if p == path]
            names = self.inner_names(path, [offset for offset, _, _ in here])
            for offset, symbol, count in here:
                functions[names.get(offset) or symbol] += count
        return functions

    def inner_names(self, path, offsets):
        """The innermost function at each offset of a file, where the file has line tables."""
        offsets = sorted({o for o in offsets if o is not None})
        if not os.path.exists(path) or not offsets:
            return {}
        try:
            segments = re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", self.run(["readelf", "-lW", path])[0])
            loads = [tuple(int(x, 16) for x in s) for s in segments]
            at = {o: next((o - begin + address for begin, address, length in loads if begin <= o < begin + length), o) for o in offsets}
            lines = self.run(["addr2line", "-f", "-C", "-e", path, *["%#x" % at[o] for o in offsets]])[0].splitlines()
        except Failed:
            return {}
        return {o: name for o, name, place in zip(offsets, lines[0::2], lines[1::2]) if not place.startswith("??")}
