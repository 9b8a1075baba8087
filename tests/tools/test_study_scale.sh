#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone study weak and strong: results of made-up jobs whose roof is known, also damaged, foreign and unlike ones; jobs that
# fail; real jobs of each launcher.
. "${top_srcdir:-.}/tests/tools/check.sh"
. "$top_srcdir/tests/tools/ranks.inc"
make=$top_builddir/tests/tools/make_jobs

# jobs DIR SCALING RANKS... [-- KEY=VALUE...]: a made-up result of each number of ranks
jobs() {
    dir=$1 scaling=$2 list=
    shift 2
    mkdir -p "$dir"
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        list="$list $1"
        shift
    done
    [ $# -eq 0 ] || shift
    for n in $list; do
        must "$make" "$dir/j$n.h5" "$scaling" "$n" "$@"
    done
}

# column NAME: a column of study.csv: "kernel ranks value" of each point
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { print $2, $(at["ranks"]), $(at[name]) }' study.csv
}

# --- curves with a known roof ---
for scaling in weak strong; do
    jobs $scaling $scaling 1 2 3 4 5 6 8 16
    must "$loadstone" study $scaling --collect $scaling --format csv >study.csv
    must test "$(wc -l <study.csv)" -eq 17
    must test "$(column roof_mb_per_s | sort -u | tr '\n' ';')" = "copy 1 50000;copy 16 50000;copy 2 50000;copy 3 50000;copy 4 50000;copy 5 50000;copy 6 50000;copy 8 50000;triad 1 55000;triad 16 55000;triad 2 55000;triad 3 55000;triad 4 55000;triad 5 55000;triad 6 55000;triad 8 55000;"
    must test "$(column saturated | grep ' 1$' | tr '\n' ';')" = "copy 5 1;triad 5 1;"
    must test "$(column speedup | grep -E '^copy (3|16) ' | tr '\n' ';')" = "copy 3 3;copy 16 5;"
    must test "$(column efficiency | grep '^copy 16')" = "copy 16 0.3125"
    must test "$(column roof_share | grep '^triad 4')" = "triad 4 0.8"
    # the slowest rank needs 2 percent more time than the fastest
    must test "$(column rank_mb_per_s_min | grep '^copy 4')" = "copy 4 9803.92157"
    must test "$(column rank_mb_per_s_max | grep '^copy 4')" = "copy 4 10000"
    expect 0 "copy saturates at 5 of 16 ranks: 50 of 50 GB/s; the fit is off by 0.0 %" "$loadstone" study $scaling --collect $scaling
    must grep -qE '^triad +8  +55000 +5.00 +6[23] % .* 100 %$' out
done
expect 2 "all ranks together move the same number of bytes with every number of ranks: these are results of study strong" "$loadstone" study weak --collect strong
expect 2 "these are results of study weak" "$loadstone" study strong --collect weak
jobs line weak 1 2 4 8 -- roof=1e9
expect 0 "copy does not saturate up to 8 ranks: 80 GB/s, efficiency 100 %; the fit is off by 0.0 %" "$loadstone" study weak --collect line
must "$loadstone" study weak --collect line -k triad --format csv >study.csv
must test "$(column roof_share)" = "$(printf 'triad %s \n' 1 2 4 8)"
expect 2 "no kernel or group 'fast'" "$loadstone" study weak --collect line -k fast
# one point below the line is no roof
jobs few weak 1 2 4 8
expect 0 "the fit is off by 22.0 %: measure more numbers of ranks" "$loadstone" study weak --collect few
# a rate that falls again
jobs falls weak 1 2 4 6 8
jobs falls weak 16 -- roof=3e4
expect 0 "copy saturates at 6 of 16 ranks: 50 of 48.1 GB/s, and falls to 30 GB/s by 16; the fit is off by 3." "$loadstone" study weak --collect falls
# two nodes have twice the rate
jobs nodes weak 2 4 6 8 -- one=1e4 roof=3e4
jobs nodes weak 16 24 -- one=1e4 roof=3e4 nodes=2
expect 0 "copy saturates at 4 ranks of a node: 30 of 30 GB/s" "$loadstone" study weak --collect nodes
# ranks that share processors are not in the fit
jobs shared weak 1 2 4
jobs shared weak 8 -- one=1e3 shared=1
expect 0 "copy does not saturate up to 4 ranks: 40 GB/s" "$loadstone" study weak --collect shared
must grep -qE '^copy +8\* ' out
must grep -q 'ranks share processors' out

