#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# loadstone view: manners of the command; then the page in a browser, its numbers compared with the report's.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/viz-export/view_tools.sh"
must "$top_builddir/tests/viz-export/make_view" flow.h5
must "$top_builddir/tests/tools/make_profile" plain.h5
needs_page flow.h5
expect 0 "opens in any browser" "$loadstone" view flow.h5
expect 0 "xdg-open flow.html" "$loadstone" view -f flow.h5
expect 1 "--force" "$loadstone" view flow.h5
expect 0 "" "$loadstone" view plain.h5 -o sub.html
expect 3 "no-such" "$loadstone" view flow.h5 -o no-such/x.html
expect 3 "" "$loadstone" view "$top_srcdir/README.md" -o y.html
must test ! -e y.html
must test ! -e flow.html.part
# no text of the profile can end the script that contains it, nothing is loaded from anywhere
must test "$(grep -o '</script' flow.html | wc -l)" = 2
if grep -oE '(src|href)=["'"'"']?[a-z]+:[^ ]*' flow.html; then echo "FAIL: the page refers to something"; failed=1; fi
needs_browser
needs_python h5py
sum=$("$python" -c '
import h5py
print(int(h5py.File("flow.h5")["fields/matrix/samples"][120, 80:82].sum()))')
places=$("$python" -c '
import h5py, json
run = h5py.File("flow.h5")
sample, side = run["samples"], 300
at = (sample["field"][:] == 0) & (sample["level"][:] == 2) & ((sample["value"][:] // side) == 120) & ((sample["value"][:] % side) // 2 == 40)
print(json.dumps({str(tid): int((at & (sample["thread"][:] == row)).sum()) for row, tid in enumerate(run["threads/tid"][:])}))')
plate=$(/usr/bin/python3 -c '
import h5py, json, numpy
sample = h5py.File("flow.h5")["samples"]
print(json.dumps(numpy.bincount(sample["value"][:][sample["field"][:] == 2].astype(int), minlength=576).tolist()))')
# pages without samples, and of samples that represent no time
"$loadstone" record -q -e null -o null.h5 -- true 2>err || { cat err; failed=1; }
"$loadstone" record -q -e faults -o faults.h5 -- true 2>err || echo "not tested: page faults: $(cat err)"
for name in null faults; do
    test ! -e $name.h5 || must "$loadstone" view $name.h5
done
must node "$top_srcdir/tests/viz-export/test_view.mjs" "$modules" "$chromium" "$PWD/flow.html" "$PWD/sub.html" "$sum" "$places" "$plate" "$loadstone" "$PWD/flow.h5"
exit $failed
