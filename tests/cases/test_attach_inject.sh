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
for duration in 1s 3s 9s; do # until the threads and the allocations were sampled on a busy machine, too
    # shellcheck disable=SC2086
    attached 0 threads --duration $duration $quickly
    "$loadstone" report --by function threads.h5 >report 2>/dev/null
    "$loadstone" report --allocations threads.h5 >allocations 2>/dev/null
    if grep -q walk_grid report && grep -q "attach_victim.c:" allocations; then break; fi
done
holds_some '^sample '
must grep -q walk_grid report
must grep -q "attach_victim.c:" allocations
# sampled NAME: for longer if a busy machine gave the program too little time
sampled() {
    for duration in 500ms 2s 8s; do
        # shellcheck disable=SC2086
        attached 0 "$1" --duration $duration $quickly
        if grep -q '^sample ' lines; then break; fi
    done
    holds_some '^sample '
}
sampled again
must grep -q "goes on, and can be recorded again" err
undisturbed

for mode in signal fork; do
    begins_plainly "$victim" $mode
    sampled $mode
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

# Programs of the distribution: the same status as without, and the same output, which they repeat until the file stop exists.
# same NAME COMMAND...
same() {
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "not tested: $name is not installed"; return; }
    touch stop
    if [ "$name" = sqlite3 ]; then feed & fi
    "$@" >plain </dev/null
    wanted=$?
    must test -s plain
    begins_plainly "$@"
    if [ "$name" = sqlite3 ]; then feed & fi
    attached 0 "$name" --duration 500ms
    ends $wanted
    sort -u said >once
    cmp plain once || { echo "FAIL: $name: another output"; failed=1; }
}
mkfifo statements || exit 99
feed() {
    while cat sql && [ ! -e stop ]; do :; done >statements
}
cat >sql <<'E'
create table t(a integer, b integer, c text);
with recursive n(x) as (select 1 union all select x + 1 from n where x < 50000) insert into t select x, x * 7919 % 10007, hex(x * 31) from n;
create index i on t(b);
select group_concat(b || ' ' || n || ' ' || s) from (select b, count(*) as n, sum(a) as s from t group by b order by 2 desc, 1 limit 3);
drop table t;
E
printf -- '-- a pipe holds 64 KiB, so that the next round waits for this one %70000s\n' . >>sql
same sqlite3 sqlite3 :memory: ".read statements"
same python3 /usr/bin/python3 -c '
import json, os, sys
while True:
    total = 0
    for r in range(3):
        d = {}
        for i in range(40000):
            d.setdefault(str(i * 7919 % 10007), []).append(i)
        total += len(json.loads(json.dumps(d)))
    print(total)
    if os.path.exists("stop"):
        sys.exit(5)'
same perl perl -e 'do { my %h; for my $r (1..3) { for my $i (1..50000) { $h{$i * 7919 % 20011} .= chr(65 + $i % 26) } } print scalar(keys %h), "\n" } until -e "stop"; exit 4'

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
