#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# merge --sum: the profiles of ranks as one profile, whatever the order and the steps; files that do not belong to the
# job are left out.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py
make_ranks=$top_builddir/tests/tools/make_ranks
for n in 0 1 2 3; do
    "$make_ranks" n$n.h5 host$n $((n * 10)) 10 40 || exit 99
done
sum() { "$loadstone" merge -q -f --samples-of 16 "$@" || failed=1; }
dump() { "$python" "$top_srcdir/tests/tools/ranks.py" dump "$1" >"$2" || failed=1; }
sum --sum -o all.h5 n0.h5 n1.h5 n2.h5 n3.h5
"$python" "$top_srcdir/tests/tools/ranks.py" check "$top_srcdir/doc/run-h5.md" all.h5 n?.h5 || failed=1
dump all.h5 all.txt

# commutative and associative: files in another order, and sums of sums
sum --sum -o back.h5 n3.h5 n1.h5 n2.h5 n0.h5
for n in 0 1 2 3; do sum --sum -o s$n.h5 n$n.h5; done
sum -o left.h5 s2.h5 s0.h5
sum -o right.h5 s3.h5 s1.h5
sum -o tree.h5 right.h5 left.h5
sum -o mixed.h5 n3.h5 left.h5 s1.h5
for f in back tree mixed; do
    dump $f.h5 $f.txt
    must cmp all.txt $f.txt
done
# idempotent: a rank counts once, and the file that counts is named
expect 0 "s1.h5: rank 19, as all its ranks, is also in tree.h5: that one counts" "$loadstone" merge -f --samples-of 16 -o again.h5 tree.h5 s1.h5 tree.h5
dump again.h5 again.txt
must cmp all.txt again.txt
"$make_ranks" shifted.h5 host9 5 10 40 || exit 99
expect 0 "shifted.h5: rank 9 is also in n0.h5: that one counts" "$loadstone" merge --sum -f -o x.h5 n0.h5 shifted.h5
must grep -q "15 ranks of 2 files" err
must grep -q "the job has 40 ranks: 25 are in none of the files (" err
# so do its CPU time, kernel time and incidents, which the file has for all its ranks together
dump x.h5 shifted.txt
"$make_ranks" rest.h5 host9 10 5 40 && "$loadstone" merge -q --sum -f -o rest_sum.h5 n0.h5 rest.h5 || failed=1
dump rest_sum.h5 rest.txt
must cmp shifted.txt rest.txt
"$make_ranks" untimed.h5 host9 5 10 40 untimed || exit 99
expect 0 "untimed.h5: rank 5 is also in n0.h5, and the CPU time of that rank is not known, so that the file's totals cannot be taken apart: left out" \
    "$loadstone" merge --sum -f -o x.h5 n0.h5 untimed.h5
must grep -q "10 ranks of 1 file" err
expect 0 "right.h5: rank 19 is also in sum19.h5, and the sum of its 20 ranks cannot be taken apart" \
    sh -c '"$1" 19.h5 host 19 1 40 && "$2" merge -q --sum -f -o sum19.h5 19.h5 && "$2" merge -f -o x.h5 sum19.h5 right.h5' sh "$make_ranks" "$loadstone"

# the report of the sum has every rank, and the shares of the profiles side by side
"$loadstone" merge -q -f -o side.h5 n0.h5 n1.h5 n2.h5 n3.h5 || failed=1
for f in all side; do
    "$loadstone" report --by object --json $f.h5 2>err | "$python" -c '
import json, sys
for r in sorted(json.load(sys.stdin)["rows"], key=lambda r: r["label"]):
    print(r["label"], r["samples"], *["%.2f" % (r[k]["share"] or 0) for k in ("time", "stall")])' >$f.rows || failed=1
done
must cmp all.rows side.rows

# and all programs count the same samples and bursts
for f in all side; do
    "$loadstone" export --force -f caliper -o $f.counts.json $f.h5 2>err || failed=1
    "$loadstone" report --json $f.h5 2>err >$f.report.json || failed=1
    "$python" -c '
import json, sys
report, exported = (json.load(open(sys.argv[1] + end)) for end in (".report.json", ".counts.json"))
at = exported["columns"].index("bursts")
print(report["estimates"]["samples"], report["estimates"]["bursts"], sum(row[at] for row in exported["data"]))' $f >$f.counts || failed=1
done
must cmp all.counts side.counts
must test "$(cut -d' ' -f2 all.counts)" = "$(cut -d' ' -f3 all.counts)"

