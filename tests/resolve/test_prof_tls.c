/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses in threads' blocks are the variables of their modules, as long as the threads have them. */
#include "resolve/prof_space.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 100 };
_Thread_local int values_of_this_test[VALUES];

#define MODULE UINT64_C(0x555555554000)
#define THREAD UINT64_C(0x7f0000010000)
#define THREAD_STRIDE UINT64_C(0x10000)
#define BLOCK_BEFORE UINT64_C(0x4000) /* distance from a block's begin to its thread's control block */

struct setting {
    sym_files *files;
    struct prof_modules modules;
    struct prof_survey survey;
    prof_names *names;
    prof_tree *tree;
    struct prof_tls tls;
};

static void set_up(struct setting *s)
{
    *s = (struct setting){.names = prof_names_new()};
    s->tree = prof_tree_new(s->names);
    assert_int_equal(sym_files_new((struct sym_limits){0}, &s->files), LS_OK);
    struct prof_loaded l = {.path = prof_name_of(s->names, "/proc/self/exe"),
                            .base = MODULE,
                            .end = MODULE + 0x100000,
                            .has_bias = true,
                            .died_ns = UINT64_MAX};
    assert_int_equal(sym_files_get(s->files, l.path, &l.file), LS_OK);
    assert_true(sym_file_tls_len_bytes(l.file) >= sizeof(values_of_this_test));
    assert_true(sym_file_tls_len_bytes(l.file) <= BLOCK_BEFORE);
    s->modules.files = s->files;
    assert_int_equal(LS_VECTOR_ROOM(&s->modules.rows), LS_OK);
    s->modules.rows.rows[s->modules.rows.len++] = l;
    assert_int_equal(LS_VECTOR_ROOM(&s->survey.tls), LS_OK);
    s->survey.tls.rows[s->survey.tls.len++] = (struct prof_survey_tls){.time_ns = 50, .id = 3, .at = MODULE};
    assert_int_equal(prof_tls_init(&s->tls, &s->modules, &s->survey, s->tree), LS_OK);
}

static void tear_down(struct setting *s)
{
    prof_tls_fini(&s->tls);
    prof_modules_fini(&s->modules);
    free(s->survey.tls.rows);
    prof_tree_free(s->tree);
    prof_names_free(s->names);
    sym_files_free(s->files);
}

static void begin(struct setting *s, uint32_t lane)
{
    struct {
        struct spool_tls_blocks head;
        struct spool_tls_row rows[2];
    } r = {.head = {.time_ns = 100, .thread_pointer = THREAD + lane * THREAD_STRIDE, .rows_len = 2}};
    r.rows[0] = (struct spool_tls_row){3, r.head.thread_pointer - BLOCK_BEFORE};
    r.rows[1] = (struct spool_tls_row){9, 0x1000}; /* a number without a module */
    assert_int_equal(prof_tls_blocks(&s->tls, lane, &r.head), LS_OK);
}

/* Offset of the variable in the block. */
static uint64_t offset_of_values(struct setting *s)
{
    const size_t len = sym_file_variables_len(s->files, s->modules.rows.rows[0].file);
    for (uint32_t i = 0; i < len; i++) {
        const struct sym_thing v = sym_file_variable(s->modules.rows.rows[0].file, i);
        if (strcmp(v.name, "values_of_this_test") == 0) return v.base;
    }
    fail_msg("the variable has no symbol");
    return 0;
}

static void variable_is_one_node_for_all_threads(void **state)
{
    struct setting s;
    struct prof_target first = {0}, second = {0}, control = {0};
    (void)state;
    set_up(&s);
    begin(&s, 0);
    begin(&s, 1);
    const uint64_t at = THREAD - BLOCK_BEFORE + offset_of_values(&s) + 7 * sizeof(int);
    assert_true(prof_tls_find(&s.tls, at, &first));
    assert_true(prof_tls_find(&s.tls, at + THREAD_STRIDE + sizeof(int), &second));
    assert_int_equal(first.node, second.node);
    const struct prof_node *n = prof_tree_node(s.tree, first.node);
    assert_string_equal(n->label, "values_of_this_test");
    assert_int_equal(n->kind, PROF_NODE_TLS);
    assert_int_equal(prof_tree_node(s.tree, n->parent)->kind, PROF_NODE_STATIC);
    assert_int_equal(first.element, 7);
    assert_int_equal(second.element, 8);
    assert_true(prof_tls_find(&s.tls, THREAD + 40, &control));
    assert_string_equal(prof_tree_node(s.tree, control.node)->label, "thread control blocks");
    tear_down(&s);
}

static void block_of_an_ended_thread_has_no_owner(void **state)
{
    struct setting s;
    struct prof_target target;
    (void)state;
    set_up(&s);
    begin(&s, 0);
    begin(&s, 1);
    const uint64_t at = THREAD - BLOCK_BEFORE + offset_of_values(&s);
    assert_int_equal(prof_tls_end(&s.tls, 0), LS_OK);
    assert_false(prof_tls_find(&s.tls, at, &target));
    assert_true(prof_tls_find(&s.tls, at + THREAD_STRIDE, &target));
    assert_int_equal(prof_tls_evict(&s.tls, at + THREAD_STRIDE, at + THREAD_STRIDE + 1), LS_OK);
    assert_false(prof_tls_find(&s.tls, at + THREAD_STRIDE, &target));
    tear_down(&s);
}

static void many_threads_one_after_the_other_cost_no_rows(void **state)
{
    struct setting s;
    struct prof_target target;
    (void)state;
    set_up(&s);
    for (uint32_t lane = 0; lane < 2000; lane++) {
        begin(&s, lane);
        assert_true(prof_tls_find(&s.tls, THREAD + lane * THREAD_STRIDE, &target));
        assert_int_equal(prof_tls_end(&s.tls, lane), LS_OK);
    }
    assert_in_range(s.tls.blocks.len, 1, 4);
    assert_int_equal(smr_live_len(s.tls.live), 0);
    tear_down(&s);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variable_is_one_node_for_all_threads),
        cmocka_unit_test(block_of_an_ended_thread_has_no_owner),
        cmocka_unit_test(many_threads_one_after_the_other_cost_no_rows),
    };
    values_of_this_test[0] = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
