/* SPDX-License-Identifier: BSD-3-Clause */
/* A source is compared with known traffic before it is used. Here a simulated source counts a part of it, and
 * the traffic of others; the bundled kernels are checked by the bytes that they report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit.h"
#include "traffic/trf_sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Traffic of other programs per second; the clock is simulated. */
#define OTHERS 1e8
#define MOVED 1e9

static struct {
    double read, written, factor_read, factor_written;
    enum ls_gap gap;
    int opened, closed, compared;
} fake;

static ls_err fake_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    (void)m, (void)metrics;
    fake.opened++;
    out->state = &fake;
    const struct trf_counter read = {.unit = "B", .kind = LS_COUNTER_READ, .scale = 64};
    const struct trf_counter written = {.unit = "B", .kind = LS_COUNTER_WRITTEN, .scale = 64};
    LS_TRY(trf_opened_add(out, &read, "read"));
    return trf_opened_add(out, &written, "written");
}

static void fake_read(void *state, struct trf_reading *out)
{
    (void)state;
    out[0].count = (uint64_t)(fake.read / 64);
    out[1].count = (uint64_t)(fake.written / 64);
    out[1].gap = fake.gap;
}

static void fake_close(void *state)
{
    if (state) fake.closed++;
}

static const struct trf_source fake_source = {.name = "fake",
                                              .group = "fakes",
                                              .check = TRF_CHECK_STREAM,
                                              .open = fake_open,
                                              .read = fake_read,
                                              .close = fake_close};

static ls_err fake_move(void *user, bool writes, double *out_bytes, double *out_s)
{
    (void)user;
    *out_bytes = MOVED;
    *out_s = 5;
    fake.read += 5 * OTHERS;
    fake.written += 5 * OTHERS;
    *(writes ? &fake.written : &fake.read) += MOVED * (writes ? fake.factor_written : fake.factor_read);
    return LS_OK;
}

static double fake_rest(void *user)
{
    (void)user;
    fake.read += 10 * OTHERS;
    fake.written += 10 * OTHERS;
    return 10;
}

static ls_err fake_roof(void *user, double *out_per_s)
{
    (void)user;
    *out_per_s = 2e10;
    return LS_OK;
}

static const struct trf_known known = {fake_move, fake_rest, fake_roof, NULL};

static struct trf_verdict verdict_of(double factor_read, double factor_written, enum ls_gap gap)
{
    struct trf_opened opened = {NULL};
    struct trf_verdict v;
    memset(&fake, 0, sizeof(fake));
    fake.factor_read = factor_read;
    fake.factor_written = factor_written;
    fake.gap = gap;
    assert_int_equal(fake_open(NULL, NULL, &opened), LS_OK);
    assert_int_equal(trf_verify(&fake_source, &opened, &known, &v), LS_OK);
    free(opened.counters.rows);
    return v;
}

static void a_counter_within_a_tenth_is_accepted(void **state)
{
    (void)state;
    struct trf_verdict v = verdict_of(1.05, 0.93, LS_GAP_NONE);
    assert_true(v.is_good && fabs(v.read - 1.05) < 1e-4 && fabs(v.written - 0.93) < 1e-4);
    assert_true(isnan(v.moved) && v.roof_per_s == 2e10);
    assert_string_equal(v.text, "counts 1.05 of known reads and 0.93 of known writes");
    assert_true(trf_verdict_factor(&v, LS_COUNTER_WRITTEN) == v.written);
    assert_true(isnan(trf_verdict_factor(&v, LS_COUNTER_SENT)));
}

static void a_wrong_counter_is_refused(void **state)
{
    (void)state;
    struct trf_verdict v = verdict_of(0.33, 1, LS_GAP_NONE);
    assert_false(v.is_good);
    assert_string_equal(v.text, "counts 0.33 of known reads and 1.00 of known writes");
    assert_false(verdict_of(1, 3, LS_GAP_NONE).is_good);
    assert_false(verdict_of(0, 0, LS_GAP_NONE).is_good);
    assert_false(verdict_of(1.11, 1, LS_GAP_NONE).is_good);
    v = verdict_of(1, 1, LS_GAP_UNASSIGNED);
    assert_false(v.is_good);
    assert_string_equal(v.text, "could not be compared: it had no values");
}

static void a_verdict_is_kept_until_the_next_boot(void **state)
{
    static const struct trf_machine machine = {.sys_root = "/made/up"}, other = {.sys_root = "/other"};
    char dir[] = "/tmp/loadstone-verdict-XXXXXX", command[128];
    struct trf_verdict v = verdict_of(0.33, 1, LS_GAP_NONE), kept = {.read = 7};
    (void)state;
    assert_non_null(mkdtemp(dir));
    setenv("XDG_CACHE_HOME", dir, 1);
    assert_int_equal(trf_verdict_load(&machine, &fake_source, &kept), LS_ERR_NOT_FOUND);
    assert_int_equal(trf_verdict_store(&machine, &fake_source, &v), LS_OK);
    assert_int_equal(trf_verdict_load(&machine, &fake_source, &kept), LS_OK);
    assert_true(!kept.is_good && fabs(kept.read - 0.33) < 1e-3 && isnan(kept.moved));
    assert_string_equal(kept.text, v.text);
    assert_true(kept.roof_per_s == 2e10);
    assert_int_equal(trf_verdict_load(&other, &fake_source, &kept), LS_ERR_FORMAT);
    /* another boot, and a cut file */
    snprintf(command, sizeof(command), "sed -i 2s/./g/ %s/loadstone/counters-*", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(trf_verdict_load(&machine, &fake_source, &kept), LS_ERR_FORMAT);
    assert_int_equal(trf_verdict_store(&machine, &fake_source, &v), LS_OK);
    snprintf(command, sizeof(command), "sed -i 's/ end//' %s/loadstone/counters-*", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(trf_verdict_load(&machine, &fake_source, &kept), LS_ERR_FORMAT);
    /* a source without values is compared again */
    v = verdict_of(1, 1, LS_GAP_UNASSIGNED);
    assert_int_equal(trf_verdict_store(&machine, &fake_source, &v), LS_ERR_NOT_FOUND);
    snprintf(command, sizeof(command), "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

/* The bundled kernels move as many bytes as they claim: a verdict on a counter that nothing increases is 0. hwloc
 * reports small caches here, because the kernels move several times the last-level caches. */
static void the_bundled_kernels_run_and_nothing_counts_them(void **state)
{
    struct trf_opened opened = {NULL};
    struct trf_verdict v;
    (void)state;
    memset(&fake, 0, sizeof(fake));
    setenv("XDG_CACHE_HOME", "/no/such", 1);
    setenv("HWLOC_SYNTHETIC", "l3:1(size=16777216) core:1 pu:1", 1);
    assert_int_equal(fake_open(NULL, NULL, &opened), LS_OK);
    static const struct trf_machine machine = {.sys_root = "/made/up"};
    const ls_err err = trf_verify_here(&machine, &fake_source, &opened, &v);
    free(opened.counters.rows);
    if (err == LS_ERR_NOMEM) skip();
    assert_int_equal(err, LS_OK);
    assert_true(v.read == 0 && v.written == 0 && !v.is_good && v.roof_per_s > 0);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_within_a_tenth_is_accepted),
        cmocka_unit_test(a_wrong_counter_is_refused),
        cmocka_unit_test(a_verdict_is_kept_until_the_next_boot),
        cmocka_unit_test(the_bundled_kernels_run_and_nothing_counts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
