#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loadstone replay: Spatter's options one by one, its output with masked times, and refusals.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_json
suite=$top_srcdir/tests/data/spatter-suite
replay() { "$loadstone" replay --no-stream --quiet "$@"; }
quick="-l 64 -r 2 --warmups 1 -b serial"

# spatter NAME OPTION...: the configuration that Spatter's -v 2 shows, without machine-dependent parts
spatter() {
    name=$1
    shift
    echo "== $*"
    if ! replay --format spatter -b serial --warmups 1 -r 2 "$@" >out 2>err; then
        echo "FAIL: $*" >&2
        cat err >&2
        failed=1
    fi
    # compiler, time and rate are of this machine; blanks at line ends are part of the format
    sed -E 's/^(Compiler: ).*/\1COMPILER/; s/^([0-9]+ +[0-9]+ +)[0-9.e-]+ +[0-9.e+]+ *$/\1TIME RATE/' out
    cat err
}

{
    spatter defaults -v 2 -p 0,4,8
    spatter short -v 2 -k Scatter -p UNIFORM:4:2:NR -l 16 -w 2 -n name -s7 -a
    spatter long -v 2 --kernel=SCATTER --pattern=UNIFORM:4:2 --delta=3 --count=16 --wrap=2 --name=name --random=7 --runs 3
    spatter last-wins -v 2 -p UNIFORM:4:2:NR -d 3
    spatter last-wins -v 2 -d 3 -p UNIFORM:4:2:NR
    spatter deltas -v 0 -p 0,1 -d 8,-8,16 -l 100
    spatter backwards -v 0 -p 0,1 -d -8 -l 100
    spatter gs -v 2 -k gs -g 0,2,4 -u 1,0,9 -x 2 -y 5 -l 10
    spatter multigather -v 3 -k MultiGather -p 0,10,20 -g 2,2,1,0 -l 10
    spatter multiscatter -v 3 -k multiscatter -p 0,10,20 -u 2,0 -l 10
    spatter transformed -v 2 -p 0,10,600,5000,1000000 -c -l 4
    spatter transformed -v 2 -p 0,10,600,5000,1000000 -e 100 -j 4 -l 4
    spatter ignored -v 1 -p 1 -z 64 -m 10 -o 3 --atomic-thread-fence --dense-buffers -l 4
    spatter atomic -v 0 -k scatter -p 1 --atomic-writes -l 4
    spatter atomic -v 0 -k scatter -p 1 --atomic-writes 1 -l 4
    spatter generators -v 2 -p "MS1:8:2, 4:20, 5" -l 4
    spatter generators -v 2 -p LAPLACIAN:2:2:100 -l 4
    printf '[{"pattern":"UNIFORM:2:1","count":3,"name":"a","nruns":2},\n{"kernel":"GS","pattern-gather":[0,1],"pattern-scatter":[1,0],"count":3,"nruns":2}]' >two.json
    spatter file -v 2 -f two.json
    spatter file -v 0 -f two.json -l 7 -p 5 -k scatter
    spatter file -v 0 -pFILE=two.json
    spatter file -v 0 -p FILE=two.json
    gzip -c two.json >two.json.gz
    spatter file -v 0 two.json.gz two.json
    printf '\005\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000' >two.sbin
    spatter raw -v 2 -p RAW=two.sbin -l 4
} >spatter.txt
golden replay-spatter.txt spatter.txt

# scatters of several threads to the same elements: exchanged, stored, added to, of either size
for atomic in 1 exchange add store; do
    for bytes in 8 4; do
        expect 0 "scatter" "$loadstone" replay --no-stream -k scatter -p 0,3,1,3 -d 0 -l 5000 -r 2 --atomic-writes=$atomic --element-bytes $bytes
        case $atomic in 1) must grep -q "exchange stores" out ;; store) must grep -q "atomic stores" out ;; *) must grep -q "$atomic stores" out ;; esac
        must grep -q "^validated  all results" out
    done
