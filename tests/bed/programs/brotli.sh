# SPDX-License-Identifier: BSD-3-Clause
# packages: brotli
exec bash -c 'brotli -q 10 -c $DATA/big | cksum'
