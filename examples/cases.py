#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The case studies of doc/cases.md, all over again: runs the programs, records them, reports, draws, and puts the figures in the page.

Each case leaves its recordings, reports and pictures in the output directory. Times are those in runs without
recording, taken just before; everything else comes from the recordings, by `loadstone report --json` and from
/fields and /meshes of run.h5.

usage: cases.py --loadstone CMD --programs DIR [--output DIR] [--machine TEXT] [--seconds S] [--overhead PERCENT] [--doc DIR]
       [--trace-lines PROGRAM] [--modules DIR] [CASE...]
"""
import argparse
import json
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys

# Pictures that the page shows; the others stay in the output directory.
SHOWN = ["matmul-naive-512", "matmul-blocked-512", "spmv-refined-x", "spmv-refined-matrix",
         "spmv-rcm-x"]
LEVELS = ["L1", "L2", "L3", "DRAM"]


class Bench:
    def __init__(self, args):
        self.args = args
        os.makedirs(args.output, exist_ok=True)

    def path(self, name):
        return os.path.join(self.args.output, name)

    def output_of(self, command):
        # beside the programs: recordings and pictures then name them without this machine's directories
        done = subprocess.run(command, cwd=self.args.programs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        if done.returncode != 0:
            sys.exit("%s: status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
        return done.stdout

    def loadstone(self, *arguments):
        return self.output_of([self.args.loadstone] + list(arguments))

    def run(self, program, *arguments):
        return self.output_of(["./" + program] + [str(a) for a in arguments])

    def cpu_seconds(self, program, *arguments):
        """User time of a run without recording."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.run(program, *arguments)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def record(self, name, program, *arguments):
        """Records; leaves NAME.h5 and the report NAME.txt; returns the report as data."""
        file = self.path(name + ".h5")
        print("  %s: %s" % (name, " ".join([program] + [str(a) for a in arguments])), flush=True)
        self.loadstone("record", "--quiet", "--force", "--paused", "--overhead", "%g%%" % self.args.overhead, "-o", file, "--",
                       "./" + program, *[str(a) for a in arguments])
        with open(self.path(name + ".txt"), "w") as text:
            text.write(self.loadstone("report", file))
        return Recording(file, json.loads(self.loadstone("report", "--json", "--min-share", "0.01%", file)))

    def picture(self, recording, name, field, metric, *more):
        """Draws one field; leaves NAME.png."""
        if self.args.no_pictures:
            return
        self.loadstone("export", "--force", "--format", "png", "--field", field, "--metric", metric, "-o", self.path(name + ".png"),
                       *more, recording.file)
        if self.args.doc and name in SHOWN:
            shutil.copy(self.path(name + ".png"), os.path.join(self.args.doc, "cases-" + name + ".png"))

    def page(self, recording, name):
        self.loadstone("view", "--force", "-o", self.path(name + ".html"), recording.file)

    def panel(self, name, panel):
        """Draws one panel of the page NAME.html; leaves NAME.png."""
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "panel.mjs")
        if self.args.no_pictures or not self.args.modules or not chromium or not shutil.which("node"):
            return
        self.output_of(["node", script, self.args.modules, chromium, self.path(name + ".html"), panel, self.path(name + ".png")])
        if self.args.doc:
            shutil.copy(self.path(name + ".png"), os.path.join(self.args.doc, "cases-" + name + ".png"))

    def figures(self, case, lines):
        """The block of a case in the page; printed when there is no page."""
        text = "\n".join(lines)
        with open(self.path(case + ".md"), "w") as out:
            out.write(text + "\n")
        print(text, flush=True)
        if not self.args.doc:
            return
        page = os.path.join(self.args.doc, "cases.md")
        with open(page) as old:
            before = old.read()
        begin, end = "<!-- begin: %s -->\n" % case, "<!-- end: %s -->" % case
        at, to = before.find(begin), before.find(end)
        if at < 0 or to < at:
            sys.exit("%s: no '%s' followed by '%s'" % (page, begin.strip(), end))
        with open(page, "w") as new:
            new.write(before[:at] + begin + text + "\n" + before[to:])


