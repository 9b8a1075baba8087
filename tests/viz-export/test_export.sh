#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every format, read back by VTK's Python, h5py, pandas and Graphviz and compared with run.h5 (read_back.py).
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py pandas vtkmodules.vtkIOXML vtkmodules.vtkIOHDF vtkmodules.vtkIOXdmf2
must "$top_builddir/tests/viz-export/make_domains" run.h5
export_as() { must "$loadstone" export run.h5 --cells all "$@" 2>err; }
mkdir out
for domain in line plane box large; do export_as -F "$domain*" -o out/$domain.vti; done
for domain in line plane box; do export_as -F "$domain*" -o out/$domain.vtr; done
for domain in cube mixed cloud; do export_as -F "$domain*" -o out/$domain.vtu; done
for domain in line plane box cube mixed cloud; do
    export_as -F "$domain*" -o out/$domain.vtkhdf
    export_as -F "$domain*" -o out/$domain.xdmf
done
for domain in plane cube; do
    export_as -F "$domain*" -o out/$domain.pvd
    export_as -F "$domain*" --steps -o out/$domain-steps.xdmf
done
for table in samples nodes lines bursts threads phases; do export_as --table $table -o out/$table.csv; done
export_as -F 'plane*' -o out/plane.csv
export_as -F cube.A --steps -o out/cube-steps.csv
export_as -o out/a.memaxes.csv
export_as -o out/trace.json
export_as -o out/tree.dot
export_as --metric latency_median_cycles --format dot -o out/latency.gv
if command -v dot >/dev/null; then
    must dot -Tsvg out/tree.dot -o tree.svg
    must grep -q 'B, &quot;the &lt;other&gt;&quot; &amp; more' tree.svg
    must dot -Tsvg out/latency.gv -o latency.svg
fi
top_srcdir=$top_srcdir $python "$top_srcdir/tests/viz-export/read_back.py" run.h5 out >read.txt 2>&1 || { echo "FAIL: read_back.py:"; cat read.txt; failed=1; }
cat read.txt
# the comparison can fail: one value changed in the recording's copy is found
$python - <<'P'
import h5py, shutil
shutil.copy("run.h5", "other.h5")
with open("other.h5", "r+b") as f:
    f.write(bytes(512))  # the seal
with h5py.File("other.h5", "r+") as f:
    f["fields/box.A/stall_ns"][0, 0, 0] += 1
P
$python "$top_srcdir/tests/viz-export/read_back.py" other.h5 out >read.txt 2>&1 && { echo "FAIL: a changed value was not found"; failed=1; }
must grep -q 'box.vti: stall_ns' read.txt
exit $failed
