/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/cli/cli_parse.h"
#include "common/ls_quantity.h"
#include "common/ls_vector.h"
#include "common/ls_error.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- signals by name ---- */

/* "USR1", "SIGUSR1" or "10".  Errors: LS_ERR_ARG. */
static ls_err cli_signal_parse(const char *text, uint64_t *out)
{
    const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
    for (int s = 1; s < NSIG; s++) {
        const char *known = sigabbrev_np(s);
        if (known && strcasecmp(known, name) == 0) {
            *out = (uint64_t)s;
            return LS_OK;
        }
    }
    if (ls_parse_u64(text, out) != LS_OK || *out == 0 || *out > (uint64_t)SIGRTMAX)
        return ls_fail(LS_ERR_ARG, "'%s' is no signal; write a name such as USR2 or a number", text);
    return LS_OK;
}

/* ---- limits of an option ---- */

enum { LIMIT_BYTES = 24, LIMIT_PRINTED_MAX = 1000000 /* larger limits are not printed */ };

/* Write the number as on a command line. */
static const char *limit_text(const struct cli_option *o, uint64_t number, char out[LIMIT_BYTES])
{
    static const char *const units[][4] = {{"", "K", "M", "G"}, {"ns", "us", "ms", "s"}};
    const bool is_time = o->type == CLI_DURATION;
    const uint64_t step = is_time ? 1000 : 1024;
    size_t unit = 0;
    for (; (is_time || o->type == CLI_BYTES) && number && number % step == 0 && unit < 3; unit++)
        number /= step;
    snprintf(out, LIMIT_BYTES, "%" PRIu64 "%s", number, units[is_time][unit]);
    return out;
}

const char *cli_limits_text(const struct cli_option *o, char out[CLI_LIMITS_BYTES])
{
    char least[LIMIT_BYTES], most[LIMIT_BYTES];
    limit_text(o, o->least, least);
    limit_text(o, o->most, most);
    out[0] = '\0';
    if (o->most && (o->most <= LIMIT_PRINTED_MAX || o->type == CLI_DURATION))
        snprintf(out, CLI_LIMITS_BYTES, "%s to %s", least, most);
    else if (o->least)
        snprintf(out, CLI_LIMITS_BYTES, "%s or more", least);
    return out;
}

/* Check that o takes number, written as text. A value that an option would read as "not given" or could not
 * apply is refused instead of ignored.
 * Errors: LS_ERR_RANGE, with the number to give. */
static ls_err cli_limits_check(const struct cli_option *o, const char *text, uint64_t number)
{
    char limits[CLI_LIMITS_BYTES];
    if (number >= o->least && (!o->most || number <= o->most)) return LS_OK;
    if (number > o->most && o->most > LIMIT_PRINTED_MAX && o->type != CLI_DURATION)
        return ls_fail(LS_ERR_RANGE, "%s is too much; give %" PRIu64 " or less", text, o->most);
    return ls_fail(LS_ERR_RANGE, "%s is too %s; give %s", text, number < o->least ? "little" : "much",
                   cli_limits_text(o, limits));
}

/* ---- the command line ---- */

struct cli_parser {
    const struct cli_command *command;
    struct cli_parsed *out;
    char **next; /* next argument, NULL-terminated */
    unsigned options_seen;
};

static ls_err cli_choice_parse(const char *choices, const char *text, uint64_t *out)
{
    const size_t len = strlen(text);
    uint64_t row = 0;
    for (const char *c = choices; *c; row++) {
        const size_t word = strcspn(c, "|");
        if (word == len && strncasecmp(c, text, len) == 0) {
            *out = row;
            return LS_OK;
        }
        c += word + (c[word] == '|');
    }
    return ls_fail(LS_ERR_ARG, "'%s' is not one of %s", text, choices);
}

static ls_err cli_value_collect(const char *text, struct cli_value *v)
{
    LS_TRY(LS_GROW(v->all, v->all_room, v->all_len + 1));
    v->all[v->all_len++] = text;
    return LS_OK;
}

static ls_err cli_number_read(const struct cli_option *o, ls_err (*parse)(const char *, uint64_t *),
                              const char *text, struct cli_value *v)
{
    LS_TRY(parse(text, &v->number));
    return cli_limits_check(o, text, v->number);
}

static ls_err cli_least_parse(const char *text, double *out_share)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (value != 0 || end == text || (*end && strcmp(end, "%") != 0))
        return ls_parse_percent(text, out_share);
    *out_share = 0;
    return LS_OK;
}

