#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
. "${top_srcdir:-.}/tests/tools/check.sh"
"$top_builddir/tests/tools/make_heat" run.h5 || exit 99
heatmap() { # GOLDEN ARGUMENTS...
    name=$1
    shift
    "$loadstone" report "$@" run.h5 >"$name" 2>err || failed=1
    golden "$name" "$name"
}
heatmap heatmap-matrix.txt --heatmap A --width 90
heatmap heatmap-box.txt --heatmap T:latency --width 60
heatmap heatmap-rod.txt --heatmap temperature:memory --width 60
heatmap heatmap-ring.txt --heatmap "ring.edges (points)" --width 80
heatmap heatmap-box.json --heatmap box.T:L1 --layer 1 --width 30 --json
must python3 -c 'import json; d = json.load(open("heatmap-box.json"))
assert d["domain"]["extents"] == [6, 6, 3] and d["picture"]["shows"] == "one layer", d'
# pixels of several cells: averages are weighted by the timed loads, which are not all samples
cat >pixels.py <<'END'
import json, h5py, numpy
picture = json.load(open("pixels.json"))["picture"]
field = h5py.File("run.h5")["fields/matrix.A"]
latency, timed = field["latency_mean_cycles"][:], field["timed"][:]
assert (timed[~numpy.isnan(latency)] != field["samples"][:][~numpy.isnan(latency)]).any()
side = [96 // picture["width"], 96 // picture["height"]]
assert min(side) > 1
for y, row in enumerate(picture["rows_from_low_to_high"]):
    for x, value in enumerate(row):
        part = numpy.s_[y * side[1]:(y + 1) * side[1], x * side[0]:(x + 1) * side[0]]
        loads = timed[part].sum()
        if value is None: assert loads == 0, (x, y)
        else: assert abs(value - numpy.nansum(latency[part] * timed[part]) / loads) < 1e-3 * value, (x, y, value)
END
must "$loadstone" report --heatmap A:latency --width 40 --json run.h5 >pixels.json 2>err
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then must /usr/bin/python3 pixels.py; fi
expect 0 "averaged by timed loads" "$loadstone" report --heatmap A:latency --width 80 run.h5
# one interrupted load does not make all others look alike
must test "$(sed -n '/^  *0 /q; p' out | tr -cd ',:;=+*#%' | wc -c)" -gt 100
must grep -q '@@ > ' out
# colours only on a terminal, and not with NO_COLOR or another encoding
if command -v script >/dev/null; then
    on_terminal() { env -u NO_COLOR TERM=xterm-256color "$@" script -qec "$loadstone report --heatmap A --width 40 run.h5" /dev/null </dev/null | tr -d '\r' | grep -v next:; }
    on_terminal >heatmap-colour.txt
    golden heatmap-colour.txt heatmap-colour.txt
    must grep -q '38;5;220' heatmap-colour.txt
    for plain in NO_COLOR=1 LC_ALL=C TERM=dumb; do
        on_terminal $plain >plain.txt
        must test "$(grep -c '48;5' plain.txt)" -eq 0
        must grep -qF '@' plain.txt
    done
fi
# no line exceeds the requested width
for columns in 40 64 130; do
    "$loadstone" report --heatmap A --width $columns run.h5 2>err | awk -v w=$columns 'NR > 2 && length($0) > w { print "FAIL: wider than " w ": " $0; bad = 1 } END { exit bad }' || failed=1
done
expect 0 "x 1.375" "$loadstone" report --heatmap '#2' run.h5
expect 0 "all its nodes" "$loadstone" report --heatmap matrix run.h5
expect 2 "there is: matrix, matrix.A, box.T" "$loadstone" report --heatmap nothing run.h5
expect 2 "'heat' is none of samples, time, stall" "$loadstone" report --heatmap A:heat run.h5
expect 2 "has 3 layers, the first is 0" "$loadstone" report --heatmap T --layer 3 run.h5
expect 2 "is a mesh and has no layers" "$loadstone" report --heatmap edges --layer 0 run.h5
expect 2 "20 to 1000" "$loadstone" report --heatmap A --width 3 run.h5
"$top_builddir/tests/tools/make_profile" plain.h5 || exit 99
expect 2 "no data of this run is mapped to a domain" "$loadstone" report --heatmap A plain.h5
exit $failed
