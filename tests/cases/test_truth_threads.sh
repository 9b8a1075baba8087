#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patterns groups of a trace of several threads: those that do the same are one group, what they do to other data is another.
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
# 40 threads, each with an array of its own that it writes and reads in order: one group of loads, one of stores
for op in ("load", "store"):
    found = [[m for m in g["members"] if m["pattern"]["name"].startswith(op + " mine ")] for g in groups]
    found = [members for members in found if members]
    assert [len(members) for members in found] == [40], (op, [len(members) for members in found])
    assert len({m["distance"] for m in found[0]}) == 1, found[0] # from the one that stands for the group
P
exit $failed
