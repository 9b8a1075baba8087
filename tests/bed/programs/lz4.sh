# SPDX-License-Identifier: BSD-3-Clause
# packages: lz4
exec bash -c 'lz4 -q -9 -c $DATA/big >$SCRATCH/o; cksum <$SCRATCH/o; for i in $(seq 40); do lz4 -q -dc $SCRATCH/o | cksum; done'
