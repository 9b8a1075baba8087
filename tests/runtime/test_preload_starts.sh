#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A start of a thread or of a process costs little under the runtime: system calls, files and bytes of the spool are counted, CPU time is
# compared with that of starts without the runtime in the same minute.
. "${top_srcdir:-.}/tests/runtime/preload.inc"
RT_TEST_ENGINE=auto engine=auto overhead=3%
starts=$top_builddir/bench/overhead_starts nothing=$top_builddir/bench/overhead_nothing

# recorded COMMAND...: into a new $work/spool
recorded() {
    rm -rf "$work/spool"
    mkdir -m 700 "$work/spool"
    preloaded "$@"
}

# spool NAME FILES BYTES COMMAND...: the spool has at most this number of files and bytes
spool() {
    local name=$1 files_most=$2 bytes_most=$3 files bytes
    shift 3
    recorded "$@" >/dev/null || fail "$name: status $?"
    files=$(find "$work/spool" -type f | wc -l)
    bytes=$(find "$work/spool" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
    echo "$name: $files files, $bytes bytes"
    [ "$files" -gt 0 ] || fail "$name: nothing was recorded"
    [ "$files" -le "$files_most" ] || fail "$name: $files files, expected at most $files_most"
    [ "$bytes" -le "$bytes_most" ] || fail "$name: $bytes bytes, expected at most $bytes_most"
}
# threads share the file of their process
spool "2000 threads" 1 2000000 "$starts" thread 2000
spool "100 programs" 101 4000000 "$starts" exec 100 "$nothing"

# cost KIND...: the least CPU time of a start in several runs, in ns: without the runtime and with it, in turns
cost() {
    local plain=999999999 with=999999999 ns round
    for round in 1 2 3 4 5 6 7; do
        ns=$("$starts" "$@" | tr -d .)
        [ "$ns" -lt "$plain" ] && plain=$ns
        ns=$(recorded "$starts" "$@" | tr -d .)
        [ "$ns" -lt "$with" ] && with=$ns
    done
    echo "$plain $((with - plain))"
}
read -r fork_ns fork_more_ns <<<"$(cost fork 200)"
read -r thread_ns thread_more_ns <<<"$(cost thread 1000)"
read -r exec_ns exec_more_ns <<<"$(cost exec 40 "$nothing")"
echo "CPU time of a start, ns: thread $thread_ns + $thread_more_ns, fork $fork_ns + $fork_more_ns, program $exec_ns + $exec_more_ns"
# Rough limits, because the cost of a start depends on the machine's page faults and interrupts (1.0 to 1.5 ms a program on quiet ones, more on
# a busy one); the limits of system calls below are exact. A thread with a file of its own, or a registration of the whole process, costs more than a fork of this little program
[ "$thread_more_ns" -le $((2 * fork_ns)) ] || fail "a thread costs $thread_more_ns ns more, a fork $fork_ns ns"
[ "$fork_more_ns" -le $((20 * fork_ns)) ] || fail "a fork costs $fork_more_ns ns more than its $fork_ns ns"
[ "$exec_more_ns" -le $((12 * exec_ns)) ] || fail "a program costs $exec_more_ns ns more than its $exec_ns ns"

# calls KIND...: system calls of the median thread or process
calls() {
    strace -qq -f -o "$work/trace" "$@" >/dev/null 2>"$work/err" || { fail "strace: $(head -1 "$work/err")"; return; }
    # interrupted calls have two lines, signals and ends are no calls
    grep -vE 'resumed>|\+\+\+|---' "$work/trace" | awk '{ print $1 }' | sort | uniq -c | awk '{ print $1 }' | sort -n |
        awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'
}
# more_calls NAME MOST COMMAND...: the runtime makes at most MOST
more_calls() {
    local name=$1 most=$2 plain with
    shift 2
    plain=$(calls "$@")
    rm -rf "$work/spool"
    mkdir -m 700 "$work/spool"
    with=$(calls -E LD_PRELOAD="$preload" -E LOADSTONE_SPOOL="$work/spool" "$@")
    echo "system calls of $name: $plain, recorded $with"
    [ "$with" -gt "$plain" ] || fail "$name: it is not recorded"
    [ $((with - plain)) -le "$most" ] || fail "$name: $with system calls, $plain without the runtime; expected at most $most more"
}
if command -v strace >/dev/null && strace -o "$work/trace" true 2>/dev/null; then
    more_calls "a thread" 32 "$starts" thread 60
    # all but the first thread and the collector: chunks of the spool are for many of them
    own=$(awk '!seen[$1]++ { place[$1] = ++threads } place[$1] > 2' "$work/trace" | grep -cE '^[0-9]+ +(openat|mmap|ftruncate|fallocate)\(')
    [ "$own" -le 20 ] || fail "60 threads open, map or extend files $own times"
    more_calls "a forked child" 80 "$starts" fork 20
    more_calls "a program" 190 "$starts" exec 20 "$nothing"
else
    echo "not tried: system calls (strace is not installed or not permitted)"
fi
finish