done
expect 1 "no method has add stores for gather" "$loadstone" replay --no-stream -p 0,1 --stores=add
# gathers beside them keep regular stores
printf '[{"kernel":"gather","pattern":[0,3]},{"kernel":"multigather","pattern":[0,3],"pattern-gather":[1]},{"kernel":"scatter","pattern":[0,3]}]' >mixed.json
for atomic in 1 exchange add store; do
    expect 0 "validated  all results" "$loadstone" replay --no-stream -f mixed.json -r 2 --atomic-writes=$atomic
    must test "$(grep -cE '(gather|multigather) .*regular stores' out)" = 2
    must grep -qE ' scatter .*(exchange|add|atomic) stores' out
done
expect 0 "regular stores" "$loadstone" replay --no-stream -k scatter -p 0,3 -r 2 --atomic-writes 0

# columns to the byte: left-aligned, 15 wide, no line without its blanks
replay --format spatter -v 0 -p 0,1 $quick >out
must test "$(head -1 out)" = "config         bytes          time(s)        bw(MB/s)       "
must grep -qE '^0              1024           .{15}.{15}$' out

# our own table: the figures that do not depend on the machine
replay $quick -f two.json >out
must grep -qE '^ +0 gather +a +8 +3 ' out
must grep -qE '^ +1 gs +2 x stride 1 > 2 x stride -1 +8/8 +3 ' out
must grep -q '^suite      2 configurations: min' out
must grep -q '^validated  all results' out

# JSON and CSV have the form that their readers expect
replay $quick -f two.json --json >out.json
replay $quick -f two.json --csv >out.csv
if command -v python3 >/dev/null; then
    must python3 - <<'T'
import csv, json
j = json.load(open("out.json"))
assert j["schema"] == 1 and len(j["results"]) == 2, j
r = j["results"][1]
assert r["configuration"]["kernel"] == "gs" and r["configuration"]["pattern-scatter"] == [1, 0], r
assert r["bytes"] == 2 * 2 * 3 * 8 and r["valid"] is True and len(r["seconds"]["runs"]) == 2, r
assert abs(r["bytes"] / r["seconds"]["min"] / 1e6 / r["mb_per_s"] - 1) < 1e-6, r
assert r["mb_per_s_regular"] == r["mb_per_s"] and r["stream_share_regular"] is None, r
assert r["stream_share"] is None and j["summary"]["configurations"] == 2, j
rates = [x["mb_per_s"] for x in j["results"]]
assert abs(j["summary"]["mb_per_s_hmean"] / (2 / sum(1 / x for x in rates)) - 1) < 1e-6
rows = list(csv.DictReader(open("out.csv")))
assert [x["bytes"] for x in rows] == ["48", "96"] and rows[0]["name"] == "a" and rows[1]["stream_share"] == "", rows
assert rows[1]["mb_per_s_regular"] == rows[1]["mb_per_s"] and rows[1]["stream_share_regular"] == "", rows
T
fi

# a configuration runs again from its result, by the same keys and values
cat >keys.json <<'T'
[{"name":"lists","kernel":"gs","pattern-gather":[0,1],"pattern-scatter":[2,0],"delta-gather":[1,2],"delta-scatter":[3,-4],"count":8,"wrap":2,"nruns":2},
 {"name":"one","kernel":"gs","pattern-gather":[0,1],"pattern-scatter":[2,0],"delta-gather":5,"delta-scatter":-6,"count":8,"nruns":2},
 {"kernel":"multiscatter","pattern":[0,9,4],"pattern-scatter":[2,0],"delta":[7,-8,9],"count":6,"nruns":2,"seed":3},
 {"kernel":"gather","operation":"reduce","pattern":[0,3,1],"delta":2,"count":4,"nruns":2,"array":"x","first":5,"index-bits":32,
  "element-bytes":4,"object-bytes":16,"threads":2,"thread-first":[0,40],"accesses":24,"row-lengths":[5,0,7],"rows-wait":1}]
T
replay --warmups 1 -t 1 -f keys.json --json >keys.out
replay --warmups 1 -t 1 -f keys.json --max-count 3 --json >short.out
if command -v python3 >/dev/null; then
    for first in keys short; do
        must python3 -c 'import json, sys; json.dump([r["configuration"] for r in json.load(sys.stdin)["results"]], sys.stdout)' <$first.out >again.json
        must replay --warmups 1 -t 1 -f again.json --json >again.out
        must python3 - $first.out again.out <<'T'
