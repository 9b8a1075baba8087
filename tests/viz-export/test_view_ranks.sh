#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page's panel of ranks, in a browser, against loadstone report --by rank: few ranks, and more than the map has columns.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/viz-export/view_tools.sh"
make_ranks=$top_builddir/tests/tools/make_ranks
for n in 0 1 2; do "$make_ranks" few$n.h5 host$n $((n * 20)) 20 60 && "$make_ranks" many$n.h5 host$n $((n * 500)) 500 1500 || exit 99; done
for size in few many; do
    must "$loadstone" merge --sum -q -o $size.h5 ${size}0.h5 ${size}1.h5 ${size}2.h5
    must "$loadstone" report --by rank --json $size.h5 >$size.json
    must "$loadstone" report --by node --json $size.h5 >$size.sums.json
    rm ${size}?.h5
done
"$make_ranks" plain.h5 host 50 2 60 plain || exit 99
needs_page few.h5
for name in few many plain; do must "$loadstone" view $name.h5 --patterns none -f -o $name.html 2>err; done
needs_browser
must node "$top_srcdir/tests/viz-export/test_view_ranks.mjs" "$modules" "$chromium" "$PWD"
exit $failed
