#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone export: names, refusals, remaining files, pictures.
. "${top_srcdir:-.}/tests/tools/check.sh"
must "$top_builddir/tests/viz-export/make_domains" run.h5
"$top_builddir/tests/tools/make_profile" plain.h5 || exit 1

expect 0 "plane & more.A" "$loadstone" export run.h5 --list
expect 0 "next: loadstone export run.h5 --field line.A -o run.vti" "$loadstone" export run.h5 --list
expect 0 "next: paraview proposed.vti" "$loadstone" export run.h5 --field line.A -o proposed.vti
expect 0 '"formats"' "$loadstone" export run.h5 --list --json
expect 2 "name a format" "$loadstone" export run.h5
expect 2 "has no known suffix" "$loadstone" export run.h5 -o run.xyz
expect 2 "is not one of vti|vtr" "$loadstone" export run.h5 --format gif
expect 3 "nowhere.h5" "$loadstone" export nowhere.h5 -o x.vti
expect 2 "lie on different domains" "$loadstone" export run.h5 -o x.vti
expect 2 "there is no field 'nonsense'; there are line.A" "$loadstone" export run.h5 -F nonsense -o x.vti
expect 2 "there is no field 'A'; there are line.A" "$loadstone" export run.h5 -F A -o x.vti # on several domains
expect 2 "fields have no 'speed'; they have samples" "$loadstone" export run.h5 -F line.A -m speed -o x.vti
expect 2 "nodes have no 'speed'; they have time_ns" "$loadstone" export run.h5 -m speed -o x.dot
expect 2 "there is no 'rows'; there are samples" "$loadstone" export run.h5 -t rows -o x.csv
expect 2 "is an unstructured mesh: export it as vtu" "$loadstone" export run.h5 -F 'cube.*' -o x.vti
expect 2 "is a regular grid: export it as vti" "$loadstone" export run.h5 -F box.A -o x.vtu
expect 2 "field box.A has no steps" "$loadstone" export run.h5 -F box.A -o x.pvd
expect 2 "holds no time series" "$loadstone" export run.h5 -F 'cube.*' --steps -o x.vtu
expect 2 "on cells and on points" "$loadstone" export run.h5 -F 'cube.*' -o x.csv
expect 2 "not one stream of text" "$loadstone" export run.h5 -F box.A --format xdmf -o -
expect 2 "holds no fields" "$loadstone" export run.h5 -F box.A -o x.dot
expect 2 "--table is for csv" "$loadstone" export run.h5 -t nodes -o x.dot
expect 3 "cannot write to directory missing" "$loadstone" export run.h5 -F box.A -o missing/x.vti
expect 3 "" "$loadstone" export "$top_srcdir/README.md" -o x.vti
"$loadstone" export plain.h5 -o x.vti 2>err && { echo "FAIL: a recording without fields was exported as vti"; failed=1; }
must grep -q "the recording has no fields" err
[ -z "$(ls x.* missing 2>/dev/null)" ] || { echo "FAIL: refusals left $(ls x.*)"; failed=1; }

# the default name, nothing overwritten unasked, the companions neither
expect 0 "" "$loadstone" export run.h5 -F box.A --format vti
must test -s run.vti
# the label alone names a field that is the only one of it
expect 0 "" "$loadstone" export run.h5 -F cube.nodal -o long.vtu
expect 0 "" "$loadstone" export run.h5 -F nodal -o short.vtu
must cmp long.vtu short.vtu
cp run.vti kept.vti
expect 1 "exists; --force" "$loadstone" export run.h5 -F box.A --format vti
must cmp run.vti kept.vti
expect 0 "" "$loadstone" export run.h5 -F box.A --format vti --force
echo kept >grid.xdmf.h5
expect 1 "grid.xdmf.h5 exists" "$loadstone" export run.h5 -F box.A -o grid.xdmf
must test ! -e grid.xdmf
must grep -q kept grid.xdmf.h5
echo kept >series.steps
expect 1 "in the way" "$loadstone" export run.h5 -F 'cube.A' -o series.pvd
must test ! -e series.pvd
# a step that exists stops the series, and the directory that was there stays
mkdir other.steps
echo kept >other.steps/step_00001.vtu
expect 1 "other.steps/step_00001.vtu exists" "$loadstone" export run.h5 -F 'cube.A' -o other.pvd
must test "$(ls other.steps)" = step_00001.vtu
must test ! -e other.pvd
[ -z "$(find . -name '*.part-*')" ] || { echo "FAIL: left behind: $(find . -name '*.part-*')"; failed=1; }
# no room: reported, and no file remains
for file in large.csv large.vti large.hdf large.xdmf; do
    (trap '' XFSZ; ulimit -f 100; exec "$loadstone" export run.h5 --cells all -F large.A -o $file) >out 2>err && { echo "FAIL: $file was written without room"; failed=1; }
    grep -q "disk" err || { echo "FAIL: $file: no word about the disk:"; cat err; failed=1; }
