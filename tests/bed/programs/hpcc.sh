# SPDX-License-Identifier: BSD-3-Clause
# packages: hpcc
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec bash -c 'cp $DATA/hpccinf.txt $SCRATCH && cd $SCRATCH && hpcc >/dev/null && grep -E "^(Success|PTRANS_residual|HPL_N|MPIRandomAccess_N|CommWorldProcs)=" hpccoutf.txt'
