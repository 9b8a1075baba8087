/* SPDX-License-Identifier: BSD-3-Clause */
/* Untrusted names are written safely to a terminal, to JSON and to a spreadsheet. */
#include "common/ls_put.h"
#include "common/ls_text.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void control_characters_become_question_marks(void **state)
{
    static const struct {
        const char *text, *clean;
    } rows[] = {
        {"plain \xc3\xa4 \xe2\x82\xac", "plain \xc3\xa4 \xe2\x82\xac"},
        {"a\rb\x1b[31mc\x7f", "a?b?[31mc?"},
        {"csi \xc2\x9b", "csi ??"},
        {"raw \x9b", "raw ?"},
        {"\xe2\x80\xaa.\xe2\x80\xae", "???.???"},
        {"\xe2\x81\xa6.\xe2\x81\xa9", "???.???"},
        {"\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
         "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"},
        {"tab\tline\n", "tab\tline?"},
        {"printable words \x1f of eight \x7f bytes \x80 each\t",
         "printable words ? of eight ? bytes ? each\t"},
        {" ~ ~ ~ ~\x1f~ ~ ~ ~ ~ ~ ~ \x7f", " ~ ~ ~ ~?~ ~ ~ ~ ~ ~ ~ ?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = strdup(rows[i].text);
        ls_text_clean(text, strlen(text), "\t");
        assert_string_equal(text, rows[i].clean);
        free(text);
    }
}

static char *put_csv(const char *text)
{
    char *out = NULL;
    size_t len;
    FILE *f = open_memstream(&out, &len);
    ls_put_csv(f, text);
    fclose(f);
    return out;
}

static void cells_that_a_spreadsheet_evaluates_are_quoted(void **state)
{
    static const struct {
        const char *text, *cell;
    } rows[] = {
        {"=1+1", "\"'=1+1\""},
        {"+cmd|'/c'!A1", "\"'+cmd|'/c'!A1\""},
        {"@SUM(A1)", "\"'@SUM(A1)\""},
        {"-2+3", "\"'-2+3\""},
        {"=\"x\"", "\"'=\"\"x\"\"\""},
        {"-1.5e3", "-1.5e3"},
        {"-", "-"},
        {"\t=1", "\"'\t=1\""},
        {"\r=1", "\"'\r=1\""},
        {" =1+1", "\"' =1+1\""},
        {"a;=1", "\"a;=1\""},
        {" a", " a"},
        {"a=b", "a=b"},
        {"a,b", "\"a,b\""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *cell = put_csv(rows[i].text);
        assert_string_equal(cell, rows[i].cell);
        free(cell);
    }
}

static void json_has_no_control_characters(void **state)
{
    char *out = NULL;
    size_t len;
    (void)state;
    FILE *f = open_memstream(&out, &len);
    ls_put_json(f, "\r\xc2\x9b\xe2\x80\xae\xc3\xa4", "");
    fclose(f);
    assert_string_equal(out, "\"\\u000d\\u009b\\u202e\xc3\xa4\"");
    free(out);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_become_question_marks),
        cmocka_unit_test(cells_that_a_spreadsheet_evaluates_are_quoted),
        cmocka_unit_test(json_has_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
