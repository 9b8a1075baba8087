#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone traffic: expected and counted bytes of kernels, and the traffic of the data of a trace.
. "${top_srcdir:-.}/tests/tools/check.sh"

# The model is exact, so its figures are the same everywhere.
must "$loadstone" traffic gemm s1cf-1 -n 60,132,316 --cache 32K/8,512K/16 >table
golden traffic-table.txt table
must "$loadstone" traffic s2cf -n 60 --stores bypass --format csv >bypass.csv
must grep -q '^s2cf,60,cached,432000,432000,4320..,432000,4320..$' bypass.csv
must "$loadstone" traffic gemv -n 512 --format json >one.json
if command -v jq >/dev/null; then
    must test "$(jq -r '[.points[0].arrays[].name] | join(" ")' one.json)" = "A x y"
    must test "$(jq -r '.points[0] | .read_bytes == ([.arrays[].read_bytes] | add)' one.json)" = true
    must test "$(jq -r '.points[0].arrays[0].read_bytes' one.json)" = 2097152
fi
expect 0 "C[i][j] += A[i][k] * B[k][j]" "$loadstone" traffic --list

# pictures: a chart a kernel, with the points that the table has
if "$loadstone" traffic gemm s2cf --points 3 --cache 4K/4,16K/8 --plot two.svg >three 2>err; then
    must test "$(grep -cE '^(gemm|s2cf) ' three)" = 6
    must test "$(grep -c '<svg' two.svg)" = 1
    must "$loadstone" traffic gemm --points 3 --cache 4K/4,16K/8 --plot one.html >three 2>err
    must grep -q "gemm: matrix product" one.html
    expect 1 "--force overwrites it" "$loadstone" traffic gemm -n 12 --plot two.svg
    expect 2 "pictures end in .svg, .png or .html" "$loadstone" traffic gemm -n 12 --plot two.pdf
    # a picture that cannot be written costs no figures
    (ulimit -f 0; trap '' XFSZ; "$loadstone" traffic gemv -n 60,80 --plot large.svg; echo "status $?") 2>&1 | cat >figures
    must test "$(grep -cE '^gemv +(60|80) ' figures)" = 2
    must grep -q 'large.svg' figures
    must grep -q '^status 1$' figures
    must test ! -e large.svg
else
    grep -q 'without cairo' err || { cat err; failed=1; }
fi

# a trace: both arrays are read once; one of them is used by one element in a line, and written to
if [ "$(uname -m)" = x86_64 ] && command -v qemu-x86_64 >/dev/null && [ -f "$top_builddir/.libs/libloadstone-tracer.so" ]; then
    must "$loadstone" trace -q --phase loop -o t.trace -- "$top_builddir/tests/cases/truth_programs" stencil >out 2>err
    must "$loadstone" traffic trace t.trace --cache 32K/8,512K/16 --format csv >trace.csv
    must grep -q '^in,' trace.csv
    must grep -q '^out,' trace.csv
    expect 0 "% lines" "$loadstone" traffic trace t.trace
fi

# the installed BLAS, traced: its product needs all three matrices, and no less than the formula; copies need as many
if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null || [ ! -f "$top_builddir/.libs/libloadstone-tracer.so" ]; then
    echo "not tested: gemm-blas (it needs x86-64 and qemu-user)"
elif ! "$loadstone" traffic blas -n 4 2>err; then
    must grep -q 'no BLAS is here' err
else
    for batch in 1 3; do
        must "$loadstone" traffic gemm gemm-blas -n 44 --batch $batch --format csv >blas.csv
        must test "$(grep -c "^gemm.*,44,cached,$((batch * 44 * 44 * 24))," blas.csv)" = 2
        must awk -F, '/^gemm-blas/ { ok = $6 >= $4 && $6 < 1.2 * $4 && $8 >= $7 && $8 < 1.2 * $7 } END { exit !ok }' blas.csv
    done
    must "$loadstone" traffic gemm-blas -n 44 --format json >blas.json
    must grep -q '"regime": "cached"' blas.json
fi
# by counters: a verdict of this boot is kept for a made-up resctrl, whose count never changes
expect 3 "no counter of memory traffic can be used here" env LOADSTONE_SYSFS="$PWD/none" "$loadstone" traffic gemm -n 12 --measure
mkdir -p sys/fs/resctrl/mon_data/mon_L3_00 cache/loadstone
echo 1000 >sys/fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes
kept=cache/loadstone/counters-$(uname -n)-resctrl
printf '%s\n%s\n%s\n%s\n' "$(sed -n 's/.*VERDICT_MAGIC "\([^"]*\)".*/\1/p' "$top_srcdir/traffic/trf_verify.c")" \
    "$(cat /proc/sys/kernel/random/boot_id)" "$PWD/sys" "-1 -1 1000 -1 end" >"$kept"
measured() {
    env XDG_CACHE_HOME="$PWD/cache" LOADSTONE_SYSFS="$PWD/sys" "$loadstone" traffic gemv -n 40 --measure=resctrl --runs 3 --repetitions 2 "$@"
}
measured >measured.txt 2>err || { cat err; failed=1; }
must grep -q '^gemv  *40  resctrl  *moved  *2  *0.000 (0.000..0.000)  *0.000 (0.000..0.000)$' measured.txt
measured --format csv >measured.csv 2>err || { cat err; failed=1; }
must grep -q '^gemv,40,resctrl,2,3,,,,,,,0,0,0,,,,,,,0,0,0$' measured.csv
measured --format json >measured.json 2>err || { cat err; failed=1; }
must grep -q '"source": "resctrl"' measured.json

# a kernel that other tools observe
expect 0 "" "$loadstone" traffic run s1cf-2 -n 24 --repetitions 2
expect 0 "" "$loadstone" traffic run gemm -n 24 --batch 2 --repetitions 2
expect 2 "give one kernel and one size" "$loadstone" traffic run gemm
expect 2 "give one kernel and one size" "$loadstone" traffic run gemmm -n 3
expect 1 "the loops are a library's" "$loadstone" traffic run gemm-blas -n 3
expect 2 "give one size" "$loadstone" traffic blas

# an option that would have no effect is refused before anything runs
expect 2 "traffic trace does nothing with --plot; see loadstone traffic trace --help" "$loadstone" traffic trace nowhere.trace --plot x.svg
expect 2 "traffic run does nothing with --measure" "$loadstone" traffic run gemm -n 40 --measure --plot x.svg
expect 2 "traffic blas does nothing with --list" "$loadstone" traffic blas -n 4 --list
expect 2 "traffic [KERNEL...] does nothing with --top; see loadstone traffic --help" "$loadstone" traffic gemm -n 12 --top 3
must test ! -e x.svg
expect 2 "there is no kernel 'dgemm'" "$loadstone" traffic dgemm
expect 2 "'12x' is no size" "$loadstone" traffic gemm -n 12x
expect 2 "is no cache: write SIZE/WAYS" "$loadstone" traffic gemm -n 12 --cache 32K
expect 2 "no multiple of 3 ways" "$loadstone" traffic gemm -n 12 --cache 32K/3
expect 2 "is no grid of ranks" "$loadstone" traffic s1cf --grid 2
expect 2 "cannot be shared by a grid of 2 x 4 ranks" "$loadstone" traffic s1cf -n 6
expect 2 "give the trace" "$loadstone" traffic trace
expect 3 "nowhere.trace" "$loadstone" traffic trace nowhere.trace
exit $failed
