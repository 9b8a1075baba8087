#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Five million samples: the page stays below 5 MB, with maps, too, opens, filters, and its numbers are the report's.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/viz-export/view_tools.sh"
TMPDIR=$PWD "$top_builddir/bench/resolve" 5000000 "$PWD/large.h5" || exit 99
needs_page large.h5
expect 0 "" "$loadstone" view large.h5
size=$(stat -c %s large.html)
echo "page: $size bytes"
must test "$size" -lt 5000000
"$loadstone" report --json large.h5 >large.json
# with places on a grid of a million cells as well
TMPDIR=$PWD "$top_builddir/bench/resolve" 5000000 "$PWD/mapped.h5" mapped || exit 99
expect 0 "" "$loadstone" view mapped.h5
size=$(stat -c %s mapped.html)
echo "page with maps: $size bytes"
must test "$size" -lt 5000000
needs_browser
must node "$top_srcdir/tests/viz-export/check_view_large.mjs" "$modules" "$chromium" "$PWD/large.html" "$PWD/large.json" "$PWD/mapped.html"
exit $failed
