/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_calls.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NONE UINT32_MAX
enum { LINE_MAIN_A, LINE_MAIN_B, LINE_WORK, LINE_LEAF, LINE_STRIPPED };

static const struct prof_line lines[] = {
    [LINE_MAIN_A] = {.ip = 10, .module = "app", .function = "main"},
    [LINE_MAIN_B] = {.ip = 11, .module = "app", .function = "main"},
    [LINE_WORK] = {.ip = 20, .module = "app", .function = "inner"}, /* inlined into work */
    [LINE_LEAF] = {.ip = 30, .module = "lib", .function = "leaf"},
    [LINE_STRIPPED] = {.ip = 40, .module = "lib", .function = ""},
};
static const struct prof_inline inlines[] = {{.line = LINE_WORK, .depth = 1, .function = "work"}};
/* main calls work from two call sites; one stack is cut off; one ends in a library without symbols */
static const struct prof_frame frames[] = {
    {.parent = NONE, .ip = 10, .line = LINE_MAIN_A}, {.parent = 0, .ip = 20, .line = LINE_WORK},
    {.parent = NONE, .ip = 11, .line = LINE_MAIN_B}, {.parent = 2, .ip = 20, .line = LINE_WORK},
    {.parent = 3, .ip = 30, .line = LINE_LEAF},      {.parent = NONE, .ip = 0, .line = NONE},
    {.parent = 5, .ip = 30, .line = LINE_LEAF},      {.parent = 0, .ip = 40, .line = LINE_STRIPPED},
};
static const struct prof_burst bursts[] = {{.frame = 1}, {.frame = 3}, {.frame = 4},
                                           {.frame = 6}, {.frame = 7}, {.frame = NONE}};

static struct an_tables tables(void)
{
    return (struct an_tables){.bursts = bursts,
                              .bursts_len = 6,
                              .lines = lines,
                              .lines_len = 5,
                              .frames = frames,
                              .frames_len = 8,
                              .inlines = inlines,
                              .inlines_len = 1};
}

/* The stack of a burst, outermost row first, as text. */
static const char *stack_of(const struct an_call_tree *c, uint32_t burst)
{
    static char text[256];
    char before[256];
    text[0] = '\0';
    for (uint32_t i = c->call_of_burst[burst]; i != NONE; i = c->rows[i].parent) {
        assert_true(c->rows[i].parent == NONE || c->rows[i].parent < i);
        strcpy(before, text);
        snprintf(text, sizeof(text), "%s%s%s", c->rows[i].function, *before ? ";" : "", before);
    }
    return text;
}

static void an_calls_down_merges_call_sites(void **state)
{
    const struct an_tables t = tables();
    struct an_call_tree c;
    (void)state;
    assert_int_equal(an_calls_init(&c, &t, AN_CALLS_DOWN), LS_OK);
    assert_string_equal(stack_of(&c, 0), "main;work;inner");
    assert_int_equal(c.call_of_burst[0], c.call_of_burst[1]);
    assert_string_equal(stack_of(&c, 2), "main;work;inner;leaf");
    assert_string_equal(stack_of(&c, 3), "[stack cut off];leaf");
    assert_string_equal(stack_of(&c, 4), "main;[no symbol]");
    assert_int_equal(c.call_of_burst[5], NONE);
    assert_int_equal(c.len, 4 + 2 + 1);
    an_calls_fini(&c);
}

static void an_calls_up_begins_with_the_function_at_work(void **state)
{
    const struct an_tables t = tables();
    struct an_call_tree c;
    (void)state;
    assert_int_equal(an_calls_init(&c, &t, AN_CALLS_UP), LS_OK);
    assert_string_equal(stack_of(&c, 2), "leaf;inner;work;main");
    assert_string_equal(stack_of(&c, 3), "leaf;[stack cut off]");
    an_calls_fini(&c);
}

static void an_run_without_stacks_has_no_calls(void **state)
{
    struct an_tables t = tables();
    struct an_call_tree c;
    (void)state;
    t.frames_len = 0;
    assert_int_equal(an_calls_init(&c, &t, AN_CALLS_DOWN), LS_OK);
    assert_int_equal(c.len, 0);
    assert_int_equal(c.call_of_burst[0], NONE);
    an_calls_fini(&c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_calls_down_merges_call_sites),
                                       cmocka_unit_test(an_calls_up_begins_with_the_function_at_work),
                                       cmocka_unit_test(an_run_without_stacks_has_no_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
