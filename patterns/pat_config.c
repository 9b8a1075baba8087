/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_config.h"
#include "common/ls_checked.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PAT_DEFAULT_DELTA = 8, PAT_DEFAULT_COUNT = 1024, PAT_DEFAULT_WRAP = 1, PAT_DEFAULT_RUNS = 10 };

#define PAT_KERNEL_NAME(id, name) name,
static const char *const pat_kernel_names[] = {PAT_KERNEL_LIST(PAT_KERNEL_NAME)};
#undef PAT_KERNEL_NAME
_Static_assert(sizeof(pat_kernel_names) / sizeof(pat_kernel_names[0]) == PAT_KERNEL_COUNT,
               "every kernel has a name");

#define PAT_OPERATION_ROW(id, name, kernels, text) {name, kernels, text},
static const struct {
    const char *name;
    unsigned kernels;
    const char *text;
} pat_operations[] = {PAT_OPERATION_LIST(PAT_OPERATION_ROW)};
#undef PAT_OPERATION_ROW
_Static_assert(sizeof(pat_operations) / sizeof(pat_operations[0]) == PAT_OPERATION_COUNT,
               "every operation has a row");

ls_err pat_config_init(struct pat_config *c)
{
    *c = (struct pat_config){.kernel = PAT_GATHER,
                             .delta = PAT_DEFAULT_DELTA,
                             .delta_gather = PAT_DEFAULT_DELTA,
                             .delta_scatter = PAT_DEFAULT_DELTA,
                             .count = PAT_DEFAULT_COUNT,
                             .wrap = PAT_DEFAULT_WRAP,
                             .runs = PAT_DEFAULT_RUNS,
                             .local_work_size = 1024};
    c->name = strdup("");
    return c->name ? LS_OK : ls_nomem("a configuration");
}

void pat_config_fini(struct pat_config *c)
{
    struct pat_indices *const lists[] = {&c->pattern,     &c->gather,        &c->scatter,
                                         &c->deltas,      &c->deltas_gather, &c->deltas_scatter,
                                         &c->row_lengths, &c->thread_firsts};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]->data);
    free(c->name);
    free(c->found_as);
    free(c->found_class);
    free(c->array);
    memset(c, 0, sizeof(*c));
}

void pat_suite_fini(struct pat_suite *s)
{
    for (size_t i = 0; i < s->len; i++)
        pat_config_fini(&s->rows[i]);
    free(s->rows);
    memset(s, 0, sizeof(*s));
}

ls_err pat_suite_append(struct pat_suite *s, struct pat_config **out)
{
    struct pat_config fresh;
    if ((s->len & (s->len - 1)) == 0) { /* a power of two is full: double it */
        size_t bytes;
        void *rows = NULL;
        if (ls_mul_size(s->len ? 2 * s->len : 1, sizeof(*s->rows), &bytes)) rows = realloc(s->rows, bytes);
        if (!rows) return ls_nomem("%zu configurations", s->len + 1);
        s->rows = rows;
    }
    LS_TRY(pat_config_init(&fresh));
    s->rows[s->len] = fresh;
    *out = &s->rows[s->len++];
    return LS_OK;
}

const char *pat_config_word(const struct pat_config *c)
{
    return c->operation == PAT_OPERATION_UPDATE ? "update" : pat_kernel_name(c->kernel);
}

const char *pat_kernel_name(enum pat_kernel k)
{
    return (unsigned)k < PAT_KERNEL_COUNT ? pat_kernel_names[k] : "?";
}

ls_err pat_kernel_parse(const char *text, enum pat_kernel *out)
{
    for (int k = 0; k < PAT_KERNEL_COUNT; k++)
        if (strcasecmp(text, pat_kernel_names[k]) == 0) {
            *out = (enum pat_kernel)k;
            return LS_OK;
        }
    if (strcasecmp(text, "sg") == 0)
        return ls_fail(LS_ERR_ARG,
                       "there is no kernel 'sg'; gathering and scattering at once is called 'gs'");
    return ls_fail(LS_ERR_ARG, "unknown kernel '%.40s': use gather, scatter, gs, multigather or multiscatter",
                   text);
}

