/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin with globals, statics and thread-local variables. SYM_NAME makes its names differ. */
#include "sym_victim.h"

#define SYM_JOIN2(a, b) a##b
#define SYM_JOIN(a, b) SYM_JOIN2(a, b)
#define SYM_TEXT2(a) #a
#define SYM_TEXT(a) SYM_TEXT2(a)
#define SYM_DATA SYM_JOIN(sym_data_of_, SYM_NAME)
#define SYM_LOCAL SYM_JOIN(sym_static_of_, SYM_NAME)
#define SYM_TLS SYM_JOIN(sym_tls_of_, SYM_NAME)
#define SYM_WORK SYM_JOIN(sym_work_of_, SYM_NAME)
#define SYM_MODULE "sym_plugin_" SYM_TEXT(SYM_NAME) ".so"

enum { LEN = 2048 };
float SYM_DATA[LEN];
static long SYM_LOCAL[LEN] = {1};
_Thread_local int SYM_TLS[LEN];

__attribute__((noinline)) static void SYM_WORK(unsigned long long end_ns)
{
    volatile float *data = SYM_DATA;
    volatile long *local = SYM_LOCAL;
    volatile int *tls = SYM_TLS;
    do
        for (unsigned k = 0; k < 20000; k++) {
            const unsigned i = k * 7919 % LEN;
            data[i] += 1;
            local[i]++;
            tls[i]++;
        }
    while (sym_now_ns() < end_ns);
}

void sym_plugin_work(unsigned long ms);
void sym_plugin_work(unsigned long ms)
{
    const unsigned long long from = sym_now_ns();
    SYM_WORK(from + ms * 1000000ull);
    const unsigned long long to = sym_now_ns();
    SYM_REPORT(SYM_TEXT(SYM_DATA), SYM_MODULE, "symbol", SYM_DATA, sizeof(float), from, to);
    SYM_REPORT(SYM_TEXT(SYM_LOCAL), SYM_MODULE, "symbol", SYM_LOCAL, sizeof(long), from, to);
    SYM_REPORT(SYM_TEXT(SYM_TLS), SYM_MODULE, "tls", SYM_TLS, sizeof(int), from, to);
}
