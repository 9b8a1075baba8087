/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_builder.h"
#include "common/ls_text.h"
#include "patterns/pat_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_RAW_CHUNK = 1 << 16 };

/* Append the whole integers of chunk[0, len); the host is little-endian (configure). */
static ls_err pat_raw_append(struct pat_list *l, const uint8_t *chunk, size_t len, const char *name)
{
    for (size_t at = 0; at + sizeof(int64_t) <= len; at += sizeof(int64_t)) {
        int64_t index;
        memcpy(&index, chunk + at, sizeof(index));
        if (index < 0)
            return ls_fail(
                LS_ERR_FORMAT,
                "%s: index %zu is %lld; expected 64-bit little-endian integers that are not negative", name,
                l->v.len, (long long)index);
        LS_TRY(pat_list_push(l, index));
    }
    return LS_OK;
}

static ls_err pat_raw_read_list(pat_input *in, struct pat_list *l)
{
    static _Thread_local uint8_t chunk[PAT_RAW_CHUNK];
    size_t held = 0, got;
    for (;;) {
        LS_TRY(pat_input_read(in, chunk + held, sizeof(chunk) - held, &got));
        if (got == 0) break;
        held += got;
        LS_TRY(pat_raw_append(l, chunk, held, pat_input_name(in)));
        const size_t rest = held % sizeof(int64_t);
        memmove(chunk, chunk + held - rest, rest);
        held = rest;
    }
    if (held)
        return ls_fail(LS_ERR_TRUNCATED, "%s ends with %zu bytes of an index; expected 64-bit integers",
                       pat_input_name(in), held);
    if (l->v.len == 0)
        return ls_fail(LS_ERR_FORMAT, "%s is empty; expected 64-bit little-endian integers",
                       pat_input_name(in));
    return LS_OK;
}

ls_err pat_raw_read(pat_input *in, struct pat_indices *out)
{
    struct pat_list l = {0};
    const ls_err err = pat_raw_read_list(in, &l);
    if (err == LS_OK) pat_list_take(&l, out);
    pat_list_fini(&l);
    return err;
}

ls_err pat_raw_read_file(const char *path, struct pat_indices *out)
{
    pat_input *in = NULL;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_raw_read(in, out);
    pat_input_free(in);
    return err;
}

/* ---- keys and values ---- */

#define PAT_COUNT(key, field, least)                                                                         \
    {                                                                                                        \
        .name = key, .kind = PAT_VALUE_COUNT, .offset = offsetof(struct pat_config, field), .minimum = least \
    }
#define PAT_RUNS(key)                                                                                    \
    {                                                                                                    \
        .name = key, .kind = PAT_VALUE_COUNT, .offset = offsetof(struct pat_config, runs), .minimum = 1, \
        .maximum = UINT32_MAX                                                                            \
    }
#define PAT_UNUSED(key)                       \
    {                                         \
        .name = key, .kind = PAT_VALUE_UNUSED \
    }