const char *pat_operation_name(enum pat_operation o)
{
    return (unsigned)o < PAT_OPERATION_COUNT ? pat_operations[o].name : "?";
}

ls_err pat_operation_parse(const char *text, enum pat_operation *out)
{
    for (int o = 0; o < PAT_OPERATION_COUNT; o++)
        if (strcasecmp(text, pat_operations[o].name) == 0) {
            *out = (enum pat_operation)o;
            return LS_OK;
        }
    return ls_fail(LS_ERR_ARG, "unknown operation '%.40s': use copy, reduce, chase, fill or update", text);
}

bool pat_operation_fits(enum pat_operation o, enum pat_kernel k)
{
    return (unsigned)o < PAT_OPERATION_COUNT && (pat_operations[o].kernels >> k & 1);
}

size_t pat_config_len(const struct pat_config *c)
{
    switch (c->kernel) {
    case PAT_GS:
    case PAT_MULTIGATHER:
        return c->gather.len;
    case PAT_MULTISCATTER:
        return c->scatter.len;
    default:
        return c->pattern.len;
    }
}

unsigned pat_config_element_bytes(const struct pat_config *c)
{
    return c->element_bytes >= 1 && c->element_bytes <= 4 ? 4 : 8;
}

uint64_t pat_config_bytes(const struct pat_config *c, uint64_t element_bytes)
{
    uint64_t bytes;
    const uint64_t sides = c->kernel == PAT_GS || c->operation == PAT_OPERATION_UPDATE ? 2 : 1;
    const bool fits = ls_mul_u64(pat_config_len(c), c->count, &bytes) &&
                      ls_mul_u64(bytes, element_bytes, &bytes) && ls_mul_u64(bytes, sides, &bytes);
    return fits ? bytes : 0;
}

bool pat_config_is_apart(const struct pat_config *c, unsigned threads)
{
    uint64_t turns;
    const uint64_t turn = c->deltas.len ? c->deltas.len : 1;
    return threads > 1 && c->thread_firsts.len == threads && c->kernel != PAT_GS &&
           ls_mul_u64(threads, turn, &turns) && c->count % turns == 0;
}

bool pat_rows_hold_all(const struct pat_config *c)
{
    uint64_t accesses, left;
    if (c->row_lengths.len == 0 || !ls_mul_u64(pat_config_len(c), c->count, &accesses)) return false;
    left = accesses;
    for (size_t i = 0; i < c->row_lengths.len; i++) {
        if ((uint64_t)c->row_lengths.data[i] > left) return false;
        left -= (uint64_t)c->row_lengths.data[i];
    }
    return left == 0;
}

/* ---- distances ---- */

static int pat_by_distance(const void *a, const void *b)
{
    const struct pat_distance *x = a, *y = b;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

static int pat_by_count(const void *a, const void *b)
{
    const struct pat_distance *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : pat_by_distance(a, b);
}

/* Merge equal neighbours; return how many rows remain. */
static size_t pat_merge(struct pat_distance *d, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++)
        if (kept && d[kept - 1].distance == d[i].distance)
            d[kept - 1].count++;
        else
            d[kept++] = d[i];
    return kept;
}

ls_err pat_distances(const struct pat_indices *p, struct pat_distance **out, size_t *out_len)
{
    *out = NULL;
    *out_len = 0;
    if (p->len < 2) return LS_OK;
    struct pat_distance *d = malloc((p->len - 1) * sizeof(*d));
    if (!d) return ls_nomem("the distances of %zu indices", p->len);
    for (size_t i = 0; i + 1 < p->len; i++)
        d[i] = (struct pat_distance){p->data[i + 1] - p->data[i], 1};
    qsort(d, p->len - 1, sizeof(*d), pat_by_distance);
    const size_t len = pat_merge(d, p->len - 1);
    qsort(d, len, sizeof(*d), pat_by_count);
    *out = d;
    *out_len = len;
    return LS_OK;
}
