/* SPDX-License-Identifier: BSD-3-Clause */
/* From sequences to patterns: forms, classes, names, shares, in sequences made by hand as the loops of known
 * programs make them. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "patterns/compact/pat_compact.h"
#include "patterns/pat_extent.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROOM = 1 << 18, SITES = 8 };

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* One program of one sequence or more. */
struct program {
    struct pat_site sites[SITES];
    struct pat_module modules[2];
    struct pat_home homes[3];
    struct pat_thread threads[1];
    struct pat_tables tables;
    struct pat_sequence rows[SITES];
    struct pat_sequences all;
    struct pat_findings found;
};

static void program_init(struct program *p)
{
    memset(p, 0, sizeof(*p));
    p->homes[0] = (struct pat_home){"x", 8, PAT_HOME_HEAP};
    p->homes[1] = (struct pat_home){"col", 4, PAT_HOME_HEAP};
    p->homes[2] = (struct pat_home){NULL, 8, PAT_HOME_UNKNOWN};
    p->threads[0].label = "4711";
    p->tables = (struct pat_tables){.sites = p->sites,
                                    .modules = p->modules,
                                    .homes = p->homes,
                                    .threads = p->threads,
                                    .sites_len = SITES,
                                    .homes_len = 3,
                                    .threads_len = 1};
    for (int i = 0; i < SITES; i++)
        p->sites[i] = (struct pat_site){0x401000 + 16 * (uint64_t)i, PAT_NONE, 8, 0, PAT_OP_LOAD};
    p->all.rows = p->rows;
}

/* The next sequence, of the site with its number. */
static struct pat_sequence *sequence(struct program *p)
{
    struct pat_sequence *s = &p->rows[p->all.len];
    *s = (struct pat_sequence){.site = (uint32_t)p->all.len++,
                               .threads = 1,
                               .elem_size_bytes = 8,
                               .is_whole = true,
                               .index_site = PAT_NONE,
                               .index_home = PAT_NONE};
    s->indices.data = malloc(ROOM * sizeof(int64_t));
    return s;
}

static void put(struct pat_sequence *s, int64_t index)
{
    assert_true(s->indices.len < ROOM);
    s->indices.data[s->indices.len++] = index;
    s->accesses++;
}

static void break_here(struct pat_sequence *s)
{
    s->breaks = realloc(s->breaks, (s->breaks_len + 1) * sizeof(*s->breaks));
    s->breaks[s->breaks_len++] = s->indices.len;
}

/* Compact; the pattern of the first sequence. */
static const struct pat_found *compact(struct program *p, const struct pat_compact_options *o)
{
    p->all.accesses = p->all.cost = 0;
    for (size_t i = 0; i < p->all.len; i++) {
        p->all.accesses += p->rows[i].accesses;
        p->all.cost += p->rows[i].cost;
    }
    assert_int_equal(pat_compact(&p->all, &p->tables, o, &p->found), LS_OK);
    assert_int_equal(p->found.len, p->all.len);
    for (size_t i = 0; i < p->found.len; i++)
        if (p->found.rows[i].sequence == 0) return &p->found.rows[i];
    fail();
    return NULL;
}

static void program_fini(struct program *p)
{
    for (size_t i = 0; i < p->all.len; i++) {
        free(p->rows[i].indices.data);
        free(p->rows[i].breaks);
        free(p->rows[i].distances);
    }
    pat_findings_fini(&p->found);
}

/* The configuration does what the program did, from its first element on; nothing lies below element 0. */
static void assert_replays(const struct pat_found *f, const struct pat_sequence *s)
{
    struct pat_extent e;
    size_t at = f->prologue;
    assert_int_equal(pat_extent_of(&f->config, PAT_SIDE_GATHER, &e), LS_OK);
    assert_int_equal(e.low, 0);
    for (uint64_t i = 0; i < f->config.count; i++)
        for (size_t j = 0; j < f->config.pattern.len; j++, at++)
            assert_int_equal(f->first_element + pat_base(f->config.delta, &f->config.deltas, i) +
                                 f->config.pattern.data[j],
                             s->indices.data[at]);
    assert_int_equal(at + f->epilogue, s->indices.len);
}

static const struct pat_compact_options quiet = {.no_symbols = true};

static void check(struct program *p, enum pat_form form, enum pat_class class)
{
    const struct pat_found *f = compact(p, &quiet);
    assert_string_equal(pat_form_name(f->form), pat_form_name(form));
    assert_string_equal(pat_class_name(f->class), pat_class_name(class));
    assert_replays(f, &p->rows[0]);
    program_fini(p);
}

