/* SPDX-License-Identifier: BSD-3-Clause */
/* Pattern files: all that loadstone replay reads, or the part of it that Spatter 2 accepts. Spatter stores
 * unknown keys and ignores them (its JSONParser): "origin" is one. It refuses a file with a delta below 0 or
 * a list of deltas; older versions take such a delta as 8 and terminate on a list. */
#include "common/ls_checked.h"
#include "common/ls_put.h"
#include "patterns/write/pat_writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_JSON_NAMED = 6 }; /* largest number of patterns that a note names */

static const char *const pat_json_kernels[PAT_KERNEL_COUNT] = {[PAT_GATHER] = "Gather",
                                                               [PAT_SCATTER] = "Scatter",
                                                               [PAT_GS] = "GS",
                                                               [PAT_MULTIGATHER] = "MultiGather",
                                                               [PAT_MULTISCATTER] = "MultiScatter"};

static void pat_json_list(const char *key, const struct pat_indices *p, FILE *out)
{
    if (p->len == 0) return;
    fprintf(out, ", \"%s\": [", key);
    pat_write_indices(p, out);
    fputc(']', out);
}

static void pat_json_delta(const char *key, int64_t delta, const struct pat_indices *deltas, FILE *out)
{
    if (deltas->len)
        pat_json_list(key, deltas, out);
    else
        fprintf(out, ", \"%s\": %" PRId64, key, delta);
}

/* 0: not known, not written. */
static void pat_json_count(const char *key, uint64_t count, FILE *out)
{
    if (count) fprintf(out, ", \"%s\": %" PRIu64, key, count);
}

static void pat_json_row(const struct pat_config *c, const struct pat_found *r, FILE *out)
{
    char origin[1024], key[PAT_FOUND_KEY_BYTES];
    pat_origin_text(r, origin, sizeof(origin));
    fputs("{\"name\": ", out);
    ls_put_json(out, c->name, "");
    fprintf(out, ", \"kernel\": \"%s\"", pat_json_kernels[c->kernel]);
    if (c->operation != PAT_OPERATION_COPY)
        fprintf(out, ", \"operation\": \"%s\"", pat_operation_name(c->operation));
    pat_json_list("pattern", &c->pattern, out);
    pat_json_list("pattern-gather", &c->gather, out);
    pat_json_list("pattern-scatter", &c->scatter, out);
    if (c->kernel == PAT_GS) {
        pat_json_delta("delta-gather", c->delta_gather, &c->deltas_gather, out);
        pat_json_delta("delta-scatter", c->delta_scatter, &c->deltas_scatter, out);
    } else {
        pat_json_delta("delta", c->delta, &c->deltas, out);
    }
    if (c->array) {
        fputs(", \"array\": ", out);
        ls_put_json(out, c->array, "");
        fprintf(out, ", \"first\": %" PRIu64, c->first);
    }
    pat_json_count("index-bits", c->index_bits, out);
    pat_json_count("element-bytes", c->element_bytes, out);
    pat_json_count("object-bytes", c->object_bytes, out);
    pat_json_count("threads", c->threads, out);
    pat_json_list("thread-first", &c->thread_firsts, out);
    pat_json_count("accesses", c->accesses, out);
    fprintf(out, ", \"count\": %" PRIu64, c->count);
    if (c->wrap != 1) fprintf(out, ", \"wrap\": %" PRIu64, c->wrap);
    if (c->boundary) fprintf(out, ", \"boundary\": %" PRIu64, c->boundary);
    pat_json_list("row-lengths", &c->row_lengths, out);
    pat_json_count("rows-wait", c->rows_wait, out);
    fputs(", \"origin\": ", out);
    ls_put_json(out, origin, "");
    pat_found_key(r, key);
    if (*key) {
        fputs(", \"found-as\": ", out);
        ls_put_json(out, key, "");
    }
    fputs(", \"class\": ", out);
    ls_put_json(out, pat_class_name(r->class), "");
    fputc('}', out);
}

static bool pat_json_is_spatters(const struct pat_config *c)
{
    const bool has_lists = c->deltas.len || c->deltas_gather.len || c->deltas_scatter.len;
    return !has_lists && c->delta >= 0 && c->delta_gather >= 0 && c->delta_scatter >= 0;
}

/* Write one note, "patterns 1, 4: text", for all patterns that has is true for. */
static void pat_json_note(const struct pat_findings *f, const struct pat_write_options *o,
                          bool (*has)(const struct pat_found *r), const char *text)
{
    char which[160];
    size_t len = 0, found = 0;
    for (size_t i = 0; i < f->len; i++) {
        if (!has(&f->rows[i])) continue;
        if (found < PAT_JSON_NAMED)
            len += (size_t)snprintf(which + len, sizeof(which) - len, "%s%zu", found ? ", " : "", i);
        else if (found == PAT_JSON_NAMED)
            snprintf(which + len, sizeof(which) - len, ", ...");
        found++;
    }
    if (found) pat_write_note(o, "pattern%s %s: %s", found == 1 ? "" : "s", which, text);
}

