# SPDX-License-Identifier: BSD-3-Clause
# packages: samtools
exec bash -c 'for i in 1 2 3 4 5 6 7 8; do samtools sort --no-PG -@ 2 -m 8M -O sam -T $SCRATCH/t $DATA/alignments.sam | cksum; done'