static void a_stream_is_exact_and_uniform(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t i = 0; i < 4096; i++)
        put(s, 100 + i);
    const struct pat_found *f = compact(&p, &quiet);
    assert_int_equal(f->form, PAT_FORM_EXACT);
    assert_int_equal(f->class, PAT_CLASS_UNIFORM);
    assert_int_equal(f->stride, 1);
    assert_int_equal(f->first_element, 100);
    assert_int_equal(f->config.kernel, PAT_GATHER);
    assert_int_equal(f->config.pattern.len, 16);
    assert_int_equal(f->config.delta, 16);
    assert_int_equal(f->config.count, 256);
    assert_true(f->explained == 1);
    assert_true(f->measures.spatial > 0.99);
    assert_replays(f, s);
    program_fini(&p);
}

static void descending_and_strided_walks_are_uniform(void **state)
{
    static const int64_t strides[] = {-1, -24, 3, 512};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct program p;
        program_init(&p);
        struct pat_sequence *s = sequence(&p);
        for (int64_t k = 0; k < 1024; k++)
            put(s, 40000 + k * strides[i]);
        assert_int_equal(compact(&p, &quiet)->stride, strides[i]);
        pat_findings_fini(&p.found);
        check(&p, PAT_FORM_EXACT, PAT_CLASS_UNIFORM);
    }
}

/* for (i) for (k) y[i] += A[i * n + k] * x[k]; the load of y[i] */
static void the_same_element_again_is_broadcast(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t i = 0; i < 200; i++)
        for (int k = 0; k < 30; k++)
            put(s, i);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_BROADCAST);
}

static void five_points_on_a_grid_are_a_stencil(void **state)
{
    static const int64_t points[] = {-100, -1, 0, 1, 100};
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t y = 1; y < 59; y++)
        for (int64_t x = 1; x < 99; x++)
            for (int i = 0; i < 5; i++)
                put(s, y * 100 + x + points[i]);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_STENCIL);
}

static void twenty_seven_points_are_a_stencil(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t z = 1; z < 9; z++)
        for (int64_t y = 1; y < 19; y++)
            for (int64_t x = 1; x < 29; x++)
                for (int64_t i = 0; i < 27; i++)
                    put(s, ((z + i / 9 - 1) * 20 + y + i / 3 % 3 - 1) * 30 + x + i % 3 - 1);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_STENCIL);
}

/* B[k * n + j] of a matrix product: columns. */
static void columns_of_a_matrix_are_uniform(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t i = 0; i < 20; i++)
        for (int64_t j = 0; j < 40; j++)
            for (int64_t k = 0; k < 40; k++)
                put(s, k * 40 + j);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_UNIFORM);
}

static void rows_with_gaps_are_mostly_stride_1(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t row = 0; row < 100; row++)
        for (int64_t i = 0; i < 7; i++)
            put(s, row * 20 + i);
    check(&p, PAT_FORM_EXACT, PAT_CLASS_MOSTLY_1);
}

static void random_places_are_random(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    random_state = 1;
    for (int64_t i = 0; i < 5000; i++)
        put(s, (int64_t)(next_random() % 100000));
    check(&p, PAT_FORM_FULL, PAT_CLASS_RANDOM);
}

/* Few distances in no order: a walk that turns. */
static void irregular_walks_are_complex(void **state)
{
    static const int64_t steps[] = {3, 3, 7, -5};
    struct program p;
    int64_t at = 20000;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    random_state = 2;
    for (int64_t i = 0; i < 5000; i++)
        put(s, at += steps[next_random() % 4]);
    check(&p, PAT_FORM_FULL, PAT_CLASS_COMPLEX);
}

/* Many distances, but not evenly many: each is three quarters as frequent as the one before. */
static void skewed_walks_are_complex(void **state)
{
    struct program p;
    int64_t at = 0;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    random_state = 9;
    for (int64_t i = 0; i < 5000; i++) {
        int64_t step = 2;
        while (next_random() % 100 < 76)
            step += 5;
        put(s, at += step);
    }
    check(&p, PAT_FORM_FULL, PAT_CLASS_COMPLEX);
}

