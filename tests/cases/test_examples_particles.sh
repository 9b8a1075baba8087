#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Particles in linked cells: report --layout finds the two members that the search for neighbours needs, and proposes the split that
# particles_split has. Both programs compute the same, to the last digit.
. "${top_srcdir:-.}/tests/cases/examples.inc"
for count in 1 100 5000; do
    for program in whole split; do
        says $program.txt "$examples/particles_$program" $count 20
        must grep -q "^$count particles, 20 steps: energy " $program.txt
    done
    must test "$(head -n 1 whole.txt)" = "$(head -n 1 split.txt)"
    holds "$(number whole.txt momentum) < 1e-9 && $(number whole.txt momentum) > -1e-9"
done
# the energy stays within a hundredth over ten times as many steps
says short.txt "$examples/particles_split" 5000 20
says long.txt "$examples/particles_split" 5000 200
holds "$(number long.txt energy) / $(number short.txt energy) - 1 < 1e-2 && $(number long.txt energy) / $(number short.txt energy) - 1 > -1e-2"
expect 2 "usage:" "$examples/particles_whole" 0

needs_runtime
has_python json || skip "the programs agree; no Python for the rest"
can_sample || skip "the programs agree; sampling does not work here"
cat >split.py <<'END'
import json, sys
layout = json.load(open(sys.argv[1]))
split = layout["split"]
print("%d visits, %.2f lines per visit, %.2f after moving %s" %
      (layout["visits"], layout["lines_per_visit"], split["lines_per_visit"], ", ".join(split["moved"])))
if layout["visits"] < 1000:
    sys.exit(3)
assert split["is_better"] and split["members"] and set(split["members"]) == {"r[]", "next"}, split
assert split["len_bytes"] == 32 and not split["has_pointer"], split
assert layout["lines_per_visit"] > 1.8 and split["lines_per_visit"] < 1.05, layout
END
# more particles than a cache of level 2 holds: otherwise the program hardly waits
for steps in 5 25; do
    must "$loadstone" record -q -f --paused --overhead 30% -o whole.h5 -- "$examples/particles_whole" 200000 $steps >out 2>err </dev/null
    expect 0 "struct particle" "$loadstone" report --layout particle whole.h5
    must "$loadstone" report --layout particle --json whole.h5 >layout.json 2>err
    "$python" split.py layout.json >said 2>&1
    status=$?
    [ $status -eq 3 ] || break
done
cat said
[ $status -eq 0 ] || [ $status -eq 3 ] || failed=1
# the report leads there
expect 0 "next: loadstone report --layout particle whole.h5" "$loadstone" report whole.h5
expect 0 "next: loadstone report --layout particle whole.h5" "$loadstone" report --by type whole.h5
expect 0 "next: loadstone report --layout particle" "$loadstone" report --by field whole.h5
exit $failed
