/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts of code that uses the tiles of AMX. The kernel adds the tiles to the state of a thread when the
 * thread uses one for the first time; the signal frame of a burst that began before has no room for them. */
#include "tests/translate/tr_session.h"
#include "tests/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 16, ROW_BYTES = 64, ROUNDS = 3 };

/* Intel SDM vol. 2A, LDTILECFG: palette 1. */
struct tile_config {
    uint8_t palette, start_row, unused[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static const struct tile_config config = {
    .palette = 1, .row_bytes = {ROW_BYTES, ROW_BYTES, ROW_BYTES}, .rows = {ROWS, ROWS, ROWS}};
static const struct rt_tr_plan until_loop = {.warm_instructions = 600};
static const struct rt_tr_plan whole = {.warm_instructions = 2,
                                        .pace_instructions = 50,
                                        .accesses = 32,
                                        .probes = 4,
                                        .probe_loads = 2,
                                        .random = 12345,
                                        .instructions_max = 3000};
static const struct rt_tr_plan *plan;

struct tile_work {
    int8_t a[ROWS][ROW_BYTES], b[ROWS][ROW_BYTES];
    int32_t sums[ROWS][ROW_BYTES / 4], expected[ROWS][ROW_BYTES / 4];
    unsigned wrong, bursts;
    enum rt_tr_end end;
};

static bool may_use_tiles(void)
{
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, asm/prctl.h */
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

/* Sums of products in a burst that ends in the loop, while the tiles hold data. */
static void __attribute__((noinline)) multiply(struct tile_work *w)
{
    uint64_t stride = ROW_BYTES, count = 100000;
    tr_session_each(plan, NULL);
    TR_TRIGGER();
    __asm__ volatile(
        "ldtilecfg %[config]\n\t"
        "tilezero %%tmm0\n\t"
        "tileloadd (%[a],%[stride]), %%tmm1\n\t"
        "tileloadd (%[b],%[stride]), %%tmm2\n\t"
        "tdpbssd %%tmm2, %%tmm1, %%tmm0\n\t"
        "1: decq %[count]\n\t"
        "jnz 1b\n\t"
        "tdpbssd %%tmm2, %%tmm1, %%tmm0\n\t"
        "tilestored %%tmm0, (%[sums],%[stride])\n\t"
        "tilerelease"
        : [count] "+r"(count)
        : [config] "m"(config), [a] "r"(w->a), [b] "r"(w->b), [sums] "r"(w->sums), [stride] "r"(stride)
        : "memory", "cc");
    w->end = tr_session_result()->end;
}

/* Intel SDM vol. 2D, TDPBSSD: four products of bytes for each sum. */
static void fill(struct tile_work *w)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROW_BYTES; j++) {
            w->a[i][j] = (int8_t)(7 * i + j);
            w->b[i][j] = (int8_t)(3 * j - i);
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROW_BYTES / 4; j++)
            for (int k = 0; k < ROW_BYTES; k++)
                w->expected[i][j] += 2 * w->a[i][k] * w->b[k / 4][4 * j + k % 4];
}

static void *use_tiles(void *arg)
{
    struct tile_work *w = arg;
    tr_session_thread();
    for (unsigned i = 0; i < ROUNDS; i++) {
        memset(w->sums, 0, sizeof w->sums);
        multiply(w);
        w->wrong += memcmp(w->sums, w->expected, sizeof w->sums) != 0;
        w->bursts += tr_session_refused() == RT_TR_ACCEPTED;
    }
    tr_session_end_thread();
    return NULL;
}

/* A thread that has not used tiles before. */
static void check_in_thread(const struct rt_tr_plan *p)
{
    static struct tile_work w;
    pthread_t thread;
    plan = p;
    fill(&w);
    assert_int_equal(pthread_create(&thread, NULL, use_tiles, &w), 0);
    pthread_join(thread, NULL);
    assert_int_equal(w.bursts, ROUNDS);
    assert_string_equal(rt_tr_end_name(w.end),
                        rt_tr_end_name(p->instructions_max ? RT_TR_END_INSTRUCTIONS : RT_TR_END_DONE));
    assert_int_equal(w.wrong, 0);
}

static void tiles_survive_a_burst(void **state)
{
    (void)state;
    check_in_thread(&until_loop); /* translates the code, with the first use of tiles in it */
    check_in_thread(&until_loop); /* finds it translated */
}

static void tiles_survive_all_parts_of_a_burst(void **state)
{
    (void)state;
    check_in_thread(&whole);
    check_in_thread(&whole);
}

UNIT_GROUP()
{
    const char *skip = may_use_tiles() ? tr_session_open(0, false, "") : "no AMX on this machine";
    if (skip) {
        print_message("skipped: %s\n", skip);
        return UNIT_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_survive_a_burst),
        cmocka_unit_test(tiles_survive_all_parts_of_a_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