static bool pat_json_is_foreign(const struct pat_found *r)
{
    return !pat_json_is_spatters(&r->config);
}

static void pat_json_note_spatter(const struct pat_findings *f, const struct pat_write_options *o)
{
    pat_json_note(
        f, o, pat_json_is_foreign,
        "deltas that are lists or below 0 are not Spatter's; --to spatter writes such accesses one by "
        "one");
}

static bool pat_json_is_small(const struct pat_found *r)
{
    return r->elem_size_bytes < PAT_SPATTER_BYTES;
}

static void pat_json_note_small(const struct pat_findings *f, const struct pat_write_options *o)
{
    pat_json_note(f, o, pat_json_is_small,
                  "the elements are smaller than 8 bytes, Spatter moves 8 bytes for each");
}

static void pat_json_drop(struct pat_indices *p)
{
    free(p->data);
    *p = (struct pat_indices){0};
}

/* Turn each access into an index of one iteration. */
static ls_err pat_json_flatten(size_t i, const struct pat_write_options *o, struct pat_config *c)
{
    struct pat_indices one = {0}, other = {0};
    const uint64_t all = pat_unrolled_len(c, PAT_SIDE_GATHER), max = pat_write_max(o);
    LS_TRY(pat_unroll(c, PAT_SIDE_GATHER, max, &one));
    if (c->kernel == PAT_GS) {
        const ls_err err = pat_unroll(c, PAT_SIDE_SCATTER, max, &other);
        if (err != LS_OK) {
            free(one.data);
            return err;
        }
    }
    struct pat_indices *const all_lists[] = {&c->pattern,    &c->gather,        &c->scatter,
                                             &c->deltas,     &c->deltas_gather, &c->deltas_scatter,
                                             &c->row_lengths};
    for (size_t k = 0; k < sizeof(all_lists) / sizeof(all_lists[0]); k++)
        pat_json_drop(all_lists[k]);
    pat_normalise(&one);
    pat_normalise(&other);
    *(c->kernel == PAT_GS ? &c->gather : &c->pattern) = one;
    c->scatter = other;
    if (c->kernel == PAT_MULTIGATHER) c->kernel = PAT_GATHER;
    if (c->kernel == PAT_MULTISCATTER) c->kernel = PAT_SCATTER;
    c->delta = c->delta_gather = c->delta_scatter = 0;
    c->count = 1;
    if (one.len < all)
        pat_write_note(o, "pattern %zu, %s: the first %zu of %" PRIu64 " accesses were written", i, c->name,
                       one.len, all);
    return LS_OK;
}

static int64_t pat_json_highest(const struct pat_indices *p, int64_t highest)
{
    for (size_t i = 0; i < p->len; i++)
        if (p->data[i] > highest) highest = p->data[i];
    return highest;
}

/* A boundary above the highest index changes nothing. */
static uint64_t pat_json_boundary(const struct pat_config *c)
{
    return 1 + (uint64_t)pat_json_highest(&c->pattern,
                                          pat_json_highest(&c->gather, pat_json_highest(&c->scatter, 0)));
}

/* The modulus that Spatter uses for indices of a configuration without a boundary: half of its share of the
 * elements of 65 GB (remap_pattern in its PatternParser.cc). */
static uint64_t pat_json_boundary_of_spatter(size_t configurations)
{
    return (UINT64_C(65000000000) - 1) / sizeof(double) / configurations / 2;
}

static bool pat_json_has_negatives(const struct pat_indices *p)
{
    for (size_t i = 0; i < p->len; i++)
        if (p->data[i] < 0) return true;
    return false;
}

/* The first row of f with the home of row i, or with same_ranges with the very same array. */
static size_t pat_json_first_of(const struct pat_findings *f, size_t i, bool same_ranges)
{
    size_t k = 0;
    while (strcmp(f->rows[k].home, f->rows[i].home) != 0 ||
           (same_ranges && f->rows[k].ranges_print != f->rows[i].ranges_print))
        k++;
    return k;
}

/* Set the array and its element at the pattern's element 0, if both are known and the array consists of
 * elements that a replay moves. */
static ls_err pat_json_array(const struct pat_findings *f, size_t i, struct pat_config *c)
{
    const struct pat_found *r = &f->rows[i];
    char name[1024];
    const unsigned unit = pat_replayed_bytes(r->elem_size_bytes);
    if (!*r->home || !r->ranges_print || r->first_element < 0 || r->elem_size_bytes % unit ||
        pat_json_has_negatives(&r->config.pattern))
        return LS_OK;
    const size_t first = pat_json_first_of(f, i, true);
    if (first == pat_json_first_of(f, i, false))
        snprintf(name, sizeof(name), "%s", r->home);
    else
        snprintf(name, sizeof(name), "%.900s, of pattern %zu", r->home, first);
    c->array = strdup(name);
    c->first = (uint64_t)r->first_element * (r->elem_size_bytes / unit);
    return c->array ? LS_OK : ls_nomem("a name");
}

