#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone import of perf.data with samples of Arm's SPE: every load and store that make_spe.py wrote, field by field, in each way that
# perf writes such files; damaged and cut files.
. "${top_srcdir:-.}/tests/tools/check.sh"
make_spe=$top_srcdir/tests/tools/make_spe.py
seed=$top_srcdir/tests/data/perf/spe.data

# Results for a damaged or truncated file, which need no Python.
expect 0 "16 samples" "$loadstone" import "$seed" -o given.h5
expect 0 "from issue to completion" "$loadstone" report --how given.h5
# perf was killed as it wrote a piece: complete data is read.
size=$(wc -c <"$seed")
head -c $((size - 900)) "$seed" >cut.data
expect 0 "ends inside a record" "$loadstone" import cut.data -o cut.h5
must grep -q "packets are damaged or cut off in 1 places, the first one after byte [1-9]" err
must grep -Eq " ([89]|1[0-5]) samples" err

has_python h5py || { [ $failed = 0 ] || exit 1; skip "h5py is needed to compare the samples"; }
cat >compare.py <<'END'
import sys
import h5py
run, truth = h5py.File(sys.argv[1]), [list(map(int, line.split())) for line in open(sys.argv[2])]
assert len(truth) > 15
s = run["samples"]
def column(name): return [int(v) for v in s[name][:]]
tids, pids = [int(t) for t in run["threads/tid"][:]], [int(p) for p in run["processes/pid"][:]]
process = [int(p) for p in run["threads/process"][:]]
def signed(v): return -1 if v == 255 else v
got = [[t, a, i, o, signed(so), l, signed(tl), c, pids[process[th]], tids[th]] for t, a, i, o, so, l, tl, c, th in zip(
    *map(column, ("time_ns", "addr", "ip", "op", "source", "latency_cycles", "tlb", "cpu", "thread")))]
assert set(column("events")) == {1024}, set(column("events"))
first = int(sys.argv[3])  # the records': time 0
want = [[row[0] - first] + row[1:] for row in truth]
got.sort(), want.sort()
for g, w in zip(got, want):
    assert g == w, f"got {g}, wanted {w}"
assert len(got) == len(want), f"{len(got)} samples, wanted {len(want)}"
END

# check VARIANT [WORDS]: all samples, and the messages besides
check() {
    "$python" "$make_spe" "$1" "$1.data" "$1.truth" || return 0 # 77: no libzstd
    expect 0 "${2-}" "$loadstone" import "$1.data" -o "$1.h5" --ghz 2
    if [ -z "${2-}" ] && grep -q warning err; then
        echo "FAIL: $1: warned" && cat err && failed=1
    fi
    must "$python" compare.py "$1.h5" "$1.truth" 5000100000
}
check seed
must cmp seed.data "$seed"
check plain                            # threads by packets
expect 0 "grace" "$loadstone" report --how plain.h5
expect 0 "./solver -n 3" "$loadstone" report plain.h5
check nocontext                        # by the kernel's records
check wide                             # by switches of CPUs
check thread                           # areas of threads
check itrace                           # by whom the event began with
check first                            # before perf 6.13 CPUs were not described
check clockless "has no time stamps for 640 operations"
check timeless "has no time stamps for 640 operations"
check ampere
check late
check pipe
expect 0 "grace" "$loadstone" report --how pipe.h5
check losses
"$python" - losses.h5 <<'END' || { echo "FAIL: losses"; failed=1; }
import sys, h5py
run = h5py.File(sys.argv[1])
losses = dict(zip(run["events/kind"].asstr()[:], map(int, run["events/count"][:])))
losses.pop("NO_SYMBOLS", None)  # a program that is not here
assert losses == {"SAMPLES_LOST": 43, "HARDWARE_LOST": 5, "THROTTLED": 1, "UNTHROTTLED": 1}, losses
assert (run["run"].attrs["lost_records"], run["run"].attrs["throttled"]) == (48, 1)
END
check damaged "the AUX area was full"
must grep -q "packets are damaged or cut off in 1 places, the first one after byte [1-9][0-9]*" err
if "$loadstone" import "$top_srcdir/tests/data/perf/compressed.data" -o zstd.h5 2>err; then
    check packed
    check allpacked
else
    echo "compressed ones are not read: built without libzstd"
fi

# Globals by their names, lines by theirs.
cat >prog.c <<'END'
char table[8192] = {1};
int main(void) { return table[1] - table[2]; }
END
if cc -g -O1 -no-pie -Wl,-Ttext-segment=0x400000 prog.c -o prog 2>/dev/null && base=0x$(nm prog | awk '$3 == "table" { print $1 }') && [ "$base" != 0x ]; then
    "$python" "$make_spe" plain prog.data prog.truth "$scratch/prog" "$base"
    expect 0 "640 samples" "$loadstone" import prog.data -o prog.h5 --ghz 2
    COLUMNS=200 must "$loadstone" report --where node=table prog.h5 >table 2>/dev/null
    must grep -Eq "table .* 640 " table
else
    echo "names were not compared: no compiler for a program at a fixed address"
fi

# The error and its position.
patch() { # FILE OFFSET BYTES: a copy of the seed as FILE
    { head -c "$2" "$seed"; printf "$3"; tail -c +$(($2 + 1 + $(printf "$3" | wc -c))) "$seed"; } >"$1"
}
info=$("$python" -c "import sys; print(open(sys.argv[1], 'rb').read().index(bytes([70, 0, 0, 0, 0, 0])))" "$seed")
patch many.data $((info + 40)) '\377'
expect 3 "the description of a CPU is cut off (byte $info)" "$loadstone" import many.data -o bad.h5
patch header.data $((info + 24)) '\377'
expect 3 "announces more than it has (byte $info)" "$loadstone" import header.data -o bad.h5
patch cpu.data $((info + 64)) '\040'
expect 3 "the description of a CPU is cut off (byte $info)" "$loadstone" import cpu.data -o bad.h5
clock=$("$python" -c "import sys; print(open(sys.argv[1], 'rb').read().index(bytes([79, 0, 0, 0, 0, 0])))" "$seed")
patch clock.data $((clock + 8)) '\100'
expect 3 "the clock has an impossible rate (byte $clock)" "$loadstone" import clock.data -o bad.h5
patch pt.data $((info + 8)) '\001'
expect 1 "of Intel PT, which have no data addresses" "$loadstone" import pt.data -o bad.h5
must test ! -e bad.h5
exit $failed
