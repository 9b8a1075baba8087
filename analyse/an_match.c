/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_match.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A row before the second pass. */
struct an_match {
    uint32_t name;        /* name that represents the row */
    uint32_t sides;       /* bit 0: side 0 has it, bit 1: side 1 */
    uint32_t merged_into; /* itself, or another row */
    char *plain;          /* the text without line numbers, NULL: has none, or both sides have it */
};

struct an_matcher {
    struct an_name *names;
    uint32_t *order; /* names by text, side */
    size_t len;
    struct an_match *rows;
    uint32_t rows_len;
};

static int an_compare_names(const void *a, const void *b, void *user)
{
    const struct an_name *names = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = strcmp(names[x].text, names[y].text);
    if (c) return c;
    if (names[x].side != names[y].side) return names[x].side < names[y].side ? -1 : 1;
    return (x > y) - (x < y);
}

static void an_match_equal(struct an_matcher *m)
{
    for (size_t i = 0; i < m->len; i++)
        m->order[i] = (uint32_t)i;
    qsort_r(m->order, m->len, sizeof(*m->order), an_compare_names, m->names);
    for (size_t i = 0; i < m->len; i++) {
        struct an_name *n = &m->names[m->order[i]];
        if (i == 0 || strcmp(m->names[m->order[i - 1]].text, n->text) != 0) {
            m->rows[m->rows_len].merged_into = m->rows_len;
            m->rows_len++;
        }
        n->row = m->rows_len - 1;
        m->rows[n->row].name = m->order[i]; /* side 1 comes last */
        m->rows[n->row].sides |= 1u << n->side;
    }
}

/* The text without ":12", NULL when there is none in it. */
static char *an_without_lines(const char *text)
{
    char *out = strdup(text), *to = out;
    bool any = false;
    for (const char *from = text; out && *from;) {
        if (*from == ':' && isdigit((unsigned char)from[1])) {
            any = true;
            for (from++; isdigit((unsigned char)*from); from++)
                ;
        } else {
            *to++ = *from++;
        }
    }
    if (!any) {
        free(out);
        return NULL;
    }
    *to = '\0';
    return out;
}

static int an_compare_plain(const void *a, const void *b, void *user)
{
    const struct an_match *rows = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = strcmp(rows[x].plain, rows[y].plain);
    return c ? c : (x > y) - (x < y);
}

/* rows[of[0, len)] have one text without line numbers: two of them, one of each side, are one thing. */
static void an_merge_pair(struct an_matcher *m, const uint32_t *of, size_t len)
{
    if (len != 2 || (m->rows[of[0]].sides | m->rows[of[1]].sides) != 3) return;
    const bool first_is_new = m->rows[of[0]].sides == 2;
    m->rows[of[first_is_new]].merged_into = of[!first_is_new];
}

static ls_err an_match_moved(struct an_matcher *m)
{
    uint32_t *left = malloc((m->rows_len + 1u) * sizeof(*left));
    if (!left) return ls_nomem("matching %u names", m->rows_len);
    size_t len = 0;
    for (uint32_t i = 0; i < m->rows_len; i++) {
        if (m->rows[i].sides != 3) m->rows[i].plain = an_without_lines(m->names[m->rows[i].name].text);
        if (m->rows[i].plain) left[len++] = i;
    }
    qsort_r(left, len, sizeof(*left), an_compare_plain, m->rows);
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && strcmp(m->rows[left[to]].plain, m->rows[left[from]].plain) == 0; to++)
            ;
        an_merge_pair(m, left + from, to - from);
    }
    free(left);
    return LS_OK;
}

/* Rows that were merged away leave no holes. */
static ls_err an_match_number(struct an_matcher *m, uint32_t *out_len, uint32_t **out_labels)
{
    uint32_t *number = malloc((m->rows_len + 1u) * sizeof(*number)), len = 0;
    *out_labels = malloc((m->rows_len + 1u) * sizeof(**out_labels));
    if (!number || !*out_labels) {
        free(number);
        free(*out_labels);
        return ls_nomem("matching %u names", m->rows_len);
    }
    for (uint32_t i = 0; i < m->rows_len; i++) {
        if (m->rows[i].merged_into != i) continue;
        number[i] = len;
        (*out_labels)[len++] = m->rows[i].name;
    }
    for (size_t i = 0; i < m->len; i++)
        m->names[i].row = number[m->rows[m->names[i].row].merged_into];
    *out_len = len;
    free(number);
    return LS_OK;
}

ls_err an_match_names(struct an_name *names, size_t len, uint32_t *out_rows_len, uint32_t **out_labels)
{
    struct an_matcher m = {.names = names, .len = len};
    m.order = malloc((len + 1) * sizeof(*m.order));
    m.rows = calloc(len + 1, sizeof(*m.rows));
    ls_err err = m.order && m.rows ? LS_OK : ls_nomem("matching %zu names", len);
    if (err == LS_OK) {
        an_match_equal(&m);
        err = an_match_moved(&m);
    }
    if (err == LS_OK) err = an_match_number(&m, out_rows_len, out_labels);
    for (uint32_t i = 0; m.rows && i < m.rows_len; i++)
        free(m.rows[i].plain);
    free(m.rows);
    free(m.order);
    return err;
}