static ls_err cli_value_read(const struct cli_option *o, const char *text, struct cli_value *v)
{
    switch (o->type) {
    case CLI_CHOICE:
        return cli_choice_parse(o->argument, text, &v->number);
    case CLI_BYTES:
        return cli_number_read(o, ls_parse_bytes, text, v);
    case CLI_DURATION:
        return cli_number_read(o, ls_parse_duration, text, v);
    case CLI_LEAST:
        return cli_least_parse(text, &v->share);
    case CLI_PERCENT:
        return ls_parse_percent(text, &v->share);
    case CLI_COUNT:
        return cli_number_read(o, ls_parse_u64, text, v);
    case CLI_SIGNAL:
        return cli_signal_parse(text, &v->number);
    case CLI_FILE:
    case CLI_DIR:
        return *text ? LS_OK : ls_fail(LS_ERR_ARG, "the name is empty");
    case CLI_FILES:
        if (!*text) return ls_fail(LS_ERR_ARG, "the name is empty");
        return cli_value_collect(text, v);
    case CLI_FILTERS:
    case CLI_TEXTS:
        return cli_value_collect(text, v);
    case CLI_FLAG:
    case CLI_TEXT:
    case CLI_DIMENSIONS:
        break;
    }
    return LS_OK;
}

static ls_err cli_value_set(const struct cli_option *o, const char *text, struct cli_value *v)
{
    if (cli_value_read(o, text, v) != LS_OK) {
        char why[256];
        strncpy(why, ls_last_error(), sizeof(why) - 1);
        why[sizeof(why) - 1] = '\0';
        return ls_fail(LS_ERR_USAGE, "--%s: %s", o->name, why);
    }
    v->text = text;
    return LS_OK;
}

static ls_err cli_option_apply(struct cli_parser *p, const struct cli_option *o, const char *attached)
{
    struct cli_value *v = &p->out->values[o - p->command->options];
    v->given = true;
    v->position = ++p->options_seen;
    if (o->type == CLI_FLAG) {
        if (attached)
            return ls_fail(LS_ERR_USAGE, "--%s takes no argument, '%s' was given", o->name, attached);
        v->number = 1;
        return LS_OK;
    }
    const char *text = attached ? attached : o->alone ? o->alone : *p->next ? *p->next++ : NULL;
    if (!text) return ls_fail(LS_ERR_USAGE, "--%s needs an argument: %s", o->name, o->argument);
    return cli_value_set(o, text, v);
}

static const struct cli_option *cli_option_named(const struct cli_command *c, const char *name, size_t len)
{
    for (size_t i = 0; i < c->options_len; i++)
        if (strlen(c->options[i].name) == len && memcmp(c->options[i].name, name, len) == 0)
            return &c->options[i];
    return NULL;
}

/* Find the only option whose name begins with name[0, len), like getopt_long(3); --help is an option, too.
 * Errors: LS_ERR_USAGE if there are several, naming two. */
static ls_err cli_option_abbreviated(const struct cli_command *c, const char *name, size_t len,
                                     const struct cli_option **out)
{
    const char *first = len && len < 4 && memcmp("help", name, len) == 0 ? "help" : NULL;
    *out = NULL;
    for (size_t i = 0; i < c->options_len && len; i++) {
        if (strncmp(c->options[i].name, name, len) != 0) continue;
        if (first)
            return ls_fail(LS_ERR_USAGE, "--%.*s is short for --%s and --%s: give more letters", (int)len,
                           name, first, c->options[i].name);
        first = c->options[i].name;
        *out = &c->options[i];
    }
    return LS_OK;
}

static ls_err cli_option_unknown(const struct cli_command *c, const char *name, size_t len)
{
    struct cli_nearest nearest = cli_nearest_to(name, len);
    for (size_t i = 0; i < c->options_len; i++)
        cli_nearest_offer(&nearest, c->options[i].name);
    cli_nearest_offer(&nearest, "help");
    cli_nearest_offer(&nearest, "help-all");
    const char *best = cli_nearest_best(&nearest);
    if (best) return ls_fail(LS_ERR_USAGE, "unknown option --%.*s; did you mean --%s?", (int)len, name, best);
    return ls_fail(LS_ERR_USAGE, "unknown option --%.*s; see loadstone %s --help", (int)len, name, c->name);
}

static ls_err cli_parse_long(struct cli_parser *p, const char *name)
{
    const size_t len = strcspn(name, "=");
    if (len == 4 && memcmp(name, "help", 4) == 0) {
        p->out->help = true;
        return LS_OK;
    }
    if (strcmp(name, "help-all") == 0) {
        p->out->help = p->out->help_all = true;
        return LS_OK;
    }
    const struct cli_option *o = cli_option_named(p->command, name, len);
    if (!o) LS_TRY(cli_option_abbreviated(p->command, name, len, &o));
    if (!o) return cli_option_unknown(p->command, name, len);
    return cli_option_apply(p, o, name[len] == '=' ? name + len + 1 : NULL);
}

