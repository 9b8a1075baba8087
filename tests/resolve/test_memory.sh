#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands need at most nine times the length of this profile of 17 MB in memory (programs without data), so that one of 100 MB needs
# less than 1 GiB. Traffic needs more; files of other users may take 18 times their length.
. "${top_srcdir:-.}/tests/tools/check.sh"
must "$top_builddir/bench/resolve" 2000000 "$PWD/long.h5" >made || exit 99
data=$((96 * 1024 + 8 * $(stat -c %s long.h5) / 1024))
within() { (ulimit -d $data && exec taskset -c "$(taskset -pc $$ | sed 's/.*[:,-] *//')" "$loadstone" "$@"); }
expect 0 "" within report long.h5
expect 0 "" within report --sharing long.h5
expect 0 "" within patterns long.h5
expect 0 "" within export -f csv -o - long.h5
# less is refused, with the remedy
data=$((64 * 1024))
expect 1 "LOADSTONE_MEMORY=8G" within report long.h5
"$loadstone" view long.h5 -o free.html 2>&1 | grep -q "no program for the page" && exit $failed
data=$((96 * 1024 + 8 * $(stat -c %s long.h5) / 1024))
expect 0 "" within view long.h5
must cmp free.html long.html # with its patterns
exit $failed
