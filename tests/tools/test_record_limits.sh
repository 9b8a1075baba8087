#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tight limits: the program's output and status are the same as without recording, or record refuses before it
# starts and prints the reason.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
cat >program <<'E'
#!/bin/sh
echo hello
exit 21
E
chmod +x program
record="$loadstone record -q -f -o run.h5 --engine null"

# unharmed NAME COMMAND...: 21 and hello
unharmed() {
    name=$1
    shift
    "$@" >out 2>err </dev/null
    status=$?
    if [ $status -ne 21 ] || [ "$(cat out)" != hello ]; then
        echo "FAIL: $name: status $status, output '$(cat out)', $(cat err)"
        failed=1
    fi
}
# refused NAME TEXT COMMAND...: 125, nothing ran; messages come by a pipe, which has no limits
refused() {
    name=$1 text=$2
    shift 2
    got=$({ "$@" 3>&1 >&2 2>&3 3>&- </dev/null; echo "status $?"; } 2>/dev/null | cat)
    case $got in
    *"$text"*) ;;
    *) echo "FAIL: $name: no '$text' in $got"; failed=1 ;;
    esac
    [ ! -e ran ] || { echo "FAIL: $name: the program ran"; failed=1; }
}

for blocks in 1 64; do
    unharmed "files of $blocks KiB" bash -c "ulimit -f $blocks; exec $record ./program"
    must grep -q "File too large" err
    must test ! -e run.h5
done
rm -rf loadstone-spool*
# arguments and environment are on the stack: a large environment, as of make, would not fit into it
bare="env -i PATH=$PATH HOME=$HOME"
unharmed "a stack of 64 KiB" $bare bash -c "ulimit -s 64; exec $record ./program"
must test ! -s err
unharmed "32 open files" bash -c "ulimit -n 32; exec $record ./program"
unharmed "100 MB of addresses" bash -c "ulimit -v 100000; exec $record ./program"
printf '#!/bin/sh\ntouch ran\n' >touches
chmod +x touches
# From too little memory for record's libraries on: record does not start, or the program does the same and lacks a profile at most.
unharmed=0 refused=0
for kib in $(seq 70000 2000 98000); do
    (ulimit -v "$kib" && exec $record ./program) >out 2>err </dev/null
    status=$?
    if [ $status -eq 21 ] && [ "$(cat out)" = hello ]; then
        unharmed=$((unharmed + 1))
    elif [ $status -eq 125 ] && [ ! -s out ] && [ -s err ]; then
        refused=$((refused + 1))
    elif [ ! -s out ] && ! (ulimit -v "$kib" && exec "$top_builddir/tools/full/loadstone" --version) >out 2>&1; then
        refused=$((refused + 1)) # its libraries cannot even be loaded
    else
        echo "FAIL: $kib KiB of addresses: status $status, output '$(cat out)', $(cat err)"
        failed=1
    fi
done
echo "between 70 and 98 MB of addresses: $unharmed recordings, $refused refusals"
rm -rf loadstone-spool*
refused "files of no length" "File too large" bash -c "ulimit -f 0; exec $record ./touches"
refused "a stack of 16 KiB" "the stack limit of 16 KiB is too small" $bare bash -c "ulimit -s 16; exec $record ./touches"
for files in 4 5 6 8 12 16; do
    # record may not start with so few files, because its libraries need some
    refused "$files open files" "open files" bash -c "ulimit -n $files; exec $record ./touches"
done
if [ "$(id -u)" -eq 0 ] && unshare -m sh -c 'umount -l /proc' 2>/dev/null; then
    unharmed "no /proc" unshare -m sh -c "umount -l /proc; exec $record ./program"
else
    echo "not tested: no /proc (needs root)"
fi

cat >filter.py <<'E'
"""usage: filter.py NAME kill|trap COMMAND...: run it under a filter that answers a system call so."""
import ctypes, os, platform, struct, sys
numbers = {"x86_64": {"perf_event_open": 298, "fallocate": 285, "sigaltstack": 131, "flock": 73, "prctl": 157, "mkdirat": 258},
           "aarch64": {"perf_event_open": 241, "fallocate": 47, "sigaltstack": 132, "flock": 32, "prctl": 167, "mkdirat": 34}}
number = numbers[platform.machine()][sys.argv[1]]
action = {"kill": 0x80000000, "trap": 0x00030000}[sys.argv[2]]
rows = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x6, 0, 0, action), (0x6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rows), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    sys.exit(77)
os.execvp(sys.argv[3], sys.argv[3:])
E
if has_python ctypes && "$python" filter.py flock kill true; then
    for call in perf_event_open fallocate sigaltstack flock prctl mkdirat; do
        for action in kill trap; do
            # shellcheck disable=SC2086
            refused "seccomp: $action $call" "kills programs that call $call" "$python" filter.py $call $action $record ./touches
        done
    done
    refused "seccomp: doctor" "kills programs that call perf_event_open" "$python" filter.py perf_event_open kill "$loadstone" doctor
else
    echo "not tested: filters of system calls (needs Python with ctypes on x86-64 or ARM64, and seccomp)"
fi

# A program that only allocates does not fill the spool.
cat >mallocs.c <<'E'
#include <stdlib.h>
#include <time.h>
int main(void)
{
    void *volatile p;
    for (unsigned i = 0; i % 4096 || clock() < 3 * CLOCKS_PER_SEC; i++) {
        p = malloc(4096 + i % 8 * 1024);
        free(p);
    }
    return 0;
}
E
if ${CC:-cc} -O1 -o mallocs mallocs.c 2>err; then
    must "$loadstone" record -q -f -o mallocs.h5 --engine null --overhead 10% --spool-max 16M -- ./mallocs >out 2>err
    COLUMNS=1000 must "$loadstone" report mallocs.h5 >mallocs.txt 2>err
    must grep -q 'nothing lost' mallocs.txt
    # hooks do not use up the budget of the bursts
    if can_sample; then
        must "$loadstone" record -q -f -o mallocs.h5 --engine step --overhead 10% -- ./mallocs >out 2>err
        COLUMNS=1000 must "$loadstone" report mallocs.h5 >mallocs.txt 2>err
        bursts=$(sed -n 's/^trust .* \([0-9,]*\) bursts.*/\1/p' mallocs.txt | tr -d ,)
        must test "${bursts:-0}" -ge 10
        # the time of hooks and tags counts as recording
        if grep 'is not represented' mallocs.txt; then
            echo "FAIL: the time of the hooks is in no figure"
            cat mallocs.txt
            "$loadstone" report --how mallocs.h5
            failed=1
        fi
    fi
fi

# Bursts become rarer as the spool fills, but still represent all of the time.
if can_sample; then
    must "$loadstone" record -q -f -o small.h5 --overhead 50% --spool-max 8M -- "$top_builddir/bench/truth/mix" compute 1 >out 2>err
    must "$loadstone" report --json small.h5 >small.json 2>err
    COLUMNS=1000 must "$loadstone" report --how small.h5 >small.txt 2>err
    must grep -q 'whose spool was half full' small.txt
    if grep -q 'recording stopped' small.txt; then
        echo 'FAIL: bursts fill the spool'
        failed=1
    fi
    must "$python" - <<'E'
import json
cpu = json.load(open("small.json"))["cpu"]
assert cpu["represented_ns"] > 0.98 * cpu["user_ns"], cpu
E
fi
exit $failed