# a row of a sum has the mean of its loads, which gives no median
must test "$(grep -c '"latency_median_cycles": null' all.report.json)" -eq "$(grep -c '"latency_median_cycles":' all.report.json)"
must grep -q '"latency_median_cycles": [0-9]' side.report.json
# bursts without a time are not in a trace, and the times that are missing neither
expect 0 "" "$loadstone" export --force -f trace -o all.trace.json all.h5
"$python" "$top_srcdir/tests/tools/ranks.py" trace all.trace.json all.h5 || failed=1
# rows that are sums have no intervals, in diff as in report
expect 0 "rows of a profile of a job are sums over ranks: changes have no intervals" "$loadstone" diff all.h5 s1.h5
must grep -q " no interval$" out
must test "$(grep -c -E '(more|less|new|gone|not significant|too few bursts)$' out)" -eq 0
expect 0 '"intervals": "none: rows are sums over ranks"' "$loadstone" diff --json side.h5 all.h5
must test "$(grep -c '"low": null' out)" -eq "$(grep -c '"low":' out)"
expect 2 "--fail-on-regression needs intervals" "$loadstone" diff --fail-on-regression 5% all.h5 s1.h5

# the columns over ranks in Caliper's file equal the report by rank and function; a sum has no such columns
expect 0 "" "$loadstone" export --force -o side.caliper.json side.h5
expect 0 '"rows"' "$loadstone" report --by rank,function --min-share 0.000001% --json side.h5
cp out side.json
expect 0 "" "$loadstone" export --force -o all.json --format caliper all.h5
"$python" "$top_srcdir/tests/tools/ranks.py" caliper side.caliper.json side.json all.json || failed=1

# the rank that waits longer is found, and no other one
expect 0 "rank 37 (host3) waits 3." "$loadstone" report --by rank all.h5
must grep -q "times as long for neigh as the median" out
must test "$(grep -c "^  rank " out)" -eq 1
must grep -qE "^host3 +30-39 +10 " out
must grep -q "^neigh " out
expect 0 '"rank": 37' "$loadstone" report --by rank --json all.h5
"$python" -c '
import json
ranks = json.load(open("out"))
assert len(ranks["ranks"]) == 40 and [(o["rank"], o["of"]) for o in ranks["outliers"]] == [(37, "neigh")], ranks["outliers"]
assert ranks["ranks"][37]["stall_by_data_ns"]["neigh"] == ranks["outliers"][0]["ns"]' || failed=1
# ranks that are dealt to machines in turns are shown by machine
for n in 0 1 2 3 4 5; do "$make_ranks" turn$n.h5 machine$((n % 2)) $n 1 6 || exit 99; done
"$loadstone" merge -q --sum -f -o turns.h5 turn?.h5 || failed=1
expect 0 "ranks 0 to 5 by machine" "$loadstone" report --by rank turns.h5
must grep -qE '^a machine begins +\|  \|  $' out
must grep -qE '^machine1 +1\.\.\.5 +3 ' out
expect 0 "" "$loadstone" view -f -o turns.html turns.h5
expect 0 "" "$loadstone" report --by thread --csv turns.h5
must grep -q '^"\{0,1\}sums of 1 rank' out
expect 0 "MPI_Barrier (waits)" "$loadstone" report --by mpi all.h5
expect 0 "" "$loadstone" view -f -o all.html all.h5

# files that do not belong to the job are reported, and the rest is summed up
"$make_ranks" plain.h5 host 50 2 40 plain && "$make_ranks" hw.h5 host 60 2 40 hw && "$make_ranks" late.h5 host7 38 3 40 late &&
    "$make_ranks" other.h5 host 70 2 80 || exit 99
head -c 3000 n2.h5 >cut.h5
echo text >notes.h5
expect 0 "20 ranks of 2 files" "$loadstone" merge --sum -f -o x.h5 n0.h5 plain.h5 hw.h5 cut.h5 other.h5 notes.h5 missing.h5 n1.h5
must grep -q "plain.h5: no process in it is a rank of a job: left out" err
must grep -q "n0.h5 and hw.h5: they were sampled by different engines" err
must grep -q "cut.h5" err
must grep -q "other.h5: rank 70 is of a job of 80 ranks, not of 40 as in n0.h5: left out" err
must grep -q "notes.h5" err
must grep -q "missing.h5" err
# files of another program, processor or version belong to the job, but are reported
"$make_ranks" strange.h5 host9 20 10 40 strange || exit 99
expect 0 "20 ranks of 2 files" "$loadstone" merge --sum -f -o x.h5 n0.h5 strange.h5
must grep -q "strange.h5: recorded from another, and n0.h5 from .*: is this one job?" err
must grep -q "strange.h5: recorded on another processor, and n0.h5 on " err
must grep -q "strange.h5: recorded by Loadstone 0.0.9, and n0.h5 by " err
must grep -q "the job has 40 ranks: 20 are in none of the files (10 to 19, 30 to 39)" err
expect 0 "late.h5: rank 38 on host7 began 86400 s after rank 0 of n0.h5" "$loadstone" merge --sum -f -o x.h5 n0.h5 late.h5
expect 3 "none of these files has a rank of a job" "$loadstone" merge --sum -f -o y.h5 plain.h5 notes.h5
must test ! -e y.h5
# a damaged sum is refused like any other profile
"$python" -c '
data = bytearray(open("all.h5", "rb").read())
data[len(data) // 2] ^= 1
open("bad.h5", "wb").write(data)'
expect 3 "bad.h5" "$loadstone" report bad.h5
exit $failed
