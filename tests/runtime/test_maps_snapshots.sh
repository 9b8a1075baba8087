#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Snapshots of the mappings are written where something changed, also unseen by hooks, and not again and again.
. "${top_srcdir:-.}/tests/needs.inc"
needs_step
RT_TEST_ENGINE=step
. "${top_srcdir:-.}/tests/runtime/preload.inc"
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"

# The pauses are longer than the shortest time between two snapshots.
cat >"$work/program.py" <<'X'
import sys, time
def work():
    time.sleep(1.1)
    begin = time.process_time()
    while time.process_time() - begin < 0.2:
        sum(range(1000))
if sys.argv[1] == "rests":
    for pause in range(6):
        work()
else:
    import ctypes
    work()
    ctypes.CDLL(None).syscall(9, ctypes.c_void_p(0x5ead00000000), ctypes.c_size_t(1 << 20), 3, 0x100022, -1, 0)
    work()
X
snapshots() { grep -c ' MAPS flags=[13579]' "$work/lines"; }

overhead=10%
preloaded /usr/bin/python3 "$work/program.py" rests >"$work/out" 2>&1 || fail "status $?: $(head -3 "$work/out")"
"$lines" "$work/spool" >"$work/lines" || fail "damaged"
echo "$(snapshots) snapshots"
grep -q '5ead00000000' "$work/lines" && fail "a mapping that was not made"
resting=$(snapshots)
rm -rf "$work/spool"
preloaded /usr/bin/python3 "$work/program.py" maps >"$work/out" 2>&1 || fail "status $?: $(head -3 "$work/out")"
"$lines" "$work/spool" >"$work/lines" || fail "damaged"
echo "$(snapshots) snapshots"
grep -q '5ead00000000-5ead00100000' "$work/lines" || fail "a mapping that no hook saw is missing"
[ "$resting" -ge 1 ] && [ "$resting" -le 6 ] || fail "$resting snapshots of mappings that rested"
finish
