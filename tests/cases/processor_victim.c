/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: processor_victim ROUNDS: results of instructions that few processors have, and of signals on small alternate
 * stacks: one line for each kind, the same in every run, or "NAME not here". Status 1: a result is wrong. */
#include <cpuid.h>
#include <x86intrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROWS = 16, ROW_BYTES = 64, THREADS = 8, COPY_BYTES = 4096 };

static unsigned rounds;
static int failed;

static bool has(unsigned leaf, unsigned subleaf, unsigned reg, unsigned bit)
{
    unsigned r[4] = {0};
    return __get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]) && r[reg] >> bit & 1;
}
enum { EBX = 1, ECX, EDX };

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static void say(const char *name, bool is_here, uint64_t result)
{
    if (is_here)
        printf("%s %016lx\n", name, (unsigned long)result);
    else
        printf("%s not here\n", name);
}

/* --- tiles: each thread uses them for the first time --- */

static const struct {
    uint8_t palette, start_row, unused[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tiles = {.palette = 1, .row_bytes = {ROW_BYTES, ROW_BYTES, ROW_BYTES}, .rows = {ROWS, ROWS, ROWS}};

static void *multiply(void *arg)
{
    uint64_t *result = arg, stride = ROW_BYTES, count;
    int8_t a[ROWS][ROW_BYTES], b[ROWS][ROW_BYTES];
    int32_t sums[ROWS][ROW_BYTES / 4];
    for (int i = 0; i < ROWS * ROW_BYTES; i++) {
        a[i / ROW_BYTES][i % ROW_BYTES] = (int8_t)(7 * i);
        b[i / ROW_BYTES][i % ROW_BYTES] = (int8_t)(3 * i + 1);
    }
    for (unsigned n = 0; n < rounds; n++) {
        __asm__ volatile("ldtilecfg %[tiles]\n\t"
                         "tilezero %%tmm0\n\t"
                         "tileloadd (%[a],%[stride]), %%tmm1\n\t"
                         "tileloadd (%[b],%[stride]), %%tmm2\n\t"
                         "movl $100, %k[count]\n\t"
                         "1: tdpbssd %%tmm2, %%tmm1, %%tmm0\n\t"
                         "decl %k[count]\n\t"
                         "jnz 1b\n\t"
                         "tilestored %%tmm0, (%[sums],%[stride])\n\t"
                         "tilerelease"
                         : [count] "=&r"(count)
                         : [tiles] "m"(tiles), [a] "r"(a), [b] "r"(b), [sums] "r"(sums), [stride] "r"(stride)
                         : "memory", "cc");
        for (int i = 0; i < ROWS * ROW_BYTES / 4; i++)
            *result = mix(*result, (uint64_t)sums[i / (ROW_BYTES / 4)][i % (ROW_BYTES / 4)]);
    }
    return NULL;
}

static void use_tiles(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, asm/prctl.h */
    const bool is_here = has(7, 0, EDX, 25) && syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
    uint64_t results[THREADS] = {0};
    for (unsigned n = 0; is_here && n < 20; n++) {
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, multiply, &results[i])) exit(2);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 1; i < THREADS; i++)
        failed |= results[i] != results[0];
    say("tiles", is_here, results[0]);
}

/* --- vectors --- */

static uint64_t add_lanes(uint64_t h, const void *vector, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i += 8) {
        uint64_t lane;
        memcpy(&lane, (const uint8_t *)vector + i, 8);
        h = mix(h, lane);
    }
    return h;
}

