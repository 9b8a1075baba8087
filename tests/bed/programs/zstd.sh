# SPDX-License-Identifier: BSD-3-Clause
# packages: zstd
exec bash -c 'zstd -q -19 -T2 -c $DATA/big >$SCRATCH/o; cksum <$SCRATCH/o; for i in 1 2 3 4 5; do zstd -dc $SCRATCH/o | cksum; done'
