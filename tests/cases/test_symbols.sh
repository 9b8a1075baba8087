#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Samples land on the right variables and lines: globals, statics and thread-local variables of programs and plugins, position-
# independent or not, stripped, with a separate debug file; C++ and inlining; Fortran; OpenMP.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
can_sample || skip "the step engine does not work here"
cases=$top_srcdir/tests/cases
cc=${CC:-cc}
has() { command -v "$1" >/dev/null 2>&1; }
has "${cc##* }" || skip "no C compiler"

# try NAME CHECK PROGRAM [ARGUMENT...]
try() {
    name=$1 check=$2 program=$3
    shift 3
    status=3
    for ms in 150 600 2400 9600; do
        "$loadstone" record -q -f -o run.h5 --overhead 40% --seed 1 -- "$program" $ms "$@" >truth 2>err || {
            echo "FAIL: $name: $(cat err)"
            failed=1
            return
        }
        $check >said 2>&1
        status=$?
        [ $status -eq 3 ] || break
    done
    echo "$name: $(cat said)"
    # an object in 18 may be without a sample by chance
    if [ $status -eq 3 ] && ! grep -qE '"bursts": *([2-9]|[1-9][0-9]+)[0-9][0-9]\>' <<EOF
$("$loadstone" report --json run.h5 2>/dev/null)
EOF
    then
        echo "SKIP $name: fewer than 200 bursts on this machine"
    elif [ $status -ne 0 ]; then
        failed=1
    fi
}
check_data() {
    "$python" "$cases/sym_check.py" run.h5 truth "$@"
}
with_symbols() { check_data "${program##*/}"; }
without_symbols() { check_data "${program##*/}" stripped; }
# and each plugin's function is a row of the report: on a busy machine all bursts in a function may be
# interrupted
with_plugins() {
    with_symbols || return
    for n in one two; do
        "$loadstone" report --by function --min-share 0.001 --limit 1000 run.h5 >functions 2>/dev/null
        grep -q "sym_work_of_$n" functions || { echo "no function of plugin $n in the report"; return 3; }
    done
}
with_gather() {
    "$loadstone" report --by function --min-share 0.001 run.h5 >functions 2>/dev/null
    grep -q "sym_gather ([^)]*)" functions || { echo "no sym_gather in the report"; return 3; }
}
inlining() { with_symbols && "$python" "$cases/sym_lines.py" run.h5 "$cases/sym_inlined.cc"; }

flags="-g -O2 -std=gnu11 -I$cases"
$cc $flags -fPIE -pie -o pie "$cases/sym_victim.c" -pthread -ldl || exit 99
$cc $flags -fno-pie -no-pie -o fixed "$cases/sym_victim.c" -pthread -ldl || exit 99
for n in one two; do
    $cc $flags -fPIC -shared -DSYM_NAME=$n -o sym_plugin_$n.so "$cases/sym_plugin.c" || exit 99
done

try "position-independent program, plugins one after the other" with_plugins ./pie ./sym_plugin_one.so ./sym_plugin_two.so ./sym_plugin_one.so
awk '/sym_data_of/ { print $4 }' truth | uniq | wc -l | { read -r n; [ "$n" -eq 1 ] || echo "note: the plugins were at $n different places"; }
try "fixed program" with_symbols ./fixed

if has strip && has objcopy; then
    cp pie bare && strip bare
    try "stripped program" without_symbols ./bare
    # by .gnu_debuglink, in the folder .debug beside it
    mkdir -p linked/.debug
    objcopy --only-keep-debug pie linked/.debug/linked.debug && cp bare linked/linked &&
        objcopy --add-gnu-debuglink=linked/.debug/linked.debug linked/linked || exit 99
    try "debug file by .gnu_debuglink" with_symbols linked/linked
    # by build id, under /usr/lib/debug of a name space of our own
    id=$(readelf -n pie 2>/dev/null | awk '/Build ID/ { print $3 }')
    if [ -n "$id" ] && [ -d /usr/lib/debug ] && unshare -rm true 2>/dev/null; then
        objcopy --only-keep-debug pie debug-file
        cat >inside.sh <<EOF
mount -t tmpfs none /usr/lib/debug && mkdir -p "/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)" &&
    cp debug-file "/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug" && exec "$loadstone" resolve -q -f -o run.h5 spool
EOF
        by_build_id() {
            unshare -rm sh ./inside.sh && with_symbols
        }
        try_spool() {
            rm -rf spool
            mkdir spool
            "$loadstone" record -q -f -o run.h5 --spool "$scratch/spool" --keep-spool --overhead 40% --seed 1 -- ./bare 600 >truth 2>err || failed=1
        }
        program=bare
        try_spool
        by_build_id >said 2>&1
        status=$?
        echo "debug file by build id: $(cat said)"
        [ $status -eq 0 ] || [ $status -eq 3 ] || failed=1
    else
        echo "SKIP debug file by build id: no build id, no /usr/lib/debug, or no name spaces"
    fi
else
    echo "SKIP stripped programs: no strip or objcopy (Debian: binutils)"
fi

if has "${CXX:-g++}"; then
    ${CXX:-g++} -g -O2 -std=c++11 -I"$cases" -o inlined "$cases/sym_inlined.cc" || exit 99
    try "C++ names and inlining" inlining ./inlined
else
    echo "SKIP C++: no compiler"
fi
if has gfortran; then
    gfortran -g -O1 -o plate "$cases/sym_common.f90" || exit 99
    try "Fortran COMMON blocks and modules" with_symbols ./plate
else
    echo "SKIP Fortran: no gfortran"
fi

if $cc $flags -fopenmp -o region "$cases/sym_openmp.c" 2>/dev/null; then
    try "function inlined into a parallel region" with_gather ./region
else
    echo "SKIP parallel regions: the compiler has no OpenMP"
fi

# a program that is gone when its spool is resolved: reported once, by name; its addresses are kept
mkdir gone
cp pie gone/gone
for ms in 300 1200 4800; do
    rm -rf gone.spool
    "$loadstone" record -q -f -o run.h5 --spool "$scratch/gone.spool" --keep-spool --overhead 40% -- gone/gone $ms >truth 2>err || failed=1
    "$loadstone" report --by function --min-share 0.001 --limit 1000 run.h5 2>/dev/null | grep -q gone && break
done
rm gone/gone
"$loadstone" resolve -f -o gone.h5 gone.spool >out 2>err || { failed=1; cat err; }
n=$(grep -c "gone/gone: No such file or directory" err)
[ "$n" -eq 1 ] || { echo "FAIL: the missing program is said $n times:"; cat err; failed=1; }
"$loadstone" report --by ip --min-share 0.001 --limit 1000 gone.h5 2>/dev/null | grep -q 'gone+0x' || { echo "FAIL: no address gone+0x... in the report"; failed=1; }
# a program that is damaged when its spool is resolved
for bytes in 50 3000 9000; do
    head -c $bytes pie >gone/gone
    "$loadstone" resolve -q -f -o gone.h5 gone.spool 2>err || { echo "FAIL: a program cut to $bytes bytes: $(cat err)"; failed=1; }
done
exit $failed
