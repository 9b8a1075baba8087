#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a recorded program to the hot region, as in doc/cases.md: on a mesh whose middle is numbered last and
# at random, the loads of x are slow in the middle; with reverse Cuthill-McKee numbering there is no such
# region.
. "${top_srcdir:-.}/tests/cases/proc.inc"
can_sample || skip "the step engine does not work here"

# contrast FILE: mean latency of x in the middle by that elsewhere, the part of the samples in the middle, and how many there are
contrast() {
    "$python" - "$1" <<'P'
import h5py, numpy, sys
file = h5py.File(sys.argv[1], "r")
field, square = file["fields/square.x"], file["meshes/square"]
mean, samples = field["latency_mean_cycles"][:], field["samples"][:]
assert mean.shape == samples.shape == (64, 64), mean.shape
known = numpy.isfinite(mean)
y, x = numpy.indices(mean.shape)
middle = (abs(x - 31.5) < 16) & (abs(y - 31.5) < 16)
def latency(part):
    part = part & known
    return numpy.average(mean[part], weights=samples[part]) if samples[part].sum() > 0 else float("nan")
print("%.3f %.3f %d" % (latency(middle) / latency(~middle), samples[middle].sum() / max(samples.sum(), 1),
                        min(samples[middle].sum(), samples[~middle].sum())))
P
}
# studied ORDER: sets contrast_of, part_of; longer where a busy machine gave few samples
studied() {
    repeats=20
    while :; do
        # by the engine chosen for the machine: single steps are preempted on a busy one before they come to timed loads
        "$loadstone" record -q --force --paused --overhead 50% --period 1ms -o "$1.h5" -- "$top_builddir/examples/spmv" 800 "$1" $repeats >out 2>err || {
            echo "FAIL: record: $(cat err)"
            exit 1
        }
        # shellcheck disable=SC2046
        set -- "$1" $(contrast "$1.h5")
        [ $# -eq 4 ] || { echo "FAIL: $1: no field of x"; exit 1; }
        [ "$4" -lt 1000 ] && [ $repeats -lt 1000 ] || break
        repeats=$((repeats * 4))
    done
    [ "$4" -ge 300 ] || skip "too few samples on this machine: $4"
    contrast_of=$2 part_of=$3
    echo "$1: middle by elsewhere $contrast_of, part of the samples in the middle $part_of"
}
# holds: does the result hold? In the middle x waits more than three times as long as elsewhere; numbered by
# reverse Cuthill-McKee, less than half as much as that, and a region of a quarter of the points has about a
# quarter of the samples.
holds() {
    studied refined
    refined=$contrast_of
    studied rcm
    awk "BEGIN { exit !($refined > 3 && $contrast_of < $refined / 2 && $part_of > 0.05 && $part_of < 0.6) }"
}
# neighbours on a shared machine may take the caches for a while: latencies are theirs then, not the story's
holds || holds || holds || failed=1
exit $failed