static const struct pat_key pat_keys[] = {
    {.name = "name", .kind = PAT_VALUE_TEXT, .offset = offsetof(struct pat_config, name)},
    {.name = "kernel", .kind = PAT_VALUE_KERNEL},
    {.name = "operation", .kind = PAT_VALUE_OPERATION}, /* not Spatter's: doc/patterns.md */
    {.name = "pattern", .kind = PAT_VALUE_PATTERN, .role = PAT_ROLE_BOTH},
    {.name = "pattern-gather", .kind = PAT_VALUE_PATTERN, .role = PAT_ROLE_GATHER},
    {.name = "pattern-scatter", .kind = PAT_VALUE_PATTERN, .role = PAT_ROLE_SCATTER},
    {.name = "delta", .kind = PAT_VALUE_DELTA, .role = PAT_ROLE_BOTH},
    {.name = "delta-gather", .kind = PAT_VALUE_DELTA, .role = PAT_ROLE_GATHER},
    {.name = "delta-scatter", .kind = PAT_VALUE_DELTA, .role = PAT_ROLE_SCATTER},
    PAT_COUNT("count", count, 1),
    PAT_COUNT("wrap", wrap, 1),
    PAT_RUNS("nruns"),
    PAT_COUNT("pattern-size", pattern_size, -1),
    PAT_COUNT("boundary", boundary, 0),
    PAT_COUNT("seed", seed, -1),
    PAT_COUNT("local-work-size", local_work_size, -1),
    /* keys added by pat_write_json.c */
    {.name = "origin", .kind = PAT_VALUE_COMMENT},
    {.name = "found-as", .kind = PAT_VALUE_TEXT, .offset = offsetof(struct pat_config, found_as)},
    {.name = "class", .kind = PAT_VALUE_TEXT, .offset = offsetof(struct pat_config, found_class)},
    {.name = "array", .kind = PAT_VALUE_TEXT, .offset = offsetof(struct pat_config, array)},
    PAT_COUNT("first", first, 0),
    PAT_COUNT("index-bits", index_bits, 0),
    PAT_COUNT("element-bytes", element_bytes, 0),
    PAT_COUNT("object-bytes", object_bytes, 0),
    PAT_COUNT("threads", threads, 0),
    PAT_COUNT("accesses", accesses, 0),
    {.name = "thread-first", .kind = PAT_VALUE_LIST, .offset = offsetof(struct pat_config, thread_firsts)},
    {.name = "row-lengths", .kind = PAT_VALUE_LIST, .offset = offsetof(struct pat_config, row_lengths)},
    PAT_COUNT("rows-wait", rows_wait, 0),
    /* Spatter 1 */
    {.name = "kernel-name", .kind = PAT_VALUE_KERNEL},
    PAT_RUNS("runs"),
    PAT_COUNT("random", seed, -1),
    PAT_UNUSED("vector-len"),
    PAT_UNUSED("omp-threads"),
    PAT_UNUSED("nthreads"),
    PAT_UNUSED("shared-mem"),
    PAT_UNUSED("shared-memory"),
    PAT_UNUSED("op"),
};

const struct pat_key *pat_key_find(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof(pat_keys) / sizeof(pat_keys[0]); i++)
        if (strlen(pat_keys[i].name) == len && memcmp(pat_keys[i].name, name, len) == 0) return &pat_keys[i];
    return NULL;
}

int64_t pat_key_list_minimum(const struct pat_key *k)
{
    return k->kind == PAT_VALUE_DELTA ? INT64_MIN : 0;
}

const char *pat_key_expects(const struct pat_key *k)
{
    switch (k->kind) {
    case PAT_VALUE_TEXT:
    case PAT_VALUE_COMMENT:
        return "a text";
    case PAT_VALUE_KERNEL:
        return "gather, scatter, gs, multigather or multiscatter";
    case PAT_VALUE_OPERATION:
        return "copy, reduce, chase, fill or update";
    case PAT_VALUE_PATTERN:
        return "an array of integers, UNIFORM:..., MS1:..., LAPLACIAN:... or RAW=FILE";
    case PAT_VALUE_DELTA:
        return "an integer or an array of them";
    case PAT_VALUE_LIST:
        return "an array of integers that are not negative";
    case PAT_VALUE_COUNT:
        return k->minimum == 1 ? "an integer of at least 1" : "an integer that is not negative";
    case PAT_VALUE_UNUSED:
        break;
    }
    return "a text or a number";
}

struct pat_slot {
    struct pat_indices *pattern, *deltas;
    int64_t *delta;
};

static struct pat_slot pat_slot_of(struct pat_config *c, enum pat_role role)
{
    switch (role) {
    case PAT_ROLE_GATHER:
        return (struct pat_slot){&c->gather, &c->deltas_gather, &c->delta_gather};
    case PAT_ROLE_SCATTER:
        return (struct pat_slot){&c->scatter, &c->deltas_scatter, &c->delta_scatter};
    default:
        return (struct pat_slot){&c->pattern, &c->deltas, &c->delta};
    }
}

ls_err pat_builder_init(struct pat_builder *b)
{
    memset(b, 0, sizeof(*b));
    return pat_config_init(&b->config);
}

void pat_builder_fini(struct pat_builder *b)
{
    pat_config_fini(&b->config);
}

