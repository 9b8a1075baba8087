/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: lockstep [--instructions N] [--seed N] [--most N] [--twice] [--without LIST] [--generated]: execute random code and
 * functions of libraries both in translated bursts and by single steps, until N instructions (default 1,000,000) were
 * compared. --most: instructions in a block; --twice: code is mapped twice; --without: as LOADSTONE_WITHOUT.
 * Status 77: unsupported machine. */
#include "tests/translate/tr_random.h"
#include "tests/translate/tr_session.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Calls the function and saves the registers that the ABI preserves, because random code does not. */
void tr_call_random(void (*function)(void));
__asm__(".text\n"
        ".type tr_call_random, @function\n"
        "tr_call_random:\n"
        "    pushq %rbx\n"
        "    pushq %rbp\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    call *%rdi\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbp\n"
        "    popq %rbx\n"
        "    ret\n"
        ".size tr_call_random, . - tr_call_random\n");

enum { NUMBERS = 300, TEXT_BYTES = 1024, PACKED_BYTES = 8192, RANDOM_CALLS = 3, PAGE_BYTES = 4096 };

/* All memory that the functions read and write, in separate pages. */
static struct {
    int32_t numbers[NUMBERS];
    double reals[256];
    char text[TEXT_BYTES], other[TEXT_BYTES];
    uint8_t packed[PACKED_BYTES];
    unsigned long packed_len;
    uint64_t sum;
    jmp_buf back;
    uint8_t rest[PAGE_BYTES];
} work __attribute__((aligned(PAGE_BYTES)));

static int (*inflate_it)(uint8_t *, unsigned long *, const uint8_t *, unsigned long);
static int (*deflate_it)(uint8_t *, unsigned long *, const uint8_t *, unsigned long);

static int by_value(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static void run_random(void *arg)
{
    for (unsigned i = 0; i < RANDOM_CALLS; i++)
        tr_call_random((void (*)(void))(uintptr_t)arg);
}

static void run_sort(void *arg)
{
    (void)arg;
    qsort(work.numbers, NUMBERS, sizeof work.numbers[0], by_value);
}

static void run_print(void *arg)
{
    (void)arg;
    int len = 0;
    for (unsigned i = 0; i < 10; i++)
        len += snprintf(work.text + len, sizeof work.text - (size_t)len, "%d %s %.17g %a %08lx|",
                        work.numbers[i], "text", work.reals[i], work.reals[i + 1],
                        (unsigned long)work.numbers[i + 2] * 12345);
    work.sum = (uint64_t)len;
}

static void run_parse(void *arg)
{
    (void)arg;
    static const char *const texts[] = {"3.14159265358979",      "1e-310", "-0x1.8p3",
                                        "17976931348623157e292", "nan",    "0.1"};
    for (unsigned i = 0; i < 18; i++)
        work.reals[i] = strtod(texts[i % 6], NULL) * (double)strtol("-4711", NULL, 10);
}

static void run_math(void *arg)
{
    (void)arg;
    long double wide = 1;
    for (unsigned i = 0; i < 40; i++) {
        const double x = work.reals[i];
        work.reals[i] = sin(x) + cos(x) * exp(-x * x) + pow(fabs(x), 1.5) + log1p(fabs(x)) + atan2(x, 2);
        wide = sinl(wide) + fmodl((long double)x, 3) + sqrtl(wide);
        work.numbers[i] += (int)lrint(x) + (int)floorf((float)x);
    }
    work.reals[0] = (double)wide;
}

static void run_memory(void *arg)
{
    (void)arg;
    for (unsigned i = 1; i < 60; i++) {
        memcpy(work.other + i, work.text + 2 * i, 10 * i);
        memmove(work.text + i, work.text + 3, 7 * i);
        memset(work.text + 5 * i, (int)i, i);
        work.sum += strlen(work.other + i) + (uint64_t)memcmp(work.text, work.other, i) +
                    (uint64_t)(strchr(work.text, '7') - work.text) +
                    (uint64_t)strncmp(work.text, work.other, 9);
    }
}

static void run_deflate(void *arg)
{
    (void)arg;
    work.packed_len = sizeof work.packed;
    deflate_it(work.packed, &work.packed_len, (const uint8_t *)work.text, sizeof work.text);
}

static void run_inflate(void *arg)
{
    (void)arg;
    unsigned long len = sizeof work.other;
    inflate_it((uint8_t *)work.other, &len, work.packed, work.packed_len);
}

static void __attribute__((noinline)) jump_back(int depth)
{
    if (depth >= 40) longjmp(work.back, 7);
    if (depth < 80) jump_back(depth + 1);
    work.sum++;
}

static void run_jump(void *arg)
{
    (void)arg;
    for (volatile int i = 0; i < 40; i++)
        if (!setjmp(work.back)) jump_back(i);
}

static void run_system(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 8; i++) {
        char *p = malloc(1000 + 300 * i);
        memset(p, 1, 1000);
        work.sum += (uint64_t)(uint8_t)p[i];
        free(p);
        FILE *f = fopen("/dev/null", "w");
        fprintf(f, "%d", i);
        fclose(f);
    }
}