static void chase_needs_its_own_value_as_address(void **state)
{
    static const struct {
        uint32_t site, home;
        enum pat_class class;
    } cases[] = {{PAT_NONE, PAT_NONE, PAT_CLASS_RANDOM}, /* the addresses alone do not tell */
                 {0, 0, PAT_CLASS_CHASE},
                 {1, 0, PAT_CLASS_CHASE},
                 {1, 1, PAT_CLASS_RANDOM}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct program p;
        program_init(&p);
        struct pat_sequence *s = sequence(&p);
        s->index_site = cases[i].site;
        s->index_home = cases[i].home;
        random_state = 3;
        for (int64_t k = 0; k < 3000; k++)
            put(s, (int64_t)(next_random() % 100000));
        check(&p, PAT_FORM_FULL, cases[i].class);
    }
}

static void ragged_ends_are_told(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t i = 0; i < 10007; i++) /* a prime: no row of 8 to 16 divides it */
        put(s, i * 3);
    const struct pat_found *f = compact(&p, &quiet);
    assert_int_equal(f->form, PAT_FORM_PERIODIC);
    assert_int_equal(f->config.pattern.len, 16);
    assert_int_equal(f->epilogue, 7);
    assert_true(fabs(f->explained - 10000.0 / 10007) < 1e-12);
    assert_replays(f, s);
    program_fini(&p);
}

/* Bursts of a sweep over 100,000 elements, each broken off anywhere: count spans what was seen. */
static void bursts_become_one_period(void **state)
{
    const struct pat_compact_options sampled = {.no_symbols = true, .is_sampled = true};
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    random_state = 4;
    for (int64_t burst = 0; burst < 200; burst++) {
        if (burst) break_here(s);
        for (int64_t i = burst * 500; i < burst * 500 + 40 + (int64_t)(next_random() % 30); i++)
            put(s, 5 + i / 3 * 4 + i % 3);
    }
    const struct pat_found *f = compact(&p, &sampled);
    assert_int_equal(f->form, PAT_FORM_PERIODIC);
    assert_int_equal(f->class, PAT_CLASS_MOSTLY_1);
    assert_true(f->explained == 1);
    assert_int_equal(f->config.pattern.len, 15);
    assert_int_equal(f->config.delta, 20);
    const uint64_t span = (uint64_t)(s->indices.data[s->indices.len - 1] - 5 + 1);
    assert_in_range(f->config.count * 20, span - 20, span);
    assert_int_equal(f->first_element, 5);
    program_fini(&p);
}

static void bursts_without_period_are_pieces(void **state)
{
    const struct pat_compact_options sampled = {.no_symbols = true, .is_sampled = true};
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    random_state = 5;
    for (int64_t i = 0; i < 3000; i++) {
        if (i && i % 60 == 0) break_here(s);
        put(s, (int64_t)(next_random() % 100000));
    }
    const struct pat_found *f = compact(&p, &sampled);
    assert_int_equal(f->form, PAT_FORM_PIECES);
    assert_int_equal(f->class, PAT_CLASS_RANDOM);
    assert_replays(f, s);
    program_fini(&p);
}

static void long_ones_are_cut_or_drawn(void **state)
{
    const struct pat_compact_options brief = {.no_symbols = true, .pattern_max = 1000, .seed = 7};
    (void)state;
    for (int drawn = 0; drawn < 2; drawn++) {
        struct program p;
        program_init(&p);
        struct pat_sequence *s = sequence(&p);
        random_state = 6;
        for (int64_t i = 0; i < 20000; i++) /* in few lines, or in ever new ones */
            put(s, (int64_t)(next_random() % (drawn ? 1000000 : 4000)));
        s->range_elements = drawn ? 1000000 : 4000;
        const struct pat_found *f = compact(&p, &brief);
        assert_int_equal(f->form, drawn ? PAT_FORM_SYNTHETIC : PAT_FORM_PREFIX);
        assert_int_equal(f->config.pattern.len, 1000);
        assert_int_equal(f->config.count, 1);
        assert_true(f->explained == (drawn ? 0 : 0.05));
        for (size_t i = 0; i < 1000; i++) {
            const int64_t index = f->first_element + f->config.pattern.data[i];
            assert_in_range(index, 0, s->range_elements - 1);
            if (!drawn) assert_int_equal(index, s->indices.data[i]);
        }
        program_fini(&p);
    }
}

