#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --pid of processes that were started without Loadstone: the runtime is loaded into them, and nothing else changes.
. "${top_srcdir:-.}/tests/cases/attach.inc"
can_sample || skip "the step engine does not work here"
name=permitted
begins_plainly "$victim" sleep
"$loadstone" record -q -f -o permitted.h5 --pid "$pid" --duration 100ms 2>err </dev/null ||
    { cat err; touch stop; wait "$pid"; ! grep -q 'does not permit' err || skip "the system does not permit it"; failed=1; }
undisturbed

begins_plainly "$victim" threads
# shellcheck disable=SC2086
attached 0 threads --duration 3s $quickly
holds_some '^sample '
"$loadstone" report --by function threads.h5 >report 2>/dev/null
must grep -q walk_grid report
"$loadstone" report --allocations threads.h5 >report 2>/dev/null
must grep -q "attach_victim.c:" report
# shellcheck disable=SC2086
attached 0 again --duration 1s $quickly
holds_some '^sample '
must grep -q "goes on, and can be recorded again" err
undisturbed

for mode in signal fork; do
    begins_plainly "$victim" $mode
    # shellcheck disable=SC2086
    attached 0 $mode --duration 500ms $quickly
    holds_some '^sample '
    undisturbed
done

# A recorder that is killed at any moment changes nothing, and another one can follow.
for mode in threads sleep fork; do
    for ms in 050 150 300; do
        name=killed-$mode-$ms
        begins_plainly "$victim" $mode
        "$loadstone" record -q -f -o killed.h5 --pid "$pid" 2>/dev/null &
        recorder=$!
        sleep 0.$ms
        kill -KILL $recorder 2>/dev/null
        wait $recorder 2>/dev/null
        rm -rf loadstone-spool-*
        attached 0 "$name" --duration 200ms
        undisturbed
    done
done

# Programs of the distribution: the same output and status as without.
# same NAME COMMAND...: it runs for more than a second
same() {
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "not tested: $name is not installed"; return; }
    "$@" >plain </dev/null
    wanted=$?
    begins_plainly "$@"
    attached 0 "$name" --duration 500ms
    wait "$pid"
    got=$?
    [ $got -eq $wanted ] || { echo "FAIL: $name: status $got, wanted $wanted"; failed=1; }
    cmp plain said || { echo "FAIL: $name: another output"; failed=1; }
    [ ! -s complained ] || { echo "FAIL: $name: it printed:"; cat complained; failed=1; }
}
same sqlite3 sqlite3 :memory: "create table t(a integer, b integer, c text);
with recursive n(x) as (select 1 union all select x + 1 from n where x < 1200000) insert into t select x, x * 7919 % 10007, hex(x * 31) from n;
create index i on t(b);
select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 3;"
same python3 /usr/bin/python3 -c '
import json, sys
total = 0
for r in range(30):
    d = {}
    for i in range(40000):
        d.setdefault(str(i * 7919 % 10007), []).append(i)
    total += len(json.loads(json.dumps(d)))
print(total)
sys.exit(5)'
same perl perl -e 'my %h; for my $r (1..12) { for my $i (1..200000) { $h{$i * 7919 % 20011} .= chr(65 + $i % 26) } %h = () if $r % 3 == 0 } print scalar(keys %h), "\n"; exit 4'

# A server that waits: another allocator, and threads that sleep.
if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
    name=redis
    port=$((20000 + $$ % 20000))
    begins_plainly redis-server --port $port --bind 127.0.0.1 --save "" --appendonly no
    turns=0
    while [ $turns -lt 200 ] && [ "$(redis-cli -p $port ping 2>/dev/null)" != PONG ]; do sleep 0.05; turns=$((turns + 1)); done
    attached 0 redis --duration 500ms
    redis-cli -p $port set key value >/dev/null
    attached 0 redis-again --duration 300ms
    must test "$(redis-cli -p $port get key)" = value
    redis-cli -p $port shutdown nosave >/dev/null 2>&1
    ends 0
else
    echo "not tested: redis-server is not installed"
fi
exit $failed