/* Intel SDM vol. 2A, LDTILECFG: palette, from byte 16 on the bytes of a row, from byte 48 on the rows. */
static void configure_tiles(uint8_t config[64], unsigned seed)
{
    memset(config, 0, 64);
    config[0] = 1;
    const unsigned rows = 4 + seed % 13, inner = 1 + seed % 16; /* tmm0 and 3 += tmm1 * tmm2 */
    const unsigned all_rows[] = {rows, rows, inner, rows}, words[] = {16, inner, 16, 16};
    for (unsigned i = 0; i < 4; i++) {
        config[16 + 2 * i] = (uint8_t)(4 * words[i]);
        config[48 + i] = (uint8_t)all_rows[i];
    }
}

/* Tiles of AMX: loads and stores of rows at several distances, products, and a configuration that is left. */
static void run_tiles(void *arg)
{
    (void)arg;
    static uint8_t config[64], kept[64];
    for (unsigned i = 0; i < 12; i++) {
        configure_tiles(config, i + (unsigned)work.numbers[0] % 7);
        const uint64_t apart = 64 + 4 * (i % 5);
        __asm__ volatile(
            "ldtilecfg %[config]\n\t"
            "tileloadd (%[from],%[apart]), %%tmm0\n\t"
            "tileloaddt1 8(%[from],%[apart]), %%tmm1\n\t"
            "tileloadd 16(%[from],%[apart],2), %%tmm2\n\t"
            "tilezero %%tmm3\n\t"
            "tdpbssd %%tmm2, %%tmm1, %%tmm0\n\t"
            "tdpbusd %%tmm2, %%tmm1, %%tmm0\n\t"
            "tdpbuud %%tmm2, %%tmm1, %%tmm3\n\t"
            "tdpbsud %%tmm2, %%tmm1, %%tmm3\n\t"
            "sttilecfg %[kept]\n\t"
            "tilestored %%tmm0, (%[to],%[apart])\n\t"
            "tilestored %%tmm3, 2048(%[to],%[apart])\n\t"
            "tdpbf16ps %%tmm2, %%tmm1, %%tmm3\n\t"
            "tilestored %%tmm3, 4096(%[to],%[apart])"
            : [kept] "=m"(kept)
            : [config] "m"(config), [from] "r"(work.reals), [to] "r"(work.packed), [apart] "r"(apart)
            : "memory");
        if (i % 4 == 3) __asm__ volatile("tilerelease");
        work.sum += kept[17 + i];
    }
    __asm__ volatile("tilerelease");
}

static bool may_use_tiles(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, asm/prctl.h */
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static bool has_tiles;

static const struct {
    const char *name;
    void (*run)(void *);
    bool faults; /* once more with a fault at each access to work */
} functions[] = {
    {"tiles", run_tiles, true},          {"qsort", run_sort, true},      {"snprintf", run_print, true},
    {"strtod", run_parse, false},        {"libm", run_math, true},       {"memcpy", run_memory, true},
    {"deflate", run_deflate, false},     {"inflate", run_inflate, true}, {"longjmp", run_jump, true},
    {"system calls", run_system, false},
};

static bool is_missing(unsigned function)
{
    const bool packs = functions[function].run == run_deflate || functions[function].run == run_inflate;
    return (packs && !deflate_it) || (functions[function].run == run_tiles && !has_tiles);
}

static void fill(uint64_t seed)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        work.numbers[i] = (int32_t)((seed + i) * UINT64_C(0x9e3779b97f4a7c15) >> 33);
    for (unsigned i = 0; i < 256; i++)
        work.reals[i] = (double)work.numbers[i] / 65536.0;
    for (unsigned i = 0; i < TEXT_BYTES; i++)
        work.text[i] = (char)('0' + (work.numbers[i % NUMBERS] & 31) % 10);
    work.text[TEXT_BYTES - 1] = 0;
    work.packed_len = sizeof work.packed;
    if (deflate_it) deflate_it(work.packed, &work.packed_len, (const uint8_t *)work.text, sizeof work.text);
}