/* The beginning of a long walk was kept; that the rest is like it is seen in the distances. */
static void kept_parts_are_extended_where_the_rest_is_alike(void **state)
{
    (void)state;
    for (int alike = 0; alike < 2; alike++) {
        struct program p;
        program_init(&p);
        struct pat_sequence *s = sequence(&p);
        for (int64_t i = 0; i < 1600; i++)
            put(s, 2 * i);
        s->accesses = 16000;
        s->is_whole = false;
        s->range_elements = 40000;
        s->distances = calloc(1, sizeof(*s->distances));
        s->distances[0] = (struct pat_distance){2, alike ? 15999 : 8000};
        s->distances_len = 1;
        const struct pat_found *f = compact(&p, &quiet);
        assert_int_equal(f->form, PAT_FORM_PERIODIC);
        assert_int_equal(f->config.pattern.len * f->config.count, alike ? 16000 : 1600);
        assert_true(fabs(f->explained - (alike ? 1 : 0.1)) < 1e-12);
        program_fini(&p);
    }
}

/* Four threads did the same; the indices are those of one of them. */
static void merged_threads_have_one_pattern(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    for (int64_t i = 0; i < 640; i++)
        put(s, i);
    s->accesses *= 4;
    s->threads = 4;
    const struct pat_found *f = compact(&p, &quiet);
    assert_int_equal(f->form, PAT_FORM_EXACT);
    assert_true(f->explained == 1);
    assert_int_equal(f->config.pattern.len * f->config.count, 640);
    assert_int_equal(f->accesses, 2560);
    program_fini(&p);
}

static void sequences_of_one_access_or_none_are_fine(void **state)
{
    (void)state;
    for (int64_t len = 0; len < 5; len++) {
        struct program p;
        program_init(&p);
        struct pat_sequence *s = sequence(&p);
        for (int64_t i = 0; i < len; i++)
            put(s, 7 + i);
        const struct pat_found *f = compact(&p, &quiet);
        assert_true(f->config.pattern.len >= 1 && f->config.count >= 1);
        if (len) assert_replays(f, s);
        program_fini(&p);
    }
}

static void names_say_what_is_known(void **state)
{
    struct program p;
    (void)state;
    program_init(&p);
    struct pat_sequence *s = sequence(&p);
    put(s, 1);
    s->index_home = 1;
    s->cost = 1;
    s = sequence(&p);
    put(s, 1);
    put(s, 2);
    put(s, 3);
    s->home = 2;
    s->cost = 2;
    s = sequence(&p);
    p.sites[2].op = PAT_OP_STORE;
    put(s, 9);
    s->cost = 5;
    compact(&p, &quiet);
    /* gathers first, the costliest first */
    const struct pat_found *f = p.found.rows;
    assert_string_equal(f[0].config.name, "gather at 0x401010");
    assert_string_equal(f[1].config.name, "gather of `x` through `col` at 0x401000");
    assert_string_equal(f[2].config.name, "scatter of `x` at 0x401020");
    assert_int_equal(f[2].config.kernel, PAT_SCATTER);
    assert_true(fabs(f[0].access_share - 0.6) < 1e-12 && fabs(f[0].cost_share - 0.25) < 1e-12);
    assert_string_equal(f[1].index_home, "col");
    assert_string_equal(f[1].thread, "4711");
    program_fini(&p);
}

/* The loaded object that holds an address, as the loader knows it. */
struct loaded {
    uint64_t ip;
    struct pat_module module;
    char path[4096];
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    struct loaded *l = user;
    const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const uint64_t end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || l->ip < start || l->ip >= end) continue;
        assert_non_null(realpath(path, l->path));
        l->module = (struct pat_module){l->path, start, end, info->dlpi_addr};
        return 1;
    }
    return 0;
}

/* The pattern of one access by the instruction at ip. */
static const struct pat_found *compact_at(struct program *p, struct loaded *l, uint64_t ip)
{
    program_init(p);
    *l = (struct loaded){.ip = ip};
    assert_int_equal(dl_iterate_phdr(find_loaded, l), 1);
    p->modules[0] = l->module;
    p->tables.modules_len = 1;
    p->sites[0].ip = ip;
    p->sites[0].module = 0;
    put(sequence(p), 1);
    return compact(p, NULL);
}

