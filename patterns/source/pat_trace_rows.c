/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_trace_rows.h"
#include "patterns/source/pat_tables.h"
#include "patterns/source/pat_trace_format.h"
#include "patterns/source/pat_trace_guess.h"

#include <stdlib.h>
#include <string.h>

/* --- writing --- */

enum { NUMBERS_MAX = 6 };

static ls_err reserve(struct pat_rows *r, size_t more)
{
    if (r->room_bytes - r->len_bytes >= more) return LS_OK;
    const size_t room = 2 * (r->len_bytes + more);
    uint8_t *grown = realloc(r->data, room);
    if (!grown) return ls_nomem("the tables of a trace");
    r->data = grown;
    r->room_bytes = room;
    return LS_OK;
}

/* A tag and numbers. */
static ls_err put_numbers(struct pat_rows *r, uint8_t tag, const uint64_t *numbers, size_t len)
{
    LS_TRY(reserve(r, 1 + NUMBERS_MAX * PAT_VARINT_MAX));
    r->data[r->len_bytes++] = tag;
    for (size_t i = 0; i < len; i++)
        r->len_bytes += pat_varint_put(r->data + r->len_bytes, numbers[i]);
    return LS_OK;
}

/* The length + 1 and the bytes; NULL is 0. */
static ls_err put_text(struct pat_rows *r, const char *text)
{
    const size_t len = text ? strnlen(text, PAT_TRACE_TEXT_MAX) : 0;
    LS_TRY(reserve(r, PAT_VARINT_MAX + len));
    r->len_bytes += pat_varint_put(r->data + r->len_bytes, text ? len + 1 : 0);
    if (len) memcpy(r->data + r->len_bytes, text, len);
    r->len_bytes += len;
    return LS_OK;
}

#define PUT(r, tag, ...)                                     \
    put_numbers((r), (tag), (const uint64_t[]){__VA_ARGS__}, \
                sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

ls_err pat_rows_put_site(struct pat_rows *r, const struct pat_site *row)
{
    LS_TRY(PUT(r, PAT_TRACE_ROW_SITE, pat_zigzag(row->ip - r->ip), (uint32_t)(row->module + 1),
               row->size_bytes, row->operand, row->op));
    r->ip = row->ip;
    r->known.sites_len++;
    return LS_OK;
}

ls_err pat_rows_put_module(struct pat_rows *r, const struct pat_module *row)
{
    LS_TRY(PUT(r, PAT_TRACE_ROW_MODULE, row->start, row->end - row->start, row->bias));
    r->known.modules_len++;
    return put_text(r, row->path);
}

ls_err pat_rows_put_home(struct pat_rows *r, const struct pat_home *row)
{
    LS_TRY(PUT(r, PAT_TRACE_ROW_HOME, row->kind, row->elem_size_bytes));
    r->known.homes_len++;
    return put_text(r, row->label);
}

ls_err pat_rows_put_range(struct pat_rows *r, const struct pat_range *row)
{
    LS_TRY(PUT(r, PAT_TRACE_ROW_RANGE, row->start, row->end - row->start, row->home));
    r->known.ranges_len++;
    return LS_OK;
}

ls_err pat_rows_put_thread(struct pat_rows *r, const char *label)
{
    LS_TRY(put_numbers(r, PAT_TRACE_ROW_THREAD, NULL, 0));
    r->known.threads_len++;
    return put_text(r, label);
}

ls_err pat_rows_put_phase(struct pat_rows *r, const char *name)
{
    LS_TRY(put_numbers(r, PAT_TRACE_ROW_PHASE, NULL, 0));
    r->known.phases_len++;
    return put_text(r, name);
}

ls_err pat_rows_put_label(struct pat_rows *r, uint32_t home, const char *label)
{
    LS_TRY(PUT(r, PAT_TRACE_HOME_LABEL, home));
    return put_text(r, label);
}

ls_err pat_rows_put_event(struct pat_rows *r, const struct pat_event *event)
{
    return PUT(r, event->kind, (uint32_t)(event->thread + 1), event->what);
}

void pat_rows_fini(struct pat_rows *r)
{
    free(r->data);
    memset(r, 0, sizeof(*r));
}

/* --- reading --- */

static ls_err damaged(const char *what)
{
    return ls_fail(LS_ERR_FORMAT, "damaged: %s", what);
}

static ls_err get_numbers(struct ls_cursor *c, uint64_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!pat_varint_get(c, &out[i])) return damaged("a row or event ends too early");
    return LS_OK;
}

/* *out is NULL for none; the caller frees it. */
static ls_err get_text(struct ls_cursor *c, char **out)
{
    uint64_t len;
    *out = NULL;
    if (!pat_varint_get(c, &len) || len > PAT_TRACE_TEXT_MAX + 1)
        return damaged("the length of a name is wrong");
    if (len == 0) return LS_OK;
    const uint8_t *bytes = ls_cursor_take(c, len - 1);
    if (!bytes) return damaged("a name ends too early");
    *out = strndup((const char *)bytes, len - 1);
    return *out ? LS_OK : ls_nomem("a name of a trace");
}

