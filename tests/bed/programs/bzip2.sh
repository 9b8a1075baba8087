# SPDX-License-Identifier: BSD-3-Clause
# packages: bzip2
exec bash -c 'bzip2 -c $DATA/big >$SCRATCH/o; cksum <$SCRATCH/o; bzip2 -dc $SCRATCH/o | cksum'
