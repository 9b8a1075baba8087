# SPDX-License-Identifier: BSD-3-Clause
# packages: coreutils
exec bash -c 'for k in 1 2 4; do sort --parallel=2 -n -k$k $DATA/text | cksum; done; sort -S 2M --parallel=2 -k4 $DATA/text | uniq -c -f3 | cksum'
