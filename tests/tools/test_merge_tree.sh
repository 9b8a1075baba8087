#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# merge --sum as ranks of a parallel job: the sum is the one that a single process makes, whatever the number of ranks.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py
. "$top_srcdir/tests/tools/ranks.inc"
make_ranks=$top_builddir/tests/tools/make_ranks
here=$(launchers)
[ -n "$here" ] || skip "no launcher of MPI with its module"
for n in 0 1 2 3 4; do
    "$make_ranks" n$n.h5 host$n $((n * 10)) 10 50 || exit 99
done
"$make_ranks" plain.h5 host 50 2 50 plain && "$make_ranks" shifted.h5 host9 35 10 50 || exit 99
head -c 3000 n2.h5 >cut.h5
dump() { "$python" "$top_srcdir/tests/tools/ranks.py" dump "$1" >"$2" || failed=1; }
same() {
    dump tree.h5 tree.txt
    must cmp "$1" tree.txt
    must test -z "$(ls | grep part)"
}
"$loadstone" merge -q --sum --samples-of 16 -o all.h5 n?.h5 || failed=1
dump all.h5 all.txt
"$loadstone" merge -q --sum --samples-of 16 -o twice.h5 n0.h5 n4.h5 n1.h5 shifted.h5 n2.h5 2>/dev/null || failed=1
dump twice.h5 twice.txt
"$loadstone" merge -q -o side.h5 n0.h5 n1.h5 || failed=1
"$loadstone" report --by process --csv side.h5 >side.csv || failed=1

for launcher in $here; do
    for ranks in 3 7; do
        job 0 "50 ranks of 5 files" "$launcher" $ranks "$loadstone" merge --sum --samples-of 16 -f -o tree.h5 n0.h5 n1.h5 n2.h5 n3.h5 n4.h5
        same all.txt
    done
    # files that are left out are reported by the rank that read them; parts without any rank of a job
    job 0 "40 ranks of 4 files" "$launcher" 3 "$loadstone" merge --sum --samples-of 16 -f -o tree.h5 plain.h5 plain.h5 n0.h5 n1.h5 cut.h5 n3.h5 missing.h5 n4.h5
    for name in plain.h5 cut.h5 missing.h5; do must grep -q "$name" err; done
    must test -z "$(ls | grep part)"
    # a rank that is in the files of two processes
    job 0 "45 ranks of 5 files" "$launcher" 2 "$loadstone" merge --sum --samples-of 16 -f -o tree.h5 n0.h5 n4.h5 n1.h5 shifted.h5 n2.h5
    must grep -q "one process sums all files up" err
    same twice.txt
    [ "$launcher" = "${here%%[!a-z]*}" ] || continue
    # errors are printed once, and nothing is left
    rm -f tree.h5
    job "not 0" "none of these files has a rank of a job" "$launcher" 3 "$loadstone" merge --sum -o tree.h5 plain.h5 missing.h5 plain.h5
    must test ! -e tree.h5
    job "not 0" "all.h5" "$launcher" 2 "$loadstone" merge --sum -o all.h5 n0.h5 n1.h5
    must test "$(grep -c "loadstone: .*all.h5" err)" -eq 1
    must test -z "$(ls | grep part)"
    # ranks that do not see the files of each other, or have other files
    mkdir -p elsewhere && ln -sf "$PWD"/n?.h5 elsewhere/
    own='[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 0 ] ||'
    job "not 0" "tree.h5.part1, the result of rank 1, is not there" "$launcher" 2 sh -c \
        "$own cd elsewhere; exec '$loadstone' merge --sum -f -o tree.h5 n0.h5 n1.h5"
    must test ! -e tree.h5
    job "not 0" "its files, patterns or options are not those of rank 0" "$launcher" 2 sh -c \
        "f=n2.h5; $own f=n3.h5; exec '$loadstone' merge --sum -f -o tree.h5 n0.h5 \$f"
    must test ! -e tree.h5
    must test -z "$(ls | grep part)"
    # profiles side by side are made by one rank
    job 0 "processes: tree.h5" "$launcher" 2 "$loadstone" merge -f -o tree.h5 n0.h5 n1.h5
    "$loadstone" report --by process --csv tree.h5 >tree.csv || failed=1
    must cmp side.csv tree.csv
done
exit $failed
