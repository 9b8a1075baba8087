# SPDX-License-Identifier: BSD-3-Clause
# packages: xz-utils
exec bash -c 'xz -6 -T2 -c $DATA/big | tee >(xz -dc | cksum) | cksum'