static int compare_functions(uint64_t seed, uint64_t wanted, struct tr_figures *f)
{
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0] && f->instructions < wanted; i++) {
        if (is_missing(i)) continue;
        fill(seed);
        const struct tr_case c = {.name = functions[i].name,
                                  .run = functions[i].run,
                                  .seed = seed + i,
                                  .plans = i % 3 == 2 ? TR_PLAN_WHOLE : TR_PLAN_MIXED,
                                  .memory = {{&work, sizeof work}}};
        if (tr_session_compare(&c, f)) return 1;
        if (seed % 4 != 1 || !functions[i].faults) continue;
        struct tr_case guarded = c;
        fill(seed);
        guarded.guarded =
            (struct tr_region){&work, offsetof(__typeof__(work), rest) & ~(size_t)(PAGE_BYTES - 1)};
        if (tr_session_compare(&guarded, f)) return 1;
    }
    return 0;
}

static int compare_random(struct tr_random *r, uint64_t number, struct tr_figures *f)
{
    char name[32];
    snprintf(name, sizeof name, "random code %lu", (unsigned long)number);
    struct tr_case c = {.name = name,
                        .run = run_random,
                        .arg = (void *)(uintptr_t)tr_random_draw(r),
                        .seed = number * 7919 + 1,
                        .plans = (enum tr_plan_kind)(number % 3),
                        .continues_past_faults = true};
    tr_random_data(r, &c.memory[0].base, &c.memory[0].len_bytes);
    return tr_session_compare(&c, f);
}

static void print_figures(const struct tr_figures *f, const struct tr_random *r)
{
    unsigned mnemonics, drawn;
    tr_random_coverage(r, &mnemonics, &drawn);
    printf("%lu instructions compared in %lu bursts; %lu stepped natively, %lu faults; random code of %u "
           "mnemonics\n",
           (unsigned long)f->instructions, (unsigned long)f->bursts, (unsigned long)f->stepped,
           (unsigned long)f->faults, mnemonics);
    printf(
        "%lu accesses, %lu probes, %lu pace windows (%lu discarded, %lu at the end), %lu translations; ends:",
        (unsigned long)f->accesses, (unsigned long)f->probes, (unsigned long)f->paces,
        (unsigned long)f->paces_discarded, (unsigned long)f->lates, (unsigned long)f->translated);
    for (unsigned i = 0; i < RT_TR_END_COUNT; i++)
        if (f->ends[i]) printf(" %s %lu", rt_tr_end_name((enum rt_tr_end)i), (unsigned long)f->ends[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    uint64_t wanted = 1000000, seed = 1;
    unsigned most = 0;
    bool twice = false, generated = false;
    const char *without = "";
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--twice") == 0)
            twice = true;
        else if (strcmp(argv[i], "--generated") == 0)
            generated = true;
        else if (strcmp(argv[i], "--instructions") == 0)
            wanted = (uint64_t)strtod(value, NULL), i++;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(value, NULL, 0), i++;
        else if (strcmp(argv[i], "--most") == 0)
            most = (unsigned)strtoul(value, NULL, 0), i++;
        else if (strcmp(argv[i], "--without") == 0)
            without = value, i++;
        else
            return fprintf(stderr, "unknown option %s\n", argv[i]), 2;
    }
    void *zlib = dlopen("libz.so.1", RTLD_NOW);
    if (zlib) {
        *(void **)&inflate_it = dlsym(zlib, "uncompress");
        *(void **)&deflate_it = dlsym(zlib, "compress");
    }
    has_tiles = may_use_tiles();
    struct tr_random *random = tr_random_new(seed);
    const char *skip = random ? tr_session_open(most, twice, without) : "no memory";
    if (skip) {
        printf("skipped: %s\n", skip);
        return 77;
    }
    if (generated) tr_session_generate();
    struct tr_figures f = {0};
    int failed = 0;
    fill(seed);
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) /* let functions cache results */
        if (!is_missing(i) && functions[i].run != run_tiles) functions[i].run(NULL);
    uint64_t base, end;
    tr_random_code(random, &base, &end);
    tr_session_add_code(base, end);
    for (uint64_t round = 0; !failed && f.instructions < wanted; round++) {
        for (unsigned i = 0; !failed && i < 40 && f.instructions < wanted; i++)
            failed = compare_random(random, round * 40 + i, &f);
        if (!failed && f.instructions < wanted) failed = compare_functions(seed + round, wanted, &f);
    }
    print_figures(&f, random);
    tr_random_free(random);
    return failed;
}
