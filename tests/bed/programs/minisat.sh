# SPDX-License-Identifier: BSD-3-Clause
# packages: minisat
exec bash -c 'minisat -verb=0 $DATA/problem.cnf $SCRATCH/o >/dev/null; echo status $?; head -1 $SCRATCH/o'