static ls_err get_site(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint64_t n[5];
    uint32_t row;
    LS_TRY(get_numbers(c, n, 5));
    if (n[1] > r->tables->modules_len || n[2] > UINT16_MAX || n[3] > UINT8_MAX || n[4] > PAT_OP_STORE)
        return damaged("a site has a wrong module, width, operand or operation");
    r->ip += pat_unzigzag(n[0]);
    const struct pat_site site = {.ip = r->ip,
                                  .module = (uint32_t)n[1] - 1,
                                  .size_bytes = (uint16_t)n[2],
                                  .operand = (uint8_t)n[3],
                                  .op = (uint8_t)n[4]};
    return pat_tables_add_site(r->tables, &site, &row);
}

static ls_err get_module(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint64_t n[3];
    uint32_t row;
    struct pat_module m;
    LS_TRY(get_numbers(c, n, 3));
    m = (struct pat_module){.start = n[0], .end = n[0] + n[1], .bias = n[2]};
    LS_TRY(get_text(c, &m.path));
    const ls_err err = pat_tables_add_module(r->tables, &m, &row);
    free(m.path);
    return err;
}

static ls_err get_home(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint64_t n[2];
    uint32_t row;
    struct pat_home h;
    LS_TRY(get_numbers(c, n, 2));
    if (n[0] > PAT_HOME_OTHER) return damaged("a home's kind");
    h = (struct pat_home){.kind = (uint8_t)n[0], .elem_size_bytes = n[1]};
    LS_TRY(get_text(c, &h.label));
    const ls_err err = pat_tables_add_home(r->tables, &h, &row);
    free(h.label);
    return err;
}

static ls_err get_range(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint64_t n[3];
    uint32_t row;
    LS_TRY(get_numbers(c, n, 3));
    if (n[2] >= r->tables->homes_len) return damaged("a range's home");
    const struct pat_range range = {.start = n[0], .end = n[0] + n[1], .home = (uint32_t)n[2]};
    return pat_tables_add_range(r->tables, &range, &row);
}

static ls_err get_thread(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint32_t row;
    char *text;
    LS_TRY(get_text(c, &text));
    const ls_err err = pat_tables_add_thread(r->tables, text ? text : "", &row);
    free(text);
    return err;
}

static ls_err get_phase(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint32_t row;
    char *text;
    LS_TRY(get_text(c, &text));
    const ls_err err = pat_tables_add_phase(r->tables, text ? text : "", &row);
    free(text);
    return err;
}

static ls_err get_label(struct pat_rows_reader *r, struct ls_cursor *c)
{
    uint64_t home = 0;
    char *text;
    LS_TRY(get_numbers(c, &home, 1));
    if (home >= r->tables->homes_len) return damaged("a label has a wrong home");
    LS_TRY(get_text(c, &text));
    const ls_err err = pat_tables_set_label(r->tables, (uint32_t)home, text ? text : "");
    free(text);
    return err;
}

/* Number of rows in the table that an event of this kind refers to. */
static size_t rows_of_event(const struct pat_tables *t, unsigned kind)
{
    switch (kind) {
    case PAT_EVENT_RANGE_BORN:
    case PAT_EVENT_RANGE_DIED:
        return t->ranges_len;
    case PAT_EVENT_PHASE_BEGIN:
    case PAT_EVENT_PHASE_END:
        return t->phases_len;
    default:
        return SIZE_MAX;
    }
}

static ls_err get_event(struct pat_rows_reader *r, struct ls_cursor *c, uint8_t kind)
{
    uint64_t n[2];
    LS_TRY(get_numbers(c, n, 2));
    if (kind > PAT_EVENT_PHASE_END || n[0] > r->tables->threads_len || n[1] > UINT32_MAX ||
        n[1] >= rows_of_event(r->tables, kind))
        return damaged("an event has a wrong kind, thread or row");
    r->event = (struct pat_event){.kind = kind, .thread = (uint32_t)n[0] - 1, .what = (uint32_t)n[1]};
    r->is_event = true;
    return LS_OK;
}

ls_err pat_rows_get(struct pat_rows_reader *r, struct ls_cursor *c)
{
    static ls_err (*const rows[])(struct pat_rows_reader *, struct ls_cursor *) = {
        get_site, get_module, get_home, get_range, get_thread, get_phase, get_label};
    uint8_t tag;
    r->is_event = false;
    if (!ls_cursor_read(c, &tag, 1)) return damaged("a row or event is missing");
    if (tag < PAT_TRACE_ROW_SITE) return get_event(r, c, tag);
    tag -= PAT_TRACE_ROW_SITE;
    if (tag >= sizeof(rows) / sizeof(rows[0])) return damaged("a row of an unknown table");
    return rows[tag](r, c);
}