if command -v jq >/dev/null; then
    must "$loadstone" study weak --collect weak --format json >study.json
    must test "$(jq -c '[.study, .axis, (.kernels | length), .kernels[0].kernel, .kernels[0].fit.roof_mb_per_s, .kernels[0].fit.saturated_ranks, (.kernels[0].points | length), (.failed_jobs | length)]' study.json)" = '["weak","ranks",2,"copy",50000,5,8,0]'
    must test "$(jq -c '.kernels[1].fit | has("saturated_ranks")' study.json)" = true
fi

# --- kept and drawn ---
expect 0 "16 points: weak.h5" "$loadstone" study weak --collect weak -o weak.h5
expect 1 "exists; --force" "$loadstone" study weak --collect weak -o weak.h5
expect 0 "16 points" "$loadstone" study weak --collect weak -o weak.h5 --force
if has_python h5py; then
    must $python - <<'T'
import h5py
f = h5py.File("weak.h5")
r, ranks = f["results"], f["ranks"]
assert f.attrs["study"] == b"weak" and list(r["x"][:8]) == [1, 2, 3, 4, 5, 6, 8, 16], list(r["x"])
assert list(r["ranks"][:]) == list(r["x"][:]) and len({len(r[k]) for k in r}) == 1
assert len(ranks["rank"]) == 2 * 45 and list(ranks["result"][:3]) == [0, 1, 1] and ranks["host"].asstr()[0] == "n0"
T
fi
if "$loadstone" study weak --collect weak --plot weak.svg >out 2>err; then
    must "$loadstone" study strong --collect strong --plot strong.png >out 2>err
    must "$loadstone" study weak --collect shared --plot shared.html >out 2>err
    must grep -q 'copy, shared processors' shared.html
    must test "$(head -c 8 strong.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a
    ! has_python xml.dom.minidom || must $python -c 'import xml.dom.minidom; xml.dom.minidom.parse("weak.svg")'
else
    must grep -q 'without cairo' err
fi

# --- files that are no results, or not like the others ---
jobs mixed weak 1 2 4
echo text >mixed/notes.txt
mkdir mixed/folder.h5
cp weak.h5 mixed/points.h5
"$top_builddir/tests/tools/make_profile" mixed/profile.h5 >/dev/null
expect 0 "no results of jobs, ignored: mixed/notes.txt, mixed/points.h5, mixed/profile.h5" "$loadstone" study weak --collect mixed
must test "$(grep -c '^loadstone: ' err)" -eq 1
head -c 3000 mixed/j4.h5 >mixed/cut.h5
expect 3 "mixed/cut.h5" "$loadstone" study weak --collect mixed
must grep -qE '^copy +4 ' out
: >mixed/cut.h5
expect 3 "mixed/cut.h5: not an HDF5 file" "$loadstone" study weak --collect mixed
rm mixed/cut.h5

# given twice: the fastest counts
must "$make" mixed/again.h5 weak 4 one=1.1e4
expect 0 "mixed/j4.h5: copy of 4 ranks is in mixed/again.h5, too: repetitions; the fastest one counts" "$loadstone" study weak --collect mixed --format csv
cp out study.csv
must test "$(column jobs | grep '^copy' | tr '\n' ';')" = "copy 1 1;copy 2 1;copy 4 2;"
must test "$(column mb_per_s | grep '^copy 4')" = "copy 4 44000"
rm mixed/again.h5

# missing: a number of ranks that was asked for, or a kernel that the others have
expect 3 "triad: no result of 3 ranks in mixed" "$loadstone" study weak --collect mixed --ranks 1,2,3
must grep -qE '^copy +2 ' out
must test "$(grep -cE '^copy +4 ' out)" -eq 0
must "$make" mixed/j8.h5 weak 8 kernels=copy
expect 3 "triad: no result of 8 ranks in mixed" "$loadstone" study weak --collect mixed
must grep -qE '^copy +8 ' out
rm mixed/j8.h5

