#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of MPI jobs: one file for the machine, and the time in functions of MPI by function, caller and rank, with
# Open MPI and MPICH, linked and loaded as a plugin.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/ranks.inc"
export OMPI_MCA_mpi_yield_when_idle=0
needs_python h5py
cat >work.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* Rank 1 works four times longer than the others, which wait for it in the barrier. */
int work(int argc, char **argv)
{
    int rank, sum, one = 1;
    volatile double *neigh = calloc(1 << 20, sizeof(double));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 5; step++) {
        const double end_s = cpu_s() + (rank == 1 ? 0.2 : 0.05);
        for (unsigned at = 1; cpu_s() < end_s;)
            for (int i = 0; i < 1000; i++)
                neigh[(at = at * 1664525u + 1013904223u) >> 12] += 1;
#ifndef REDUCES
        MPI_Barrier(MPI_COMM_WORLD);
#endif
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum < 2;
}
END
echo 'int work(int, char **); int main(int argc, char **argv) { return work(argc, argv); }' >main.c
cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *plugin = dlopen("./work.so", RTLD_NOW | RTLD_LOCAL);
    int (*work)(int, char **) = plugin ? (int (*)(int, char **))dlsym(plugin, "work") : 0;
    return work ? work(argc, argv) : 9;
}
END
cat >check.py <<'END'
import sys, h5py
run = h5py.File(sys.argv[1])
ranks = {int(r): {k: int(run["ranks/" + k][i]) for k in ("time_ns", "mpi_wait_ns", "mpi_other_ns", "samples")}
         for i, r in enumerate(run["ranks/rank"][:])}
assert sorted(ranks) == [0, 1], ranks
print(ranks)
# rank 0 waits for three quarters of its time, rank 1 hardly at all
assert ranks[0]["mpi_wait_ns"] > 0.4 * ranks[0]["time_ns"], ranks
assert ranks[1]["mpi_wait_ns"] < 0.3 * ranks[1]["time_ns"], ranks
assert ranks[0]["mpi_wait_ns"] > 3 * ranks[1]["mpi_wait_ns"], ranks
END
here=$(launchers 2>/dev/null | grep -v shmem)
host=$(hostname | tr -c 'A-Za-z0-9\n_-' _)
some=
for launcher in $here; do
    command -v "mpicc.$launcher" >/dev/null || continue
    some=yes
    mpicc.$launcher -g -O1 -o linked main.c work.c && mpicc.$launcher -g -O1 -DREDUCES -o reduces main.c work.c && mpicc.$launcher -g -O1 -fPIC -shared -o work.so work.c &&
        ${CC:-cc} -o plugin host.c -ldl || exit 99
    for program in reduces linked plugin; do # reduces: ranks wait in the collective function alone
        rm -f job.$host.h5
        job 0 "2 ranks, 2 with samples: job.$host.h5" "$launcher" 2 "$loadstone" record --per-node -o job.h5 --overhead 10% -- ./$program
        "$python" check.py job.$host.h5 >check.out 2>&1 || { echo "FAIL: $launcher $program"; cat check.out; failed=1; }
        [ $program != reduces ] || continue
        expect 0 "" "$loadstone" report --by mpi,mpi-line --csv job.$host.h5
        must grep -q "MPI_Barrier (waits).*work.c:$(grep -n MPI_Barrier work.c | cut -d: -f1) work" out
    done
    # all ranks in one recording, by the launcher as the program
    case $launcher in openmpi) set -- mpirun.openmpi ;; *) set -- mpirun.mpich ;; esac
    expect 0 "2 ranks, 2 with samples: all.h5" "$loadstone" record --per-node -f -o all.h5 -- "$@" -n 2 ./linked
    expect 0 "neigh" "$loadstone" report all.h5
done
[ -n "$some" ] || skip "no launcher of MPI with its compiler"
exit $failed
