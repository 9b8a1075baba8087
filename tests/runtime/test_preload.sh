#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whole programs under the preloaded runtime: they behave the same, and the spool records their actions.
. "${top_srcdir:-.}/tests/runtime/preload.inc"

same alloc "$victim" alloc
holds alloc 1 'ALLOC .* len=10013 call=1'
holds alloc 4 'ALLOC .* len=10007 call=3'
holds alloc 1 'ALLOC .* len=4194304 call=2'
holds alloc 1 'ALLOC .* len=100019 call=0'
holds_some alloc 'MAPS .*text=.*rt_victim'
holds alloc 1 'PROCESS .*engine='
holds alloc 1 'THREAD_END'

same mmap "$victim" mmap
holds mmap 1 'MMAP .* len=3145728'
holds mmap 1 'MMAP .* len=5242880'
holds_some mmap 'MUNMAP .* len=3145728'
holds mmap 1 'MMAP .* len=8192 path=.*/rt_victim'
holds mmap 1 'MUNMAP .* len=8192'
holds mmap 1 'MMAP .* len=7340032'
holds mmap 1 'ALLOC .* len=7340032'
holds mmap 1 'MUNMAP .* len=7340032'

# memory that stays mapped keeps its records
same mremap "$victim" mremap
holds mremap 1 'MMAP .* len=53248 path= from='
holds mremap 0 'MUNMAP .* len=(32768|86016)'
holds mremap 1 'MUNMAP .* len=69632'

same threads "$victim" threads
holds threads 1000 'ALLOC .* len=1053577 '
holds threads 1001 'THREAD_BEGIN stack=0x[0-9a-f]+-0x[0-9a-f]+ name=rt_victim'
holds threads 1001 'THREAD_END'

same descriptors "$victim" descriptors
holds descriptors 121 'THREAD_BEGIN stack=0x[0-9a-f]+-0x[0-9a-f]+ name=rt_victim'
holds descriptors 0 'EVENT kind=0 ' # records that were dropped

same c11 "$victim" c11
holds c11 10 'ALLOC .* len=1053583 '
holds c11 11 'THREAD_BEGIN stack=0x[0-9a-f]+-0x[0-9a-f]+ name=rt_victim'
holds c11 11 'THREAD_END'

# Each thread has records, however short it is, in the file of all threads; only a thread with a burst has a separate file.
same idle "$victim" idle
holds idle 1001 'THREAD_BEGIN stack=0x[0-9a-f]+-0x[0-9a-f]+ name=rt_victim'
holds idle 1001 'THREAD_END cpu_ns=[1-9]'
files=$(find "$work/spool" -name 'p*.t*' -type f | wc -l)
bursts=$(grep -c BURST_END "$work/lines")
[ "$files" -ge 1 ] && [ "$files" -le $((1 + bursts)) ] || fail "idle: $files files, $bursts bursts"

# The child of a process whose threads are writing releases their file: it has a separate file, and theirs is complete.
same forks "$victim" forks
holds forks 41 'PROCESS .*engine='
holds forks 40 'ALLOC .* len=1055579 '
holds forks 1 'ALLOC .* len=1055581 '
holds_some forks 'ALLOC .* len=1055577 '
[ "$(grep 'len=1055579 ' "$work/lines" | cut -d' ' -f1 | sort -u | wc -l)" = 40 ] || fail "forks: blocks in the wrong process"
[ "$(grep 'len=1055577 ' "$work/lines" | cut -d' ' -f1 | sort -u | wc -l)" = 1 ] || fail "forks: threads in the wrong process"

same fork "$victim" fork
for len in 20001 20003 20005 20007; do holds "fork $len" 1 "ALLOC .* len=$len "; done
[ "$(grep -c PROCESS "$work/lines")" = 3 ] || fail "fork: not three processes"
[ "$(grep -E 'len=2000[1357]' "$work/lines" | cut -d' ' -f1 | sort -u | wc -l)" = 3 ] || fail "fork: blocks in the wrong process"

same vfork "$victim" vfork
holds vfork 1 'ALLOC .* len=30001 '
holds vfork 1 'ALLOC .* len=30003 '
holds vfork 2 PROCESS

same spawn "$victim" spawn
holds spawn 2 'ALLOC .* len=40001 '
holds spawn 3 PROCESS

same system "$victim" system
holds system 1 'ALLOC .* len=50001 '
holds system 1 'ALLOC .* len=50003 '

same exec "$victim" exec
for step in 0 1 2 3 4 5 6 7; do holds "exec $step" 1 "ALLOC .* len=$((60001 + 2 * step)) "; done
holds exec 8 PROCESS
[ "$(grep PROCESS "$work/lines" | cut -d' ' -f1 | sort -u | wc -l)" = 8 ] || fail "exec: images are not distinguished"