# unlike: each message names the file
for fact in host=n7 cpu=Fast version=0.0.1 threads=4; do
    must "$make" mixed/j8.h5 weak 8 $fact
    expect 0 "is ${fact#*=}, but in mixed/j1.h5 it is" "$loadstone" study weak --collect mixed
    must grep -q '^loadstone: warning: mixed/j8.h5: ' err
done
must "$make" mixed/j8.h5 weak 8 bytes=4e8
expect 3 "mixed/j8.h5: copy moves 400000000 bytes by each rank, but 800000000 in mixed/j1.h5: left out" "$loadstone" study weak --collect mixed
must test "$(grep -cE '^copy +8 ' out)" -eq 0
must "$make" mixed/j8.h5 weak 8 valid=0
expect 1 "copy of 8 ranks: the result is wrong" "$loadstone" study weak --collect mixed
mkdir none
expect 3 "none has no results of jobs" "$loadstone" study weak --collect none
expect 3 "cannot read directory nowhere" "$loadstone" study weak --collect nowhere

# --- usage ---
expect 2 "study stride has no option --collect" "$loadstone" study stride --collect weak
expect 2 "study weak has no option --span" "$loadstone" study weak --span 1M
expect 2 "--launcher has no effect with --collect" "$loadstone" study weak --collect weak --launcher 'sh {ranks}'
expect 2 "takes no pattern file" "$loadstone" study weak --collect weak one.json
expect 2 "has no {ranks}" "$loadstone" study weak --launcher 'srun -n 4'
for text in 0 1,x 1,,2 99999999 -1; do
    expect 2 "is no number of ranks" "$loadstone" study weak --ranks=$text
done
expect 2 "this process is a rank already (PMI_RANK is set)" env PMI_RANK=0 PMI_SIZE=1 "$loadstone" study weak
expect 1 "ranks run on processors" "$loadstone" study weak --backend opencl --ranks 1
expect 0 "1, 2, 4, ... ranks" "$loadstone" study --list
mkdir empty
ln -s "$(command -v sh)" empty/sh
expect 1 "no launcher of MPI (mpirun, mpiexec) is here: install" env PATH="$PWD/empty" "$loadstone" study weak -n 1000
printf '#!/bin/sh\necho mpirun of nobody\n' >empty/mpirun
chmod +x empty/mpirun
expect 1 "mpirun is of an unknown library" env PATH="$PWD/empty" "$loadstone" study weak -n 1000

# --- jobs that fail: the others count ---
quick="-n 20000 -r 2 --warmups 1 -k copy"
cat >one.sh <<'S'
# a launcher of one rank
n=$1
shift
case $n in
2) echo "there are no 2 slots" >&2 && exit 7 ;;
3) exit 0 ;;
4) kill -KILL $$ ;;
5) echo started >started && exec sleep 1000 ;;
esac
exec "$@"
S
# shellcheck disable=SC2086
expect 1 "the job of 2 ranks failed (status 7): sh one.sh 2 " "$loadstone" study weak $quick --launcher 'sh one.sh {ranks}' --ranks 1,2,3,4
must grep -q '^    there are no 2 slots$' err
must grep -q 'the job of 3 ranks failed (no results here' err
must grep -q 'the job of 4 ranks failed (killed by signal 9)' err
must grep -qE '^copy +1  ' out
must grep -q '^copy does not saturate up to 1 rank: ' out
must grep -qF 'jobs       sh one.sh {ranks} ' out
if command -v jq >/dev/null; then
    # shellcheck disable=SC2086
    "$loadstone" study weak $quick --launcher 'sh one.sh {ranks}' --ranks 1,2 --format json >study.json 2>err
    must test "$(jq -c '[.failed_jobs[] | .ranks, .why]' study.json)" = '[2,"status 7"]'
fi
# shellcheck disable=SC2086
expect 1 "the job of 2 ranks failed" "$loadstone" study weak $quick --launcher 'sh one.sh {ranks}' --ranks 2,
must test ! -s out
# shellcheck disable=SC2086
"$loadstone" study weak $quick --launcher 'sh one.sh {ranks}' --ranks 1,5 >out 2>err &
study=$!
i=0
while [ ! -e started ] && [ $i -lt 600 ]; do
    sleep 0.1
    i=$((i + 1))