static void use_vectors(void)
{
    const bool has_fp16 = has(7, 0, EDX, 23) && __builtin_cpu_supports("avx512vl");
    const bool has_vnni = __builtin_cpu_supports("avx512vnni");
    const bool has_bf16 = has(7, 1, 0, 5) && __builtin_cpu_supports("avx512vl");
    uint8_t out[64], in[64];
    uint64_t half = 0, dot = 0, brain = 0;
    for (unsigned i = 0; i < 64; i++)
        in[i] = (uint8_t)(17 * i + 60);
    for (unsigned n = 0; n < 200 * rounds; n++) {
        in[n % 64] ^= (uint8_t)n & 0x3b;
        if (has_fp16) {
            __asm__ volatile("vmovdqu64 %1, %%zmm20\n\t"
                             "vaddph %%zmm20, %%zmm20, %%zmm21\n\t"
                             "vfmadd231ph %%zmm20, %%zmm21, %%zmm21\n\t"
                             "vcvtph2uw %%zmm20, %%zmm22\n\t"
                             "vpxorq %%zmm22, %%zmm21, %%zmm21\n\t"
                             "vmovdqu64 %%zmm21, %0"
                             : "=m"(out)
                             : "m"(in)
                             : "memory");
            half = add_lanes(half, out, sizeof out);
        }
        if (has_vnni) {
            __asm__ volatile("vmovdqu64 %1, %%zmm23\n\t"
                             "vpxorq %%zmm24, %%zmm24, %%zmm24\n\t"
                             "vpdpbusd %%zmm23, %%zmm23, %%zmm24\n\t"
                             "vpdpwssds %%zmm24, %%zmm23, %%zmm24\n\t"
                             "vmovdqu64 %%zmm24, %0"
                             : "=m"(out)
                             : "m"(in)
                             : "memory");
            dot = add_lanes(dot, out, sizeof out);
        }
        if (has_bf16) {
            __asm__ volatile("vmovdqu64 %1, %%zmm25\n\t"
                             "vpxorq %%zmm26, %%zmm26, %%zmm26\n\t"
                             "vdpbf16ps %%zmm25, %%zmm25, %%zmm26\n\t"
                             "vcvtne2ps2bf16 %%zmm25, %%zmm26, %%zmm27\n\t"
                             "vmovdqu64 %%zmm27, %0"
                             : "=m"(out)
                             : "m"(in)
                             : "memory");
            brain = add_lanes(brain, out, sizeof out);
        }
    }
    say("fp16", has_fp16, half);
    say("vnni", has_vnni, dot);
    say("bf16", has_bf16, brain);
}

/* --- copies, direct stores, the state itself --- */

static void use_copies(void)
{
    static uint8_t from[COPY_BYTES], to[COPY_BYTES];
    uint64_t h = 0;
    for (unsigned i = 0; i < COPY_BYTES; i++)
        from[i] = (uint8_t)(i * 31 + i / 256);
    for (unsigned n = 0; n < 20 * rounds; n++) {
        const uint8_t *source = from + n % 70;
        uint8_t *target = to + n % 67;
        unsigned long len = n * 37 % 3000, len2 = n % 130, len3 = n % 65;
        uint8_t *target2 = to + n % 1000, *overlap = to + 1 + n % 100;
        const uint8_t *before = to + n % 100;
        __asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(len) : : "memory");
        __asm__ volatile("rep stosb" : "+D"(target2), "+c"(len2) : "a"(n) : "memory");
        __asm__ volatile("rep movsb" : "+S"(before), "+D"(overlap), "+c"(len3) : : "memory");
        h = mix(add_lanes(h, to, COPY_BYTES), (uint64_t)(source - from) ^ (uint64_t)(target - to) << 20);
    }
    say("rep", true, h);
}

static void use_direct_stores(void)
{
    const bool is_here = has(7, 0, ECX, 27) && has(7, 0, ECX, 28);
    static uint8_t to[128] __attribute__((aligned(64)));
    uint64_t h = 0;
    for (unsigned n = 0; is_here && n < 100 * rounds; n++) {
        uint8_t from[64];
        memset(from, (int)n, sizeof from);
        __asm__ volatile("movdir64b %1, %0" : : "r"(to), "m"(from) : "memory");
        __asm__ volatile("movdiri %1, %0" : "=m"(to[64]) : "r"((uint64_t)n * n) : "memory");
        __asm__ volatile("sfence" ::: "memory");
        h = add_lanes(h, to, sizeof to);
    }
    say("movdir", is_here, h);
}

