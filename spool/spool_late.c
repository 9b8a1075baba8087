/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_late.h"

#include "common/ls_vector.h"
#include "spool/spool_reader.h"
#include "spool/spool_record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LATE_HEAD_RECORDS = 16 }; /* the SAMPLING record is among the first ones */

struct late_row {
    uint64_t time_ns;
    struct spool_position at;
};

struct spool_late {
    const struct spool_stream *stream;
    char *damage_text;
    ls_err damage;
    int fds[2]; /* the shared and the own file; -1: no such file */
    struct late_row *rows;
    size_t len, room, next;
    uint64_t *buffer; /* room for one record */
};

static bool late_says_so(const struct spool_rec_header *rec)
{
    return rec->type == SPOOL_REC_SAMPLING && (rec->flags & SPOOL_SAMPLING_LATE);
}

static bool late_scan(spool_reader *r)
{
    const struct spool_rec_header *rec;
    for (int i = 0; i < LATE_HEAD_RECORDS; i++) {
        if (spool_reader_next(r, &rec) != LS_OK || !rec || rec->type == SPOOL_REC_SAMPLE) return false;
        if (late_says_so(rec)) return true;
    }
    return false;
}

static const struct spool_source *late_source(const spool_late *l, struct spool_position at)
{
    return at.is_own ? &l->stream->own : &l->stream->shared;
}

static ls_err late_add(spool_late *l, uint64_t time_ns, struct spool_position at)
{
    LS_TRY(LS_GROW(l->rows, l->room, l->len + 1));
    l->rows[l->len++] = (struct late_row){time_ns, at};
    return LS_OK;
}

/* Records after a sample (its stack) have its time. No record precedes the file's first one. */
static ls_err late_index(spool_late *l, spool_reader *r)
{
    const struct spool_rec_header *rec;
    uint64_t time_ns = 0;
    ls_err e;
    while ((e = spool_reader_next(r, &rec)) == LS_OK && rec) {
        if (spool_rec_has_time(rec)) time_ns = spool_rec_time_ns(rec);
        if (l->len && time_ns < l->rows[0].time_ns) time_ns = l->rows[0].time_ns;
        LS_TRY(late_add(l, time_ns, spool_reader_position(r)));
    }
    if (e == LS_OK) return LS_OK;
    l->damage = e;
    l->damage_text = strdup(ls_last_error());
    return LS_OK;
}

static int late_compare(const void *a, const void *b)
{
    const struct late_row *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
    if (x->at.is_own != y->at.is_own) return x->at.is_own ? 1 : -1;
    return (x->at.at_bytes > y->at.at_bytes) - (x->at.at_bytes < y->at.at_bytes);
}

static ls_err late_open_file(const struct spool_source *s, int *out_fd)
{
    *out_fd = -1;
    return s->path ? spool_source_open(s, out_fd) : LS_OK;
}

static ls_err late_fill(spool_late *l)
{
    spool_reader *r = NULL;
    l->buffer = malloc(SPOOL_REC_MAX_BYTES);
    if (!l->buffer) return ls_nomem("a record");
    LS_TRY(late_open_file(&l->stream->shared, &l->fds[0]));
    LS_TRY(late_open_file(&l->stream->own, &l->fds[1]));
    LS_TRY(spool_reader_open(l->stream, &r));
    const ls_err e = late_index(l, r);
    spool_reader_free(r);
    if (l->len) qsort(l->rows, l->len, sizeof(*l->rows), late_compare);
    return e;
}

ls_err spool_late_open(const struct spool_stream *stream, spool_late **out)
{
    spool_reader *r = NULL;
    *out = NULL;
    if (spool_reader_open(stream, &r) != LS_OK) return LS_OK; /* its reader reports the error */
    const bool is_late = late_scan(r);
    spool_reader_free(r);
    if (!is_late) return LS_OK;
    spool_late *l = calloc(1, sizeof(*l));
    if (!l) return ls_nomem("late samples");
    l->stream = stream;
    l->fds[0] = l->fds[1] = -1;
    const ls_err e = late_fill(l);
    if (e == LS_OK)
        *out = l;
    else
        spool_late_free(l);
    return e;
}

void spool_late_free(spool_late *l)
{
    if (!l) return;
    for (int i = 0; i < 2; i++)
        if (l->fds[i] >= 0) close(l->fds[i]);
    free(l->damage_text);
    free(l->rows);
    free(l->buffer);
    free(l);
}

/* All len_bytes, or false. */
static bool late_read(const spool_late *l, void *out, size_t len_bytes, struct spool_position at)
{
    size_t have = 0;
    while (have < len_bytes) {
        const off_t at_bytes = (off_t)(at.at_bytes + have);
        const ssize_t got = pread(l->fds[at.is_own], (char *)out + have, len_bytes - have, at_bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        have += (size_t)got;
    }
    return true;
}

ls_err spool_late_next(spool_late *l, const struct spool_rec_header **out)
{
    struct spool_rec_header *rec = (void *)l->buffer;
    *out = NULL;
    if (l->next == l->len)
        return l->damage == LS_OK ? LS_OK : ls_fail(l->damage, "%s", l->damage_text ? l->damage_text : "");
    const struct spool_position at = l->rows[l->next].at;
    /* the record was whole when it was sorted, but the file may have changed since */
    if (!late_read(l, rec, sizeof(*rec), at) || rec->len_bytes < sizeof(*rec) ||
        rec->len_bytes > SPOOL_REC_MAX_BYTES || !late_read(l, rec, rec->len_bytes, at) ||
        spool_rec_fault(rec))
        return ls_fail(LS_ERR_IO, "%s: byte %llu: the file changed while it was read",
                       late_source(l, at)->path, (unsigned long long)at.at_bytes);
    l->next++;
    *out = rec;
    return LS_OK;
}
