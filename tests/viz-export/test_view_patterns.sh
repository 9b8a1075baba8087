#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page's panel of access patterns, in a browser, against the output of loadstone patterns.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/viz-export/view_tools.sh"
must "$top_builddir/tests/viz-export/make_view" flow.h5
# longer than the page needs: it still agrees with loadstone patterns
must "$top_builddir/tests/tools/make_trace" t.trace 70000
needs_page flow.h5
expect 0 "" "$loadstone" view flow.h5 --patterns t.trace -o with.html
expect 0 "" "$loadstone" view flow.h5 --patterns none -o without.html
expect 3 "missing" "$loadstone" view flow.h5 --patterns missing -o y.html
must test ! -e y.html
expect 2 "y.pdf: this command writes a page, and .pdf is for a picture" "$loadstone" view flow.h5 -o y.pdf
must "$loadstone" patterns t.trace --top 8 --json >t.json 2>/dev/null
needs_browser
must node "$top_srcdir/tests/viz-export/test_view_patterns.mjs" "$modules" "$chromium" "$PWD/with.html" "$PWD/without.html" "$PWD/t.json"
exit $failed
