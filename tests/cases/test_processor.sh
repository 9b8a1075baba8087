#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Instructions that few processors have (tiles of AMX, half-precision vectors, direct stores, transactions, saved states), long copies, and
# signals on small alternate stacks: a recorded program computes the same, and rows of tiles are among its samples.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
victim=$top_builddir/tests/cases/processor_victim
"$victim" 100 >native || { echo "FAIL: alone: status $?"; exit 1; }
grep 'not here' native
for options in "" "--overhead 50%" "--overhead 100% --period 200us" "--engine step --overhead 50%" "--trigger timer --overhead 50%"; do
    # shellcheck disable=SC2086
    must "$loadstone" record -q -f -o run.h5 $options -- "$victim" 100 >recorded
    cmp -s native recorded || { echo "FAIL: record $options:"; diff native recorded; failed=1; }
done
grep -q 'tiles not here' native && exit $failed
for rounds in 100 400 1600 6400; do
    must "$loadstone" record -q -f -o run.h5 --overhead 50% --seed 1 -- "$victim" $rounds >recorded
    "$python" - >said 2>&1 <<'P'
import h5py, sys
run = h5py.File("run.h5", "r")
name = dict(zip(((p, i) for p, i in zip(run["lines/process"][:], run["lines/ip"][:])), run["lines/function"][:]))
rows = [(int(a), int(s)) for i, a, s in zip(run["samples/ip"][:], run["samples/addr"][:], run["samples/size"][:])
        if name.get((0, i)) == b"multiply" and s == 64]
if len(rows) < 32:
    sys.exit(f"hardly any samples of tiles: {len(rows)}")
by_place = {a % 64 for a, s in rows}
assert len({a for a, s in rows}) >= 16 and len(by_place) <= 16, rows[:40]
P
    status=$?
    [ $status -eq 0 ] && break
done
cat said
grep -q 'hardly any' said && skip "hardly any samples of tiles on this machine"
exit $((status || failed))
