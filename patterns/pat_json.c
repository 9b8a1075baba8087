/* SPDX-License-Identifier: BSD-3-Clause */
/* yajl calls back for each piece of JSON; an automaton of five states turns them into keys and values for a
 * builder. */
#include "patterns/pat_json.h"
#include "config.h"

#include "common/ls_text.h"
#include "patterns/pat_builder.h"
#include "patterns/pat_list.h"

#ifdef HAVE_YAJL
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { PAT_JSON_CHUNK = 1 << 18, PAT_JSON_DEPTH_MAX = 64 };

enum pat_json_state {
    PAT_JSON_TOP,    /* before the array */
    PAT_JSON_SUITE,  /* between configurations */
    PAT_JSON_CONFIG, /* in one, at a key or a value */
    PAT_JSON_LIST,   /* in the array of a key */
    PAT_JSON_END
};

struct pat_json {
    const struct pat_json_options *options;
    const char *name;
    struct pat_suite *suite;
    yajl_handle yajl;
    const unsigned char *chunk;
    size_t counted;    /* bytes of chunk whose lines were counted */
    size_t line;       /* 1 for the first */
    size_t begin_line; /* line at which the configuration begins */
    enum pat_json_state state;
    const struct pat_key *key; /* NULL: one that is skipped */
    unsigned skipped;          /* depth inside a value that is skipped */
    struct pat_builder builder;
    bool building;
    struct pat_list list;
    char *dir;
    ls_err err;
};

/* Count the lines up to yajl's position, in steps, so that the file is scanned only once. */
static void pat_json_count_lines(struct pat_json *p)
{
    const size_t at = yajl_get_bytes_consumed(p->yajl);
    while (p->counted < at) {
        const unsigned char *end = memchr(p->chunk + p->counted, '\n', at - p->counted);
        if (!end) {
            p->counted = at;
            break;
        }
        p->line++;
        p->counted = (size_t)(end - p->chunk) + 1;
    }
}

