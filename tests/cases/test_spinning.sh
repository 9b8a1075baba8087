#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Threads that spin at a barrier wait for other threads, not for data: the report prints their share of the time.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_runtime
can_sample || skip "sampling does not work here"
cat >spin.c <<'END'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    double sum = 0;
    for (int r = 0; r < rounds; r++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        if (omp_get_thread_num() == 0)
            for (long i = 0; i < 3000000; i++)
                sum += 1.0 / (double)(i + 1);
    }
    printf("%d\n", sum > 0);
    return 0;
}
END
cc=${CC:-cc}
$cc -O1 -g -fopenmp -o spin spin.c 2>err || skip "no OpenMP: $(head -1 err)"
for rounds in 100 400 1600; do # a machine that is busy samples little
    must env OMP_WAIT_POLICY=active "$loadstone" record -q -f --overhead 20% -o run.h5 -- ./spin $rounds >out 2>err </dev/null
    must "$loadstone" report run.h5 >report.txt 2>err
    grep -q "^threads " report.txt && break
done
must grep -qE "^threads +[0-9.]+ % of the time is in lib(gomp|omp|iomp5)\.so" report.txt
must grep -q "OMP_WAIT_POLICY=passive" report.txt
must env OMP_WAIT_POLICY=passive "$loadstone" record -q -f --overhead 20% -o run.h5 -- ./spin $rounds >out 2>err </dev/null
must "$loadstone" report run.h5 >report.txt 2>err
if grep "^threads " report.txt; then
    echo "FAIL: threads that sleep are said to wait"
    failed=1
fi
[ $failed -eq 0 ] || cat report.txt
exit $failed