import json, sys
first, again = ([r["configuration"] for r in json.load(open(name))["results"]] for name in sys.argv[1:])
assert first == again, (first, again)
T
    done
    must python3 - <<'T'
import json
for given, result in zip(json.load(open("keys.json")), json.load(open("keys.out"))["results"]):
    missing = {key: value for key, value in given.items() if result["configuration"].get(key) != value}
    assert not missing, missing
T
fi

# --together: one result for all patterns, and two patterns of one array share its memory
cat >turns.json <<'T'
[{"name":"low","kernel":"gather","operation":"reduce","pattern":[3,0,70,5],"delta":4,"count":1000,"array":"x","first":10},
 {"name":"high","kernel":"scatter","operation":"update","pattern":[0,1],"delta":2,"count":500,"array":"x","first":4000},
 {"name":"list","kernel":"gather","operation":"chase","pattern":[0,7,3,1,9],"delta":0,"count":1,"nruns":4}]
T
replay -b serial --warmups 1 --together -f turns.json --json -o turns.h5 >out.json
expect 3 "results of loadstone replay, not a recording: loadstone replay --with turns.h5 --plot " "$loadstone" report turns.h5
expect 0 "H-mean" "$loadstone" replay --with turns.h5
# two machines: the rate of each configuration on both, as text and for programs
cp turns.h5 there.h5
expect 0 "1: MB/s" "$loadstone" replay --with turns.h5,there.h5
grep -q ' 1\.00$' out || { echo "FAIL: no ratio of the machines in:"; cat out; failed=1; }
expect 0 "machine,name,kernel," "$loadstone" replay --with turns.h5,there.h5 --csv
[ "$(wc -l <out)" -ge 3 ] || { echo "FAIL: no rows in:"; cat out; failed=1; }
expect 0 '"mb_per_s": ' "$loadstone" replay --with turns.h5,there.h5 --json
must test "$(grep -cE '"machine": ".*, run [12]"' out)" = 2
if has_python h5py; then
    for n in 1 2 3; do
        cp turns.h5 run$n.h5
        "$python" -c "import h5py; f = h5py.File('run$n.h5', 'r+'); f.attrs['stream_triad_mb_per_s'] = 1000.0 * $n; f['results/mb_per_s'][0] *= $n"
    done
    expect 0 "R of harmonic mean and STREAM over 3 runs: " "$loadstone" replay --with run1.h5,run2.h5,run3.h5
fi
# a full disk, imitated by a limit on the length of files: the old file stays, and the error names the cause
kept() {
    cp turns.h5 old.h5
    expect 1 "old.h5 could not be written: is the disk full?" bash -c 'ulimit -f 8; trap "" XFSZ; exec "$0" "$@"' "$loadstone" "$@" --force -o old.h5
    must cmp turns.h5 old.h5
    must test "$(ls | grep -c 'old.h5.part')" = 0
}
kept replay --no-stream --quiet $quick -p UNIFORM:8:1
kept stream -n 1000 -r 1 --warmups 1 -t 1 -k copy
kept study size -t 1 -r 1 --warmups 1 --size 2048
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n' >pointer.h5
expect 3 "pointer.h5 is a pointer of git-lfs, not the file itself" "$loadstone" replay --with pointer.h5
expect 3 "pointer.h5 is a pointer of git-lfs, not the file itself" "$loadstone" report pointer.h5
expect 3 "pointer.h5 is a pointer of git-lfs, not the file itself" "$loadstone" patterns pointer.h5
replay $quick --together -f turns.json --csv >out.csv
replay -b serial --together --max-runs 2 -f turns.json >out
must grep -qE '^ +0 together +low and 2 more +1 ' out
expect 1 "configuration 0 (low) copies through a dense buffer" "$loadstone" replay --no-stream --together --copy -f turns.json
if command -v python3 >/dev/null; then
    must python3 - <<'T'