/* "FILE:LINE: text"; the callback's value for yajl: stop. */
static int pat_json_fail(struct pat_json *p, ls_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int pat_json_fail(struct pat_json *p, ls_err err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pat_json_count_lines(p);
    p->err = ls_fail(err == LS_ERR_NOMEM ? err : LS_ERR_FORMAT, "%s:%zu: %s", p->name, p->line, text);
    return 0;
}

static void pat_json_note(struct pat_json *p, const char *text)
{
    char line[512];
    if (!*text || !p->options->note) return;
    pat_json_count_lines(p);
    snprintf(line, sizeof(line), "%s:%zu: %s", p->name, p->line, text);
    p->options->note(p->options->user, line);
}

static const char *pat_json_expected(const struct pat_json *p)
{
    switch (p->state) {
    case PAT_JSON_TOP:
        return "an array of configurations, [{...}, ...]";
    case PAT_JSON_SUITE:
        return "a configuration, {\"kernel\": ..., \"pattern\": ...}";
    case PAT_JSON_LIST:
        return "integers";
    case PAT_JSON_CONFIG:
        return p->key ? pat_key_expects(p->key) : "a key and its value";
    case PAT_JSON_END:
        break;
    }
    return "nothing after the array";
}

static int pat_json_wrong_type(struct pat_json *p, const char *found)
{
    if (p->state == PAT_JSON_CONFIG || p->state == PAT_JSON_LIST)
        return pat_json_fail(p, LS_ERR_FORMAT, "%s: expected %s, found %s", p->key->name,
                             pat_json_expected(p), found);
    return pat_json_fail(p, LS_ERR_FORMAT, "expected %s, found %s", pat_json_expected(p), found);
}

/* Skip scalars of unknown keys; true if the event was one. */
static bool pat_json_skips(const struct pat_json *p)
{
    return p->skipped > 0 || (p->state == PAT_JSON_CONFIG && !p->key);
}

static int pat_json_set(struct pat_json *p, ls_err err)
{
    if (err == LS_OK) {
        pat_json_note(p, p->builder.note);
        return 1;
    }
    char why[300];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return pat_json_fail(p, err, "%s: %s; expected %s", p->key->name, why, pat_key_expects(p->key));
}

static int pat_json_on_null(void *user)
{
    struct pat_json *p = user;
    return pat_json_skips(p) ? 1 : pat_json_wrong_type(p, "null");
}

static int pat_json_on_boolean(void *user, int value)
{
    struct pat_json *p = user;
    return pat_json_skips(p) ? 1 : pat_json_wrong_type(p, value ? "true" : "false");
}

static int pat_json_on_element(struct pat_json *p, const char *text, size_t len)
{
    int64_t n;
    const int64_t minimum = pat_key_list_minimum(p->key);
    ls_err err = pat_integer_parse_from(text, len, minimum, &n);
    if (err == LS_OK) err = pat_list_push(&p->list, n);
    if (err == LS_OK) return 1;
    char why[300];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return pat_json_fail(p, err, "%s: element %zu: %s; expected integers%s", p->key->name, p->list.v.len, why,
                         minimum == 0 ? " that are not negative" : "");
}

static int pat_json_on_number(void *user, const char *text, size_t len)
{
    struct pat_json *p = user;
    if (p->state == PAT_JSON_LIST) return pat_json_on_element(p, text, len);
    if (pat_json_skips(p)) return 1;
    if (p->state != PAT_JSON_CONFIG) return pat_json_wrong_type(p, "a number");
    return pat_json_set(p, pat_builder_number(&p->builder, p->key, text, len));
}

static int pat_json_on_string(void *user, const unsigned char *text, size_t len)
{
    struct pat_json *p = user;
    if (pat_json_skips(p)) return 1;
    if (p->state != PAT_JSON_CONFIG) return pat_json_wrong_type(p, "a text");
    if (memchr(text, '\0', len))
        return pat_json_fail(p, LS_ERR_FORMAT, "%s: the text has a zero byte", p->key->name);
    return pat_json_set(p, pat_builder_text(&p->builder, p->key, (const char *)text, len));
}

static int pat_json_deeper(struct pat_json *p)
{
    if (++p->skipped <= PAT_JSON_DEPTH_MAX) return 1;
    return pat_json_fail(p, LS_ERR_FORMAT, "nested deeper than %d levels; expected a value",
                         PAT_JSON_DEPTH_MAX);
}

static int pat_json_on_start_map(void *user)
{
    struct pat_json *p = user;
    if (pat_json_skips(p)) return pat_json_deeper(p);
    if (p->state != PAT_JSON_SUITE) return pat_json_wrong_type(p, "an object");
    pat_json_count_lines(p);
    p->begin_line = p->line;
    p->key = NULL;
    if (pat_builder_init(&p->builder) != LS_OK)
        return pat_json_fail(p, LS_ERR_NOMEM, "no memory for a configuration");
    p->builder.dir = p->dir;
    p->builder.no_raw_files = p->options->no_raw_files;
    p->builder.indices_max = p->options->indices_max;
    p->builder.generator_wins = true;
    p->building = true;
    p->state = PAT_JSON_CONFIG;
    return 1;
}

static int pat_json_on_key(void *user, const unsigned char *text, size_t len)
{
    struct pat_json *p = user;
    if (p->skipped) return 1;
    p->key = pat_key_find((const char *)text, len);
    if (!p->key) {
        char note[128];
        snprintf(note, sizeof(note), "unknown key \"%.*s\"; it has no effect", (int)(len < 60 ? len : 60),
                 (const char *)text);
        pat_json_note(p, note);
    }
    return 1;
}

static int pat_json_on_end_map(void *user)
{
    struct pat_json *p = user;
    if (p->skipped) {
        p->skipped--;
        return 1;
    }
    p->building = false;
    p->state = PAT_JSON_SUITE;
    const ls_err err = pat_builder_finish(&p->builder, p->options->compress, p->suite);
    if (err == LS_OK) return 1;
    char why[300];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return pat_json_fail(p, err, "in the configuration that begins in line %zu: %s", p->begin_line, why);
}

static int pat_json_on_start_array(void *user)
{
    struct pat_json *p = user;
    if (pat_json_skips(p)) return pat_json_deeper(p);
    if (p->state == PAT_JSON_TOP) {
        p->state = PAT_JSON_SUITE;
        return 1;
    }
    if (p->state != PAT_JSON_CONFIG) return pat_json_wrong_type(p, "an array");
    p->state = PAT_JSON_LIST;
    return 1;
}

static int pat_json_on_end_array(void *user)
{
    struct pat_json *p = user;
    if (p->skipped) {
        p->skipped--;
        return 1;
    }
    if (p->state == PAT_JSON_SUITE) {
        p->state = PAT_JSON_END;
        return 1;
    }
    p->state = PAT_JSON_CONFIG;
    const int goes_on = pat_json_set(p, pat_builder_list(&p->builder, p->key, &p->list));
    p->list.v.len = 0;
    return goes_on;
}

static const yajl_callbacks pat_json_callbacks = {
    .yajl_null = pat_json_on_null,
    .yajl_boolean = pat_json_on_boolean,
    .yajl_number = pat_json_on_number,
    .yajl_string = pat_json_on_string,
    .yajl_start_map = pat_json_on_start_map,
    .yajl_map_key = pat_json_on_key,
    .yajl_end_map = pat_json_on_end_map,
    .yajl_start_array = pat_json_on_start_array,
    .yajl_end_array = pat_json_on_end_array,
};

/* Report a syntax error that yajl found. */
static ls_err pat_json_syntax(struct pat_json *p)
{
    char why[200];
    unsigned char *text = yajl_get_error(p->yajl, 0, NULL, 0);
    snprintf(why, sizeof(why), "%s", text ? (const char *)text : "not JSON");
    if (text) yajl_free_error(p->yajl, text);
    why[strcspn(why, ".\n")] = '\0';
    if (p->state == PAT_JSON_TOP) /* the file has no byte */
        pat_json_fail(p, LS_ERR_FORMAT,
                      "expected %s: this is no pattern file; loadstone patterns "
                      "FILE -o P.json makes one of a recording or a trace",
                      pat_json_expected(p));
    else
        pat_json_fail(p, LS_ERR_FORMAT, "%s; expected %s", why, pat_json_expected(p));
    return p->err;
}

/* Check the first bytes: skip a byte order mark, and refuse a pointer file of git-lfs.
 * Errors: LS_ERR_FORMAT. */
static ls_err pat_json_begin(const struct pat_json *p, const unsigned char **chunk, size_t *len)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (*len >= sizeof(mark) - 1 && memcmp(*chunk, mark, sizeof(mark) - 1) == 0) {
        *chunk += sizeof(mark) - 1;
        *len -= sizeof(mark) - 1;
    }
    if (ls_is_lfs_pointer(*chunk, *len)) return ls_fail(LS_ERR_FORMAT, LS_LFS_POINTER, p->name);
    return LS_OK;
}

