#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Accesses to data structures have their type and member: in programs built with several kinds of debugging information.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
cxx=${CXX:-c++}
command -v "${cxx##* }" >/dev/null 2>&1 || skip "no C++ compiler"

# try NAME FLAG...: build, record until there are enough samples, compare with the known accesses
try() {
    name=$1
    shift
    $cxx "$@" -o "layout_$name" "$top_srcdir/tests/cases/layout_victim.cc" 2>err || { echo "SKIP $name: $(head -1 err)"; return; }
    for seconds in 0.4 1.6 6.4; do
        "$loadstone" record -q -f -o "$name.h5" --alloc-min 16 --overhead 40% --seed 1 -- "./layout_$name" $seconds >out 2>err </dev/null || {
            echo "FAIL: $name: $(cat err)"
            failed=1
            return
        }
        "$python" "$top_srcdir/tests/cases/layout_check.py" "$name.h5" >said 2>&1
        status=$?
        [ $status -eq 3 ] || break
    done
    echo "$name: $(cat said)"
    if [ $status -eq 3 ]; then
        echo "SKIP $name: too few samples on this machine"
    elif [ $status -ne 0 ]; then
        failed=1
    fi
}
try plain -g -O1
try types -g -O2 -gdwarf-4 -fdebug-types-section
try split -g -O0 -gsplit-dwarf

# the same by the report: rows of types and fields, and filters
expect 0 "particle" "$loadstone" report --by type plain.h5
expect 0 "particle.pos[]" "$loadstone" report --by field --where type=particle plain.h5
if grep -q "link.key" out; then
    echo "FAIL: --where type=particle shows link.key"
    failed=1
fi
expect 0 "known for" "$loadstone" report --how plain.h5
expect 2 "NOT_A_TYPE" "$loadstone" report --where type=NOT_A_TYPE plain.h5
exit $failed
