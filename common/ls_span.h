/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounded reading of untrusted bytes: a cursor never leaves its span, and a failed read does not move it.
 *
 * Errors: none; a failed read returns false or NULL.  Thread: one at a time for one object.  Signal: safe. */
#ifndef LS_SPAN_H
#define LS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ls_span {
    const uint8_t *data;
    size_t len_bytes;
};

struct ls_cursor {
    struct ls_span span;
    size_t pos_bytes;
};

static inline struct ls_cursor ls_cursor_over(const void *data, size_t len_bytes)
{
    return (struct ls_cursor){.span = {.data = data, .len_bytes = len_bytes}};
}

static inline size_t ls_cursor_left(const struct ls_cursor *c)
{
    return c->span.len_bytes - c->pos_bytes;
}

/* Copy the next len_bytes to out; false when fewer are left. */
static inline bool ls_cursor_read(struct ls_cursor *c, void *out, size_t len_bytes)
{
    if (ls_cursor_left(c) < len_bytes) return false;
    memcpy(out, c->span.data + c->pos_bytes, len_bytes);
    c->pos_bytes += len_bytes;
    return true;
}

/* Borrow the next len_bytes; NULL when fewer are left. */
static inline const uint8_t *ls_cursor_take(struct ls_cursor *c, size_t len_bytes)
{
    if (ls_cursor_left(c) < len_bytes) return NULL;
    const uint8_t *p = c->span.data + c->pos_bytes;
    c->pos_bytes += len_bytes;
    return p;
}

#endif
