#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patterns groups for a trace of several threads: threads with equal work are one group, different work is
# another.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
must "$loadstone" trace -q -o t.trace -- "$top_builddir/tests/tracer/trace_victim" threads >out 2>err
must "$loadstone" patterns groups --members --trivial --min-accesses 50 --top 100000 --json t.trace >groups.json
must python3 - <<'P'
import json
groups = json.load(open("groups.json"))["groups"]
# 40 threads; each writes and reads a private array in order: one group of loads, one of stores
for op in ("load", "store"):
    found = [[m for m in g["members"] if m["pattern"]["name"].startswith(op + " mine ")] for g in groups]
    found = [members for members in found if members]
    assert [len(members) for members in found] == [40], (op, [len(members) for members in found])
    assert len({m["distance"] for m in found[0]}) == 1, found[0] # from the one that represents the group
P
exit $failed
