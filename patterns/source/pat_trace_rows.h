/* SPDX-License-Identifier: BSD-3-Clause */
/* Events and rows of tables as bytes in a trace, and back. Numbers are varints: seven bits a byte, the low
 * ones first, the high bit set on all but the last.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: not safe. */
#ifndef PAT_TRACE_ROWS_H
#define PAT_TRACE_ROWS_H

#include "common/ls_error.h"
#include "common/ls_span.h"
#include "patterns/pat_access.h"

enum { PAT_VARINT_MAX = 10 };

/* Writes value at p; returns its bytes, at most PAT_VARINT_MAX.  Errors: none. */
static inline size_t pat_varint_put(uint8_t *p, uint64_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        p[len++] = (uint8_t)(value | 0x80);
    p[len++] = (uint8_t)value;
    return len;
}

/* False when c ends inside the number or it has more than 64 bits. */
static inline bool pat_varint_get(struct ls_cursor *c, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && c->pos_bytes < c->span.len_bytes; shift += 7) {
        const uint8_t byte = c->span.data[c->pos_bytes++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *out = value;
        return true;
    }
    return false;
}

/* A stream of the rest that grows. known: only the lengths are used, rows that were put. */
struct pat_rows {
    uint8_t *data;
    size_t len_bytes, room_bytes;
    struct pat_tables known;
    uint64_t ip; /* of the site before */
};

/* Errors: LS_ERR_NOMEM. */
ls_err pat_rows_put_site(struct pat_rows *r, const struct pat_site *row);
ls_err pat_rows_put_module(struct pat_rows *r, const struct pat_module *row);
ls_err pat_rows_put_home(struct pat_rows *r, const struct pat_home *row);
ls_err pat_rows_put_range(struct pat_rows *r, const struct pat_range *row);
ls_err pat_rows_put_thread(struct pat_rows *r, const char *label);
ls_err pat_rows_put_phase(struct pat_rows *r, const char *name);
ls_err pat_rows_put_label(struct pat_rows *r, uint32_t home, const char *label);
ls_err pat_rows_put_event(struct pat_rows *r, const struct pat_event *event);
void pat_rows_fini(struct pat_rows *r);

/* Reading: a row goes to the tables, an event to *event (is_event is then true). Everything is checked
 * against the tables.
 * Errors: LS_ERR_FORMAT (without file and position), LS_ERR_NOMEM. */
struct pat_rows_reader {
    struct pat_tables *tables;
    uint64_t ip;
    struct pat_event event;
    bool is_event;
};
ls_err pat_rows_get(struct pat_rows_reader *r, struct ls_cursor *c);

#endif
