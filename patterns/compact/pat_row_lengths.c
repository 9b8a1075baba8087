/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_row_lengths.h"
#include "common/ls_checked.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROW_MEAN_MAX = 64,       /* accesses; ends of longer rows take no noticeable time */
    NUMBERS_MAX = 1 << 26,   /* accesses of all patterns whose numbers are kept: 256 MiB */
    CONSTANT_EXCEPTIONS = 2, /* rows that may differ where all have one length: the first and the last */
};

/* A pattern whose accesses are numbered. */
struct user {
    struct pat_found *found;
    uint32_t site, thread;
    uint32_t next;     /* next user of the same site, PAT_NONE */
    uint32_t *numbers; /* [room], among all accesses of the thread */
    uint64_t len, room;
    bool is_list, is_unclear, decides;
};

struct rows_finder {
    struct user *users; /* the longest first */
    size_t len;
    uint32_t *first; /* [sites_len], first user of a site, PAT_NONE */
    size_t sites_len;
    uint64_t *threads; /* [threads_len], accesses so far */
    size_t threads_len;
};

/* ---- patterns that may have rows ---- */

/* Does the configuration hold all accesses of one instruction in one thread, in order? */
static bool is_plain(const struct pat_found *r, const struct pat_sequence *s)
{
    uint64_t accesses;
    return (r->form == PAT_FORM_EXACT || r->form == PAT_FORM_FULL) && r->members_len == 0 &&
           s->threads <= 1 && s->is_whole && s->breaks_len == 0 &&
           ls_mul_u64(pat_config_len(&r->config), r->config.count, &accesses) && accesses == s->accesses &&
           r->prologue == 0 && r->epilogue == 0;
}

static bool is_list(const struct pat_found *r)
{
    return r->form == PAT_FORM_FULL && r->config.count == 1 && r->config.kernel != PAT_GS;
}

bool pat_row_lengths_possible(const struct pat_findings *f, const struct pat_sequences *s)
{
    for (size_t i = 0; i < f->len; i++)
        if (is_list(&f->rows[i]) && is_plain(&f->rows[i], &s->rows[f->rows[i].sequence])) return true;
    return false;
}

static int longest_first(const void *a, const void *b)
{
    const struct user *x = a, *y = b;
    if (x->room != y->room) return x->room < y->room ? 1 : -1;
    return (x->found > y->found) - (x->found < y->found);
}

static ls_err find_users(struct rows_finder *w, const struct pat_sequences *s, struct pat_findings *f)
{
    uint64_t total = 0;
    w->users = calloc(f->len + 1, sizeof(*w->users));
    if (!w->users) return ls_nomem("the rows of %zu patterns", f->len);
    for (size_t i = 0; i < f->len; i++) {
        const struct pat_sequence *q = &s->rows[f->rows[i].sequence];
        if (!is_plain(&f->rows[i], q) || q->accesses > NUMBERS_MAX - total) continue;
        total += q->accesses;
        w->users[w->len++] = (struct user){.found = &f->rows[i],
                                           .site = q->site,
                                           .thread = q->thread,
                                           .next = PAT_NONE,
                                           .room = q->accesses,
                                           .is_list = is_list(&f->rows[i]),
                                           .decides = q->decides};
    }
    qsort(w->users, w->len, sizeof(*w->users), longest_first);
    for (size_t i = 0; i < w->len; i++) {
        w->users[i].numbers = malloc((w->users[i].room + 1) * sizeof(*w->users[i].numbers));
        if (!w->users[i].numbers) return ls_nomem("the rows of %zu patterns", f->len);
    }
    return LS_OK;
}

/* Without the ranges, accesses of one site to several homes cannot be distinguished: such patterns get no rows. */
static ls_err enter_users(struct rows_finder *w, const struct pat_sequences *s)
{
    for (size_t i = 0; i < w->len; i++)
        if (w->users[i].site >= w->sites_len) w->sites_len = (size_t)w->users[i].site + 1;
    w->first = malloc((w->sites_len + 1) * sizeof(*w->first));
    if (!w->first) return ls_nomem("the rows of %zu patterns", w->len);
    for (size_t k = 0; k < w->sites_len; k++)
        w->first[k] = PAT_NONE;
    for (size_t i = 0; i < w->len; i++) {
        struct user *u = &w->users[i];
        for (size_t k = 0; k < s->len; k++)
            u->is_unclear |= s->rows[k].site == u->site && s->rows[k].thread == u->thread &&
                             s->rows[k].accesses && &s->rows[k] != &s->rows[u->found->sequence];
        u->next = w->first[u->site];
        w->first[u->site] = (uint32_t)i;
    }
    return LS_OK;
}

