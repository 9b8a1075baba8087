#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The figures of loadstone gate do not depend on the system, and the figures that got worse are named.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
gate_victim=$top_builddir/tests/tracer/gate_victim

must "$loadstone" gate --update rows.gate -- "$gate_victim" rows >out 2>err
must test ! -s out # standard output contains only the comparison
must grep -q '^0 ' err
# row KIND NAME: its accesses, lines, bytes, misses of L1, of the last level, lines written
row() { awk -F '\t' -v kind="$1" -v name="$2" '$1 == kind && $NF == name { print $2, $3, $4, $5, $6, $7 }' "$3"; }
is() { [ "$1" = "$2" ] || { echo "FAIL: the figures are $1, not $2"; cat "$3"; failed=1; }; }
# 512 x 512 numbers, 8 to a line, are read once each; the block begins 16 bytes after a page
is "$(row data matrix rows.gate)" "262144 32769 2097152 32769 32769 0" rows.gate
is "$(row data kept rows.gate | cut -d ' ' -f 1,3)" "37 296" rows.gate

# other environments, other addresses: the same figures to the byte
long=$(printf '%3000s' x)
must env -i PATH="$PATH" TMPDIR="$TMPDIR" "$loadstone" gate -u bare.gate -- "$gate_victim" rows >out 2>err
must diff rows.gate bare.gate
must env USER=u A=1 LONG="$long" "$loadstone" gate -u long.gate -- "$gate_victim" rows >out 2>err
must diff rows.gate long.gate
# getenv compares more of the names that begin alike, by vectors that reach beyond the strings, wherever these lie
alike=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do printf 'USE%0*d=1 ' $i $i; done)
# shellcheck disable=SC2086
must env $alike "$loadstone" gate -u alike.gate -- "$gate_victim" rows >out 2>err
must diff rows.gate alike.gate
must env LD_LIBRARY_PATH=/nowhere:/tmp ODD=12345678901 "$loadstone" gate -u odd.gate -- "$gate_victim" rows >out 2>err
must diff rows.gate odd.gate
must "$loadstone" gate -u threads.gate -- "$gate_victim" threads >out 2>err
must "$loadstone" gate -u again.gate -- "$gate_victim" threads >out 2>err
must diff threads.gate again.gate

heard 0 '' "$loadstone" gate rows.gate -- "$gate_victim" rows
says out 'accesses +[0-9,]+ -> [0-9,]+$'

# along columns each line is fetched eight times
heard 4 'figures got worse than in rows.gate' "$loadstone" gate rows.gate -- "$gate_victim" columns
says out '^  data matrix: L1 misses 32,769 -> 26[0-9],[0-9]+ \(\+7[0-9.]+ %\), most at .*gate_victim.c:[0-9]+'
says out '^  function sum_up: L1 misses'
says out '^  line gate_victim.c:[0-9]+ sum_up: L1 misses'

# 2 % more accesses to the same lines
heard 4 'figures got worse' "$loadstone" gate rows.gate -- "$gate_victim" more
says out '^  data matrix: accesses 262,144 -> 267,264 \(\+2\.0 %\)'
heard 0 '' "$loadstone" gate --tolerance 5% rows.gate -- "$gate_victim" more
heard 0 '' "$loadstone" gate --min-share 5% rows.gate -- "$gate_victim" more

heard 0 '' "$loadstone" gate --tolerance 0 --min-share 0 rows.gate -- "$gate_victim" rows

# a program of fixed instructions has these figures on every machine: 4,096 lines are written, then read in 8 sweeps, which miss
# in L1 only
for machine in "env" "taskset -c 0" "env GLIBC_TUNABLES=glibc.cpu.x86_data_cache_size=4096 LC_ALL=C"; do
    # shellcheck disable=SC2086
    must $machine "$loadstone" gate -u fixed.gate -- "$top_builddir/tests/tracer/gate_fixed" >out 2>err
    is "$(row data table fixed.gate)" "65536 4096 262144 36864 4096 4096" fixed.gate
done

heard 4 '' "$loadstone" gate --format github rows.gate -- "$gate_victim" columns
says out '^::error file=.*gate_victim.c,line=[0-9]+,title=memory-accesses::data matrix: L1 misses 32,769 -> '
# GitHub shows ten annotations of a step: if there are more, the worst come first, and the last one counts the others
awk -F '\t' -v OFS='\t' '/^(data|function|line)\t/ { for (i = 2; i <= 7; i++) $i = int($i / 2) } { print }' rows.gate >half.gate
heard 4 '' "$loadstone" gate --format text --tolerance 0 --min-share 0 half.gate -- "$gate_victim" rows
all_worse=$(sed -n 's/^loadstone: \([0-9]*\) figures got worse.*/\1/p' err)
must test "$all_worse" -gt 12
grep '^  ' out | sed 's/, most at .*//; s/^  //' | head -n 9 >worst
heard 4 '' "$loadstone" gate --format github --tolerance 0 --min-share 0 half.gate -- "$gate_victim" rows
must test "$(wc -l <out)" -eq 10
head -n 9 out | sed 's/^::error .*::/::/; s/^:://; s/%25/%/' | must cmp - worst
must grep -qxF "::error title=memory-accesses::$((all_worse - 9)) more, not shown: --format text prints all" out
# the figures of small blocks doubled, too, which is little of the total
says worst '^data matrix: L1 misses 16,384 -> 32,769 '
must test "$(grep -cE '^(data (matrix|stack of main thread)|function sum_up|line gate_victim.c:[0-9]+ sum_up): ' worst)" -eq 9

heard 4 '' "$loadstone" gate --format sarif -o found.sarif rows.gate -- "$gate_victim" columns
must test ! -s out
if has_python json; then
    "$python" - found.sarif <<'PY' || failed=1
import json, sys
log = json.load(open(sys.argv[1]))
assert log['version'] == '2.1.0', log['version']
run, = log['runs']
assert [r['id'] for r in run['tool']['driver']['rules']] == ['memory-accesses']
assert len(run['results']) >= 3
for r in run['results']:
    assert r['ruleId'] == 'memory-accesses' and r['level'] == 'error' and r['message']['text']
    place = r['locations'][0]['physicalLocation']
    assert place['artifactLocation']['uri'].endswith('gate_victim.c') and place['region']['startLine'] > 0
PY
fi

# refusals
heard 3 'no baseline none.gate yet; make it with --update' "$loadstone" gate none.gate -- "$gate_victim" rows
heard 2 'made with the caches usual' "$loadstone" gate --cache small rows.gate -- "$gate_victim" rows
heard 2 'is missing' "$loadstone" gate rows.gate
echo text >text.gate
heard 3 'text.gate is no baseline' "$loadstone" gate text.gate -- "$gate_victim" rows
sed '6s/[0-9]/x/' rows.gate >damaged.gate
heard 3 'damaged.gate:6: not a row' "$loadstone" gate damaged.gate -- "$gate_victim" rows
heard 1 'ended with status 2: nothing is compared' "$loadstone" gate rows.gate -- "$gate_victim"
heard 1 'nothing is compared' "$loadstone" gate rows.gate -- ./missing
exit $failed
