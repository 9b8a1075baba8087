#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The source of a function with its costs; its instructions where there is no source, while the file is the one that ran.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_step
command -v strip >/dev/null || skip "no strip"
cp "$top_builddir/tests/cases/sharing_victim" victim
# record PATTERN ANNOTATE: until the report has it; a machine that is busy samples little
record() {
    for ms in 700 2800 11200; do
        "$loadstone" record -q --force --overhead 20% -o run.h5 -- ./victim $ms >where.txt || exit 1
        "$loadstone" report --annotate "$2" run.h5 2>err | grep -qE "$1" && break
    done
}
costly='^ *[0-9.]+ .* [0-9]+  +neighbours\[me\] \+= constant\[0\];'
record "$costly" count
expect 0 "next: loadstone report --where function=count" "$loadstone" report --annotate count run.h5
must grep -qE "$costly" out
must grep -qE ' [0-9]+  +while \(!is_over\(\)\) \{' out # one line of context around the costly ones
expect 0 "sharing_victim.c:" "$loadstone" report --annotate count --by ip run.h5
must grep -qE '(%rip|%r[a-z0-9]+\))' out
expect 2 "did you mean count?" "$loadstone" report --annotate cuont run.h5

strip victim
record '\(victim\)' '?'
expect 0 "" "$loadstone" report --annotate '?' run.h5
must grep -qE '(%rip|%r[a-z0-9]+\))' out
must grep -qF '(victim)' out
cp /bin/sh victim
expect 0 "is not the file that ran" "$loadstone" report --annotate '?' run.h5
rm victim
expect 0 "cannot open" "$loadstone" report --annotate '?' run.h5
exit $failed
