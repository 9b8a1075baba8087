# SPDX-License-Identifier: BSD-3-Clause
# packages: bwa
# below: arenas of threads that lived only between two snapshots of the address space
exec bash -c 'cp $DATA/genome.fa $SCRATCH/g.fa && bwa index $SCRATCH/g.fa 2>/dev/null && for i in 1 2 3; do bwa mem -t 2 $SCRATCH/g.fa $DATA/reads.fq 2>/dev/null | grep -v ^@PG | cksum; done'
