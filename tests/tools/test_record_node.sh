#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record --per-node: the last rank that ends sums the ranks of the machine up, and a rank that is killed blocks no other rank.
# This script is the launcher; it sets the variables of Open MPI.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py
host=$(hostname | tr -c 'A-Za-z0-9\n_-' _)
work='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
# rank NUMBER RANKS OPTION... -- PROGRAM...
rank() {
    number=$1 ranks=$2
    shift 2
    OMPI_COMM_WORLD_RANK=$number OMPI_COMM_WORLD_SIZE=$ranks OMPI_COMM_WORLD_LOCAL_SIZE=$ranks \
        exec "$loadstone" record --per-node "$@" </dev/null
}
once() { (rank "$@"); }
# ranks_of FILE: print the numbers of its ranks
ranks_of() {
    "$python" -c 'import h5py, sys; print(*h5py.File(sys.argv[1])["ranks/rank"][:])' "$1"
}
# wait_for COMMAND...: until it succeeds, at most half a minute
wait_for() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { echo "FAIL: waited in vain: $*"; failed=1; return; }
        sleep 0.1
    done
}
# ends FILE: the program of a rank runs until the file exists
ends() { echo "$work; until [ -e $1 ]; do sleep 0.1; done"; }

# three ranks at once
for n in 0 1 2; do (rank $n 3 -o a.h5 -- sh -c "$work") 2>err.$n & done
wait
must test "$(ranks_of a.$host.h5)" = "0 1 2"
must test "$(cat err.? | grep -c "3 ranks, [23] with samples: a.$host.h5")" -eq 1
must test ! -e a.$host.h5.ranks
expect 0 "sh" "$loadstone" report --by process a.$host.h5
expect 125 "a.$host.h5 exists" once 0 1 -o a.h5 -- true

# one after the other: the first ranks know that others follow; the last one keeps as many samples as it was asked for
for n in 0 1 2 3 4; do
    (rank $n 6 -q -o b.h5 -- sh -c "$work") 2>err || failed=1
    must test ! -e b.$host.h5
done
(rank 5 6 --samples-of 1 -o b.h5 -- sh -c "$work") 2>err || failed=1
must grep -q "6 ranks, 6 with samples: b.$host.h5" err
must test "$(ranks_of b.$host.h5)" = "0 1 2 3 4 5"
expect 125 "samples-of needs --per-node" "$loadstone" record --samples-of 1 -o x.h5 -- true

# a rank and its recorder are killed: the others write their profiles
(rank 1 2 -q -o c.h5 -- sh -c "$(ends never1)") 2>err.1 &
killed=$!
wait_for test -e c.$host.h5.ranks/1.lock
(rank 0 2 -o c.h5 -- sh -c "$(ends go)") 2>err.0 &
other=$!
wait_for test -e c.$host.h5.ranks/0.lock
kill -9 $killed
wait $killed 2>/dev/null
: >go
wait $other || failed=1
must test "$(ranks_of c.$host.h5)" = 0
must grep -q "1 of 2 ranks of this machine left no profile (1)" err.0
: >never1

# the last one is killed: the command that the first one printed writes the file
(rank 1 3 -q -o d.h5 -- sh -c "$(ends never2)") 2>/dev/null &
killed=$!
wait_for test -e d.$host.h5.ranks/1.lock
(rank 0 3 -o d.h5 -- sh -c "$work") 2>err.0 || failed=1
(rank 2 3 -o d.h5 -- sh -c "$work") 2>err.2 || failed=1
must grep -q "the last rank that ends on this machine writes d.$host.h5" err.0
kill -9 $killed
wait $killed 2>/dev/null
: >never2
must test ! -e d.$host.h5
remedy=$(sed -n 's/.*; loadstone \(merge --sum .*\) sums them up/\1/p' err.0)
# shellcheck disable=SC2086
must eval "\$loadstone $remedy" 2>err
must test "$(ranks_of d.$host.h5)" = "0 2"
must grep -q "the job has 3 ranks: 1 are in none of the files (1)" err

# ranks that a killed job left in the directory do not go into the next job's file, which waits until no rank of them runs
(PMIX_NAMESPACE=old rank 2 4 -q -o g.h5 -- sh -c "$(ends never3)") 2>/dev/null &
killed=$!
wait_for test -e g.$host.h5.ranks/2.lock
(PMIX_NAMESPACE=old rank 1 4 -q -o g.h5 -- sh -c "$work") 2>/dev/null || failed=1
must test -e g.$host.h5.ranks/1.h5
PMIX_NAMESPACE=new expect 125 "another job writes g.$host.h5" once 0 2 -o g.h5 -- true
kill -9 $killed
wait $killed 2>/dev/null
: >never3
for n in 0 1; do (PMIX_NAMESPACE=new rank $n 2 -q -o g.h5 -- sh -c "$work") 2>err || failed=1; done
must test "$(ranks_of g.$host.h5)" = "0 1"
must test ! -e g.$host.h5.ranks

# srun lists the numbers of ranks of all machines: two of five are on this one
srun() {
    SLURM_PROCID=$1 SLURM_NTASKS=5 SLURM_STEP_ID=0 SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE='1(x2),2,1' \
        exec "$loadstone" record --per-node -q -o s.h5 -- sh -c "$work" </dev/null
}
(srun 2) 2>err || failed=1
must test ! -e s.$host.h5
(srun 3) 2>err || failed=1
must test "$(ranks_of s.$host.h5)" = "2 3"

# the same rank twice at a time, a program that does not exist, and no rank at all
(rank 0 2 -q -o e.h5 -- sh -c "$(ends stop)") 2>/dev/null &
other=$!
wait_for test -e e.$host.h5.ranks/0.lock
expect 125 "another job writes e.$host.h5" once 0 2 -o e.h5 -- true
: >stop
wait $other
expect 127 "missing-program" once 0 1 -o f.h5 -- missing-program
must test ! -e f.$host.h5.ranks
expect 0 "plain.h5 is an ordinary profile" "$loadstone" record --per-node -o plain.h5 -- sh -c "$work"
expect 0 "" "$loadstone" report plain.h5
must test ! -e plain.h5.ranks
exit $failed