import csv, json
[r] = json.load(open("out.json"))["results"]
assert [c["name"] for c in r["configurations"]] == ["low", "high", "list"] and r["configurations"][1]["first"] == 4000, r
assert r["bytes"] == 8 * (4000 + 2 * 1000 + 5) and r["valid"] is True and len(r["seconds"]["runs"]) == 10, r
[row] = csv.DictReader(open("out.csv"))
assert row["kernel"] == "together" and row["bytes"] == str(r["bytes"]) and row["valid"] == "yes", row
T
fi

# patterns of a program: its number of threads, its sizes of elements, and means by its bytes
cat >found.json <<'T'
[{"name":"many","kernel":"gather","operation":"reduce","pattern":[0,3,1],"delta":2,"count":4000,"element-bytes":4,"threads":1,"accesses":12000},
 {"name":"few","kernel":"scatter","operation":"fill","pattern":[0,1],"delta":2,"count":1,"element-bytes":16,"threads":1,"accesses":2}]
T
own="--warmups 1 --max-runs 2"
(
    unset OMP_NUM_THREADS
    replay $own -f found.json --json -o found.h5 >out.json
    replay $own -f found.json >table
    replay $own -f found.json --csv >out.csv
    replay $own -f found.json --format spatter -v 0 >columns
    replay $own -f found.json -t 2 --element-bytes 8 >sized
    sed 's/"threads":1/"threads":60000/' found.json >wide.json
    replay $own -f wide.json >wide 2>err
)
must grep -q '^threads    1, as in the program of the patterns; -t sets another number$' table
must grep -q '^elements   4 bytes in 1 of 2 configurations, as in the program; --element-bytes sets one size$' table
must grep -qE '^suite      2 configurations: min .* mean [0-9,]+ MB/s, weighted by the bytes of the program' table
must grep -q '^small      1 of 2 configurations move less than 4096 bytes a run' table
must grep -q '^elements   8 bytes in all configurations; in the program 1 of 2 had smaller ones$' sized
must grep -qE '^threads    [12]; the program had its patterns in 1$' sized
must grep -qE '^threads    [0-9]+; the program had its patterns in 60000$' wide
must test ! -s err
must test "$(awk '$1 == 0 { print $2 }' columns)" = 96000
must test "$(OMP_NUM_THREADS=1 "$loadstone" replay --no-stream --quiet $own -f found.json | grep -c '^threads    1')" = 1
if command -v python3 >/dev/null; then
    must python3 - <<'T'
import csv, json
j = json.load(open("out.json"))
many, few = j["results"]
assert [(r["threads"], r["element_bytes"], r["bytes"]) for r in j["results"]] == [(1, 4, 48000), (1, 8, 16)], j
assert many["configuration"]["element-bytes"] == 4 and many["configuration"]["accesses"] == 12000, many
mean = 48016 / (48000 / many["mb_per_s"] + 16 / few["mb_per_s"])
assert j["summary"]["weighted_by"] == "program" and abs(j["summary"]["mb_per_s_weighted"] / mean - 1) < 1e-6, (j["summary"], mean)
assert [r["element_bytes"] for r in csv.DictReader(open("out.csv"))] == ["4", "8"]
T
fi
expect 0 "weighted MB/s" "$loadstone" replay --with found.h5
# elements of 4 and 8 bytes of one array share its memory, and each pattern is right
sed -e 's/"array":"x","first":10/"array":"x","first":11,"element-bytes":4/' turns.json >sizes.json
expect 0 "validated  all results" "$loadstone" replay --no-stream --quiet -b serial --together --max-runs 2 -f sizes.json
# interrupted runs of kept results are marked in a comparison
if has_python h5py; then
    must "$python" -c 'import h5py; f = h5py.File("found.h5", "r+"); f["results/interrupted"][:] = 0'
    cp found.h5 busy.h5
    must "$python" -c 'import h5py; f = h5py.File("busy.h5", "r+"); f["results/interrupted"][1] = 2'
    must "$loadstone" replay --with found.h5,busy.h5 >compared
    must grep -qE '^few .* [0-9,]+\* ' compared
    must grep -q '^\* 1 rate: runs were interrupted by other programs' compared
    must test "$(grep -c '[0-9]\*' compared)" = 1
    must "$loadstone" replay --with found.h5 >compared
    ! grep -q 'interrupted' compared || { echo "FAIL: interrupted:"; cat compared; failed=1; }