static void pat_set_delta(struct pat_config *c, enum pat_role role, int64_t delta)
{
    const struct pat_slot slot = pat_slot_of(c, role);
    free(slot.deltas->data);
    *slot.deltas = (struct pat_indices){0};
    *slot.delta = delta;
}

/* Treat a list of one delta as a single delta. */
static void pat_set_deltas(struct pat_config *c, enum pat_role role, struct pat_list *l)
{
    const struct pat_slot slot = pat_slot_of(c, role);
    if (l->v.len == 1)
        pat_set_delta(c, role, l->v.data[0]);
    else
        pat_list_take(l, slot.deltas);
}

static ls_err pat_set_text(struct pat_config *c, const struct pat_key *k, const char *text, size_t len)
{
    char **const field = (char **)(void *)((char *)c + k->offset);
    char *const copy = strndup(text, len);
    if (!copy) return ls_nomem("a name");
    ls_text_clean(copy, strlen(copy),
                  ""); /* cleaned, because it is printed on terminals, in tables and titles */
    free(*field);
    *field = copy;
    return LS_OK;
}

static ls_err pat_set_raw(struct pat_builder *b, struct pat_indices *to, const char *path)
{
    char full[4096];
    if (b->no_raw_files) return ls_fail(LS_ERR_ARG, "RAW=%s: index files are not allowed here", path);
    if (!*path) return ls_fail(LS_ERR_ARG, "RAW= names no file; expected RAW=FILE");
    const bool relative = b->dir && *path != '/';
    const int len = snprintf(full, sizeof(full), "%s%s%s", relative ? b->dir : "", relative ? "/" : "", path);
    if (len < 0 || (size_t)len >= sizeof(full))
        return ls_fail(LS_ERR_ARG, "RAW=%.40s...: the name is too long", path);
    return pat_raw_read_file(full, to);
}

static ls_err pat_set_generated(struct pat_builder *b, enum pat_role role, const char *text)
{
    struct pat_generated g;
    const struct pat_slot slot = pat_slot_of(&b->config, role);
    LS_TRY(pat_generate_within(text, b->indices_max, &g));
    free(slot.pattern->data);
    *slot.pattern = g.indices;
    snprintf(b->note, sizeof(b->note), "%s", g.note);
    if (!g.sets_delta) return LS_OK;
    if (b->generator_wins && b->given[role] && *slot.delta != g.delta)
        snprintf(b->note, sizeof(b->note),
                 "%.80s sets delta %lld; the key delta has no effect, as in Spatter", text,
                 (long long)g.delta);
    pat_set_delta(&b->config, role, g.delta);
    b->generated[role] = true;
    b->generated_delta[role] = g.delta;
    return LS_OK;
}

static ls_err pat_set_pattern(struct pat_builder *b, enum pat_role role, const char *text, size_t len)
{
    static const char raw[] = "RAW=";
    char *copy = strndup(text, len);
    if (!copy) return ls_nomem("a pattern of %zu characters", len);
    const ls_err err = strncmp(copy, raw, sizeof(raw) - 1) == 0
                           ? pat_set_raw(b, pat_slot_of(&b->config, role).pattern, copy + sizeof(raw) - 1)
                           : pat_set_generated(b, role, copy);
    free(copy);
    return err;
}

static ls_err pat_set_count(struct pat_config *c, const struct pat_key *k, const char *text, size_t len)
{
    int64_t n;
    LS_TRY(pat_integer_parse_from(text, len, k->minimum, &n));
    if (k->maximum && n > k->maximum)
        return ls_fail(LS_ERR_RANGE, "%lld is above %lld, the most allowed", (long long)n,
                       (long long)k->maximum);
    uint64_t *field = (uint64_t *)((char *)c + k->offset);
    if (n >= 0) *field = (uint64_t)n;
    return LS_OK;
}

static ls_err pat_set_kernel(struct pat_config *c, const char *text, size_t len)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), text);
    return pat_kernel_parse(name, &c->kernel);
}

static ls_err pat_set_operation(struct pat_config *c, const char *text, size_t len)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1), text);
    return pat_operation_parse(name, &c->operation);
}

