#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The advice for look-ups by sorted keys is not to sort them; for the same keys in another order it is.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
can_sample || skip "sampling does not work here"
# advice KEYS: the finding for the table, on one line; longer where a busy machine gave few samples
advice() {
    for seconds in 1 4 16; do
        must "$loadstone" record -q -f --overhead 20% -o run.h5 -- "$top_builddir/tests/cases/sorted_victim" "$1" $seconds >out 2>err </dev/null
        COLUMNS=500 "$loadstone" report --node 'table' run.h5 2>err >report.txt || { echo "FAIL: $(cat err)"; failed=1; }
        grep -E '^ *table: ' report.txt >found && return
    done
    echo "no advice for keys $1:"
    sed 's/^/    /' report.txt
    return 1
}
tried=0
if advice drawn; then
    tried=1
    grep -q "sort or pack" found || { echo "FAIL: keys in the order in which they were drawn:"; cat found; failed=1; }
fi
if advice sorted; then
    tried=1
    grep -q "addresses are in order (sorted), with gaps of about" found && ! grep -q "sort or pack" found || { echo "FAIL: sorted keys:"; cat found; failed=1; }
    cat found
fi
[ $tried -eq 1 ] || skip "too few samples on this machine"
exit $failed