static const struct cli_option *cli_option_lettered(const struct cli_command *c, char letter)
{
    for (size_t i = 0; i < c->options_len; i++)
        if (c->options[i].letter == letter) return &c->options[i];
    return NULL;
}

static ls_err cli_parse_letters(struct cli_parser *p, const char *letters)
{
    for (; *letters; letters++) {
        if (*letters == 'h') {
            p->out->help = true;
            continue;
        }
        const struct cli_option *o = cli_option_lettered(p->command, *letters);
        if (!o)
            return ls_fail(LS_ERR_USAGE, "unknown option -%c; see loadstone %s --help", *letters,
                           p->command->name);
        if (o->type != CLI_FLAG) return cli_option_apply(p, o, letters[1] ? letters + 1 : NULL);
        LS_TRY(cli_option_apply(p, o, NULL));
    }
    return LS_OK;
}

static ls_err cli_parse_all(struct cli_parser *p)
{
    bool options_over = false;
    while (*p->next) {
        char *argument = *p->next++;
        if (options_over || argument[0] != '-' || argument[1] == '\0') {
            p->out->operands[p->out->operands_len++] = argument;
            options_over = options_over || p->command->stops_at_operand;
        } else if (strcmp(argument, "--") == 0) {
            if (p->command->separates_operands && p->out->operands_len > 0)
                p->out->operands[p->out->operands_len++] = argument;
            else
                options_over = true;
        } else if (argument[1] == '-') {
            LS_TRY(cli_parse_long(p, argument + 2));
        } else {
            LS_TRY(cli_parse_letters(p, argument + 1));
        }
    }
    return LS_OK;
}

static ls_err cli_set_fallbacks(const struct cli_command *c, struct cli_value *values)
{
    for (size_t i = 0; i < c->options_len; i++)
        if (c->options[i].fallback) LS_TRY(cli_value_set(&c->options[i], c->options[i].fallback, &values[i]));
    return LS_OK;
}

ls_err cli_parse(const struct cli_command *c, int argc, char **argv, struct cli_parsed *out)
{
    memset(out, 0, sizeof(*out));
    out->values = calloc(c->options_len + 1, sizeof(*out->values));
    out->values_len = c->options_len;
    out->operands = calloc((size_t)argc + 1, sizeof(*out->operands));
    if (!out->values || !out->operands) return ls_nomem("the command line");
    LS_TRY(cli_set_fallbacks(c, out->values));
    struct cli_parser p = {.command = c, .out = out, .next = argv};
    LS_TRY(cli_parse_all(&p));
    if (out->help) return LS_OK;
    if (out->operands_len < c->operands_min)
        return ls_fail(LS_ERR_USAGE, "%s is missing; see loadstone %s --help", c->operands, c->name);
    if (out->operands_len > c->operands_max)
        return ls_fail(LS_ERR_USAGE, "'%s' is one argument too many; see loadstone %s --help",
                       out->operands[c->operands_max], c->name);
    return LS_OK;
}

void cli_parsed_fini(struct cli_parsed *p)
{
    for (size_t i = 0; p->values && i < p->values_len; i++)
        free(p->values[i].all);
    free(p->values);
    free(p->operands);
    p->values = NULL;
    p->operands = NULL;
}

/* ---- the nearest word ---- */

enum { CLI_WORD_MAX = 40 };

struct cli_nearest cli_nearest_to(const char *word, size_t len)
{
    return (struct cli_nearest){.word = word, .len = len, .best_distance = SIZE_MAX};
}

static size_t cli_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace, swap of neighbours (Damerau 1964). */
static size_t cli_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t d[CLI_WORD_MAX + 1][CLI_WORD_MAX + 1];
    for (size_t i = 0; i <= a_len; i++) {
        for (size_t j = 0; j <= b_len; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const size_t replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = cli_min(replace, cli_min(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = cli_min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a_len][b_len];
}

void cli_nearest_offer(struct cli_nearest *n, const char *candidate)
{
    const size_t len = strlen(candidate);
    if (len > CLI_WORD_MAX || n->len > CLI_WORD_MAX) return;
    /* an incomplete word counts as one typing error */
    const size_t distance = n->len >= 2 && len > n->len && memcmp(candidate, n->word, n->len) == 0
                                ? 1
                                : cli_distance(n->word, n->len, candidate, len);
    if (distance < n->best_distance) {
        n->best_distance = distance;
        n->best = candidate;
    }
}

const char *cli_nearest_best(const struct cli_nearest *n)
{
    const size_t limit = n->len / 3 > 1 ? n->len / 3 : 1;
    return n->best_distance <= limit ? n->best : NULL;
}