/* ---- numbers of accesses ---- */

static ls_err next_number(struct rows_finder *w, uint32_t thread, uint64_t *out)
{
    if (thread >= w->threads_len) {
        const size_t len = 2 * (size_t)thread + 2;
        uint64_t *grown = realloc(w->threads, len * sizeof(*grown));
        if (!grown) return ls_nomem("the rows of %u threads", thread);
        memset(grown + w->threads_len, 0, (len - w->threads_len) * sizeof(*grown));
        w->threads = grown;
        w->threads_len = len;
    }
    *out = w->threads[thread]++;
    return LS_OK;
}

static void number_access(struct rows_finder *w, const struct pat_access *a, uint64_t number)
{
    for (uint32_t i = w->first[a->site]; i != PAT_NONE; i = w->users[i].next) {
        struct user *u = &w->users[i];
        if (u->thread != a->thread) continue;
        if (u->len == u->room || number > UINT32_MAX)
            u->is_unclear = true;
        else
            u->numbers[u->len++] = (uint32_t)number;
    }
}

static ls_err number_all(struct rows_finder *w, pat_source *source)
{
    struct pat_batch b;
    for (;;) {
        LS_TRY(pat_source_next(source, &b));
        if (b.accesses_len == 0 && b.events_len == 0) return LS_OK;
        for (size_t i = 0; i < b.accesses_len; i++) {
            uint64_t number = 0;
            LS_TRY(next_number(w, b.accesses[i].thread, &number));
            if (b.accesses[i].site < w->sites_len) number_access(w, &b.accesses[i], number);
        }
    }
}

/* ---- rows ---- */

/* Return the least distance between the numbers of successive accesses: the accesses of an inner iteration. */
static uint32_t least_gap(const struct user *u)
{
    uint32_t least = UINT32_MAX;
    for (uint64_t i = 1; i < u->len; i++)
        if (u->numbers[i] - u->numbers[i - 1] < least) least = u->numbers[i] - u->numbers[i - 1];
    return least;
}

static bool begins_row(const struct user *u, uint64_t i, uint32_t gap)
{
    return i == 0 || u->numbers[i] - u->numbers[i - 1] > gap;
}

static bool has_all_numbers(const struct user *u)
{
    return !u->is_unclear && u->len == u->room;
}

static bool has_rows(const struct user *u)
{
    return u->found->config.row_lengths.len > 0;
}

/* Do more rows differ from the second one than those at the ends? */
static bool varies(const struct pat_indices *lengths)
{
    size_t others = 0;
    for (size_t i = 0; i < lengths->len; i++)
        others += lengths->data[i] != lengths->data[1];
    return others > CONSTANT_EXCEPTIONS;
}

static ls_err make_rows(uint64_t len, struct pat_indices *out)
{
    *out = (struct pat_indices){calloc(len, sizeof(*out->data)), len};
    return out->data ? LS_OK : ls_nomem("the lengths of %llu rows", (unsigned long long)len);
}

static void keep_rows(struct user *u, const struct pat_indices *rows)
{
    u->found->config.row_lengths = *rows;
    u->found->config.rows_wait = u->decides;
}

/* Count the accesses of u between two accesses of `marker` each. Return false if `marker` is not accessed exactly
 * where rows of u end: once, or several times around rows without an access of u. */
static bool count_between(const struct user *u, const struct user *marker, uint32_t gap,
                          struct pat_indices *out)
{
    const bool is_after = marker->numbers[marker->len - 1] > u->numbers[u->len - 1];
    memset(out->data, 0, out->len * sizeof(*out->data));
    for (uint64_t i = 0, at = 0; i < u->len; i++) {
        const uint64_t before = at;
        while (at < marker->len && marker->numbers[at] < u->numbers[i])
            at++;
        if ((i > 0 && (at > before) != begins_row(u, i, gap)) || at < !is_after) return false;
        out->data[is_after ? at : at - 1]++;
    }
    return true;
}

/* Gaps do not show rows without an access: the shortest pattern with one access at the end of each row does. Replace
 * *rows if there is one. */