fi

# runs that other programs interrupt, as the clocks show here: the table marks the row, which gets no advice; with Spatter's columns
# a message has the mark
slow() { env LD_PRELOAD="$top_builddir/tests/tools/.libs/fake_clock.so" "$loadstone" replay --no-stream -t 1 -r 4 --pages small -p UNIFORM:8:1:NR -l 400000 "$@"; }
must slow >table 2>err
must grep -qE '^ +[0-9]+ of 4 runs were interrupted by other programs, after 4 that were repeated: the rate may be too low$' table
! grep '^faster' table || { echo "FAIL: advice for a row that was interrupted"; failed=1; }
must slow --format spatter -v 0 >columns 2>err
must grep -qE '^loadstone: runs of 1 of 1 configurations were interrupted by other programs \(0\): their rates may be too low;' err
must test "$(wc -l <columns)" = 2
must test "$(wc -l <err)" = 1
must slow --format spatter -v 0 --quiet >columns 2>err
must test ! -s err

# names with control characters: removed from all outputs and messages
printf '[{"name":"\\u001b[31mred\\n\\u009b2J \\"gr\\u00fcn\\"","pattern":[0,1],"count":3,"nruns":2,"a\\u001b[2Jkey":1}]' >esc.json
printf '[{"kernel":"\\u001b[31mred\\nkernel","pattern":[0,1]}]' >esc_kernel.json
obeyed() {
    "$@" >out 2>err
    LC_ALL=C tr -d '\n\040-\176\302\303\274' <out >left
    LC_ALL=C tr -d '\n\040-\176\302\303\274' <err >>left
    [ -s left ] && { echo "FAIL: $*: control characters:"; od -c left | head; failed=1; }
    must grep -q "$says" out err
}
says='?\[31mred???2J'
for format in table csv json spatter; do obeyed replay $quick -v 2 --format $format -f esc.json; done
obeyed "$loadstone" patterns show esc.json
obeyed "$loadstone" patterns show --json esc.json
obeyed "$loadstone" patterns groups --members esc.json esc.json
obeyed "$loadstone" patterns diff esc.json esc.json
obeyed replay -f esc.json -l 4000000000000 --memory 1M
says='"a?\[2Jkey"'
obeyed "$loadstone" replay --no-stream $quick -f esc.json
says='?\[31mred?kernel'
obeyed replay -f esc_kernel.json
replay $quick -f esc.json --json >out.json 2>err
if command -v python3 >/dev/null; then
    must python3 -c 'import json; assert json.load(open("out.json"))["results"][0]["configuration"]["name"] == "?[31mred???2J \"gr\u00fcn\""'
fi

# refusals: nothing on standard output
refuse() {
    expect "$@"
    [ -s out ] && { echo "FAIL: $*: printed before it refused"; failed=1; }
}
refuse 2 "no pattern: give -p PATTERN or -f FILE" replay
for names in "" , turns.h5, turns.h5,,there.h5; do
    refuse 2 "--with: a name of a file is empty" replay --with "$names"
