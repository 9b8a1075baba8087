/* SPDX-License-Identifier: BSD-3-Clause */
/* A variant is remembered for its configuration, and for no other; a damaged file is ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/replay/kn_choices.h"
#include "kernels/replay/kn_replay.h"
#include "tests/kernels/busy.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct choices_folder {
    char folder[64], path[80];
};

static struct choices_folder make_folder(void)
{
    struct choices_folder p = {.folder = "/tmp/loadstone-choices-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof(p.path), "%s/variants", p.folder);
    return p;
}

static void end_folder(const struct choices_folder *p)
{
    unlink(p->path);
    rmdir(p->folder);
}

static void make(struct pat_config *c, uint64_t count)
{
    assert_int_equal(pat_config_init(c), LS_OK);
    c->pattern = (struct pat_indices){calloc(8, sizeof(int64_t)), 8};
    assert_non_null(c->pattern.data);
    for (size_t j = 0; j < 8; j++)
        c->pattern.data[j] = (int64_t)(2 * j);
    c->count = count;
}

/* Run c; the variant's words go to variant, and whether it was remembered is returned. */
static bool run(struct pat_config *c, const char *path, char variant[KN_VARIANT_BYTES])
{
    const struct kn_options o = {.backend = "serial", .runs = 2, .choices = path, .times_only = true};
    struct kn_result r;
    assert_int_equal(kn_replay_run(c, &o, &r), LS_OK);
    assert_true(r.valid);
    assert_int_equal(r.remembered, r.trials_len == 0);
    memcpy(variant, r.variant, KN_VARIANT_BYTES);
    const bool remembered = r.remembered;
    kn_result_fini(&r);
    return remembered;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The key of c as run uses it. */
static uint64_t key_of(const struct pat_config *c, struct kn_session *s)
{
    static const struct kn_options o = {.backend = "serial"};
    assert_int_equal(kn_session_init(s, c, &o, &kn_backend_serial, 1), LS_OK);
    return kn_choice_key(s);
}

static void a_kept_variant_is_found_again(void **state)
{
    (void)state;
    const struct choices_folder p = make_folder();
    struct pat_config c, other;
    struct kn_session s, t;
    make(&c, 500);
    make(&other, 501);
    const uint64_t key = key_of(&c, &s), foreign = key_of(&other, &t);
    assert_true(key != foreign && s.candidates_len > 2);
    const struct kn_variant *const *v = s.candidates;
    assert_null(kn_choice_find(p.path, key, v, s.candidates_len));
    kn_choice_keep(p.path, key, v[1]);
    kn_choice_keep(p.path, foreign, v[2]);
    assert_ptr_equal(kn_choice_find(p.path, key, v, s.candidates_len), v[1]);
    assert_ptr_equal(kn_choice_find(p.path, foreign, v, s.candidates_len), v[2]);
    kn_choice_keep(p.path, key, v[0]); /* the last one counts */
    assert_ptr_equal(kn_choice_find(p.path, key, v, s.candidates_len), v[0]);
    assert_null(kn_choice_find(p.path, key, v + 2, 1)); /* no candidate now */
    other.count = 500;
    other.pattern.data[7]++;
    assert_true(key_of(&other, &t) != key);
    pat_config_fini(&c);
    pat_config_fini(&other);
    end_folder(&p);
}

static void a_second_run_needs_no_trial(void **state)
{
    (void)state;
    const struct choices_folder p = make_folder();
    struct pat_config c;
    struct kn_session s;
    char first[KN_VARIANT_BYTES], second[KN_VARIANT_BYTES];
    make(&c, 500);
    assert_false(run(&c, p.path, first));
    kn_choice_keep(p.path, key_of(&c, &s), s.candidates[1]); /* a busy machine keeps none */
    assert_true(run(&c, p.path, second));
    kn_variant_describe(s.candidates[1], first, sizeof(first));
    assert_string_equal(first, second);
    c.count++;
    assert_false(run(&c, p.path, second));
    pat_config_fini(&c);
    end_folder(&p);
}

/* Beside other programs, a choice is remembered as well, but one that was made without them precedes it. */
static void a_choice_beside_other_programs_saves_their_trials(void **state)
{
    (void)state;
    const struct choices_folder p = make_folder();
    const pid_t busy = busy_begin();
    struct pat_config c;
    struct kn_session s;
    char first[KN_VARIANT_BYTES], second[KN_VARIANT_BYTES];
    for (int n = 0; n < 30 && !kn_is_crowded(1); n++) /* the answer of up to a second ago counts */
        usleep(100000);
    make(&c, 500000);
    assert_false(run(&c, p.path, first));
    const uint64_t key = key_of(&c, &s);
    assert_null(kn_choice_find(p.path, key, s.candidates, s.candidates_len));
    assert_non_null(kn_choice_find(p.path, kn_choice_key_disturbed(key), s.candidates, s.candidates_len));
    assert_true(run(&c, p.path, second));
    assert_string_equal(first, second);
    for (size_t i = 0; i < 2; i++) {
        kn_choice_keep(p.path, key, s.candidates[i]);
        assert_true(run(&c, p.path, second));
        kn_variant_describe(s.candidates[i], first, sizeof(first));
        assert_string_equal(first, second);
    }
    pat_config_fini(&c);
    end_folder(&p);
    busy_end(busy);
}

static void a_damaged_file_is_ignored(void **state)
{
    (void)state;
    const struct choices_folder p = make_folder();
    struct pat_config c;
    struct kn_session s;
    char text[64];
    struct stat st;
    make(&c, 500);
    const uint64_t key = key_of(&c, &s);
    write_text(p.path, "\x01\xff\n\n0000 scalar\n");
    assert_null(kn_choice_find(p.path, key, s.candidates, s.candidates_len));
    snprintf(text, sizeof(text), "x%016llx unrolled 64 regular\n", (unsigned long long)key);
    write_text(p.path, text); /* not at the begin of a line */
    assert_null(kn_choice_find(p.path, key, s.candidates, s.candidates_len));
    snprintf(text, sizeof(text), "%016llx warp 64 regular\n", (unsigned long long)key);
    write_text(p.path, text);
    assert_null(kn_choice_find(p.path, key, s.candidates, s.candidates_len));
    assert_null(kn_choice_find(p.folder, key, s.candidates, s.candidates_len));
    kn_choice_keep(p.folder, key, s.candidates[0]); /* nothing to write to */
    assert_int_equal(truncate(p.path, 1 << 20), 0);
    kn_choice_keep(p.path, key, s.candidates[0]); /* too long: it is emptied first */
    assert_int_equal(stat(p.path, &st), 0);
    assert_true(st.st_size < 100);
    assert_ptr_equal(kn_choice_find(p.path, key, s.candidates, s.candidates_len), s.candidates[0]);
    pat_config_fini(&c);
    end_folder(&p);
}

static const struct kn_variant *candidate_with(const struct kn_session *s, enum kn_stores stores)
{
    for (size_t i = 0; i < s->candidates_len; i++)
        if (s->candidates[i]->stores == stores) return s->candidates[i];
    return NULL;
}

/* Run c by v; the rate with regular stores, and of all, go to rates. */
static void run_by(struct pat_config *c, const struct kn_variant *v, struct kn_options *o, double rates[2])
{
    struct kn_session s;
    struct kn_result r;
    kn_choice_keep(o->choices, key_of(c, &s), v);
    assert_int_equal(kn_replay_run(c, o, &r), LS_OK);
    assert_true(r.valid && r.stores == v->stores);
    rates[0] = r.mb_per_s_regular;
    rates[1] = r.mb_per_s;
    kn_result_fini(&r);
}

/* The papers have regular stores: their rate is there whichever stores are the fastest. */
static void a_rate_with_regular_stores_is_reported(void **state)
{
    (void)state;
    const struct choices_folder p = make_folder();
    struct kn_options o = {.backend = "serial", .runs = 2, .choices = p.path};
    struct pat_config c;
    struct kn_session s;
    double rates[2];
    make(&c, 40000); /* 5 MB are written */
    c.kernel = PAT_SCATTER;
    c.delta = 16;
    key_of(&c, &s);
    const struct kn_variant *regular = candidate_with(&s, KN_STORES_REGULAR),
                            *past = candidate_with(&s, KN_STORES_NONTEMPORAL);
    run_by(&c, regular, &o, rates);
    assert_true(rates[0] == rates[1]);
    if (past) { /* not on every machine */
        run_by(&c, past, &o, rates);
        assert_true(rates[0] > 0 && rates[0] != rates[1]);
        o.stores = KN_STORES_NONTEMPORAL; /* nothing else was asked for */
        run_by(&c, past, &o, rates);
        assert_true(isnan(rates[0]));
        o.stores = KN_STORES_AUTO;
        o.times_only = true;
        run_by(&c, past, &o, rates);
        assert_true(isnan(rates[0]));
    }
    pat_config_fini(&c);
    end_folder(&p);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_variant_is_found_again),
        cmocka_unit_test(a_second_run_needs_no_trial),
        cmocka_unit_test(a_choice_beside_other_programs_saves_their_trials),
        cmocka_unit_test(a_damaged_file_is_ignored),
        cmocka_unit_test(a_rate_with_regular_stores_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
