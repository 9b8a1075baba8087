# SPDX-License-Identifier: BSD-3-Clause
# packages: gcc
export OMP_NUM_THREADS=2
exec $DATA/openmp-histogram
