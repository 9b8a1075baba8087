#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page's panel of counters, in a browser, against loadstone report --series. The recorded program changes its counters itself.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/viz-export/view_tools.sh"
needs_runtime
export LOADSTONE_SYSFS=$scratch/sys
rx=$LOADSTONE_SYSFS/class/net/eth9/statistics/rx_bytes
mkdir -p "$(dirname $rx)"
echo 100000 >$rx
echo 100000 >"$(dirname $rx)/tx_bytes"
must "$loadstone" record -q --series net -o with.h5 -- sh -c 'for i in 2 3 4 5; do sleep 0.1; printf "${i}00000\n" 1<>'$rx'; done; sleep 0.1'
must "$loadstone" record -q -o without.h5 -- sh -c 'sleep 0.1'
needs_page with.h5
must "$loadstone" view with.h5 --patterns none -o with.html 2>err
must "$loadstone" view without.h5 --patterns none -o without.html 2>err
must "$loadstone" report --series --json with.h5 >with.json 2>err
needs_browser
must node "$top_srcdir/tests/viz-export/test_view_series.mjs" "$modules" "$chromium" "$PWD/with.html" "$PWD/without.html" "$PWD/with.json"
exit $failed
