#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank that fails ends the job with a message that names it, and never hangs it.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/ranks.inc"
needs_json
here=$(launchers)
[ -n "$here" ] || skip "no launcher of MPI or OpenSHMEM with its module"
printf '[{"kernel":"Gather","pattern":[0,1,2,3],"count":1000,"nruns":2}]' >one.json
printf '[{"kernel":"Gather","pattern":[0,1,2,4],"count":1000,"nruns":2}]' >other.json
mkdir empty

# on1 COMMANDS: a rank's shell commands; $me is its number
export L="$loadstone"
rank='me=${OMPI_COMM_WORLD_RANK-$PMI_RANK}'
long="-p 0,1,2,3 -l 4000000 -r 100000 --no-stream -t 1"

for launcher in $here; do
    b=$(backend_of "$launcher")
    job 3 "rank 1 on " "$launcher" 2 sh -c "$rank; [ \$me = 0 ] || cd empty; exec \$L replay --no-stream $b one.json"
    must grep -q "one.json cannot be read: No such file" err
    must test "$(grep -c '^loadstone: ' err)" -eq 1
    # a rank that is killed, and one that hangs, during its runs
    job "not 0" "" "$launcher" 2 sh -c "$rank; [ \$me = 0 ] || (sleep 1; kill -KILL \$\$) & exec \$L replay $long $b"
    # while its library starts (unless that takes less time than sleep), and while it measures; MPICH's launcher, which then kills the stuck
    # rank, returns 1 or 9, the status of that kill
    for delay in 0 1; do
        job "1 or 9" "waited 2 s for the other ranks" "$launcher" 2 \
            sh -c "$rank; [ \$me = 0 ] || (sleep $delay; kill -STOP \$\$) & exec \$L replay --rank-timeout 2s $long $b"
        must grep -q '^loadstone: rank [01] on ' err
    done
    # while the others reach its elements
    job "1 or 9" "waited 2 s for the other ranks" "$launcher" 2 sh -c \
        "$rank; [ \$me = 0 ] || (sleep 1; kill -STOP \$\$) & exec \$L stream --rank-timeout 2s --indices all -k gather-copy -n 50000 -r 100000 $b"
done

set -- $here
first=$1 b=$(backend_of "$1")
job 1 "its files, patterns or options are not those of rank 0" "$first" 2 \
    sh -c "$rank; f=one.json; [ \$me = 0 ] || f=other.json; exec \$L replay --no-stream $b \$f"
# One rank only has no memory: its limit exceeds the libraries' mappings
job 1 "out of memory for an array" "$first" 2 \
    sh -c "$rank; [ \$me = 0 ] || ulimit -v 3000000; exec \$L replay --no-stream $b -t 1 -p 0 -d 100000 -l 40000"
must grep -q '^loadstone: rank 1 on ' err
job 1 "elements of memory that all ranks use" "$first" 2 sh -c \
    "$rank; [ \$me = 0 ] || ulimit -v 3000000; exec \$L stream --rank-timeout 20s $b --indices all -k gather-copy -n 500000000 -r 2 --warmups 1"
must grep -q '^loadstone: rank 1 on ' err
# an error of all is printed once
# shellcheck disable=SC2086
job 3 "'x' is not an integer" "$first" 2 "$loadstone" replay -p 1,x $b
must test "$(grep -c '^loadstone: ' err)" -eq 1
# shellcheck disable=SC2086
job 1 "2 iterations cannot be split among 3 ranks" "$first" 3 "$loadstone" replay -p 0,1 -l 2 --strong-scaling --no-stream $b
# shellcheck disable=SC2086
job 1 "a pattern of 2 indices cannot be split among 3 ranks" "$first" 3 "$loadstone" replay -p 0,1 --strong-scaling=pattern --no-stream $b
# shellcheck disable=SC2086
job 1 "arrays of 2 elements cannot be split among 3 ranks" "$first" 3 "$loadstone" stream -n 2 $b
# shellcheck disable=SC2086
job 1 "--together runs in one process" "$first" 2 "$loadstone" replay --together --operation reduce -p 0,1 --no-stream $b
touch there.h5
# shellcheck disable=SC2086
job 1 "there.h5" "$first" 2 "$loadstone" replay -p 0,1 --no-stream -o there.h5 $b

# a launcher and a module that do not match
expect 1 "starts no OpenSHMEM programs" env PMI_RANK=0 PMI_SIZE=1 "$loadstone" replay -p 0 --no-stream --backend shmem
if [ -e "$top_builddir/.libs/loadstone-mpi-openmpi.so" ] && command -v mpirun.mpich >/dev/null; then
    job "not 0" "the launcher started 2 ranks" mpich 2 env -u PMI_RANK OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$loadstone" stream -n 10
fi
exit $failed
