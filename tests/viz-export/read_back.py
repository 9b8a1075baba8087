# SPDX-License-Identifier: BSD-3-Clause
# usage: read_back.py RUN.h5 DIRECTORY: the files that test_export.sh exported from the recording of
# make_domains, read by VTK, h5py, pandas and the rest of Python and compared with it. One process, since
# importing VTK takes a second.
import json
import pandas as pd
from export_readers import *

DOMAINS.update({
    "line": {"": "line.A"},
    "plane": {"A.": "plane & more.A", 'B, "the <other>" & more.': 'plane & more.B, "the <other>" & more',
              "": "plane & more"},
    "box": {"": "box.A"}, "large": {"": "large.A"},
    "cube": {"A.": "cube.A", "nodal.": "cube.nodal", "": "cube", "(points).": "cube (points)"},
    "mixed": {"": "mixed.A"}, "cloud": {"": "cloud.A"},
})
LABELS.update({"plane": "plane & more"})
check_vtk_files()
check_xdmf_files()

# --- tables
def column(table, name):
    data = run[table][name]
    raw = data[()].astype(float)
    missing = data.attrs["missing"] if table == "samples" else np.iinfo(data.dtype).max  # doc/run-h5.md
    if name != "latency_valid":
        raw[data[()] == missing] = np.nan
    return raw


samples = pd.read_csv("samples.csv", float_precision="round_trip")
for name in run["samples"]:
    equal(samples[name].astype(float), column("samples", name), f"samples.csv: {name}")
labels = run["nodes/label"].asstr()[:]
equal(samples["node"], run["samples/node"][:], "samples.csv: node")
is_([p.split("/", 1)[-1] for p in samples["data"]], [labels[n] for n in run["samples/node"][:]], "samples.csv: data")
is_(set(samples["function"]), {"f(int, char)", "g"}, "samples.csv: function")
is_(set(samples["phase_name"].dropna()), {"inner <1>"}, "samples.csv: phase")

nodes = pd.read_csv("nodes.csv", float_precision="round_trip")
is_(list(nodes["label"].fillna("")), list(labels), "nodes.csv: label")
counted = np.bincount(run["samples/node"][:], minlength=len(labels))
equal(nodes["self_samples"], counted, "nodes.csv: self_samples")
is_(int(nodes["samples"][0]), int(counted.sum()), "nodes.csv: samples of the root")
for table, csv in (("threads", "threads.csv"), ("bursts", "bursts.csv"), ("phase_spans", "phases.csv"), ("lines", "lines.csv")):
    got = pd.read_csv(csv, float_precision="round_trip")
    is_(len(got), len(next(iter(run[table].values()))), f"{csv}: rows")
    for name in run[table]:
        if name in got and got[name].dtype != object and name not in ("line",):
            equal(got[name].astype(float), column(table, name), f"{csv}: {name}")

plane = pd.read_csv("plane.csv", float_precision="round_trip")
for prefix, field in DOMAINS["plane"].items():
    for metric in METRICS:
        equal(plane[prefix + metric], values(field, metric), f"plane.csv: {prefix + metric}")
dims, extents, origin, spacing = grid_geometry("plane")
equal(plane["x"], origin[0] + (np.arange(20) % extents[0] + 0.5) * spacing[0], "plane.csv: x")
equal(plane["y"], origin[1] + (np.arange(20) // extents[0] + 0.5) * spacing[1], "plane.csv: y")
cube = pd.read_csv("cube-steps.csv", float_precision="round_trip")
for metric in METRICS:
    equal(cube[metric], run["fields/cube.A/steps"][metric][()].ravel(), f"cube-steps.csv: {metric}")
is_(list(cube["step_label"])[::27], ["begin", "middle <&>", "end"], "cube-steps.csv: labels")

# --- MemAxes: the columns of LLNL's own files, and every sampled processor in the machine
slice_of_llnl = pd.read_csv(os.path.join(os.environ["top_srcdir"], "tests/data/memaxes/lulesh-slice.csv"))
memaxes = pd.read_csv("a.memaxes.csv", float_precision="round_trip")
is_(list(memaxes.columns), list(slice_of_llnl.columns), "a.memaxes.csv: columns")
for line in open("a.memaxes.csv"):
    is_(line.count(","), 13, "a.memaxes.csv: commas")  # MemAxes splits at each
timed = (run["samples/op"][:] == 0) & (run["samples/latency_valid"][:] == 1)
equal(memaxes["latency"], run["samples/latency_cycles"][:][timed], "a.memaxes.csv: latency")
pebs = {0: 1, 1: 1, 3: 2, 4: 3, 5: 3, 0xa: 4}  # LLNL's parseUtil: depth of the low four bits
depth = [pebs[int(str(d), 16) & 15] for d in memaxes["dataSource"]]
is_(depth, [int(l) + 1 for l in run["samples/level"][:][timed]], "a.memaxes.csv: dataSource")
machine = ET.parse("a.memaxes.hardware.xml").getroot()
is_(machine.tag, "Hardware", "hardware.xml: root")
cpus = [int(c.get("id")) for c in machine.iter("CPU")]
is_(sorted(cpus), list(range(8)), "hardware.xml: processors")
is_({len(list(n.iter("CPU"))) for n in machine.findall("NUMA")}, {4}, "hardware.xml: processors of a NUMA node")
is_([c.get("size") for c in machine.findall("NUMA/Cache")], ["33554432"] * 2, "hardware.xml: L3")
is_(len(machine.findall("NUMA/Cache/Cache/Cache/CPU")), 8, "hardware.xml: depth of the processors")

# --- trace events
events = json.load(open("trace.json"))["traceEvents"]
named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
is_(named[(100, 101)], 'worker "1"', "trace.json: thread")
bursts = [e for e in events if e.get("cat") == "burst"]
equal([e["ts"] for e in bursts], run["bursts/time_ns"][:] / 1000, "trace.json: bursts")
equal([e["dur"] for e in bursts], run["bursts/spent_ns"][:] / 1000, "trace.json: lengths of bursts")
spans = {e["name"]: e for e in events if e.get("cat") == "phase"}
is_((spans["outer"]["ts"], spans["outer"]["dur"]), (1.0, 2e6 - 1), "trace.json: a phase without an end")
is_((spans["inner <1>"]["ts"], spans["inner <1>"]["dur"]), (2.001, 899997.999), "trace.json: a phase")
is_([e["args"]["bytes"] for e in events if e["name"] == "resident memory"], [4096, 1 << 30], "trace.json: counter")
for (pid, tid), track in pd.DataFrame([e for e in events if e["ph"] == "X"]).groupby(["pid", "tid"]):
    open_ends = []
    for e in sorted(track.to_dict("records"), key=lambda e: (e["ts"], -e["dur"])):
        while open_ends and open_ends[-1] <= e["ts"]:
            open_ends.pop()
        end = e["ts"] + e["dur"]
        assert not open_ends or end <= open_ends[-1] + 1e-6, f"trace.json: {e['name']} ends outside of what it is in"
        open_ends.append(end)

print(f"{count[0]} comparisons")
