#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bursts of a program that allocates all the time run through the hooks of malloc and free, whose accesses are not the program's.
set -u
loadstone=$(realpath "${top_builddir:-.}/tools/loadstone")
. "$top_srcdir/tests/needs.inc"
needs_step
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
command -v perl >perl.path || skip "no perl"
"$loadstone" doctor 2>doctor.err | grep -q 'yes *translate' || skip "translated bursts do not work here"
cat >allocates.pl <<'X'
my @a;
for (1 .. 4000000) {
    push @a, [$_, "x$_"];
    shift @a if @a > 1000;
}
print scalar(@a), "\n";
X
failed=0
"$loadstone" record -q -f --engine translate --overhead 30% -o run.h5 -- perl allocates.pl >out || failed=1
[ "$(cat out)" = 1000 ] || { echo "FAILED: output $(cat out)"; failed=1; }
COLUMNS=1000 "$loadstone" report --how run.h5 >how 2>err || failed=1
ends=$(sed -n 's/^bursts *//p' how)
echo "$ends"
share=$(echo "$ends" | sed -n 's/.* code \([0-9.]*\) %.*/\1/p')
awk -v share="${share:-0}" 'BEGIN { exit !(share < 20) }' || { echo "FAILED: $share % of the bursts end at a hook"; failed=1; }
echo "$ends" | grep -q 'budget' || { echo "FAILED: no burst was whole"; failed=1; }
"$loadstone" report --by function --csv run.h5 >functions 2>err || failed=1
[ -s functions ] || failed=1
! grep -i 'loadstone-preload' functions || { echo "FAILED: the runtime's accesses are in the report"; failed=1; }
exit $failed
