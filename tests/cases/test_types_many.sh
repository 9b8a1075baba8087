#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program with 50,000 types that refer to each other, one whose members double with each level, and one with types that lie:
# types have limits, and members that are left out are counted. LOADSTONE_TYPES=1000000 makes a million types, and reads them
# with too little memory, too.
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
grep -q "left out" out || { echo "FAIL: the members that are left out are not reported"; sed 's/^/    /' out; failed=1; }

# types in one unit that each contain the one before, and bad ones (many_types.py): all that have a size are found
has_python struct || { echo "not tested: types that lie (there is no Python 3)"; exit $failed; }
count=${LOADSTONE_TYPES:-20000}
must "$python" "$top_srcdir/tests/cases/many_types.py" "$count" 40
${CC:-cc} -g -O1 -c -o main.o main.c && ${CC:-cc} -c -o types.o types.s && ${CC:-cc} -o lying main.o types.o 2>err ||
    { echo "not tested: types that lie: $(head -1 err)"; exit $failed; }
# record it, and print the largest size of a process in MiB
cat >record.py <<'E'
import resource
import subprocess
import sys
status = subprocess.run(sys.argv[1:]).returncode
print("MiB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(status)
E
must "$python" record.py "$loadstone" record -q -f -o lying.h5 --overhead 100% -- ./lying 300000 >out 2>err </dev/null
mib=$(sed -n 's/^MiB //p' out)
[ "${mib:-9999}" -lt 600 ] || { echo "FAIL: reading $count types took $mib MiB"; failed=1; }
must "$loadstone" report --by type --json --limit 200 lying.h5 >lying.json
found=$(grep -cE '"type": "(m[0-9]+|endless|circle|liar)"' lying.json)
[ "$found" -ge 40 ] || { echo "FAIL: $found of 43 types are in the report:"; grep -o '"type": "[^"]*"' lying.json; failed=1; }
must "$loadstone" report --how lying.h5 >out
must grep -q 'left out' out
grep -q 'lost (debugging' out && { echo "FAIL: types are lost:"; grep -A2 '^types' out; failed=1; }
must "$loadstone" report --layout endless lying.h5 >out

[ "$count" -ge 1000000 ] || exit $failed
LOADSTONE_ENGINE=step LOADSTONE_SPOOL=$scratch/spool LD_PRELOAD=$top_builddir/.libs/libloadstone-preload.so ./lying 3000000 >out
(ulimit -v 180000 && exec "$loadstone" resolve -q -f -o short.h5 spool) || { echo "FAIL: resolve with little memory"; failed=1; }
"$loadstone" report --how short.h5 | tr -s ' \n' ' ' | grep -q 'lost (debugging' || { echo "FAIL: lost types are not reported"; failed=1; }
exit $failed
