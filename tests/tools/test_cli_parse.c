/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/cli/cli_parse.h"
#include "tests/unit.h"

#include <signal.h>
#include <string.h>

enum { FORCE, OUTPUT, SHARE, KIND, TIME, SIGNAL, WAY, ROOM, ROWS, OPTIONS };
static const struct cli_option options[OPTIONS] = {
    [FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "", ""},
    [OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "a.out", "", ""},
    [SHARE] = {"share", 0, CLI_PERCENT, "PERCENT", "3%", "", ""},
    [KIND] = {"kind", 'k', CLI_CHOICE, "auto|step|null", "auto", "", ""},
    [TIME] = {"time", 't', CLI_DURATION, "TIME", NULL, "", ""},
    [SIGNAL] = {"signal", 0, CLI_SIGNAL, "SIGNAL", NULL, "", ""},
    [WAY] = {"way", 'w', CLI_CHOICE, "off|auto|fp", "off", "", "", .alone = "auto"},
    [ROOM] = {"room", 0, CLI_BYTES, "BYTES", "1G", "", "", .least = 1 << 20},
    [ROWS] = {"rows", 0, CLI_COUNT, "COUNT", NULL, "", "", .least = 1, .most = 40},
};
static const struct cli_command plain = {
    .name = "plain", .operands = "FILE", .options = options, .options_len = OPTIONS, .operands_max = 2};
static const struct cli_command runner = {.name = "runner",
                                          .operands = "PROGRAM",
                                          .options = options,
                                          .options_len = OPTIONS,
                                          .operands_min = 1,
                                          .operands_max = SIZE_MAX,
                                          .stops_at_operand = true};

#define PARSE(command, parsed, ...)                                                                     \
    cli_parse(command, sizeof((char *[]){__VA_ARGS__}) / sizeof(char *), (char *[]){__VA_ARGS__, NULL}, \
              parsed)

static void cli_spellings_of_an_argument_agree(void **state)
{
    (void)state;
    static char *const spellings[][3] = {
        {"--output", "x.h5"}, {"--output=x.h5"}, {"-o", "x.h5"}, {"-ox.h5"}, {"-fox.h5"}};
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        char *argv[3];
        memcpy(argv, spellings[i], sizeof(argv));
        struct cli_parsed p;
        assert_int_equal(cli_parse(&plain, argv[1] ? 2 : 1, argv, &p), LS_OK);
        assert_string_equal(p.values[OUTPUT].text, "x.h5");
        assert_true(p.values[OUTPUT].given);
        assert_int_equal(p.values[FORCE].given, i == 4);
        cli_parsed_fini(&p);
    }
}

static void cli_two_dashes_separate_operands_where_a_command_wants_it(void **state)
{
    (void)state;
    struct cli_command sides = plain;
    struct cli_parsed p;
    sides.separates_operands = true;
    sides.operands_max = SIZE_MAX;
    assert_int_equal(PARSE(&sides, &p, "a", "--", "b", "-f", "c"), LS_OK);
    assert_int_equal(p.operands_len, 4);
    assert_string_equal(p.operands[1], "--");
    assert_true(p.values[FORCE].given);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&sides, &p, "--", "-f", "c"), LS_OK); /* nothing before it to separate */
    assert_int_equal(p.operands_len, 2);
    assert_string_equal(p.operands[0], "-f");
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "a", "--", "-f"), LS_OK);
    assert_int_equal(p.operands_len, 2);
    assert_string_equal(p.operands[1], "-f");
    cli_parsed_fini(&p);
}

static void cli_unique_prefixes_of_names_are_accepted(void **state)
{
    (void)state;
    struct cli_parsed p;
    assert_int_equal(PARSE(&plain, &p, "--forc", "--out=x", "--shar", "5%"), LS_OK);
    assert_true(p.values[FORCE].given && p.values[SHARE].given);
    assert_string_equal(p.values[OUTPUT].text, "x");
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "--s", "5%"), LS_ERR_USAGE);
    assert_non_null(strstr(ls_last_error(), "--s is short for --share and --signal"));
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "--=5"), LS_ERR_USAGE);
    cli_parsed_fini(&p);
}

static void cli_defaults_are_read_like_arguments(void **state)
{
    (void)state;
    struct cli_parsed p;
    assert_int_equal(PARSE(&plain, &p, "--kind=null", "-t", "20ms", "--signal=SIGUSR2"), LS_OK);
    assert_float_equal(p.values[SHARE].share, 0.03, 1e-12);
    assert_false(p.values[SHARE].given);
    assert_int_equal(p.values[KIND].number, 2);
    assert_int_equal(p.values[TIME].number, 20000000);
    assert_int_equal(p.values[SIGNAL].number, SIGUSR2);
    assert_int_equal(p.values[KIND].position, 1);
    assert_int_equal(p.values[SIGNAL].position, 3);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "-k", "STEP"), LS_OK);
    assert_int_equal(p.values[KIND].number, 1);
    cli_parsed_fini(&p);
}

