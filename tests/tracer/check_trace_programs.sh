#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs of the distribution, traced: their output and status are the same as without a trace, and the trace
# is complete.
. "${top_srcdir:-.}/tests/tracer/trace.inc"
needs_python

seq 1 3000 | awk '{ print $1 * 7919 % 3001, "word" $1 % 97 }' >words
head -c 60000 "$loadstone" >bytes
cat >hello.c <<'C'
#include <stdio.h>
int main(void) { for (int i = 0; i < 10; i++) printf("%d\n", i * i); return 0; }
C

# same NAME COMMAND...: alone, then traced. Standard error of a program that dies has a line of QEMU's.
same() {
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "not tested: $name ($1 is not here)"
        return
    fi
    "${native[@]}" "$@" >wanted 2>/dev/null <words
    wanted=$?
    rm -f t.trace
    "$loadstone" trace -q -o t.trace -- "$@" >got 2>err <words
    status=$?
    if [ $status -ne $wanted ]; then
        echo "FAIL: $name: status $status, wanted $wanted"
        sed 's/^/    /' err
        failed=1
    fi
    cmp wanted got || { echo "FAIL: $name: another output"; sed 's/^/    /' err; failed=1; }
    "$loadstone" patterns t.trace >table 2>err || { echo "FAIL: $name: its trace has no patterns"; sed 's/^/    /' err; failed=1; }
    echo "$name: status $wanted, $(sed -n 's/^source.*: \(.* accesses\).*/\1/p' table)"
}
native=()

# they start with the same environment
export OPENSSL_CONF=/dev/null PYTHONHASHSEED=0 PERL_HASH_SEED=0
same sort sort -n words
same gzip gzip -c bytes
same awk awk '{ n[$2] += $1 } END { for (w in n) print w, n[w] | "sort" }' words
same perl perl -ne '$n{(split)[1]}++; END { print "$_ $n{$_}\n" for sort keys %n }' words
same python3 "$python" -c 'import json, sys; print(json.dumps(sorted({l.split()[1]: 0 for l in sys.stdin})))'
same grep grep -cE 'word[13579]+$' words
same xz xz -T2 -c bytes
same bash bash -c 'n=0; while read -r a b; do n=$((n + a)); done; echo $n $b; exit 3'
same sqlite3 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)
    select count(distinct x * 7919 % 1009) from c'
same gcc gcc -O1 -S -o - hello.c
same sha256sum sha256sum bytes
same openssl openssl dgst -sha512 bytes
same false false
same 'a crash' bash -c 'echo before; kill -SEGV $$; echo behind'
same 'a crash of its own' "$python" -c 'import ctypes, sys; print("before"); sys.stdout.flush(); ctypes.string_at(8)'

# programs of another architecture, without trace under the same QEMU
cat >sorted.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
    enum { LEN = 2000 };
    int *v = malloc(LEN * sizeof(*v));
    for (int i = 0; v && i < LEN; i++) v[i] = i * 7919 % 2003;
    qsort(v, LEN, sizeof(*v), order);
    for (int i = 0; i < LEN; i += 100) printf("%d\n", v[i]);
    return 5;
}
C
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
static double sums[4], table[4096];
static void *work(void *at)
{
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < 4096; i++) sums[(double *)at - sums] += table[i] * k;
    return NULL;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4096; i++) table[i] = i % 17;
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, &sums[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    printf("%.3f %.3f\n", sums[0], sums[3]);
    return 0;
}
C
if command -v qemu-aarch64 >/dev/null && aarch64-linux-gnu-gcc -O2 -static -o sorted sorted.c 2>/dev/null &&
    aarch64-linux-gnu-gcc -O2 -pthread -o threads threads.c; then
    native=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
    same 'aarch64, static' ./sorted
    same 'aarch64, threads' ./threads
else
    echo "not tested: aarch64 programs (Debian: qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"
fi
exit $failed
