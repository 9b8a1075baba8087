# packages: gcc
exec bash -c 'gcc -O2 -c -o $SCRATCH/many.o $DATA/many.c && cksum <$SCRATCH/many.o'
