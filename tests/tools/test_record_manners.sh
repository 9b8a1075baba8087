#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# record ends with the program's status, passes signals on, and leaves only the profile.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
expect 0 "next: loadstone report" "$loadstone" record -o zero.h5 true
must test -s zero.h5
expect 7 "" "$loadstone" record -o seven.h5 sh -c 'exit 7'
must test -s seven.h5
expect 143 "" "$loadstone" record -o killed.h5 sh -c 'kill -TERM $$'
expect 0 "" "$loadstone" report killed.h5
must grep -q "killed by signal 15" out
must test -z "$(ls -d loadstone-spool* 2>/dev/null)"
# without samples there is no table, and the next command records the same program
expect 0 "" "$loadstone" record -q --engine null -o null.h5 -- sh -c 'exit 0'
expect 0 "next: loadstone record --force -o null.h5 -- sh -c 'exit 0'" "$loadstone" report null.h5
must grep -q '^empty      the engine null takes no samples$' out
must test "$(grep -c '^data' out)" -eq 0
expect 0 "null.h5 has no samples" "$loadstone" export null.h5 -o null.speedscope.json
# a signal sent to the launcher reaches the program; the program decides
"$loadstone" record -q -o signal.h5 -- sh -c 'trap "exit 9" USR1; touch ready; i=0; while [ $i -lt 2400 ]; do sleep 0.05; i=$((i + 1)); done' &
launcher=$!
i=0
while [ ! -e ready ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i + 1)); done
kill -USR1 $launcher
wait $launcher
must test $? -eq 9
# the program's output is unchanged
"$loadstone" record -q -o cat.h5 echo hello >out 2>err
must test "$(cat out)" = hello
must test ! -s err
# executed data has no symbols that could be missing: only /events mentions it, also without -q
cat >runs_data.c <<'E'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* mov %rdi,%rcx; xor %eax,%eax; 1: add (%rsi),%rax; dec %rcx; jnz 1b; ret */
static const unsigned char code[] = {0x48, 0x89, 0xf9, 0x31, 0xc0, 0x48, 0x03, 0x06, 0x48, 0xff, 0xc9, 0x75, 0xf8, 0xc3};
static void runs(int fd)
{
    static long one = 1;
    long (*sum)(long, long *);
    if (fd < 0 || write(fd, code, sizeof code) != sizeof code) _exit(2);
    void *at = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) _exit(3);
    memcpy(&sum, &at, sizeof at);
    if (sum(200000000, &one) != 200000000) _exit(4);
}
int main(void)
{
    runs(open("image.core", O_RDWR | O_CREAT | O_TRUNC, 0600));
    runs(memfd_create("code", 0));
    return 0;
}
E
if can_sample && ${CC:-cc} -o runs_data runs_data.c 2>/dev/null; then
    must "$loadstone" record -q --overhead 50% -o data.h5 ./runs_data >out 2>err
    must test ! -s out
    must test ! -s err
    expect 0 "image.core: not an ELF file" "$loadstone" report --how data.h5
fi
# the spool: kept on demand, mode 0700, resolved again
expect 0 "" "$loadstone" record -q --keep-spool --spool spool -o kept.h5 true
must test "$(stat -c %a spool/loadstone-spool-*)" = 700
must grep -q '^command=true$' spool/loadstone-spool-*/spool.conf
expect 0 "next: loadstone report" "$loadstone" resolve spool -o again.h5
expect 0 "next: loadstone report" "$loadstone" resolve spool/loadstone-spool-* -o named.h5
expect 0 "raw data: $scratch/spool/loadstone-spool-" "$loadstone" record --keep-spool --spool spool -o other.h5 true
expect 1 "spool holds 2 spools" "$loadstone" resolve spool -o which.h5
# the reader of the messages has ended: the profile is written nevertheless
mkfifo gone
exec 9<>gone 8>gone 9>&-
"$loadstone" record -o unheard.h5 true >out 2>&8
must test $? -eq 0
exec 8>&-
must test -s unheard.h5
must test -z "$(ls -d loadstone-spool* 2>/dev/null)"
# ranks of a job do not write the same file
expect 0 "" env PMIX_RANK=3 "$loadstone" record -q -o rank.h5 true
must test -s rank.3.h5
# a spool too small for any record: the program keeps its status, the profile is empty and the loss is
# reported
expect 7 "spool-max is too small" "$loadstone" record -o tiny.h5 --spool-max 8K sh -c 'exit 7'
expect 0 "" "$loadstone" report tiny.h5
# a spool that is full half-way: the recorded part is in the profile, and record and report mention the loss. Where bursts work
# they fill it, for as long as that takes (a timer begins one a tick); elsewhere the small blocks of the shell do, a sample of
# them
fills=
can_sample && fills=--alloc-min=1G
for rounds in 100000 400000 1600000 6400000; do
    # shellcheck disable=SC2086
    "$loadstone" record --force -o half.h5 --spool-max 512K --overhead 100% --seed 1 $fills sh -c "i=0; while [ \$i -lt $rounds ]; do i=\$((i + 1)); done" >out 2>err </dev/null
    must test $? -eq 0
    grep -qF "raise --spool-max" err && break
done
must grep -qF "raise --spool-max" err
expect 0 "spool size cap reached" "$loadstone" report --how half.h5
! grep -q '^engine  *step' out || must grep -qE '^engine .* [1-9][0-9,]* bursts? represent' out
exit $failed