static ls_err pat_json_feed(struct pat_json *p, const unsigned char *chunk, size_t len)
{
    p->chunk = chunk;
    p->counted = 0;
    const yajl_status status = yajl_parse(p->yajl, chunk, len);
    if (status == yajl_status_client_canceled) return p->err;
    if (status == yajl_status_error) return pat_json_syntax(p);
    pat_json_count_lines(p);
    return LS_OK;
}

static ls_err pat_json_end(struct pat_json *p)
{
    /* no bytes are consumed after the last chunk: keep the number of the last line */
    p->counted = SIZE_MAX;
    const yajl_status status = yajl_complete_parse(p->yajl);
    if (status == yajl_status_client_canceled) return p->err;
    if (status == yajl_status_ok && p->state == PAT_JSON_END) {
        if (p->suite->len == 0)
            return ls_fail(LS_ERR_FORMAT, "%s has no configurations; expected %s", p->name,
                           "[{\"kernel\": \"Gather\", \"pattern\": \"UNIFORM:8:1\"}]");
        return LS_OK;
    }
    return ls_fail(LS_ERR_TRUNCATED, "%s:%zu: the file ends too early; expected %s", p->name, p->line,
                   pat_json_expected(p));
}

static ls_err pat_json_all(struct pat_json *p, pat_input *in, unsigned char *buffer)
{
    for (bool first = true;; first = false) {
        const unsigned char *chunk = buffer;
        size_t len;
        LS_TRY(pat_input_read(in, buffer, PAT_JSON_CHUNK, &len));
        if (len == 0) return pat_json_end(p);
        if (first) LS_TRY(pat_json_begin(p, &chunk, &len));
        LS_TRY(pat_json_feed(p, chunk, len));
    }
}

static char *pat_json_dir(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
}

ls_err pat_json_read(pat_input *in, const struct pat_json_options *o, struct pat_suite *s)
{
    struct pat_suite found = {0};
    struct pat_json p = {.options = o, .name = pat_input_name(in), .suite = &found, .line = 1};
    unsigned char *buffer = malloc(PAT_JSON_CHUNK);
    p.yajl = yajl_alloc(&pat_json_callbacks, NULL, &p);
    p.dir = pat_json_dir(p.name);
    ls_err err = buffer && p.yajl ? pat_json_all(&p, in, buffer) : ls_nomem("reading %s", p.name);
    for (size_t i = 0; err == LS_OK && i < found.len; i++) {
        struct pat_config *row;
        err = pat_suite_append(s, &row);
        if (err != LS_OK) break;
        pat_config_fini(row);
        *row = found.rows[i];
        memset(&found.rows[i], 0, sizeof(found.rows[i]));
    }
    if (p.building) pat_builder_fini(&p.builder);
    if (p.yajl) yajl_free(p.yajl);
    pat_list_fini(&p.list);
    pat_suite_fini(&found);
    free(p.dir);
    free(buffer);
    return err;
}

#else

ls_err pat_json_read(pat_input *in, const struct pat_json_options *o, struct pat_suite *s)
{
    (void)o, (void)s;
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s cannot be read: this loadstone was built without yajl (libyajl-dev)",
                   pat_input_name(in));
}

#endif

ls_err pat_json_read_file(const char *path, const struct pat_json_options *o, struct pat_suite *s)
{
    pat_input *in = NULL;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_json_read(in, o, s);
    pat_input_free(in);
    return err;
}
