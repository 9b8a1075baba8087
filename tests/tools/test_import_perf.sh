#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone import of perf.data: recorded files, damaged ones, and what perf records here and now.
. "${top_srcdir:-.}/tests/tools/check.sh"
data=$top_srcdir/tests/data/perf

# samples TEXT FILE: what the report counts for the row that begins with TEXT
samples() {
    "$loadstone" report --by process "$2" 2>/dev/null | awk -v text="$1" 'index($0, text) == 1 { print $(NF - 7) }'
}

if "$loadstone" import "$data/compressed.data" -o compressed.h5 2>err; then
    must test "$(samples '2477 touch ' compressed.h5)" = 463
    must test "$(samples '2479 true ' compressed.h5)" = 52 # behind exec
    must test "$(samples '2479  ' compressed.h5)" = 216    # before it: the child has what its parent had mapped
    "$loadstone" report compressed.h5 >report 2>/dev/null
    must grep -q "on vm, AMD EPYC" report
    must grep -q "page faults (perf record)" report
    # What the file maps is known, whether or not its files are here.
    must grep -q "libc.so.6" report
else
    must grep -q "built without libzstd" err
fi
expect 0 "its last 40 bytes were left out" "$loadstone" import "$data/cut.data" -o cut.h5
must test "$(samples '2778 touch ' cut.h5)" = 115
expect 0 "50 samples" "$loadstone" import "$data/pipe.data" -o pipe.h5

# Damage is said, and leaves nothing behind.
printf 'PERFILE2' >short.data
expect 3 "this is no perf.data" "$loadstone" import short.data -o bad.h5
head -c 100 "$data/cut.data" >header.data
expect 3 "the file ends inside its header" "$loadstone" import header.data -o bad.h5
{ printf '2ELIFREP'; tail -c +9 "$data/cut.data"; } >swapped.data
expect 1 "the other byte order" "$loadstone" import swapped.data -o bad.h5
{ head -c 24 "$data/cut.data"; printf '\377\377\377\377\377\377\377\017'; tail -c +33 "$data/cut.data"; } >outside.data
expect 3 "the events lie outside of the file" "$loadstone" import outside.data -o bad.h5
mkdir threads.data
expect 1 "is a directory" "$loadstone" import --format perf-data threads.data -o bad.h5
must test ! -e bad.h5
must test -z "$(find . -name 'loadstone-spool*')"

# Now and here: as many samples as perf itself counts, and the array that was touched by its name.
command -v perf >/dev/null || { echo "not compared with perf: it is not installed"; exit $failed; }
cat >touch.c <<'END'
#include <sys/mman.h>
static char table[300 * 4096] __attribute__((aligned(4096)));
int main(void)
{
    madvise(table, sizeof table, MADV_NOHUGEPAGE);
    for (int i = 0; i < 300; i++)
        table[i * 4096] = 1;
    return 0;
}
END
must cc -g -O1 touch.c -o touch
if perf record -q -e page-faults:u -c 1 -d -o now.data ./touch 2>perf.err && perf script -i now.data -F addr >addresses 2>/dev/null; then
    told=$(awk '$1 != "0"' addresses | wc -l)
    expect 0 "$told samples" "$loadstone" import now.data -o now.h5
    must "$loadstone" report --where node=table now.h5 >table 2>/dev/null
    must grep -Eq "table .* 300 " table
else
    echo "not compared with perf, which cannot record here: $(head -n 1 perf.err)"
fi
exit $failed
