#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# When sampling is on: --delay, --duration, --control, --paused, loadstone_start and loadstone_stop.
. "${top_srcdir:-.}/tests/cases/proc.inc"

# The switch itself, without any sampling.
recorded 0 null-paused --engine null --paused -- "$victim" switch
holds 2 '^event SAMPLING_BEGIN '
holds 1 '^event SAMPLING_END '

can_sample || { echo "not tested: sampling when asked (the step engine does not work here)"; exit $failed; }

# shellcheck disable=SC2086
recorded 0 paused $sampled --paused -- "$victim" switch
holds_some '^sample .* phase on node'
holds_some '^sample .* phase on again node'
holds 0 '^sample .* phase (before|off) node'

# running from the start: the first start changes nothing
# shellcheck disable=SC2086
recorded 0 running $sampled -- "$victim" switch
holds_some '^sample .* phase before node'
holds_some '^sample .* phase on node'
holds 0 '^sample .* phase off node'
holds_some '^sample .* phase on again node'

# shellcheck disable=SC2086
recorded 0 signal $sampled --paused --control USR2 -- "$victim" switch signal
holds_some '^sample .* phase on node'
holds 0 '^sample .* phase (before|off) node'
holds_some '^sample .* phase on again node'
# shellcheck disable=SC2086
recorded 0 signal-off $sampled --control SIGUSR2 -- "$victim" switch signal
holds_some '^sample .* phase before node'
holds 0 '^sample .* phase on node'
holds_some '^sample .* phase off node'

# no sample before the delay is over, and some behind it
# shellcheck disable=SC2086
recorded 0 delay $sampled --delay 300ms -- "$victim" busy 300
holds_some '^sample '
awk '$1 == "sample" && $9 < 300000000 { print "FAIL: too early:", $0; bad = 1 } END { exit bad }' lines || failed=1

# none behind the duration: a burst that began inside may end outside, a burst is 1200 instructions
# shellcheck disable=SC2086
recorded 0 duration $sampled --delay 100ms --duration 300ms -- "$victim" busy 700
holds_some '^sample '
"$python" - duration.h5 <<'P' || failed=1
import sys, h5py
bursts = h5py.File(sys.argv[1])["bursts"]["time_ns"][:]
late = [int(t) for t in bursts if t < 100_000_000 or t >= 400_000_000 + 20_000_000]
if late: sys.exit(f"FAIL: bursts outside of 100..400 ms: {late}")
P
holds 1 '^event SAMPLING_BEGIN '
holds 1 '^event SAMPLING_END '
exit $failed
