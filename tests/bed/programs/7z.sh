# SPDX-License-Identifier: BSD-3-Clause
# packages: p7zip-full
exec bash -c '7z a -mmt=2 -bd -bso0 $SCRATCH/o.7z $DATA/big && 7z e -so $SCRATCH/o.7z | cksum'
