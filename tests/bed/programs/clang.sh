# SPDX-License-Identifier: BSD-3-Clause
# packages: clang
exec bash -c 'clang -O2 -c -o $SCRATCH/many.o $DATA/many.c && cksum <$SCRATCH/many.o'
