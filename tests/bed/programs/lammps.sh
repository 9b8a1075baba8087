# SPDX-License-Identifier: BSD-3-Clause
# packages: lammps
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
exec bash -c 'lmp -in $DATA/melt.lmp -log none | grep -A4 "^ *Step"'
