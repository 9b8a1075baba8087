/* SPDX-License-Identifier: BSD-3-Clause */
/* Events and rows of tables as bytes in a trace, and back. Numbers are varints: seven bits a byte, the low
 * ones first, the high bit set on all but the last. */
#ifndef PAT_TRACE_ROWS_H
#define PAT_TRACE_ROWS_H

#include "common/ls_error.h"
#include "common/ls_span.h"
#include "patterns/pat_access.h"

enum { PAT_VARINT_MAX = 10 };

/* Writes value at p; returns its bytes, at most PAT_VARINT_MAX. */
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

/* A growing stream of the rest. known: the rows put so far; only the lengths of its tables are used. */
struct pat_rows {
    uint8_t *data;
    size_t len_bytes, room_bytes;
    struct pat_tables known;
    uint64_t ip; /* address of the previous site */
};

/* Append the next row of the table of sites: rows are put in their order, each once. The instruction's
 * address is written as its distance to the one before.
 * Owns:   r.  Errors: LS_ERR_NOMEM; then r ends where it did, or inside the row, and is of no use. */
ls_err pat_rows_put_site(struct pat_rows *r, const struct pat_site *row);
/* Append the next module; at most PAT_TRACE_TEXT_MAX bytes of its path are kept.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_module(struct pat_rows *r, const struct pat_module *row);
/* Append the next home; its label, cut likewise, may be NULL and be put later.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_home(struct pat_rows *r, const struct pat_home *row);
/* Append the next range; its home was put before.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_range(struct pat_rows *r, const struct pat_range *row);
/* Append the next thread.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_thread(struct pat_rows *r, const char *label);
/* Append the next phase.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_phase(struct pat_rows *r, const char *name);
/* Append the label of a home that was put before.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_label(struct pat_rows *r, uint32_t home, const char *label);
/* Append an event; the row it refers to was put before.
 * Owns:   r.  Errors: as pat_rows_put_site. */
ls_err pat_rows_put_event(struct pat_rows *r, const struct pat_event *event);
/* Free the data of r; r is then empty. */
void pat_rows_fini(struct pat_rows *r);

/* Receives the rows that are read. */
struct pat_rows_reader {
    struct pat_tables *tables;
    uint64_t ip;
    struct pat_event event;
    bool is_event;
};
/* Read the next item in c: a row goes to the tables, an event to r->event (is_event is then true). Everything
 * is checked against the tables.
 * Owns:   the tables are the caller's.
 * Errors: LS_ERR_FORMAT (without file and position), LS_ERR_NOMEM, LS_ERR_RANGE when a table is full. */
ls_err pat_rows_get(struct pat_rows_reader *r, struct ls_cursor *c);

#endif
