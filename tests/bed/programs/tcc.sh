# SPDX-License-Identifier: BSD-3-Clause
# packages: tcc
exec bash -c 'for i in $(seq 60); do tcc -c -o $SCRATCH/many.o $DATA/many.c || exit; done; cksum <$SCRATCH/many.o'
