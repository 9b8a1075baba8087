#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of MPI jobs: from the environment of each launcher, and under a real mpirun.
. "${top_srcdir:-.}/tests/cases/proc.inc"

# means NAME RANK OF FROM VARIABLE=VALUE...: this environment means this rank; record's file has it in its name
means() {
    name=$1 rank=$2 of=$3 from=$4
    shift 4
    expect 0 "" env "$@" "$loadstone" record -q --engine null --spool spool -o "$name.h5" -- sh -c 'true; exit 0'
    if [ "$rank" = -1 ]; then file=$name.h5; else file=$name.$rank.h5; fi
    must test -s "$file"
    tables "$file"
    holds 1 "^process 0 .* rank $rank of $of from '$from' "
}
means openmpi 3 8 OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8 PMIX_RANK=3
means mpich 1 4 PMI_RANK PMI_RANK=1 PMI_SIZE=4
means mvapich 2 4 MV2_COMM_WORLD_RANK MV2_COMM_WORLD_RANK=2 MV2_COMM_WORLD_SIZE=4 PMI_RANK=7
means pmix 0 0 PMIX_RANK PMIX_RANK=0
means slurm 5 16 SLURM_PROCID SLURM_PROCID=5 SLURM_NTASKS=16 SLURM_STEP_ID=0
means batch -1 0 '' SLURM_PROCID=0 SLURM_NTASKS=16
means flux 6 9 FLUX_TASK_RANK FLUX_TASK_RANK=6 FLUX_JOB_SIZE=9
means pals 4 0 PALS_RANKID PALS_RANKID=4
means nonsense -1 0 '' PMI_RANK=abc OMPI_COMM_WORLD_RANK= PMIX_RANK=99999999999

if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
    echo "not tested: a real MPI job (mpirun and mpicc are not here; Debian: openmpi-bin libopenmpi-dev)"
    exit $failed
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=false OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
if ! mpicc -O1 -o ring "$top_srcdir/tests/cases/mpi_ring.c" 2>err || ! timeout 60 mpirun -n 2 ./ring >plain 2>err; then
    echo "not tested: a real MPI job (it does not run here without us either: $(tail -1 err))"
    exit $failed
fi
sort plain >plain.sorted
options="--overhead 30%"

# one file a rank; in a directory that is given once each has its spool
# shellcheck disable=SC2086
mpirun -n 2 "$loadstone" record -q $options --spool mine -o each.h5 -- ./ring >out 2>err </dev/null
must test $? -eq 0
sort out >out.sorted
must cmp plain.sorted out.sorted
must test ! -e each.h5
for rank in 0 1; do
    name=each.$rank
    tables each.$rank.h5
    holds 1 "^process 0 .* rank $rank of 2 from 'OMPI_COMM_WORLD_RANK' command './ring'"
done
must test -z "$(ls -d mine/* loadstone-spool* 2>/dev/null)"

# alone, without mpirun: the daemon that a library starts, and that outlives the program, leaves no directory and makes none later
for mpicc in mpicc mpicc.mpich; do
    if ! command -v $mpicc >/dev/null; then
        echo "not tested: $mpicc is not here"
    elif ! $mpicc -O1 -o alone "$top_srcdir/tests/cases/mpi_ring.c" 2>err || ! timeout -s KILL 60 ./alone >plain 2>err; then
        echo "not tested: $mpicc (its programs do not run alone here without us either)"
    else
        for engine in null "step --overhead 30%"; do
            # shellcheck disable=SC2086
            recorded 0 alone --force --engine $engine -- ./alone
            must test -z "$(find "$scratch" -name 'loadstone-spool*')"
        done
        sleep 1
        must test -z "$(find "$scratch" -name 'loadstone-spool*')"
        [ $mpicc = mpicc ] || mpich=yes
    fi
done

# the other implementation names its ranks otherwise
if [ "${mpich-}" ] && command -v mpirun.mpich >/dev/null; then
    # shellcheck disable=SC2086
    mpirun.mpich -n 2 "$loadstone" record -q $options --spool mine -o hydra.h5 -- ./alone >out 2>err </dev/null
    must test $? -eq 0
    sort out >out.sorted
    must cmp plain.sorted out.sorted
    for rank in 0 1; do
        name=hydra.$rank
        tables hydra.$rank.h5
        holds 1 "^process 0 .* rank $rank of 2 from 'PMI_RANK' command './alone'"
    done
    must test -z "$(ls -d mine/* loadstone-spool* 2>/dev/null)"
else
    echo "not tested: a job of mpirun.mpich"
fi

# one file for all local ranks
# shellcheck disable=SC2086
recorded 0 all $options -- mpirun -n 2 ./ring
sort out >out.sorted
must cmp plain.sorted out.sorted
holds 1 "^process 0 parent - .* rank -1 of 0 from '' command 'mpirun -n 2 ./ring'"
holds 1 "^process [0-9]+ parent [0-9]+ .* rank 0 of 2 from 'OMPI_COMM_WORLD_RANK' command './ring'"
holds 1 "^process [0-9]+ parent [0-9]+ .* rank 1 of 2 from 'OMPI_COMM_WORLD_RANK' command './ring'"
expect 0 "next:" "$loadstone" report --processes all.h5
must grep -qE ' [0-9]+ ring \(rank 1\) ' out
if can_sample; then
    for times in 1 4 16 64; do # a machine that is busy samples little
        [ $times -eq 1 ] || recorded 0 all --force --overhead 30% -- mpirun -n 2 ./ring $times
        expect 0 "next:" "$loadstone" report --by rank all.h5
        grep -qE '^rank 0 ' out && grep -qE '^rank 1 ' out && break
    done
    must grep -qE '^rank 0 ' out
    must grep -qE '^rank 1 ' out
fi
exit $failed
