# SPDX-License-Identifier: BSD-3-Clause
# packages: jq
exec jq -c '[.[] | select(.k % 3 == 0)] | group_by(.k % 101) | map({k: .[0].k, n: length}) | sort_by(-.n, .k) | .[:3]' $DATA/list.json
