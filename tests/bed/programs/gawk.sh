# SPDX-License-Identifier: BSD-3-Clause
# packages: gawk
exec gawk '{ n[$1 % 50021] += length($0); w[$NF]++ } END { asort(n); for (i = 1; i <= 3; i++) print n[i]; print length(n), length(w) }' $DATA/text $DATA/text $DATA/text