static void pat_note_delta(struct pat_builder *b, enum pat_role role)
{
    b->given[role] = true;
    if (!b->generator_wins || !b->generated[role]) return;
    if (*pat_slot_of(&b->config, role).delta != b->generated_delta[role])
        snprintf(b->note, sizeof(b->note),
                 "the pattern sets delta %lld; the key delta has no effect, as in Spatter",
                 (long long)b->generated_delta[role]);
    pat_set_delta(&b->config, role, b->generated_delta[role]);
}

static ls_err pat_set_delta_text(struct pat_builder *b, enum pat_role role, const char *text, size_t len)
{
    struct pat_list l = {0};
    const ls_err err = pat_integers_parse(text, len, INT64_MIN, &l);
    if (err == LS_OK) {
        pat_set_deltas(&b->config, role, &l);
        pat_note_delta(b, role);
    }
    pat_list_fini(&l);
    return err;
}

ls_err pat_builder_text(struct pat_builder *b, const struct pat_key *k, const char *text, size_t len)
{
    b->note[0] = '\0';
    switch (k->kind) {
    case PAT_VALUE_TEXT:
        return pat_set_text(&b->config, k, text, len);
    case PAT_VALUE_KERNEL:
        return pat_set_kernel(&b->config, text, len);
    case PAT_VALUE_OPERATION:
        return pat_set_operation(&b->config, text, len);
    case PAT_VALUE_PATTERN:
        return pat_set_pattern(b, k->role, text, len);
    case PAT_VALUE_DELTA:
        return pat_set_delta_text(b, k->role, text, len);
    case PAT_VALUE_COUNT:
        return pat_set_count(&b->config, k, text, len);
    case PAT_VALUE_LIST:
        return ls_fail(LS_ERR_ARG, "a text was found");
    case PAT_VALUE_UNUSED:
        snprintf(b->note, sizeof(b->note), "%s has no effect here", k->name);
        return LS_OK;
    case PAT_VALUE_COMMENT:
        return LS_OK;
    }
    return ls_fail(LS_ERR_ARG, "%s cannot be a text", k->name);
}

ls_err pat_builder_number(struct pat_builder *b, const struct pat_key *k, const char *text, size_t len)
{
    if (k->kind == PAT_VALUE_TEXT || k->kind == PAT_VALUE_KERNEL || k->kind == PAT_VALUE_PATTERN ||
        k->kind == PAT_VALUE_COMMENT || k->kind == PAT_VALUE_OPERATION || k->kind == PAT_VALUE_LIST)
        return ls_fail(LS_ERR_ARG, "a number was found");
    return pat_builder_text(b, k, text, len);
}

ls_err pat_builder_list(struct pat_builder *b, const struct pat_key *k, struct pat_list *l)
{
    b->note[0] = '\0';
    if (k->kind != PAT_VALUE_PATTERN && k->kind != PAT_VALUE_DELTA && k->kind != PAT_VALUE_LIST)
        return ls_fail(LS_ERR_ARG, "an array was found");
    if (l->v.len == 0) return ls_fail(LS_ERR_ARG, "the array is empty");
    if (k->kind == PAT_VALUE_LIST) {
        pat_list_take(l, (struct pat_indices *)(void *)((char *)&b->config + k->offset));
        return LS_OK;
    }
    if (k->kind == PAT_VALUE_PATTERN) {
        pat_list_take(l, pat_slot_of(&b->config, k->role).pattern);
        return LS_OK;
    }
    pat_set_deltas(&b->config, k->role, l);
    pat_note_delta(b, k->role);
    return LS_OK;
}

ls_err pat_builder_finish(struct pat_builder *b, bool compress, struct pat_suite *s)
{
    struct pat_config *row;
    ls_err err = pat_config_finish(&b->config, compress);
    if (err == LS_OK) err = pat_suite_append(s, &row);
    if (err != LS_OK) {
        pat_builder_fini(b);
        return err;
    }
    pat_config_fini(row);
    *row = b->config;
    memset(&b->config, 0, sizeof(b->config));
    return LS_OK;
}