done
[ -z "$(ls large.* *.part-* 2>/dev/null)" ] || { echo "FAIL: left behind without room: $(ls large.* *.part-*)"; failed=1; }

# a grid with few samples is merged for programs that draw each cell
expect 0 "cells are merged: grid 350 x 250 instead of grid 700 x 500, which has few samples; --cells all keeps each" "$loadstone" export run.h5 -F large.A -o few.vti
expect 0 "" "$loadstone" export run.h5 --cells all -F large.A -o each.vti
must test "$(grep -c 'cells are merged' out)" -eq 0
must test "$(sed -n 's/.*WholeExtent="0 \([0-9]*\).*/\1/p' few.vti)" -lt "$(sed -n 's/.*WholeExtent="0 \([0-9]*\).*/\1/p' each.vti)"
must grep -q '<CellData Scalars="latency_mean_cycles">' few.vti

# standard output carries the data alone
"$loadstone" export run.h5 --format csv --table threads -o - >threads.csv 2>err || failed=1
must test "$(wc -l <threads.csv)" -eq 3
must test ! -s err
"$loadstone" export run.h5 -F box.A --format vti -o - 2>/dev/null >box.vti
"$loadstone" export run.h5 -F box.A -o named.vti 2>/dev/null
must cmp box.vti named.vti
"$loadstone" export plain.h5 --format dot -o - >tree.dot 2>/dev/null || failed=1
must grep -q 'label="B\\n' tree.dot

# pictures have the requested size, are not blank, and differ between fields
mkdir any
if "$loadstone" export run.h5 -F box.A -o box.png 2>err; then
    for field in line.A 'plane*' cube.A cube.nodal mixed.A cloud.A large.A; do
        must "$loadstone" export run.h5 -F "$field" -o "p-${field%%[.*]*}-${#field}.png" 2>/dev/null
    done
    must "$loadstone" export run.h5 -F cube.A --steps -m stall_ns -o steps.png 2>/dev/null
    # without --field the costliest one, though the domains differ
    must "$loadstone" export run.h5 -o any/costliest.png 2>/dev/null
    needs_python h5py
    costliest=$("$python" -c 'import h5py, numpy
fields = h5py.File("run.h5")["fields"]
sums = {name: (*(numpy.nansum(fields[name][metric][...].clip(0)) for metric in ("stall_ns", "time_ns")),) for name in fields}
print(max(sums, key=sums.get))')
    must "$loadstone" export run.h5 -F "$costliest" -o any/same.png 2>/dev/null
    must cmp any/costliest.png any/same.png
    needs_python
    must "$python" - <<'P'
import glob, struct, zlib
seen = {}
for name in glob.glob("*.png"):
    data = open(name, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", name
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert width == 1920 and height > 200, (name, width, height)
    raw, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        raw += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    pixels = zlib.decompress(raw)
    assert len(pixels) >= width * height * 3, name
    assert len(set(pixels)) > 40, f"{name}: only {len(set(pixels))} values"
    assert pixels not in seen.values(), f"{name}: the same picture as another field's"
    seen[name] = pixels
P
else
    grep -q 'without cairo' err || { cat err; failed=1; }
fi
exit $failed
