#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# When sampling is on: --delay, --duration, --control, --paused, loadstone_start and loadstone_stop.
. "${top_srcdir:-.}/tests/cases/proc.inc"

# The switch itself, without any sampling.
recorded 0 null-paused --engine null --paused -- "$victim" switch
holds 2 '^event SAMPLING_BEGIN '
holds 1 '^event SAMPLING_END '

can_sample || { echo "not tested: sampling when asked (the step engine does not work here)"; exit $failed; }

# holds_hardly PATTERN: nothing but, at most, a part of a burst (1200 instructions) that the signal found on its way
holds_hardly() {
    got=$(grep -cE -e "$1" lines)
    [ "$got" -le 1000 ] || { echo "FAIL: $name: $got lines match '$1'"; failed=1; }
}

# shellcheck disable=SC2086
recorded 0 paused $sampled --paused -- "$victim" switch
holds_some '^sample .* phase on node'
holds_some '^sample .* phase on again node'
holds 0 '^sample .* phase before node'
holds 0 '^sample .* phase off node'

# running from the start: the first start changes nothing
# shellcheck disable=SC2086
recorded 0 running $sampled -- "$victim" switch
holds_some '^sample .* phase before node'
holds_some '^sample .* phase on node'
holds 0 '^sample .* phase off node'
holds_some '^sample .* phase on again node'

# a burst that is on its way ends with the call
recorded 0 stops --engine step --overhead 100% --period 1ms --paused -- "$victim" stops
holds_some '^sample .* node wanted'
holds 0 '^sample .* node unwanted'

# shellcheck disable=SC2086
recorded 0 signal $sampled --paused --control USR2 -- "$victim" switch signal
holds_some '^sample .* phase on node'
holds 0 '^sample .* phase before node'
holds_hardly '^sample .* phase off node'
holds_some '^sample .* phase on again node'
# shellcheck disable=SC2086
recorded 0 signal-off $sampled --control SIGUSR2 -- "$victim" switch signal
holds_some '^sample .* phase before node'
holds_hardly '^sample .* phase on node'
holds_some '^sample .* phase off node'

# bursts NAME FROM_MS TO_MS: there are some, and all begin so long after the start of the recording, which the program printed
bursts() {
    "$python" - "$1.h5" "$(cat out)" "$2" "$3" <<'P'
import sys, h5py
path, start, low, high = sys.argv[1], *map(int, sys.argv[2:])
run = h5py.File(path)
offset = int(run["run"].attrs["start_mono_ns"]) - start
begin = [(int(t) + offset) / 1e6 for t in run["bursts"]["time_ns"][:]]
late = [t for t in begin if not low <= t < high]
if offset < 0 or late or not begin: sys.exit(f"bursts outside of {low}..{high} ms: {late} of {len(begin)}, offset {offset}")
P
}

# shellcheck disable=SC2086
recorded 0 delay $sampled --delay 300ms -- "$victim" busy 300
holds_some '^sample '
bursts delay 300 1000000 || failed=1

# While nothing is sampled, recording costs little, and the budget for that time is not used up afterwards: 20 % of the 0.4 s after the
# delay, and few per cent of the 2 s before.
recorded 0 unsampled --overhead 20% --delay 2s -- "$victim" busy 2000
holds_some '^sample '
"$python" - unsampled.h5 <<'P' || failed=1
import sys, h5py
spent_ms = sum(int(n) for n in h5py.File(sys.argv[1])["processes/bursts_ns"][:]) / 1e6
if not 0 < spent_ms < 220: sys.exit(f"FAIL: unsampled: {spent_ms} ms were spent for bursts")
P

# the delay counts from the start of the recording, not of each program in it
# shellcheck disable=SC2086
recorded 0 delay-exec $sampled --delay 1s -- sh -c 'sleep 1.1; "$0" busy 0' "$victim"
holds_some '^sample '

# none after the duration. A busy machine may start the program when the time is over, and the begin of a
# burst is decided before its first record: then everything takes longer
for times in 1 4 16; do
    # shellcheck disable=SC2086
    recorded 0 duration --force $sampled --delay $((times * 100))ms --duration $((times * 300))ms -- "$victim" busy $((times * 1000))
    bursts duration $((times * 100)) $((times * 700)) >outside 2>&1 && grep -q '^event SAMPLING_BEGIN ' lines && break
done
[ ! -s outside ] || { echo "FAIL: duration: $(cat outside)"; failed=1; }
holds_some '^sample '
holds 1 '^event SAMPLING_BEGIN '
holds 1 '^event SAMPLING_END '
exit $failed
