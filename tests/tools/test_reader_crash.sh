#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A crash of libhdf5 in a damaged file is an error that names the file, in every command that reads profiles; other signals end
# the command as if there were no child process, and lose no recording.
. "${top_srcdir:-.}/tests/tools/check.sh"
cc=${CC:-cc}
command -v "${cc##* }" >/dev/null 2>&1 || skip "no C compiler"
cat >crash.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* libhdf5, which does this to the process that opens a file */
static long crash(void)
{
    const char *number = getenv("CRASH_SIGNAL");
    if (number) raise(atoi(number));
    exit(77);
}
long H5Fopen(const char *name, unsigned flags, long access)
{
    (void)name, (void)flags, (void)access;
    return crash();
}
/* The file is made, and writing it takes very long. */
static long create_slowly(const char *name, unsigned flags, long creation, long access)
{
    long (*create)(const char *, unsigned, long, long) = (long (*)(const char *, unsigned, long, long))dlsym(RTLD_NEXT, "H5Fcreate");
    const long file = create(name, flags, creation, access);
    fclose(fopen("writing", "w"));
    sleep(600);
    return file;
}
long H5Fcreate(const char *name, unsigned flags, long creation, long access)
{
    return getenv("CRASH_SLOW") ? create_slowly(name, flags, creation, access) : crash();
}
END
$cc -shared -fPIC -o crash.so crash.c || exit 99
profile=$top_builddir/tests/tools/make_profile
"$profile" some.h5 before && cp some.h5 same.h5 || exit 99
with() { # SIGNAL COMMAND...
    number=$1
    shift
    CRASH_SIGNAL=$number LD_PRELOAD=$scratch/crash.so "$loadstone" "$@"
}
with 0 report some.h5 >out 2>&1
[ $? -eq 77 ] || skip "the functions of libhdf5 cannot be replaced here"

for number in 4 5 6 7 8 11; do
    expect 3 "some.h5: reading failed" with $number report some.h5
done
for command in "view -o page.html some.h5" "export --format csv -o x.csv some.h5" "diff some.h5 same.h5" "merge -o both.h5 some.h5 same.h5" \
    "patterns some.h5" "replay --with some.h5"; do
    # shellcheck disable=SC2086
    expect 3 "some.h5" with 11 $command
done
if "$loadstone" trace --help 2>/dev/null | grep -q -e --hot && "$loadstone" trace -q -o t.trace -- /bin/true 2>/dev/null; then
    expect 125 "some.h5: reading failed" with 11 trace --hot some.h5 -o u.trace -- /bin/true
fi
cp some.h5 loadstone.h5
expect 3 "the profile: reading failed" with 11 report
[ ! -e page.html ] && [ ! -e both.h5 ] || { echo "FAIL: a crash left an output"; failed=1; }

# other signals end the command itself
for number in 2 13 15; do
    (with $number report some.h5 >out 2>err)
    got=$?
    [ $got -eq $((128 + number)) ] && ! grep -q loadstone: err || { echo "FAIL: signal $number: status $got, $(cat err)"; failed=1; }
done
# a closed pipe
"$loadstone" report --limit 1000 some.h5 2>err | true
[ ! -s err ] || grep -q "next:" err || { echo "FAIL: a closed pipe: $(cat err)"; failed=1; }
# if no process can be started, the command reads the file itself
as_user=
[ "$(id -u)" -ne 0 ] || as_user="setpriv --reuid=65534 --clear-groups"
chmod 755 . && chmod 644 some.h5
if $as_user test -x "$loadstone" && $as_user test -r some.h5; then
    $as_user prlimit --nproc=1 "$loadstone" report some.h5 >out 2>err || { echo "FAIL: without processes: $(cat err)"; failed=1; }
else
    echo "not tested: without processes (another user cannot read the build folder)"
fi
# A recorded program keeps its output and status when libhdf5 crashes afterwards, and the raw data is kept.
printf '#!/bin/sh\necho hello\nexit 21\n' >program && chmod +x program
for number in 6 9 11; do
    got=$(with $number record -q -f --engine null --spool . -o new.h5 ./program 2>err)
    status=$?
    spool=$(sed -n 's/.*loadstone resolve \([^ ]*\) .*/\1/p' err)
    [ $status -eq 21 ] && [ "$got" = hello ] && grep -q "writing the profile failed" err && [ -d "$spool" ] && [ ! -e new.h5 ] ||
        { echo "FAIL: record, signal $number: status $status, output '$got', $(cat err)"; failed=1; }
    "$loadstone" resolve -q "$spool" -o new.h5 2>err || { echo "FAIL: the kept data: $(cat err)"; failed=1; }
    expect 1 "writing the profile failed" with $number resolve -f "$spool" -o new.h5
    rm -rf new.h5 "$spool"
done
# A signal that ends record or resolve while the profile is written: the raw data is kept, and the user gets to know it. It goes
# to all processes, as from a terminal, or to the command alone, as from a batch system.
interrupt() { # SIGNAL group|alone COMMAND...
    name=$*
    number=$1 whom=$2
    shift 2
    rm -f writing
    CRASH_SLOW=1 LD_PRELOAD=$scratch/crash.so "$python" "$top_srcdir/tests/tools/interrupt.py" $number $whom writing "$loadstone" "$@" >out 2>err ||
        { echo "FAIL: $name: $(cat err)"; failed=1; }
    [ -e writing ] && [ ! -e new.h5 ] && [ -z "$(ls -d new.h5.part-* 2>/dev/null)" ] || { echo "FAIL: $name: left behind: $(ls)"; failed=1; }
}
if has_python; then
    for signal in "2 group" "15 group" "1 group" "15 alone"; do
        # shellcheck disable=SC2086
        interrupt $signal record -q -f --engine null --spool . -o new.h5 /bin/true
        spool=$(sed -n 's/.*the raw data is kept; loadstone resolve \([^ ]*\) .*/\1/p' err)
        [ -d "$spool" ] || { echo "FAIL: record, signal $signal: no raw data, or no hint: $(cat err)"; failed=1; continue; }
        ! grep -q 'report this as a defect' err || { echo "FAIL: record, signal $signal: $(cat err)"; failed=1; }
        # shellcheck disable=SC2086
        interrupt $signal resolve "$spool" -o new.h5
        "$loadstone" resolve -q "$spool" -o new.h5 2>err || { echo "FAIL: the kept data: $(cat err)"; failed=1; }
        rm -rf new.h5 "$spool"
    done
else
    echo "not tested: signals while the profile is written (needs Python)"
fi
# a caller that ignores SIGCHLD gets the status, too
(trap '' CHLD; "$loadstone" report missing.h5 >out 2>err)
[ $? -eq 3 ] || { echo "FAIL: with SIGCHLD ignored: $(cat err)"; failed=1; }
exit $failed
