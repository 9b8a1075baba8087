#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Names that a program or a file chose, in everything that is printed and written.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
cp "$top_builddir/tests/cases/names_victim" ./=victim
must "$loadstone" record -q --overhead 50% --seed 1 -o run.h5 ./=victim 30 >out

# a spreadsheet evaluates no cell, and numbers stay numbers
mkdir csv
for by in node function file phase thread process; do
    must "$loadstone" report --csv --by $by run.h5 >csv/by-$by.csv
done
for table in samples nodes lines threads phases; do
    expect 0 "" "$loadstone" export -t $table -o csv/$table.csv run.h5
done
expect 0 "" "$loadstone" export -F '=grid*SUM*' -t fields -o csv/fields.csv run.h5
expect 0 "" "$loadstone" export -o csv/run.memaxes.csv run.h5
must "$python" - csv/*.csv <<'P' || failed=1
import csv, sys
hostile = 0
for path in sys.argv[1:]:
    rows = list(csv.reader(open(path, encoding="utf-8", newline=""), strict=True))
    assert len(rows) > 1, f"{path}: no rows"
    for row in rows:
        assert len(row) == len(rows[0]), f"{path}: {row}"
        for cell in row:
            hostile += cell.lstrip("' ?").startswith(("=", "+cmd", "@SUM", "-2+3"))
            if cell.lstrip(" ")[:1] in ("=", "+", "-", "@") or cell[:1] in ("\t", "\r", "\n"):
                float(cell)
    print(path, len(rows), hostile)
assert hostile > 100, hostile
P
exit $failed
