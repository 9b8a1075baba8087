# SPDX-License-Identifier: BSD-3-Clause
# usage: read_run.py RUN.h5 DIRECTORY: the fields of a real recording. Files are named by the number of their
# domain in RUN.h5: 0.vti, 0.xdmf, ...
import pandas as pd
from export_readers import *

for number, (label, mesh) in enumerate(run["meshes"].items()):
    label = text(mesh.attrs["label"])
    fields = {text(f.attrs["name"]): group for group, f in run["fields"].items() if text(f.attrs["domain"]) == label}
    LABELS[str(number)] = label
    DOMAINS[str(number)] = {}
    for name, group in fields.items():
        rest = name[len(label) + 1:] if name != label and len(fields) > 1 else ""
        DOMAINS[str(number)][rest + "." if rest else ""] = group
assert DOMAINS and all(DOMAINS.values()), "no fields"
check_vtk_files()
check_xdmf_files()
sampled = pd.read_csv("samples.csv")
is_(len(sampled), len(run["samples/ip"]), "samples.csv: rows")
equal(sampled["latency_cycles"].fillna(-2**31), run["samples/latency_cycles"][:], "samples.csv: latency")
nodes = pd.read_csv("nodes.csv")
equal(nodes["self_samples"], np.bincount(run["samples/node"][:], minlength=len(nodes)), "nodes.csv: samples")
print(f"{count[0]} comparisons, files {sorted(os.listdir('.'))}")
