#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patterns groups of a trace of several threads: those that do the same are one group, what they do to other data is another.
. "${top_srcdir:-.}/tests/tools/check.sh"
[ "$(uname -m)" = x86_64 ] || skip "the programs are traced on x86-64"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 (Debian's qemu-user) is missing"
[ -f "$top_builddir/.libs/libloadstone-tracer.so" ] || skip "the plugin of loadstone trace was not built"
must "$loadstone" trace -q -o t.trace -- "$top_builddir/tests/tracer/trace_victim" threads >out 2>err
must "$loadstone" patterns groups --members --trivial --min-accesses 50 --json t.trace >groups.json
must python3 - <<'P'
import json
groups = json.load(open("groups.json"))["groups"]
mine = [g for g in groups if " of `mine`" in g["representative"]["name"]]
assert mine, [g["representative"]["name"] for g in groups]
# 40 threads, each with an array of its own that it writes and reads in order
for op in ("gather", "scatter"):
    of_op = [g for g in mine if g["representative"]["name"].startswith(op)]
    assert len(of_op) == 1, of_op
    assert of_op[0]["threads"] == 40 and of_op[0]["diameter"] == 0, of_op
P
exit $failed