/* The program saves and restores its vector registers itself, as lazy binding and coroutines do. */
static void use_state(void)
{
    const bool is_here = __builtin_cpu_supports("avx512f");
    static uint8_t area[16384] __attribute__((aligned(64)));
    uint64_t h = 0, wrong = 0;
    unsigned low = 0, high = 0, aux;
    for (uint64_t n = 0; is_here && n < 50 * rounds; n++) {
        uint64_t got;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        __asm__ volatile("vpbroadcastq %[n], %%zmm17\n\t"
                         "kmovq %[n], %%k3\n\t"
                         "movl $0xe7, %%eax\n\t"
                         "xorl %%edx, %%edx\n\t"
                         "xsave64 %[area]\n\t"
                         "vpxorq %%zmm17, %%zmm17, %%zmm17\n\t"
                         "kxorq %%k3, %%k3, %%k3\n\t"
                         "xrstor64 %[area]\n\t"
                         "kmovq %%k3, %[got]\n\t"
                         "vmovq %%xmm17, %%rdx\n\t"
                         "xorq %%rdx, %[got]"
                         : [got] "=&r"(got), [area] "+m"(area)
                         : [n] "r"(n)
                         : "rax", "rdx", "memory", "cc");
        wrong += got != 0;
        const uint64_t before = __rdtscp(&aux);
        wrong += __rdtscp(&aux) < before;
        h = mix(h, n ^ (low & 0xe7));
    }
    failed |= wrong != 0;
    say("xsave", is_here, h);
}

/* A transaction commits or aborts; either way the sum is the same. */
static void use_transactions(void)
{
    const bool is_here = has(7, 0, EBX, 11);
    static volatile uint64_t sum;
    for (unsigned n = 0; is_here && n < 100 * rounds; n++) {
        unsigned status = ~0u;
        __asm__ volatile("xbegin 1f\n\t1:" : "+a"(status)::"memory");
        if (status == ~0u) {
            sum += n;
            __asm__ volatile("xend" ::: "memory");
        } else {
            sum += n;
        }
    }
    say("rtm", is_here, sum);
}

/* --- signals on an alternate stack as small as the kernel allows --- */

static volatile sig_atomic_t handled;

static void on_alarm(int sig)
{
    (void)sig;
    handled = 1;
}

static void use_small_stack(void)
{
    enum { HANDLER_BYTES = 512 };
    const unsigned long least = getauxval(AT_MINSIGSTKSZ);
    const size_t small_bytes = ((least ? least : 4096) + HANDLER_BYTES + 63) & ~(size_t)63;
    static uint8_t small_stack[1 << 16] __attribute__((aligned(64)));
    const stack_t stack = {.ss_sp = small_stack, .ss_size = small_bytes};
    stack_t now;
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    uint64_t h = 0;
    failed |= sigaltstack(&stack, NULL) != 0 || sigaction(SIGALRM, &action, NULL) != 0;
    failed |= sigaltstack(NULL, &now) != 0 || now.ss_sp != small_stack || now.ss_size != small_bytes;
    setitimer(ITIMER_REAL, &often, NULL);
    for (unsigned n = 0; n < 20; n++) {
        handled = 0;
        for (uint64_t i = 0; !handled || i < 100; i++)
            if (i < 100) h = mix(h, i);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    handled = 0;
    raise(SIGALRM);
    failed |= !handled;
    say("small stack", true, h);
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
    use_vectors();
    use_copies();
    use_direct_stores();
    use_state();
    use_transactions();
    use_tiles();
    use_small_stack(); /* last: the kernel refuses tiles beside a stack that is too small for them */
    return failed;
}