static void cli_numbers_outside_of_their_limits_are_refused(void **state)
{
    (void)state;
    static const struct {
        char *argument;
        const char *why; /* NULL: taken */
    } rows[] = {
        {"--rows=1", NULL},
        {"--rows=40", NULL},
        {"--room=1M", NULL},
        {"--rows=0", "--rows: 0 is too little; give 1 to 40"},
        {"--rows=41", "--rows: 41 is too much; give 1 to 40"},
        {"--room=0", "--room: 0 is too little; give 1M or more"},
        {"--room=1023K", "--room: 1023K is too little; give 1M or more"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cli_parsed p;
        const ls_err err = PARSE(&plain, &p, rows[i].argument);
        assert_int_equal(err, rows[i].why ? LS_ERR_USAGE : LS_OK);
        if (rows[i].why) assert_string_equal(ls_last_error(), rows[i].why);
        cli_parsed_fini(&p);
    }
}

static void cli_limits_are_reported_as_they_are_written(void **state)
{
    (void)state;
    static const struct cli_option huge = {"size", 'n',        CLI_COUNT,      "N", NULL, "",
                                           "",     .least = 1, .most = 1 << 30};
    char text[CLI_LIMITS_BYTES];
    assert_string_equal(cli_limits_text(&options[ROOM], text), "1M or more");
    assert_string_equal(cli_limits_text(&options[ROWS], text), "1 to 40");
    assert_string_equal(cli_limits_text(&huge, text), "1 or more");
    assert_string_equal(cli_limits_text(&options[TIME], text), "");
}

static void cli_options_end_at_the_program(void **state)
{
    (void)state;
    struct cli_parsed p;
    assert_int_equal(PARSE(&runner, &p, "-f", "ls", "-k", "--help"), LS_OK);
    assert_int_equal(p.operands_len, 3);
    assert_string_equal(p.operands[1], "-k");
    assert_null(p.operands[3]);
    assert_false(p.help);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&runner, &p, "--", "-odd"), LS_OK);
    assert_string_equal(p.operands[0], "-odd");
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "a", "-f", "b"), LS_OK);
    assert_int_equal(p.operands_len, 2);
    assert_true(p.values[FORCE].given);
    cli_parsed_fini(&p);
}

static void cli_wrong_usage_is_named(void **state)
{
    (void)state;
    static const struct {
        char *argument;
        const char *text;
    } wrong[] = {{"--forse", "did you mean --force?"},
                 {"--zzzz", "--help"},
                 {"--output", "needs an argument: FILE"},
                 {"--force=1", "takes no argument"},
                 {"--kind=best", "one of auto|step|null"},
                 {"--share=200%", "--share:"},
                 {"--time=abc", "not a number"},
                 {"-x", "unknown option -x"},
                 {"--signal=FOO", "no signal"},
                 {"--output=", "empty"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct cli_parsed p;
        assert_int_equal(PARSE(&plain, &p, wrong[i].argument), LS_ERR_USAGE);
        if (!strstr(ls_last_error(), wrong[i].text))
            fail_msg("%s: '%s' lacks '%s'", wrong[i].argument, ls_last_error(), wrong[i].text);
        cli_parsed_fini(&p);
    }
}

static const char *nearest(const char *word)
{
    struct cli_nearest n = cli_nearest_to(word, strlen(word));
    cli_nearest_offer(&n, "record");
    cli_nearest_offer(&n, "report");
    cli_nearest_offer(&n, "resolve");
    return cli_nearest_best(&n);
}

static void cli_nearest_word_is_near(void **state)
{
    (void)state;
    assert_string_equal(nearest("recrod"), "record");
    assert_string_equal(nearest("reprt"), "report");
    assert_string_equal(nearest("reso"), "resolve");
    assert_null(nearest("doctor"));
    assert_null(nearest("x"));
}

static void cli_option_without_value_has_its_default_value(void **state)
{
    (void)state;
    struct cli_parsed p;
    assert_int_equal(PARSE(&plain, &p, "file"), LS_OK);
    assert_string_equal(p.values[WAY].text, "off");
    assert_false(p.values[WAY].given);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "--way", "fp"), LS_OK); /* the next word is an operand */
    assert_string_equal(p.values[WAY].text, "auto");
    assert_true(p.values[WAY].given);
    assert_int_equal(p.operands_len, 1);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "--way=fp"), LS_OK);
    assert_int_equal(p.values[WAY].number, 2);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "-woff"), LS_OK);
    assert_int_equal(p.values[WAY].number, 0);
    cli_parsed_fini(&p);
    assert_int_equal(PARSE(&plain, &p, "--way=else"), LS_ERR_USAGE);
    cli_parsed_fini(&p);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cli_spellings_of_an_argument_agree),
        cmocka_unit_test(cli_two_dashes_separate_operands_where_a_command_wants_it),
        cmocka_unit_test(cli_unique_prefixes_of_names_are_accepted),
        cmocka_unit_test(cli_defaults_are_read_like_arguments),
        cmocka_unit_test(cli_option_without_value_has_its_default_value),
        cmocka_unit_test(cli_numbers_outside_of_their_limits_are_refused),
        cmocka_unit_test(cli_limits_are_reported_as_they_are_written),
        cmocka_unit_test(cli_options_end_at_the_program),
        cmocka_unit_test(cli_wrong_usage_is_named),
        cmocka_unit_test(cli_nearest_word_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
