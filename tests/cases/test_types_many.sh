#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program with 50,000 types that refer to each other, and one whose members double with each level: types have limits, and
# members that are left out are counted.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
can_sample || skip "the step engine does not work here"
command -v cc >/dev/null 2>&1 || skip "no C compiler"

# recorded NAME: compile NAME.c and record it, until there are samples of its memory
recorded() {
    ${CC:-cc} -g -O1 -w -fno-eliminate-unused-debug-types -o "$1" "$1.c" 2>err || skip "$(head -1 err)"
    for rounds in 3 30 300; do
        must "$loadstone" record -q -f -o "$1.h5" --overhead 30% -- "./$1" $rounds >out 2>err </dev/null
        "$loadstone" report --by type "$1.h5" 2>/dev/null | grep -q "$2" && return
    done
    skip "no samples on this machine"
}
main='int main(int argc, char **argv) { struct last *v = malloc(64 * sizeof *v);
    for (long r = 0; r < 1000000L * atoi(argv[1]); r++) { v[r & 63].b = r; __asm__ volatile("" ::: "memory"); } return 0; }'

awk 'BEGIN {
    n = 50000
    print "#include <stdlib.h>\nstruct t0 { struct t0 *self, *other; long x[4]; };"
    for (i = 1; i < n; i++) print "struct t" i " { struct t" i - 1 " *p; struct t" int(i / 2) " *q; long a, b; };"
    print "struct last { struct t" n - 1 " *p; long a, b; };"
}' >many.c
echo "$main" >>many.c
recorded many last
expect 0 "last.b" "$loadstone" report --by field many.h5

awk 'BEGIN {
    print "#include <stdlib.h>\nstruct d0 { char x, y; };"
    for (i = 1; i <= 20; i++) print "struct d" i " { struct d" i - 1 " one, two; };"
    print "struct last { long a, b; struct d20 deep; };"
}' >deep.c
echo "$main" >>deep.c
recorded deep last
expect 0 "last.b" "$loadstone" report --by field deep.h5
expect 0 "" "$loadstone" report --how deep.h5
grep -qE "members? (are|were|is|was) left out|left out" out || { echo "FAIL: the members that are left out are not reported"; sed 's/^/    /' out; failed=1; }
exit $failed
