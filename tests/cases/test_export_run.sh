#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a program to every format: a stencil on a grid with steps and a blast on a mesh are recorded, exported, read back.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_step
needs_python h5py pandas vtkmodules.vtkIOXML vtkmodules.vtkIOHDF vtkmodules.vtkIOXdmf2

# record_fields NAME PROGRAM...: with more and more steps until something was sampled on the domain
record_fields() {
    name=$1
    shift
    for steps in 20 80 320 1280; do
        "$loadstone" record -q --force --overhead 20% -o "$name.h5" -- "$@" $steps >/dev/null 2>err || { cat err; exit 1; }
        "$loadstone" export "$name.h5" --list --json >list.json 2>err || { cat err; exit 1; }
        $python -c 'import json; assert any(f["mapped"] for f in json.load(open("list.json"))["fields"])' 2>/dev/null && return
    done
    echo "FAIL: no sample of $name on its domain"
    failed=1
}

# export_all NAME: each domain under its number in run.h5
export_all() {
    mkdir "$1"
    $python - "$1" >commands <<'P'
import h5py, sys
run = h5py.File(sys.argv[1] + ".h5")
for number, mesh in enumerate(run["meshes"].values()):
    label = mesh.attrs["label"]
    fields = [f for f in run["fields"].values() if f.attrs["domain"] == label]
    names = ",".join(f.attrs["name"].decode() for f in fields)
    ends = ["vti", "vtr"] if mesh.attrs["kind"] == b"grid" else ["vtu"]
    for end in ends + ["vtkhdf", "xdmf"]:
        print(f"{number}.{end}\twhole\t{names}")
    print(f"../{sys.argv[1]}-{number}.png\twhole\t{names}")
    if all("steps" in f for f in fields):
        print(f"{number}.pvd\twhole\t{names}")
        print(f"{number}-steps.xdmf\tsteps\t{names}")
P
    while IFS='	' read -r file steps names; do
        option=
        [ "$steps" = steps ] && option=--steps
        must "$loadstone" export "$1.h5" --cells all $option -F "$names" -o "$1/$file" 2>err || cat err
    done <commands
    for file in samples.csv a.memaxes.csv trace.json tree.dot; do must "$loadstone" export "$1.h5" -o "$1/$file" 2>err; done
    must "$loadstone" export "$1.h5" -t nodes -o "$1/nodes.csv" 2>err
    $python "$top_srcdir/tests/viz-export/read_run.py" "$1.h5" "$1" >read.txt 2>&1 || { echo "FAIL: read_run.py $1:"; tail -20 read.txt; failed=1; }
    cat read.txt
    must $python -c 'import json, sys; assert any(e.get("cat") == "burst" for e in json.load(open(sys.argv[1]))["traceEvents"])' "$1/trace.json"
    if command -v dot >/dev/null; then must dot -Tsvg "$1/tree.dot" -o "$1.svg"; fi
}
record_fields stencil "$top_builddir/examples/stencil_naive" 96 96 8
export_all stencil
record_fields sedov "$top_builddir/examples/sedov_separate" 8 lattice
export_all sedov
exit $failed
