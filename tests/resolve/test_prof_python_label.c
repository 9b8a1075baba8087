/* SPDX-License-Identifier: BSD-3-Clause */
/* The variable of Python that an expression is the value of. */
#include "resolve/prof_scripts.h"
#include "resolve/prof_site_names.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define RETURNED "(returned)"

/* The expression is between two marks `. */
struct row {
    const char *text;
    const char *label; /* NULL: none */
};

static const struct row rows[] = {
    {"x = `np.zeros(n)`", "x"},
    {"    self.rows = `np.zeros(n)`  # all of them", "self.rows"},
    {"self.rows[i] = `np.zeros(n)`", "self.rows"},
    {"by['a', f(x)][0] = `f()`", "by"},
    {"x: np.ndarray = `f()`", "x"},
    {"self.x: dict[str, int] = `f()`", "self.x"},
    {"else: x = `f()`", "x"},
    {"if a == b: x = `f()`", "x"},
    {"y = g(); x = `f()`; z = 3", "x"},
    {"a = b = `f()`", "a"},
    {"a, b = `f()`, g()", "a"},
    {"a, b = f(), `g()`", "b"},
    {"a, b[i, 3] = f(1, 2), `g()`", "b"},
    {"(a, b) = f(), `g()`", "b"},
    {"a, b = `f()`", "a, b"},
    {"x = (`f()`)", "x"},
    {"x = (\n    `f(1,\n      2)`\n)", "x"},
    {"x = \\\n    `f()`", "x"},
    {"x = `f(\n    n)`", "x"},
    {"x = `a * 2`", "x"},
    {"x = `f()` if c else g()", "x"},
    {"`x += f()`", "x"},
    {"x = g() if c else `f()`", "x"},
    {"x = y or `f()`", "x"},
    {"x = self.x or (`f()`)", "x"},
    {"if (x := `f()`) is not None:", "x"},
    {"while c and (self.x := `f()`):", "x"},
    {"g((a_1 := `f()`), 2)", "a_1"},
    {"x = `f()`.reshape(3, (4 + 5))", "x"},
    {"a, b = f(), `g()`.T.view(int)  # rows", "b"},
    {"return `f()`.ravel()", RETURNED},
    {"`by[k]` = 3", "by"},
    {"rows.append(`f()`)", "rows"},
    {"`self.rows.append(3)`", "self.rows"},
    {"`queue.extend(f())`", "queue"},
    {"return `f()`", RETURNED},
    {"    return (`f()`)", RETURNED},
    {"x = 'a = b, (' + \"it's\"; y = `f()`", "y"},
    {"größe = `f()`", "größe"},
    /* the value is another one */
    {"x = `f()`.sum()", NULL},
    {"x += `f()`", NULL},
    {"x = `f()`.reshape(3).sum()", NULL},
    {"x = `f()`.reshaped()", NULL},
    {"x = g() if `f()` else h()", NULL},
    {"x = 3 * selector`f()`", NULL},
    {"if (x := `f()` + 1) > 2:", NULL},
    {"g(x=y or `f()`)", NULL},
    {"x = `f()`[1]", NULL},
    {"x = `f()` + 1", NULL},
    {"x = 1 + `f()`", NULL},
    {"x = g(`f()`)", NULL},
    {"x = g(a, `f()`)", NULL},
    {"g(x=`f()`)", NULL},
    {"g(`f()`)", NULL},
    {"x == `f()`", NULL},
    {"if x == `f()`: pass", NULL},
    {"return `f()`.sum()", NULL},
    {"return g(`f()`)", NULL},
    {"`f()`", NULL},
    {"print(`f()`)", NULL},
    {"g(a).b = `f()`", NULL},
    {"# x = `f()`", NULL},
    {"for x in `f()`:", NULL},
    {"with `f()` as x:", NULL},
    {"x = lambda: `f()`", NULL},
    {"x = [`f()`]", NULL},
    {"x = y[`f()`]", NULL},
    {"x = {'k': `f()`}", NULL},
};

/* Split a text at its marks and line ends; lines up to the one of the expression. */
struct parsed {
    char text[256];
    const char *lines[PROF_LABEL_LINES_MAX], *after;
    size_t len;
    struct prof_script script;
};

static void parse(const char *text, struct parsed *p)
{
    char *to = p->text, *line = to;
    uint32_t number = 1;
    unsigned marks = 0;
    *p = (struct parsed){.script.function = "f", .after = ""};
    for (;; text++) {
        if (*text == '`' && marks++ == 0) {
            p->script.line = number;
            p->script.column = (uint16_t)(to - line + 1);
        } else if (*text == '`') {
            p->script.end_line = number;
            p->script.end_column = (uint16_t)(to - line + 1);
            p->after = to;
        } else if (*text == '\n' || *text == '\0') {
            *to++ = '\0';
            if (p->script.line == 0 || p->script.line == number) p->lines[p->len++] = line;
            line = to;
            number++;
            if (*text == '\0') return;
        } else {
            *to++ = *text;
        }
    }
}

static void an_expression_has_the_name_of_the_variable_that_gets_its_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed p;
        char label[PROF_LABEL_BYTES] = "";
        parse(rows[i].text, &p);
        const enum prof_python_use use = prof_python_label(p.lines, p.len, &p.script, p.after, label);
        const char *found = use == PROF_PYTHON_NAMED ? label : use == PROF_PYTHON_RETURN ? RETURNED : NULL;
        if ((found == NULL) != (rows[i].label == NULL) || (found && strcmp(found, rows[i].label) != 0))
            fail_msg("%s: %s, expected %s", rows[i].text, found ? found : "none",
                     rows[i].label ? rows[i].label : "none");
    }
}

static void elements_of_a_comprehension_belong_to_the_value_of_the_caller(void **state)
{
    const char *lines[] = {"x = [f() for i in y]"};
    const struct prof_script s = {
        .function = "main.<locals>.<listcomp>", .line = 1, .column = 6, .end_line = 1, .end_column = 9};
    char label[PROF_LABEL_BYTES];
    (void)state;
    assert_int_equal(prof_python_label(lines, 1, &s, " for", label), PROF_PYTHON_RETURN);
}

static void damaged_columns_give_no_name(void **state)
{
    const char *lines[] = {"x = f()"};
    char label[PROF_LABEL_BYTES];
    (void)state;
    for (uint32_t column = 0; column < 70000; column += column < 20 ? 1 : 7001)
        for (uint32_t end = 0; end < 70000; end += end < 20 ? 1 : 7001) {
            const struct prof_script s = {.function = "f",
                                          .line = 1,
                                          .end_line = 1 + end % 2,
                                          .column = (uint16_t)column,
                                          .end_column = (uint16_t)end};
            const enum prof_python_use use = prof_python_label(lines, 1, &s, "", label);
            assert_true(use != PROF_PYTHON_NAMED || strcmp(label, "x") == 0 || column == 1);
        }
    const struct prof_script s = {.function = "f", .column = 1, .end_column = 2};
    assert_int_equal(prof_python_label(lines, 0, &s, NULL, label), PROF_PYTHON_OTHER);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expression_has_the_name_of_the_variable_that_gets_its_value),
        cmocka_unit_test(elements_of_a_comprehension_belong_to_the_value_of_the_caller),
        cmocka_unit_test(damaged_columns_give_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