LOADSTONE_CHILDREN=0 same 'children=0' "$victim" spawn
holds 'children=0' 1 PROCESS

# goes_on NAME LENGTHS: recording goes on. All of 20,001 blocks are recorded; or, on a busy machine, some of them, and event
# 12 counts blocks that were left out to hold the budget.
goes_on() {
    local recorded
    recorded=$(grep -cE "ALLOC .* len=($2) " "$work/lines")
    [ "$recorded" -eq 20001 ] || { [ "$recorded" -gt 2000 ] && grep -q ' EVENT kind=12 ' "$work/lines"; } ||
        fail "$1: $recorded blocks are recorded, of 20001"
}
for how in close_range close_range_by_number closefrom loop loop_by_number; do
    LOADSTONE_ALLOC_MIN=0 same "$how" "$victim" closefds "$how"
    goes_on "$how" '1118579|1118581'
done
LOADSTONE_ALLOC_MIN=0 same dup2 "$victim" dup2
goes_on dup2 '1119579|1119581'

same kill9 "$victim" kill9
holds kill9 1 'ALLOC .* len=80001 '
holds kill9 1 'FREE .*'
same abort "$victim" abort
holds abort 1 'ALLOC .* len=80003 '
same exitthread "$victim" exitthread
holds exitthread 1 'ALLOC .* len=94001 '

same strict "$victim" strict
holds strict 1 'ALLOC .* len=92001 '
same filter "$victim" filter
holds filter 1 'ALLOC .* len=93001 '
holds filter 1 'EVENT kind=4 '
same 'filter by syscall' "$victim" filter syscall
holds 'filter by syscall' 1 'ALLOC .* len=93001 '

LOADSTONE_ALLOC_MIN=1M same alloc_min "$victim" alloc
holds alloc_min 0 'ALLOC .* len=10013 call=[0-9]+ frames=[0-9]+( known)?$' # except for one that is sampled
holds_some alloc_min 'ALLOC .* len=4194304 '

# Too many blocks to record each: blocks that are left out are counted, every end belongs to a recorded block, large blocks are
# never left out.
LOADSTONE_OVERHEAD=1% same flood "$victim" flood
holds flood 1 'ALLOC .* len=3145728 '
holds flood 1 'EVENT kind=12 .*count=[1-9]'
awk '/ ALLOC / { b = $4; n[b]++; a++ } / FREE / { b = $4; if (n[b]-- < 1) bad++ }
    END { if (bad || a >= 1000000) { print bad + 0 " ends without a beginning, " a " recorded"; exit 1 } }' "$work/lines" ||
    fail "flood: allocations and frees do not match"
# Records of allocations grow by 70 kB a second after the first 4 MB, 50,000 pairs.
LOADSTONE_OVERHEAD=3% same 'long flood' "$victim" flood 60000000
recorded=$(grep -c ' ALLOC ' "$work/lines")
[ "$recorded" -lt 80000 ] || fail "long flood: $recorded allocations are in the spool"
[ "$recorded" -gt 50 ] || fail "long flood: only $recorded allocations are in the spool"

# A module found by its loader's RUNPATH: dlopen must see the program as its caller.
if command -v "${CC:-cc}" >/dev/null; then
    mkdir -p "$work/outer/inner"
    echo 'int inner_value(void); int inner_value(void) { return 41; }' >"$work/inner.c"
    cat >"$work/outer.c" <<'C'
#include <dlfcn.h>
int outer_call(void);
int outer_call(void)
{
    void *h = dlopen("librt_inner_test.so", RTLD_NOW);
    int (*f)(void) = h ? (int (*)(void))dlsym(h, "inner_value") : 0;
    return f ? f() : -2;
}
C
    "${CC:-cc}" -shared -fPIC -o "$work/outer/inner/librt_inner_test.so" "$work/inner.c" &&
        "${CC:-cc}" -shared -fPIC -o "$work/outer/outer.so" "$work/outer.c" -Wl,--enable-new-dtags,-rpath,'$ORIGIN/inner' ||
        fail "dlopen: cannot build the modules"
    same dlopen "$victim" dlopen "$work/outer/outer.so"
    grep -q 'inner says 41' "$work/with.out" || fail "dlopen: the inner module was not found"
    holds_some dlopen 'MAPS' # the snapshot before dlclose names both
    grep -q 'librt_inner_test' "$work/lines" || fail "dlopen: no snapshot names the module that was unloaded"
else
    echo "not tested: dlopen by RUNPATH (no C compiler)"
fi

if [ "$(id -u)" = 0 ]; then
    LOADSTONE_ALLOC_MIN=0 same setuid "$victim" setuid
    goes_on setuid '1138579|1138581'
    mkdir "$work/jail"
    same chroot "$victim" chroot "$work/jail"
    holds chroot 1 'ALLOC .* len=91003 '
else
    echo "not tested: setuid and chroot (need root)"
fi
finish
