# SPDX-License-Identifier: BSD-3-Clause
# packages: lammps openmpi-bin
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
exec bash -c 'mpirun --oversubscribe -n 2 lmp -in $DATA/melt.lmp -log none | grep -A4 "^ *Step"'