class Recording:
    def __init__(self, file, report):
        self.file, self.report = file, report
        self.rows = {row["label"]: row for row in report["rows"]}

    def share(self, label, what):
        """In words, with the half width of its 95 % interval where there are enough bursts for one."""
        of = self.rows[label][what] if label in self.rows else {}
        if of.get("share") is None:
            return "-"
        if of.get("low") is None or of.get("high") is None:
            return "%.0f %%" % (100 * of["share"])
        return "%.0f ±%.1f %%" % (100 * of["share"], 50 * (of["high"] - of["low"]))

    def levels(self, label):
        if label not in self.rows: # no sample of it
            return [float("nan")] * len(LEVELS)
        counts = self.rows[label]["levels"]
        known = sum(counts[level] for level in LEVELS)
        return [100 * counts[level] / known if known else float("nan") for level in LEVELS]

    def mean(self, label):
        return self.rows.get(label, {}).get("latency_mean_cycles") or float("nan")

    def bursts(self):
        return self.report["estimates"]["bursts"]

    def atlas(self):
        import h5py
        return h5py.File(self.file, "r")


def table(heads, rows):
    """Markdown: the first column to the left, figures to the right."""
    cells = [heads] + [[c if isinstance(c, str) else "%.3g" % c if math.isfinite(c) else "-" for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 1) + (":" if i else "-") for i, w in enumerate(widths)) + "|")
    return lines


def percent(value):
    return "%.0f %%" % value if math.isfinite(value) else "-"


def milliseconds(seconds):
    return ("%.0f ms" if seconds >= 1 else "%.3g ms") % (1e3 * seconds)


def after(text, pattern):
    found = re.search(pattern, text)
    if not found:
        sys.exit("no '%s' in:\n%s" % (pattern, text))
    return float(found.group(1))


