#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs with other tools in the process: sanitizers, another allocator in LD_PRELOAD, debuggers and
# tracers. With bursts everywhere they behave and print the same.
export RT_TEST_ENGINE=auto
. "${top_srcdir:-.}/tests/runtime/preload.inc"
export LOADSTONE_OVERHEAD=100% LOADSTONE_PERIOD=1ms
ulimit -c 0
tried=0

cat >"$work/guest.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *work(void *unused)
{
    (void)unused;
    long sum = 0;
    for (int i = 0; i < 3000; i++) {
        char *p = malloc((size_t)i * 5 + 1);
        memset(p, i, (size_t)i * 5 + 1);
        sum += p[i * 5];
        free(p);
    }
    return (void *)sum;
}
int main(int argc, char **argv)
{
    pthread_t t;
    void *sum;
    (void)argv;
    if (pthread_create(&t, NULL, work, NULL) || pthread_join(t, &sum)) return 2;
    printf("%ld\n", (long)sum + (long)work(NULL));
    fflush(stdout);
    char *p = malloc(10000);
    free(p);
    if (argc > 1) free(p);
    return 5;
}
EOF

# Compare only the kind of the error, because addresses and stacks differ.
kind() { sed -n 's/^.*ERROR: AddressSanitizer: \([^ ]* *[^ ]*\).*/\1/p' "$1"; }

# Sanitizers older than 2024 crash at random if the kernel randomises mappings by more than 28 bits (gcc up to 13, on kernels of
# Ubuntu 24.04). The number of bits may not be readable.
fixed=()
[ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 32)" -le 28 ] || fixed=(setarch -R)

sanitized() {
    local which=$1
    ${CC:-cc} -g -pthread -fsanitize="$which" "$work/guest.c" -o "$work/$which" 2>/dev/null && "${fixed[@]}" "$work/$which" >/dev/null 2>&1
    [ $? = 5 ] || { echo "not tried: -fsanitize=$which does not work here"; rm -f "$work/$which"; return; }
    tried=$((tried + 1))
    same "$which" "${fixed[@]}" "$work/$which"
    same "$which in a child" env -i "${fixed[@]}" sh -c "$work/$which; echo \$?"
}

sanitized address
sanitized thread
if [ -x "$work/address" ]; then
    "${fixed[@]}" "$work/address" again 2>"$work/plain.err" >/dev/null
    preloaded "${fixed[@]}" "$work/address" again 2>"$work/with.err" >/dev/null
    [ "$(kind "$work/plain.err")" = "$(kind "$work/with.err")" ] || fail "double free is reported as '$(kind "$work/with.err")'"
fi
# An allocator that maps memory, and so calls our hooks, before our constructor has run.
for other in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    [ "$(LD_PRELOAD=$other env true 2>&1)" = "" ] || { echo "not tried: $other is not installed"; continue; }
    tried=$((tried + 1))
    same "$other" timeout -s KILL 60 env LD_PRELOAD=$other perl -e 'my %h; $h{$_ % 100} .= "x" x 100 for 1 .. 20000; print length join "", values %h'
done
if command -v strace >/dev/null && strace -o "$work/trace" true 2>/dev/null; then
    tried=$((tried + 1))
    same strace strace -f -o "$work/trace" sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; echo $i; exit 3'
    # the traced program is followed, and gets no signal that the tracer would show
    grep -E -- '--- SIG(TRAP|RT)' "$work/trace" >"$work/signals" && fail "strace saw: $(head -1 "$work/signals")"
fi
if command -v gdb >/dev/null && ${CC:-cc} -g -O0 -pthread "$work/guest.c" -o "$work/plain" 2>/dev/null; then
    tried=$((tried + 1))
    debug() { gdb -q -batch -nx -ex 'break main' -ex run -ex next -ex next -ex continue "$work/plain" 2>/dev/null | grep -E '^(Program|Breakpoint [0-9]*, main|\[Inferior|-?[0-9]+$)' | sed 's/process [0-9]*//; s/[(]argc.*//'; }
    same gdb debug
    same 'gdb in a script' sh -c "gdb -q -batch -nx -ex run -ex 'print \$_exitcode' $work/plain 2>/dev/null | grep '^[$]1 ='"
fi
# valgrind's tools run the program and the runtime on a virtual processor: signals of our events reach the
# tool, not the program
if command -v valgrind >/dev/null && ${CC:-cc} -g -O0 -pthread "$work/guest.c" -o "$work/plain" 2>/dev/null && valgrind -q --tool=none "$work/plain" >/dev/null 2>&1; [ $? = 5 ]; then
    tried=$((tried + 1))
    for tool in none memcheck helgrind; do
        same "valgrind $tool" valgrind -q --tool=$tool "$work/plain"
        holds_some "valgrind $tool" 'valgrind'
    done
    same 'valgrind in a script' sh -c "valgrind -q $work/plain; echo \$?; valgrind -q sh -c 'exit 3'"
fi
# an emulator gives the program a virtual processor, where single steps may not work, and virtual signals
if command -v qemu-x86_64 >/dev/null && ${CC:-cc} -g -O0 -pthread "$work/guest.c" -o "$work/plain" 2>/dev/null && qemu-x86_64 "$work/plain" >/dev/null 2>&1; [ $? = 5 ]; then
    tried=$((tried + 1))
    same qemu qemu-x86_64 "$work/plain"
    same 'qemu in a script' sh -c "qemu-x86_64 $work/plain; echo \$?"
fi
[ "$tried" -gt 0 ] || { echo "skipped: no sanitizer, strace or gdb here"; exit 77; }
finish
