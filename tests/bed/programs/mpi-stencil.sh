# SPDX-License-Identifier: BSD-3-Clause
# packages: gcc libopenmpi-dev openmpi-bin
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec mpirun --oversubscribe -n 2 $DATA/mpi-stencil
