# SPDX-License-Identifier: BSD-3-Clause
# packages: lame
exec bash -c 'head -c 8000000 $DATA/big | lame -r --quiet -h - - | cksum'