done
refuse 2 "--with: a name of a file is empty" replay --with "" -p 1
refuse 2 "--output: nothing is run without a pattern" replay --with turns.h5 -o copy.h5
must test ! -e copy.h5
refuse 2 "kernel gs needs pattern-gather" replay -k gs -p 1
refuse 2 "called 'gs'" replay -k sg -g 1 -u 1
refuse 2 "--count: 0 is below 1" replay -p 1 -l 0
refuse 2 "--count: -4 is below 1" replay -p 1 -l -4
refuse 2 "--wrap: 0 is below 1" replay -p 1 -w 0
refuse 2 "--runs: 0 is below 1" replay -p 1 -r 0
refuse 2 "--runs: 4294967296 is above 4294967295" replay -p 1 -r 4294967296
refuse 2 "--warmups: 4294967296 is too much" replay -p 1 --warmups 4294967296
printf '[{"pattern":[1],"nruns":2},\n{"pattern":[1],"nruns":4294967296}]' >many.json
refuse 3 "many.json:2: nruns: 4294967296 is above 4294967295" replay -f many.json
refuse 2 "--pattern-size: 0 is below 1" replay -p 1 -j 0
refuse 2 "cannot be cut to 3 indices" replay -p 1,2 -j 3
refuse 2 "--omp-threads: 0" replay -p 1 -t 0
refuse 2 "--omp-threads: '-1' is below 0" replay -p 1 -t-1
refuse 2 "--verbosity: 4" replay -p 1 -v 4
refuse 2 "is not one of table|spatter|json|csv" replay -p 1 --format xml
refuse 3 "--pattern: the pattern is empty" replay -p ""
refuse 3 "element 1: -2 is below 0" replay -p 1,-2
refuse 3 "expected UNIFORM:LENGTH:STRIDE" replay -p UNIFORM:8
refuse 3 "2 gaps for 3 locations" replay -p MS1:8:1,2,3:4,5
refuse 3 "use UNIFORM, MS1 or LAPLACIAN" replay -p RANDOM:8:8
refuse 3 "nowhere.json cannot be read" replay -f nowhere.json
refuse 3 "directory" replay -f .
refuse 1 "backend 'abacus'" replay -p 1 -b abacus
refuse 1 "configuration 0 needs" replay -p UNIFORM:8:1:NR -l 4000000000000
refuse 1 "configuration 0 needs" replay -p UNIFORM:8:1:NR -l 1000000 --memory 1M
printf '[{"pattern":[1],"count":5},\n{"pattern":[1,}]' >bad.json
refuse 3 "bad.json:2:" replay -f bad.json
head -c 30 two.json >bad.json
refuse 3 "bad.json:1: the file ends too early" replay -f bad.json
: >bad.json
refuse 1 "all patterns together needs" replay --together -f turns.json --memory 36K
refuse 1 "copies through a dense buffer" replay --together --copy -f turns.json
refuse 2 "Spatter's columns have a row for each configuration" replay --together --format spatter -f turns.json
refuse 3 "bad.json:1: the file ends too early; expected an array" replay -f bad.json
head -c 40 two.json.gz >bad.json.gz
refuse 3 "bad.json.gz: the gzip data ends too early" replay -f bad.json.gz
expect 1 " and 16.00 KiB are allowed" "$loadstone" replay -p UNIFORM:8:1 -t 1 --memory 16K
expect 2 "written to a file only" "$loadstone" replay -p UNIFORM:8:1 -o -
expect 0 "--kernel has no effect" "$loadstone" replay --no-stream $quick -f two.json -k scatter
expect 0 "multigather" replay --list
# Spatter's seed is read and printed only
must sh -c '"$0" replay --help | tr -s " \n" " " | grep -qF -e "has no effect on the data"' "$loadstone"
# threads are clamped, numbers above 32 bits are not; and abbreviated options are read, as in Spatter
expect 0 "60000 threads asked for" "$loadstone" replay --no-stream --format spatter -r 2 --warmups 1 -p 0,4 -l 64 -t 60000
expect 0 "4096 threads asked for by OMP_NUM_THREADS, " env OMP_NUM_THREADS=4096 "$loadstone" replay --no-stream -r 2 --warmups 1 -p 0,4 -l 64
refuse 2 "4294967296 is too much" replay -p 1 -t 4294967296
expect 0 "" "$loadstone" replay --no-stream --quiet --format spatter --run 2 --warm 1 --pattern 0,4 --cou=64 --shared-mem=1000
# short runs of one thread are repeated between two readings of the clock, without advice to raise the count
"$loadstone" replay --no-stream --quiet -r 2 --warmups 1 -p 0,4 -l 64 -t 1 >out
must sh -c "! grep -q 'raise the count' out"
replay -b serial -p 0,4 -l 1 --json >out.json
must grep -qE '"repeats": [0-9]{3,}' out.json
exit $failed
