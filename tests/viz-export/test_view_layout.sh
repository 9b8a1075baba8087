#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page's panel of members, in a browser, against the output of loadstone report --layout.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/viz-export/view_tools.sh"
needs_runtime
can_sample || skip "sampling does not work here"
must "$top_builddir/tests/viz-export/make_view" flow.h5
needs_page flow.h5
expect 0 "" "$loadstone" view flow.h5 -o without.html
for steps in 5 25 125; do
    must "$loadstone" record -q -f --paused --overhead 30% -o run.h5 -- "$top_builddir/examples/particles_whole" 20000 $steps >out 2>err </dev/null
    "$loadstone" report --layout particle --json run.h5 >layout.json 2>err && break
done
[ -s layout.json ] || skip "too few samples on this machine"
expect 0 "" "$loadstone" view run.h5 -o with.html
needs_browser
must node "$top_srcdir/tests/viz-export/test_view_layout.mjs" "$modules" "$chromium" "$PWD/with.html" "$PWD/without.html" "$PWD/layout.json"
exit $failed
