#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pictures and kept results: each format is complete and of its kind, and loads nothing from elsewhere.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
suite=$top_srcdir/tests/data/spatter-suite
quick="--no-stream --max-count 64 --max-runs 2 --warmups 1 -b serial"

"$loadstone" replay $quick $suite/lulesh.json -o a.h5 --plot a.svg >out 2>err || { cat err; grep -q 'without cairo' err && skip "built without cairo"; echo "FAIL: replay -o --plot"; exit 1; }
must grep -q '12 results: a.h5' err
must "$loadstone" replay $quick $suite/lulesh.json --plot a.png >/dev/null
cp a.h5 b.h5
must "$loadstone" replay --with a.h5,b.h5 --plot two.html >two.txt
must grep -q 'H-mean MB/s' two.txt
# two runs of one host have different labels, and their ratios are drawn
must grep -q ', run 1  ' two.txt
must grep -q ', run 2  ' two.txt
must grep -q 'Ratio of bandwidths' two.html
must "$loadstone" patterns show $suite/amg.json -o amg.html >/dev/null
must "$loadstone" patterns show $suite/amg.json --config 1 --plot offsets -o offsets.svg >/dev/null
must "$loadstone" patterns show $suite/amg_gpu.json --plot deltas -o deltas.png >/dev/null
must "$loadstone" patterns show $suite/pennant.json --plot histogram -o histogram.svg >/dev/null

must "$loadstone" study stride -t 1 -r 2 --warmups 2 --span 256K --plot stride.svg -o stride.h5 >/dev/null
expect 1 "exists; --force" "$loadstone" study stride --plot stride.svg
expect 2 "pictures end in" "$loadstone" study stride --plot stride.gif
if has_python h5py; then
    must $python - <<'T'
import h5py
f = h5py.File("stride.h5")
r = f["results"]
assert f.attrs["study"] == b"stride" and len({len(r[k]) for k in r}) == 1, list(r)
assert sorted(r["x"][:])[::2] == [1, 2, 4, 8, 16, 32, 64, 128] and set(r["name"].asstr()[:]) == {"gather", "scatter"}
assert (r["valid"][:] == 1).all() and (r["mb_per_s"][:] > 0).all()
T
fi

# existing files are not overwritten, and unsupported pictures are reported before anything runs
expect 1 "exists; --force" "$loadstone" replay $quick $suite/lulesh.json --plot a.svg
expect 1 "exists; --force" "$loadstone" replay $quick $suite/lulesh.json -o a.h5
expect 2 "pictures end in .svg, .png or .html" "$loadstone" replay -p 1 --plot a.gif
expect 2 "pictures end in .svg, .png or .html" "$loadstone" patterns show $suite/amg.json -o a.gif
expect 3 "cannot open nowhere.h5" "$loadstone" replay --with nowhere.h5
expect 3 "not an HDF5 file" "$loadstone" replay --with $suite/amg.json
expect 2 "there is no configuration 2" "$loadstone" patterns show $suite/amg.json --config 2
expect 2 "actions: show" "$loadstone" patterns draw $suite/amg.json
expect 0 '"distance": 1222' "$loadstone" patterns show $suite/amg.json --config 0 --json

"$loadstone" patterns show $suite/amg.json >amg.txt 2>/dev/null
golden patterns-show-amg.txt amg.txt

has_python xml.dom.minidom || { echo "no python3: pictures were written but not looked into"; exit $failed; }
must $python - <<'T'
import re, struct, xml.dom.minidom, zlib
for name in ["a.svg", "stride.svg", "offsets.svg", "histogram.svg"]:
    xml.dom.minidom.parse(name)
for name in ["a.png", "deltas.png"]:
    data = open(name, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", name
    width, height = struct.unpack(">II", data[16:24])
    assert width == 1920 and height > 500, (name, width, height)
for name, charts in [("two.html", 2), ("amg.html", 6)]:
    page = open(name, encoding="utf-8").read()
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>"), name
    assert len(re.findall(r"<svg\b", page)) == charts, (name, page.count("<svg"))
    outside = [u for u in re.findall(r'(?:src|href)="([^"]*)"', page) if not u.startswith("#")]
    assert not outside, outside
    assert not re.search(r"url\((?!#)", page), name
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids)), "two pictures share an id"
    assert {u[1:] for u in re.findall(r'href="(#[^"]*)"', page)} <= set(ids), "a glyph is missing"
assert "gather 16 x stride 8, delta 1" in open("two.html", encoding="utf-8").read()
T
# the pictures of two patterns differ, because a blank page would pass all other checks
"$loadstone" patterns show $suite/amg.json --config 0 --plot offsets -o other.svg >/dev/null 2>&1
sed 's/config [01]//' other.svg >x; sed 's/config [01]//' offsets.svg >y
cmp -s x y && { echo "FAIL: two patterns have the same picture"; failed=1; }
exit $failed
