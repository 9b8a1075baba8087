#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Allocations of whole programs are counted at their sites, under the names of their variables; samples find the block that lived then.
. "${top_srcdir:-.}/tests/cases/proc.inc"
plugin=$top_builddir/tests/cases/.libs/sites_plugin.so
victim=$top_builddir/tests/cases/sites_victim

# sites NAME COMMAND...: record it with the hooks alone; its sites are in the file lines
sites() {
    name=$1
    shift
    must "$loadstone" record -q -o "$name.h5" --engine null -- "$@" >out 2>err </dev/null
    "$python" "$top_srcdir/tests/cases/sites_lines.py" "$name.h5" >lines || { echo "FAIL: $name.h5 cannot be read"; failed=1; }
}
# site LABEL BLOCKS MIB: a site of this label (extended regular expression) with this number of blocks and
# bytes
site() {
    holds 1 "^site '$1' blocks $2 bytes $(($3 << 20)) recorded $2 exact"
}

can_unwind=$(ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o 2>/dev/null)
[ "$can_unwind" ] || skip "there are no call paths here (needs x86-64 and glibc 2.35)"

# common to every build of the program
every_kind() {
    site 'A' 1 2
    site 'b->data' 1 2
    site 'b->rows' 3 9
    site 'aligned' 1 4
    site 'from_aligned_alloc' 1 5
    site 'from_memalign' 1 6
    site 'from_valloc' 1 7
    [ $name = jemalloc ] || site 'from_pvalloc' 1 8 # jemalloc has none
    site 'text' 1 9
    site 'copy' 1 9
    site 'grown \(other_kinds:[0-9]+\)' 1 10
    site 'grown \(other_kinds:[0-9]+\)' 1 40
    site 'array' 1 11
    site 'wrapped' 1 12
    site 'mapped' 1 13
    site 'make_nameless:[0-9]+' 1 14
    site 'threaded' 1 15
    site 'forked' 1 16
    holds 1 "^site 'forked' .* process $1\$"
    site 'from_constructor' 1 17
    site 'plugin_buffer' 1 18
}
for build in sites_victim sites_victim_nopie; do
    [ -x "$top_builddir/tests/cases/$build" ] || continue
    sites "$build" "$top_builddir/tests/cases/$build" all "$plugin"
    every_kind 1
    # 20000 blocks of 100 bytes: a sample of about 480, each for about 41; six standard deviations around
    holds 1 "^site 'small' blocks [0-9]+ bytes [0-9]+ recorded [0-9]+ estimated"
    blocks=$(sed -nE "s/^site 'small' blocks ([0-9]+) .*/\1/p" lines)
    [ "${blocks:-0}" -gt 10000 ] && [ "${blocks:-0}" -lt 30000 ] || { echo "FAIL: $build: $blocks small blocks estimated of 20000"; failed=1; }
done

sites cxx "$top_builddir/tests/cases/sites_victim_cxx"
site 'v' 1 3
site 'coords' 1 4
site 'raw' 1 6
site 'owned' 1 7
site 'data' 1 8
holds 1 "^site 'text' blocks 1 bytes 52428[0-9]+ "

# the printed form: estimates are marked
expect 0 '' "$loadstone" report --allocations sites_victim.h5
grep -qE '^ +40\.0 MiB +1 +1  grown \(other_kinds:[0-9]+\)  sites_victim.c:[0-9]+$' out || { echo "FAIL: no grown in:"; cat out; failed=1; }
grep -qE '^~ .* ~ .*  small  sites_victim.c:[0-9]+$' out || { echo "FAIL: no estimated small blocks in:"; cat out; failed=1; }
expect 0 '"site": "from_valloc"' "$loadstone" report --allocations --json sites_victim.h5

# the program's own unwinder stays its own
"$victim" backtrace >plain
must "$loadstone" record -q -o backtrace.h5 --engine null -- "$victim" backtrace >with
must cmp plain with
grep -q 'backtrace of libc.so.6' with || { echo "FAIL: $(head -1 with)"; failed=1; }

# another allocator besides ours: the same sites, and its memory belongs to no site
if env LD_PRELOAD=libjemalloc.so.2 true 2>&1 | grep -q .; then
    echo "not tried: libjemalloc.so.2 is not installed"
else
    sites jemalloc env LD_PRELOAD=libjemalloc.so.2 "$victim" all "$plugin" no-pvalloc
    every_kind 2 # env, the program, its child
    holds 0 "^site '.*(je_|pages_map|extent).*'"
fi

# samples: time distinguishes the blocks of one address
if can_sample; then
    name=lives
    for ms in 60 300 1500; do # a machine that is busy samples little
        must "$loadstone" record -q --force -o lives.h5 $sampled -- env SITES_MS=$ms "$victim" lives >lives.txt
        "$python" "$top_srcdir/tests/cases/sites_lines.py" lives.h5 lives.txt >lines || failed=1
        [ "$(grep -c '^life .* right some ' lines)" -lt 6 ] || break
    done
    for life in 0:first 1:second 2:second 3:third 4:mapped 5:last; do
        holds 1 "^life ${life%:*} ${life#*:} right some wrong 0\$"
    done
else
    echo "not tried: no sampling here"
fi
exit $failed
