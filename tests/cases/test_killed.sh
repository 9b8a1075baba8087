#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program that is killed or aborts has in its profile what was recorded up to the last 100 ms of its work (CPU time: the clock
# goes on while the machine is busy elsewhere).
. "${top_srcdir:-.}/tests/cases/proc.inc"
killed=$top_builddir/tests/cases/killed_victim
can_sample || skip "the step engine does not work here"
ulimit -c 0

# late NAME: how many ms of work there were behind the last sample
late() {
    "$python" - "$1.h5" beat <<'P'
import struct, sys
import h5py
run = h5py.File(sys.argv[1])
last = int(run["samples/time_ns"][:].max()) + int(run["run"].attrs["start_mono_ns"])
beats = list(struct.iter_unpack("<QQ", open(sys.argv[2], "rb").read()))
print((beats[0][1] - max((cpu for mono, cpu in beats if mono <= last), default=0)) // 1000000)
P
}
# worked: ms of work until now
worked() {
    ns=$(od -An -t u8 -j 8 -N 8 beat 2>/dev/null)
    echo $((${ns:-0} / 1000000))
}

# ends STATUS HOW: a machine that is busy elsewhere may keep the program from its last burst: it gets more chances
ends() {
    for chance in 1 2 3 4; do
        rm -f beat
        "$loadstone" record -q --force -o "$2.h5" --overhead 100% --period 20us -- "$killed" beat 400 "$2" >out 2>err </dev/null
        got=$?
        ms=$(late "$2")
        [ "${ms:-1000}" -gt 100 ] || break
    done
    [ $got -eq "$1" ] || { echo "FAIL: $2: status $got instead of $1: $(cat err)"; failed=1; }
    [ "${ms:-1000}" -le 100 ] || { echo "FAIL: $2: $ms ms of work behind the last sample"; failed=1; }
    echo "$2: $ms ms of work behind the last sample"
}
ends 137 kill
ends 134 abort

# The launcher killed as well: its spool is resolved afterwards.
rm -f beat
"$loadstone" record -q -o never.h5 --spool spool --overhead 100% --period 20us -- "$killed" beat 60000 kill >out 2>err </dev/null &
launcher=$!
i=0
while [ "$(worked)" -lt 300 ] && [ $i -lt 2000 ]; do sleep 0.05; i=$((i + 1)); done
program=$(ps -o pid= --ppid $launcher | head -n 1)
kill -KILL $launcher
# shellcheck disable=SC2086
kill -KILL $program
wait $launcher
must test ! -e never.h5
expect 0 "next: loadstone report" "$loadstone" resolve spool -o saved.h5
ms=$(late saved)
[ "${ms:-1000}" -le 200 ] || { echo "FAIL: the launcher was killed, too: $ms ms of work behind the last sample"; failed=1; }
exit $failed