/* What was unloaded, or another process's program, had the same addresses: it is the first of the table. */
static void addresses_of_two_modules_are_told_apart(void **state)
{
    struct program p;
    struct loaded l = {.ip = (uint64_t)(uintptr_t)&find_loaded};
    char path[] = "/nonexistent/libgone.so";
    char name[256];
    (void)state;
    program_init(&p);
    assert_int_equal(dl_iterate_phdr(find_loaded, &l), 1);
    p.modules[0] = (struct pat_module){path, l.module.start, l.module.end, l.module.start};
    p.modules[1] = l.module;
    p.tables.modules_len = 2;
    for (uint32_t i = 0; i < 2; i++) {
        p.sites[i].ip = l.ip;
        p.sites[i].module = i;
        put(sequence(&p), 1);
    }
    compact(&p, NULL);
    for (size_t i = 0; i < 2; i++) {
        const struct pat_found *f = &p.found.rows[i];
        const bool is_gone = f->sequence == 0;
        assert_string_equal(f->function, is_gone ? "" : "find_loaded");
        assert_string_equal(f->module, is_gone ? path : l.path);
        snprintf(name, sizeof(name), "gather of `x` in libgone.so+0x%llx",
                 (unsigned long long)(l.ip - l.module.start));
        if (is_gone) assert_string_equal(f->config.name, name);
    }
    program_fini(&p);
}

/* This very function, position-independent or not as this program is. */
static void instructions_have_functions_and_lines(void **state)
{
    struct program p;
    struct loaded l;
    const struct pat_found *f =
        compact_at(&p, &l, (uint64_t)(uintptr_t)&instructions_have_functions_and_lines);
    (void)state;
    assert_string_equal(f->function, "instructions_have_functions_and_lines");
    assert_string_equal(f->module, l.path);
    assert_non_null(strstr(f->config.name, "gather of `x` in instructions_have_functions_and_lines"));
    if (f->line) { /* there is debugging information */
        assert_non_null(strstr(f->file, "test_pat_compact.c"));
        assert_non_null(strstr(f->config.name, "(test_pat_compact.c:"));
    }
    program_fini(&p);
}

static void instructions_of_libraries_have_functions(void **state)
{
    struct program p;
    struct loaded l;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    void *ip = libc ? dlsym(libc, "qsort") : NULL;
    (void)state;
    if (!ip) {
        print_message("no libc.so.6 to look up a name in\n");
        skip();
    }
    const struct pat_found *f = compact_at(&p, &l, (uint64_t)(uintptr_t)ip);
    assert_true(l.module.bias != 0);
    assert_non_null(strstr(f->function, "qsort"));
    program_fini(&p);
    dlclose(libc);
}

static void files_that_are_not_there_leave_names_empty(void **state)
{
    struct program p;
    char path[] = "/nonexistent/libgone.so";
    (void)state;
    program_init(&p);
    p.modules[0] = (struct pat_module){path, 0x400000, 0x500000, 0x400000};
    p.sites[0].module = 0;
    p.tables.modules_len = 1;
    put(sequence(&p), 1);
    const struct pat_found *f = compact(&p, NULL);
    assert_string_equal(f->function, "");
    assert_string_equal(f->config.name, "gather of `x` in libgone.so+0x1000");
    program_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_exact_and_uniform),
        cmocka_unit_test(descending_and_strided_walks_are_uniform),
        cmocka_unit_test(the_same_element_again_is_broadcast),
        cmocka_unit_test(five_points_on_a_grid_are_a_stencil),
        cmocka_unit_test(twenty_seven_points_are_a_stencil),
        cmocka_unit_test(columns_of_a_matrix_are_uniform),
        cmocka_unit_test(rows_with_gaps_are_mostly_stride_1),
        cmocka_unit_test(random_places_are_random),
        cmocka_unit_test(irregular_walks_are_complex),
        cmocka_unit_test(skewed_walks_are_complex),
        cmocka_unit_test(chase_needs_its_own_value_as_address),
        cmocka_unit_test(ragged_ends_are_told),
        cmocka_unit_test(bursts_become_one_period),
        cmocka_unit_test(bursts_without_period_are_pieces),
        cmocka_unit_test(long_ones_are_cut_or_drawn),
        cmocka_unit_test(kept_parts_are_extended_where_the_rest_is_alike),
        cmocka_unit_test(merged_threads_have_one_pattern),
        cmocka_unit_test(sequences_of_one_access_or_none_are_fine),
        cmocka_unit_test(names_say_what_is_known),
        cmocka_unit_test(instructions_have_functions_and_lines),
        cmocka_unit_test(instructions_of_libraries_have_functions),
        cmocka_unit_test(addresses_of_two_modules_are_told_apart),
        cmocka_unit_test(files_that_are_not_there_leave_names_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
