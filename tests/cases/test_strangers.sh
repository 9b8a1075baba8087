#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Names that another user chose: sources that his binary names, binaries and files that his spool names. No line of
# a file that he could not read gets into a profile, nothing is written for him, and nothing hangs.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
needs_python h5py
[ "$(id -u)" -eq 0 ] || skip "needs root, to be two users"
ls "$top_builddir"/runtime/core/.libs/*rt_unwind_x86_64_sigsafe.o >/dev/null 2>&1 || skip "call paths are not known on this machine"
stranger=65534
chmod 755 .

# built BINARY FILE: its DWARF has its one allocation in line 2 of FILE
built() {
    printf '#include <stdlib.h>\nint main(void)\n{\n#line 2 "%s"\n    volatile char *p = calloc(1, 1 << 22);\n    p[1 << 20] = 1;\n    free((void *)p);\n    return 0;\n}\n' "$2" >main.c
    must ${CC:-cc} -g -O1 -Wl,--build-id=none -o "$1" main.c
}
# texts FILE: all texts of a profile
texts() {
    "$python" - "$1" <<'P' || failed=1
import h5py, sys
def show(name, item):
    if isinstance(item, h5py.Dataset) and item.dtype.kind == "S":
        print(*item[:], sep="\n")
h5py.File(sys.argv[1], "r").visititems(show)
P
}
# shows WANT BINARY FILE NAME: does a profile of BINARY, recorded by root, have the text of FILE?
shows() {
    timeout -s KILL 120 "$loadstone" record -q -f -o run.h5 --engine null -- "$2" >out 2>err </dev/null || { echo "FAIL: $4: $(cat err)"; failed=1; }
    texts run.h5 >texts
    must grep -qF "$3" texts # the name itself is the binary's
    got=no
    ! grep -q secret texts || got=yes
    [ $got = "$1" ] || { echo "FAIL: $4: in the profile: $got, wanted $1"; failed=1; }
}
# pair WANT FILE NAME: WANT for a stranger's binary, always yes for root's own
pair() {
    built theirs "$2"
    cp theirs ours
    chown $stranger theirs
    shows "$1" "$scratch/theirs" "$2" "another user's binary, $3"
    shows yes "$scratch/ours" "$2" "root's own binary, $3"
}
# written FILE MODE: a source file, whose path has no word of its text
written() {
    printf 'struct secret;\nsecret_name = calloc(1, 1 << 22);\nsecret_line\n' >"$1"
    chmod "$2" "$1"
}
mkdir private open his
chmod 700 private
chown $stranger his
chmod 700 his
written open/closed.c 600
written open/public.c 644
written private/public.c 644
written his/his.c 600
chown $stranger his/his.c
ln -s ../open/closed.c his/link.c
ln -s ../private/public.c his/through.c
pair no "$scratch/open/closed.c" "a file that only root reads"
pair no "$scratch/private/public.c" "a file in a directory that only root enters"
pair no "$scratch/his/link.c" "a link to a file that only root reads"
pair no "$scratch/his/through.c" "a link into a directory that only root enters"
pair yes "$scratch/open/public.c" "a file that everybody reads"
pair yes "$scratch/his/his.c" "a file of the other user"
chmod o+w ours
built ours "$scratch/open/closed.c"
chmod o+w ours
shows no "$scratch/ours" "$scratch/open/closed.c" "a binary that everybody may write"

# no source files: pipes, devices, directories, and one that is too large
mkfifo his/pipe.c
truncate -s 64G his/huge.c
chown $stranger his/huge.c
for file in "$scratch/his/pipe.c" /dev/zero "$scratch/his" "$scratch/his/huge.c"; do
    built theirs "$file"
    shows no "$scratch/theirs" "$file" "$(stat -c %F "$file") as source"
done

# debug files that are pipes
mkfifo pipe
built theirs "$scratch/open/public.c"
"$python" -c 'import sys; sys.stdout.buffer.write(b"pipe".ljust(8, b"\0") + bytes(4))' >section
if objcopy --only-keep-debug theirs whole && objcopy -g --add-section .gnu_debuglink=section theirs linked 2>err; then
    timeout -s KILL 120 "$loadstone" record -q -f -o run.h5 --engine null -- ./linked >out 2>err </dev/null
    must test $? -eq 0
else
    echo "not tested: .gnu_debuglink (needs objcopy)"
fi
# a true one is used
if cp whole pipe.debug && objcopy -g --add-gnu-debuglink=pipe.debug theirs true 2>err; then
    shows yes "$scratch/true" "$scratch/open/public.c" "a debug file beside the binary"
    chown $stranger pipe.debug
    built theirs "$scratch/open/closed.c"
    objcopy --only-keep-debug theirs pipe.debug
    objcopy -g --add-gnu-debuglink=pipe.debug theirs true
    shows yes "$scratch/true" "$scratch/open/closed.c" "root's debug file"
    chown $stranger pipe.debug
    shows no "$scratch/true" "$scratch/open/closed.c" "another user's debug file beside root's binary"
fi
if ${CC:-cc} -g -gsplit-dwarf -o split -c main.c 2>err && ${CC:-cc} -g -gsplit-dwarf -o split main.c 2>err && ls ./*.dwo >dwos 2>/dev/null; then
    while read -r dwo; do
        rm "$dwo"
        mkfifo "$dwo"
    done <dwos
    timeout -s KILL 120 "$loadstone" record -q -f -o run.h5 --engine null -- ./split >out 2>err </dev/null
    must test $? -eq 0
fi

# another user's spool: it names root's private program in the place of his own, asks for a file, and has a pipe
built private/program "$scratch/private/public.c"
built his/program "$scratch/private/public.c"
mkdir theirs-spool
"$loadstone" record -q -f -o run.h5 --engine null --keep-spool --spool theirs-spool -- "$scratch/his/program" >out 2>err
spool=$(echo theirs-spool/loadstone-spool-*)
rm his/program
ln -s ../private/program his/program
must "$loadstone" resolve -q -f -o run.h5 "$spool"
texts run.h5 >texts
must grep -q secret_name texts
chown -R $stranger "$spool"
must "$loadstone" resolve -q -f -o run.h5 "$spool"
texts run.h5 >texts
must grep -q "not readable for the user who recorded" texts
! grep -q secret texts || { echo "FAIL: another user's spool: lines of a private program"; failed=1; }
for file in "$spool"/p*.t0.0; do mkfifo "${file%t0.0}t1.0"; done
timeout -s KILL 60 "$loadstone" resolve -q -f -o run.h5 "$spool" >out 2>err
must test $? -eq 0

mkdir dumped
"$loadstone" record -q -f -o run.h5 --engine null --keep-spool --spool dumped -- "$top_builddir/tests/cases/proc_victim" dump "$scratch/private/asked.csv" >out 2>err
must test -s private/asked.csv
# root's program may be a stranger's by the time it asks
dump() { # FILE: the program asks for it, twice
    for i in 1 2; do
        "$loadstone" record -q -f -o run.h5 --engine null -- "$top_builddir/tests/cases/proc_victim" dump "$1" >out 2>err || failed=1
    done
}
dump "$scratch/private/asked.csv" # an earlier dump is replaced
must test ! -s err
dump "$scratch/private/asked.sh"
must grep -q "is not written by root" err
must test ! -e private/asked.sh
echo precious >private/kept.csv
ln -s kept.csv private/link.csv
for file in kept link; do
    dump "$scratch/private/$file.csv"
    must grep -q "root does not replace it" err
done
must grep -q precious private/kept.csv
rm private/asked.csv
chown -R $stranger dumped/loadstone-spool-*
must "$loadstone" resolve -f -o run.h5 dumped/loadstone-spool-* >out 2>err
must grep -q "belongs to another user" err
must test ! -e private/asked.csv

# another user's perf.data names root's private program in the place of his own
rm -f his/program
built his/program "$scratch/private/public.c"
if perf record -q -e page-faults:u -c 1 -d -o his.data his/program 2>err; then
    rm his/program
    ln -s ../private/program his/program
    for owner in 0:yes $stranger:no; do
        chown "${owner%:*}" his.data
        must timeout -s KILL 120 "$loadstone" import -q -f -o run.h5 his.data
        texts run.h5 >texts
        got=no
        ! grep -qF private/public.c texts || got=yes
        [ $got = "${owner#*:}" ] || { echo "FAIL: perf.data of user ${owner%:*}: names of a private program: $got"; failed=1; }
    done
else
    echo "not tested: perf.data ($(head -1 err))"
fi
exit $failed