def matmul(bench):
    """Three orders of the loops at five sizes."""
    rows, drawn = [], {}
    for n in bench.args.sizes:
        for method, label in (("naive", "B"), ("blocked", "B"), ("transposed", "B transposed")):
            seconds = after(bench.run("matmul_" + method, n, max(1, (256 // n) ** 3)), r"([0-9.e-]+) s a product")
            repeats = max(1, math.ceil(bench.args.seconds / max(seconds, 1e-5)))
            run = bench.record("matmul-%s-%d" % (method, n), "matmul_" + method, n, repeats)
            rows.append(["%d %s" % (n, method), milliseconds(seconds), run.share(label, "stall"), run.mean(label)] +
                        [percent(level) for level in run.levels(label)])
            drawn[method, n] = run
            bench.picture(run, "matmul-%s-%d" % (method, n), "matrix." + label, "latency_mean_cycles")
    bench.figures("matmul", table(["N, method", "a product", "stall in B", "mean cycles"] + LEVELS, rows))
    bench.page(drawn["naive", bench.args.sizes[-1]], "matmul-naive")


def text_of(attribute):
    return attribute.decode() if isinstance(attribute, bytes) else str(attribute)


def parts_of_mesh(run, labels):
    """Samples and mean latency of fields on the cells of the explosion's mesh: in the inner half cube, and elsewhere."""
    import numpy
    with run.atlas() as file:
        mesh = file["meshes/mesh"]
        points = mesh["points"][:][mesh["connectivity"][:].reshape(-1, 8)]
        inner = (points.mean(axis=1) < 0.5).all(axis=1)
        cost, samples = numpy.zeros(len(inner)), numpy.zeros(len(inner))
        for field in file["fields"].values():
            if text_of(field.attrs["label"]) not in labels:
                continue
            mean = field["latency_mean_cycles"][:]
            count = numpy.where(numpy.isfinite(mean), field["samples"][:], 0)
            cost += numpy.where(count > 0, mean, 0) * count
            samples += count
        return [cost[part].sum() / max(samples[part].sum(), 1) for part in (inner, ~inner)]


def sedov(bench):
    """Two programs and three numberings; the fields of corner forces separate the inner half cube from the
    rest."""
    rows, runs = [], {}
    n = bench.args.elements
    corners = {"separate": ["corner push", "corner damping", "corner area"], "fused": ["corner force"]}
    for program, order in (("separate", "mixed"), ("separate", "curve"), ("fused", "mixed"), ("fused", "curve")):
        said = bench.run("sedov_" + program, n, order, 4)
        cost = after(said, r"([0-9.]+) us an element")
        steps = max(4, math.ceil(4 * bench.args.seconds / (1e-6 * cost * n ** 3)))
        run = bench.record("sedov-%s-%s" % (program, order), "sedov_" + program, n, order, steps)
        runs[program, order] = run
        inner, outer = parts_of_mesh(run, corners[program])
        rows.append(["%s, %s" % (program, order), "%.2f us" % cost, run.share("temporary", "time"),
                     run.share("temporary", "stall"), run.mean("temporary"), run.mean("persistent"), inner, outer])
        bench.picture(run, "sedov-%s-%s" % (program, order), "mesh." + corners[program][0], "latency_mean_cycles")
    bench.figures("sedov", table(["program, numbering", "per element and step", "time in temporary", "stall in temporary", "temporary, mean cycles",
                                  "persistent, mean cycles", "corners inside, mean cycles", "corners outside"], rows))
    # the picture of the page: the icicles of these two, by stall
    bench.page(runs["separate", "mixed"], "sedov-separate")
    bench.page(runs["fused", "curve"], "sedov-fused")


def spmv(bench):
    """A mesh numbered at random, by reverse Cuthill-McKee, and by the latter except for a region that was
    refined."""
    rows, shapes = [], []
    for order in ("given", "refined", "rcm"):
        said = bench.run("spmv", bench.args.points, order, 20)
        seconds = after(said, r"([0-9.e-]+) s a product")
        shapes.append(said.splitlines()[0])
        repeats = max(20, math.ceil(4 * bench.args.seconds / seconds))
        run = bench.record("spmv-" + order, "spmv", bench.args.points, order, repeats)
        for label in ("x", "column", "value"):
            rows.append(["%s, %s" % (order, label), milliseconds(seconds) if label == "x" else "", run.share(label, "time"),
                         run.share(label, "stall"), run.mean(label)] + [percent(level) for level in run.levels(label)])
        bench.picture(run, "spmv-%s-x" % order, "square.x", "latency_mean_cycles")
        bench.picture(run, "spmv-%s-matrix" % order, "matrix.value", "samples")
    bench.figures("spmv", ["given: %s; refined: %s; rcm: %s." % tuple(shapes), ""] +
                  table(["numbering, data", "a product", "time", "stall", "mean cycles"] + LEVELS, rows))


def stencil(bench):
    """With the innermost loop along z, and in tiles with the innermost loop along x."""
    rows = []
    for order in ("naive", "tiled"):
        box = bench.args.box
        seconds = after(bench.run("stencil_" + order, *box, 5), r"([0-9.e-]+) s a step")
        steps = max(5, math.ceil(4 * bench.args.seconds / seconds))
        run = bench.record("stencil-" + order, "stencil_" + order, *box, steps)
        rows.append([order, milliseconds(seconds), run.mean("temperature")] + [percent(v) for v in run.levels("temperature")])
        bench.picture(run, "stencil-" + order, "box", "latency_mean_cycles")
    bench.figures("stencil", table(["order", "a step", "mean cycles"] + LEVELS, rows))


def trace_of(bench, program, particles):
    """A trace of the search for neighbours in two steps."""
    file = bench.path(program + ".trace")
    bench.loadstone("trace", "--quiet", "--force", "-o", file, "--function", "box_add", "--", "./" + program, str(particles), "2")
    return file


def lines_of(bench, trace, caches, data):
    """Cache lines that the data reads from beyond the caches of a model, by the trace."""
    import csv
    rows = csv.DictReader(bench.loadstone("traffic", "trace", trace, "--cache", caches, "--top", "100", "--format", "csv").splitlines())
    return sum(int(row["read_bytes"]) for row in rows if row["data"] == data) / 64


def members_of(bench, trace, data, layout):
    """Accesses of each member, by the trace."""
    counts = {}
    direct = [m for m in layout["members"] if m["depth"] == 1]
    for line in bench.output_of([bench.args.trace_lines, trace, data]).splitlines():
        at = int(line.split()[-1]) % layout["len_bytes"]
        path = next(m["path"] for m in direct if m["offset_bytes"] <= at < m["offset_bytes"] + m["len_bytes"])
        counts[path] = counts.get(path, 0) + 1
    return counts


def particles(bench):
    """All members of a particle in one struct, and after the split that report --layout proposes."""
    rows, fields, walked = [], [], 2000  # particles in the small traces
    times = {program: [] for program in ("whole", "split")}
    for _ in range(7):  # in turns, because other programs of the machine slow both down
        for program in times:
            times[program].append((bench.cpu_seconds("particles_" + program, bench.args.particles, 8) -
                                   bench.cpu_seconds("particles_" + program, bench.args.particles, 2)) / 6)
    for program, kind, data in (("whole", "particle", "particles"), ("split", "place", "places")):
        name = "particles_" + program
        seconds = statistics.median(times[program])
        steps = max(3, math.ceil(4 * bench.args.seconds / seconds))
        run = bench.record("particles-" + program, name, bench.args.particles, steps)
        layout = json.loads(bench.loadstone("report", "--layout", kind, "--json", run.file))
        with open(bench.path("particles-" + program + "-layout.txt"), "w") as text:
            text.write(bench.loadstone("report", "--layout", kind, run.file))
        trace = trace_of(bench, name, walked)
        exact = members_of(bench, trace, data, layout)
        visits = exact["next"]
        traced = lines_of(bench, trace, "1K/16", data) / visits
        large = trace_of(bench, name, bench.args.particles)
        beyond = lines_of(bench, large, "48K/12,1M/16", data) / bench.args.particles / 2
        rows.append([program, milliseconds(seconds), layout["len_bytes"], layout["lines_per_visit"], traced, beyond, run.mean(data)] + [percent(level) for level in run.levels(data)])
        if layout["split"]["is_better"]:
            rows.append(["split, predicted", "", layout["split"]["len_bytes"], layout["split"]["lines_per_visit"]] + [""] * 7)
        seen = {m["path"]: m["seen_loads"] + m["seen_stores"] for m in layout["members"] if m["depth"] == 1}
        for path in sorted(seen, key=lambda p: -seen[p]):
            if seen[path] * 100 < sum(seen.values()):
                continue
            member = next(m for m in layout["members"] if m["path"] == path)
            fields.append(["%s.%s" % (kind, path), "%.1f %%" % (100 * member["time"]["share"]), "%.1f %%" % (100 * (member["stall"]["share"] or 0)),
                           "%.1f %%" % (100 * seen[path] / sum(seen.values())), "%.1f %%" % (100 * exact.get(path, 0) / sum(exact.values()))])
        bench.page(run, "particles-" + program)
        bench.panel("particles-" + program, "layout")
        os.remove(large)
    bench.figures("particles", table(["program", "CPU time a step", "bytes", "lines per visit", "by the trace", "lines beyond L2 per particle", "mean cycles"] + LEVELS, rows) + [""] +
                  table(["member", "time", "stall", "accesses", "by the trace"], fields))


CASES = {"matmul": matmul, "sedov": sedov, "spmv": spmv, "stencil": stencil, "particles": particles}


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--loadstone", required=True)
    words.add_argument("--programs", required=True)
    words.add_argument("--output", default="cases-output")
    words.add_argument("--machine", default="")
    words.add_argument("--seconds", type=float, default=5, help="how long each program runs, about")
    words.add_argument("--overhead", type=float, default=15, help="percent of the time for sampling")
    words.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")], default=[64, 128, 256, 512, 1024])
    words.add_argument("--elements", type=int, default=48)
    words.add_argument("--points", type=int, default=1000)
    words.add_argument("--box", type=lambda s: [int(n) for n in s.split(",")], default=[768, 768, 32])
    words.add_argument("--particles", type=int, default=200000)
    words.add_argument("--trace-lines", help="tests/tracer/trace_lines, for the case of the particles")
    words.add_argument("--modules", help="the directory of node_modules with playwright-core, for pictures of panels")
    words.add_argument("--no-pictures", action="store_true", help="figures only")
    words.add_argument("--doc", help="the directory of cases.md, where figures and pictures are put")
    words.add_argument("cases", nargs="*", metavar="CASE", help="of " + ", ".join(CASES))
    args = words.parse_args()
    for name in args.cases:
        if name not in CASES:
            words.error("no case %s: %s" % (name, ", ".join(CASES)))
    args.loadstone, args.programs, args.output = (os.path.abspath(p) for p in (args.loadstone, args.programs, args.output))
    args.trace_lines, args.modules = (p and os.path.abspath(p) for p in (args.trace_lines, args.modules))
    bench = Bench(args)
    for name in args.cases or CASES:
        print("%s: %s" % (name, CASES[name].__doc__), flush=True)
        CASES[name](bench)
    if args.machine and not args.cases:
        bench.figures("machine", [args.machine])


main()