/* Where threads use different places, let the configuration hold the accesses of all of them: as many iterations
 * for each, and their first elements, the lowest 0. */
static ls_err pat_json_apart(const struct pat_found *r, struct pat_config *c)
{
    const struct pat_indices *apart = &r->threads_apart;
    struct pat_config whole = *c;
    if (apart->len < 2 || !ls_mul_u64(c->count, apart->len, &whole.count)) return LS_OK;
    whole.thread_firsts = (struct pat_indices){0};
    LS_TRY(pat_elements_scaled(apart, r->elem_size_bytes, pat_replayed_bytes(r->elem_size_bytes),
                               &whole.thread_firsts));
    const int64_t lowest = pat_lowest(&whole.thread_firsts);
    if (!pat_config_is_apart(&whole, (unsigned)apart->len)) {
        free(whole.thread_firsts.data);
        return LS_OK;
    }
    pat_normalise(&whole.thread_firsts);
    if (c->array) whole.first += (uint64_t)lowest;
    *c = whole;
    return LS_OK;
}

static ls_err pat_json_for_both(const struct pat_findings *f, size_t i, struct pat_config *c)
{
    LS_TRY(pat_json_array(f, i, c));
    LS_TRY(pat_json_apart(&f->rows[i], c));
    const uint64_t boundary = pat_json_boundary(c);
    if (boundary > pat_json_boundary_of_spatter(f->len)) c->boundary = boundary;
    return LS_OK;
}

static ls_err pat_json_for_spatter(size_t i, const struct pat_write_options *o, struct pat_config *c)
{
    pat_json_drop(&c->row_lengths);
    c->rows_wait = 0;
    if (!pat_json_is_spatters(c)) LS_TRY(pat_json_flatten(i, o, c));
    c->boundary = pat_json_boundary(c);
    return LS_OK;
}

/* Set the properties of the program's loop that have own keys; unit: bytes of the unit of larger elements. */
static void pat_json_describe(const struct pat_found *r, double scale, unsigned unit, struct pat_config *c)
{
    c->element_bytes = r->elem_size_bytes <= unit ? r->elem_size_bytes : unit;
    const uint64_t object = r->object_bytes > r->elem_size_bytes ? r->object_bytes : r->elem_size_bytes;
    c->object_bytes = object > c->element_bytes ? object : 0;
    c->threads = r->threads;
    c->accesses = r->accesses;
    if (scale > 1 && isfinite(scale)) c->accesses = (uint64_t)((double)r->accesses * scale);
}

static ls_err pat_json_rows(const struct pat_findings *f, const struct pat_write_options *o, bool is_spatters,
                            FILE *out)
{
    for (size_t i = 0; i < f->len; i++) {
        struct pat_config c;
        const struct pat_found *r = &f->rows[i];
        const unsigned unit = is_spatters ? PAT_SPATTER_BYTES : pat_replayed_bytes(r->elem_size_bytes);
        ls_err err = pat_config_scaled(&r->config, r->elem_size_bytes, unit, &c);
        if (err == LS_OK) pat_json_describe(r, o->scale, unit, &c);
        if (err == LS_OK) err = is_spatters ? pat_json_for_spatter(i, o, &c) : pat_json_for_both(f, i, &c);
        if (err == LS_OK) {
            fputs(i ? ",\n " : "[", out);
            pat_json_row(&c, r, out);
        }
        pat_config_fini(&c);
        LS_TRY(err);
    }
    fputs("]\n", out);
    return LS_OK;
}

static ls_err pat_json_write_ours(const struct pat_findings *f, const struct pat_write_options *o,
                                  const char *path, ls_outputs *files)
{
    FILE *out;
    LS_TRY(ls_outputs_open(files, path, &out));
    pat_json_note_spatter(f, o);
    return pat_json_rows(f, o, false, out);
}

static ls_err pat_json_write_spatter(const struct pat_findings *f, const struct pat_write_options *o,
                                     const char *path, ls_outputs *files)
{
    FILE *out;
    LS_TRY(ls_outputs_open(files, path, &out));
    pat_json_note_small(f, o);
    return pat_json_rows(f, o, true, out);
}

const struct pat_writer pat_writer_json = {
    .name = "json",
    .text = "for loadstone replay, and for Spatter unless a message excludes it",
    .joins = true,
    .has_rows = true,
    .end = ".json",
    .write = pat_json_write_ours,
};

const struct pat_writer pat_writer_spatter = {
    .name = "spatter",
    .text = "only what Spatter 2 takes",
    .joins = true,
    .end = ".json",
    .write = pat_json_write_spatter,
};
