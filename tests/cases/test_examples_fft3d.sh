#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Fourier transform on a grid of ranks: equal to FFTW's of the whole, alone and recorded, with its phases in order.
. "${top_srcdir:-.}/tests/tools/check.sh"
fft3d=$top_builddir/examples/fft3d
[ -x "$fft3d" ] || skip "built without MPI or FFTW (Debian: libopenmpi-dev libfftw3-dev)"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=false OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
mpirun=mpirun # of the library that it is linked with
ldd "$fft3d" | grep -q libmpich && mpirun=mpirun.mpich
command -v $mpirun >/dev/null || skip "no $mpirun"
timeout 60 $mpirun -n 2 true >out 2>err </dev/null || { cat out err; skip "$mpirun does not run programs here"; }

for grid in "2 12 2 1" "2 12 1 2" "4 24 2 2" "6 24 2 3" "1 10 1 1"; do
    # shellcheck disable=SC2086
    set -- $grid
    expect 0 "largest difference from a serial transform: " timeout 120 $mpirun -n $1 "$fft3d" $2 $3 $4 2
done
expect 2 "R x C ranks, N a multiple of both" $mpirun -n 2 "$fft3d" 9 2 1
expect 2 "R x C ranks, N a multiple of both" $mpirun -n 2 "$fft3d" 12 2 2

needs_runtime
must timeout 120 $mpirun -n 2 "$loadstone" record -q --engine null --series net -o run.h5 -- "$fft3d" 24 2 1 1 >out 2>err </dev/null
for rank in 0 1; do
    must "$loadstone" export --table phases -o phases.$rank.csv run.$rank.h5 2>err
    must test "$(tail -n +2 phases.$rank.csv | sort -t, -k4 -n | cut -d, -f2 | tr '\n' ' ')" = \
        "1-D FFT S1CF all-to-all S2CF 1-D FFT S1PF all-to-all S2PF 1-D FFT "
done
exit $failed
