#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --live prints reports while the program runs, is not in the profile itself, and leaves no files and processes.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_step
# A program that works until its report was seen, which it cannot wait for in vain: 2 minutes at most.
cat >work.sh <<'E'
i=0 begin=$(date +%s)
while [ ! -e seen ]; do
    i=$((i + 1))
    [ $((i % 2000)) -ne 0 ] || [ $(($(date +%s) - begin)) -lt 120 ] || exit 3
done
echo worked
E
mkdir spools
"$loadstone" record --live --spool spools -o live.h5 -- sh work.sh >said 2>shown </dev/null &
recorder=$!
turns=0
while [ $turns -lt 1100 ] && ! grep -q '^trust' shown 2>/dev/null; do
    sleep 0.1
    turns=$((turns + 1))
done
must grep -q '^live  *[0-9][0-9]* s$' shown
must grep -q '^trust  *engine ' shown
must grep -q '^program  *sh work.sh' shown
must test ! -e live.h5 # the profile is made at the end
touch seen
wait $recorder || { echo "FAIL: status $?"; failed=1; }
must grep -qx worked said
must grep -q 'next: loadstone report live.h5' shown
expect 0 "" "$loadstone" report --processes live.h5
if grep -q loadstone out; then echo "FAIL: the reports are in the profile"; failed=1; fi
must test -z "$(ls spools)"
# the program ends while a report is made: nothing of it remains
cat >brief.sh <<'E'
i=0 begin=$(date +%s)
until set -- spools/*/live.h5.part-* && [ -e "$1" ]; do
    i=$((i + 1))
    [ $((i % 200)) -ne 0 ] || [ $(($(date +%s) - begin)) -lt 60 ] || exit 3
done
E
for turn in 1 2 3 4 5; do
    expect 0 "" "$loadstone" record --live -f --spool spools -o brief.h5 -- sh brief.sh
    must test "$(grep -c 'cannot remove the spool' out)" -eq 0
done
must test -z "$(ls spools)"
expect 127 "" "$loadstone" record --live -o none.h5 -- ./missing
exit $failed
