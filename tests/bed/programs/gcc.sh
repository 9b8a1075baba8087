# SPDX-License-Identifier: BSD-3-Clause
# packages: gcc
exec bash -c 'gcc -O2 -c -o $SCRATCH/many.o $DATA/many.c && cksum <$SCRATCH/many.o'
