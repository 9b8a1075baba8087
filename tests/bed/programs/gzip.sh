# SPDX-License-Identifier: BSD-3-Clause
# packages: gzip
exec bash -c 'gzip -9nc $DATA/big | cksum'