done
kill -TERM $study
wait $study
must test $? -eq 143
must test -z "$(find "$TMPDIR" -maxdepth 1 -name 'loadstone-study*')"

# --- results and messages of jobs are kept, and can be collected ---
# shellcheck disable=SC2086
expect 0 "" "$loadstone" study strong $quick --launcher 'sh one.sh {ranks}' --ranks 1, --keep kept
must test -s kept/stream-1.log
# shellcheck disable=SC2086
expect 1 "kept/stream-1.h5 exists; --force" "$loadstone" study strong $quick --launcher 'sh one.sh {ranks}' --ranks 1, --keep kept
# shellcheck disable=SC2086
expect 0 "" "$loadstone" study strong $quick --launcher 'sh one.sh {ranks}' --ranks 1, --keep kept --force
expect 0 "copy" "$loadstone" study strong --collect kept
must grep -q 'ignored: kept/stream-1.log' err

# --- the launchers themselves: their jobs run, the amounts are right, and the results can be collected again ---
cat >pattern.json <<'J'
[{"name": "rows", "kernel": "gather", "pattern": [0, 1, 2, 3], "delta": 4, "count": 10000}]
J
"$loadstone" patterns show pattern.json >/dev/null 2>&1 && patterns=pattern.json || patterns=
points=2
[ -z "$patterns" ] || points=4
for launcher in $(launchers); do
    rm -rf bin
    mkdir bin
    case $launcher in
    shmem) ln -s "$(command -v oshrun)" bin/oshrun ;;
    *) printf '#!/bin/sh\nexec mpirun.%s "$@"\n' "$launcher" >bin/mpirun && chmod +x bin/mpirun ;;
    esac
    for scaling in weak strong; do
        case $scaling in
        weak) bytes="1 320000;copy 2 640000" ;;
        strong) bytes="1 320000;copy 2 320000" ;;
        esac
        # shellcheck disable=SC2046,SC2086
        expect 0 "" env PATH="$PWD/bin:$PATH" "$loadstone" study $scaling $quick $(backend_of "$launcher") --ranks 2 --format csv --keep $launcher-$scaling $patterns
        cp out study.csv
        # the kept results of the same jobs are the same study
        expect 0 "" "$loadstone" study $scaling --collect $launcher-$scaling --format csv
        must diff study.csv out
        must test "$(column bytes | grep '^copy' | tr '\n' ';')" = "copy $bytes;"
        must test "$(column valid | grep -c ' 1$')" -eq $points
        must test "$(column nodes | grep -c ' 1$')" -eq $points
        [ -z "$patterns" ] || case $scaling in
        weak) must test "$(column bytes | grep '^rows' | tr '\n' ';')" = "rows 1 320000;rows 2 640000;" ;;
        strong) must test "$(column bytes | grep '^rows' | tr '\n' ';')" = "rows 1 320000;rows 2 320000;" ;;
        esac
        # the rates of the ranks are known
        must test "$(column rank_mb_per_s_min | grep -cE ' [0-9.e+]+$')" -eq $points
    done
    # more ranks than cores
    more=$(($(nproc) + 1))
    # shellcheck disable=SC2046,SC2086
    expect 0 "ranks share processors" env PATH="$PWD/bin:$PATH" "$loadstone" study strong $quick $(backend_of "$launcher") --ranks 1,$more
    must grep -qE "^copy +$more\* " out
    must grep -q '^copy does not saturate up to 1 rank: ' out
    # a job without memory is refused before the first one
    # shellcheck disable=SC2046
    expect 1 "each with arrays of 100000000000000 elements, needs" env PATH="$PWD/bin:$PATH" "$loadstone" study weak -n 100000000000000 $(backend_of "$launcher") --ranks 2
    # a job whose arrays cannot be split is reported
    # shellcheck disable=SC2046
    expect 1 "arrays of 1 elements cannot be split among 2 ranks" env PATH="$PWD/bin:$PATH" "$loadstone" study strong -n 1 -k copy -r 2 $(backend_of "$launcher") --ranks 2
    must grep -qE '^copy +1  ' out
done
exit $failed