static ls_err find_empty_rows(const struct rows_finder *w, const struct user *u, uint32_t gap,
                              struct pat_indices *rows)
{
    for (size_t k = w->len; k-- > 0;) {
        const struct user *marker = &w->users[k];
        struct pat_indices found;
        if (marker->len <= rows->len || marker->len >= 2 * rows->len || marker->thread != u->thread ||
            !has_all_numbers(marker))
            continue;
        LS_TRY(make_rows(marker->len, &found));
        const bool is_marker = count_between(u, marker, gap, &found);
        free(is_marker ? rows->data : found.data);
        if (is_marker) *rows = found;
        if (is_marker) return LS_OK;
    }
    return LS_OK;
}

/* Set the rows of u where a gap ends them. */
static ls_err find_rows(const struct rows_finder *w, struct user *u, uint32_t gap)
{
    uint64_t rows = 0;
    struct pat_indices found;
    for (uint64_t i = 0; i < u->len; i++)
        rows += begins_row(u, i, gap);
    if (rows < 2 || u->len / rows > ROW_MEAN_MAX) return LS_OK;
    LS_TRY(make_rows(rows, &found));
    for (uint64_t i = 0, row = 0; i < u->len; i++) {
        row += i > 0 && begins_row(u, i, gap);
        found.data[row]++;
    }
    const ls_err err = find_empty_rows(w, u, gap, &found);
    keep_rows(u, &found);
    return err;
}

/* Does each access of u come with one of the leader's, in the same inner iteration? */
static bool alternates(const struct user *leader, const struct user *u, uint32_t gap)
{
    if (u->len != leader->len) return false;
    for (uint64_t i = 0; i < u->len; i++) {
        const uint32_t a = leader->numbers[i], b = u->numbers[i];
        if ((a < b ? b - a : a - b) >= gap) return false;
    }
    return true;
}

/* Count the accesses of u from the beginning of each row of the leader up to the next one that is not empty. */
static void count_in_rows(const struct user *leader, const struct user *u, struct pat_indices *out)
{
    const struct pat_indices *rows = &leader->found->config.row_lengths;
    uint64_t at = 0, next = 0;
    for (size_t row = 0, last = 0; row <= rows->len; row++) {
        if (row < rows->len && !rows->data[row]) continue;
        const uint64_t end = row < rows->len && next ? leader->numbers[next]
                             : row < rows->len       ? 0
                                                     : UINT64_MAX;
        for (; at < u->len && u->numbers[at] < end; at++)
            out->data[last]++;
        last = row;
        if (row < rows->len) next += (uint64_t)rows->data[row];
    }
}

/* Give u the rows of the leader's loop, if it belongs to it. */
static ls_err follow_rows(const struct user *leader, struct user *u, uint32_t gap)
{
    const struct pat_indices *rows = &leader->found->config.row_lengths;
    const bool is_inside = alternates(leader, u, gap);
    struct pat_indices found;
    if (!is_inside && (!u->is_list || rows->len / ROW_MEAN_MAX > u->len)) return LS_OK;
    LS_TRY(make_rows(rows->len, &found));
    if (is_inside)
        memcpy(found.data, rows->data, rows->len * sizeof(*found.data));
    else
        count_in_rows(leader, u, &found);
    if (is_inside || varies(&found))
        keep_rows(u, &found);
    else
        free(found.data); /* replay finds accesses that are as many in each row */
    return LS_OK;
}

static ls_err find_all_rows(struct rows_finder *w)
{
    for (size_t i = 0; i < w->len; i++) {
        struct user *leader = &w->users[i];
        if (!leader->is_list || !has_all_numbers(leader) || has_rows(leader) || leader->len < 2) continue;
        const uint32_t gap = least_gap(leader);
        LS_TRY(find_rows(w, leader, gap));
        for (size_t k = 0; k < w->len && has_rows(leader); k++) {
            struct user *u = &w->users[k];
            if (k != i && u->thread == leader->thread && u->len <= leader->len && has_all_numbers(u) &&
                !has_rows(u))
                LS_TRY(follow_rows(leader, u, gap));
        }
    }
    return LS_OK;
}

ls_err pat_row_lengths(pat_source *source, const struct pat_sequences *s, struct pat_findings *f)
{
    struct rows_finder w = {0};
    ls_err err = find_users(&w, s, f);
    if (err == LS_OK) err = enter_users(&w, s);
    if (err == LS_OK) err = number_all(&w, source);
    if (err == LS_OK) err = find_all_rows(&w);
    for (size_t i = 0; i < w.len; i++)
        free(w.users[i].numbers);
    free(w.users);
    free(w.first);
    free(w.threads);
    return err;
}
