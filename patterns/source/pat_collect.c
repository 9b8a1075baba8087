/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_collect.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pat_collect_fini(struct pat_collect *c)
{
    pat_tables_fini(&c->tables);
    pat_intern_fini(&c->sites);
    pat_intern_fini(&c->threads);
    free(c->accesses);
    free(c->events);
    free(c->later);
    memset(c, 0, sizeof(*c));
}

ls_err pat_collect_thread(struct pat_collect *c, uint64_t id, const char *label, uint32_t *out)
{
    uint32_t *row;
    LS_TRY(pat_intern(&c->threads, id, 0, &row));
    if (*row == PAT_NONE) LS_TRY(pat_tables_add_thread(&c->tables, label, row));
    *out = *row;
    return LS_OK;
}

ls_err pat_collect_binaries(struct pat_collect *c, const struct pat_binaries *b)
{
    uint32_t row;
    for (size_t i = 0; b && i < b->len; i++, c->binaries_len++)
        LS_TRY(pat_tables_add_module(&c->tables, &b->rows[i], &row));
    return LS_OK;
}

static uint32_t binary_at(const struct pat_collect *c, uint64_t ip)
{
    for (uint32_t i = 0; i < c->binaries_len; i++)
        if (ip >= c->tables.modules[i].start && ip < c->tables.modules[i].end) return i;
    return PAT_NONE;
}

/* Find or add the row of a site. If its module is not known (PAT_NONE), it is looked up in the binaries. */
static ls_err collect_site(struct pat_collect *c, const struct pat_site *site, uint32_t *out)
{
    const uint64_t rest = (uint64_t)site->module << 32 | (uint64_t)site->size_bytes << 16 |
                          (uint64_t)site->operand << 8 | site->op;
    uint32_t *row;
    LS_TRY(pat_intern(&c->sites, site->ip, rest, &row));
    if (*row == PAT_NONE) {
        struct pat_site made = *site;
        if (made.module == PAT_NONE) made.module = binary_at(c, made.ip);
        LS_TRY(pat_tables_add_site(&c->tables, &made, row));
    }
    *out = *row;
    return LS_OK;
}

static ls_err append(struct pat_collect *c, uint32_t thread, const struct pat_site *site, uint64_t addr)
{
    uint32_t row;
    if (!c->accesses) c->accesses = malloc(PAT_COLLECT_BATCH * sizeof(*c->accesses));
    if (!c->accesses) return ls_nomem("accesses");
    LS_TRY(collect_site(c, site, &row));
    c->accesses[c->accesses_len++] = (struct pat_access){.addr = addr, .site = row, .thread = thread};
    c->counts.accesses++;
    return LS_OK;
}

/* --- operands --- */

static bool are_alike(const struct pat_part *a, const struct pat_part *b)
{
    return a->op == b->op && a->size_bytes == b->size_bytes;
}

/* Number the operands, as described in the header. */
static void number_operands(struct pat_collect *c)
{
    uint8_t next = 0;
    for (size_t i = 0; i < c->parts_len; i++) {
        struct pat_part *p = &c->parts[i];
        size_t before = 0, alike = 0, first = i;
        for (size_t j = 0; j < c->parts_len; j++) {
            if (!are_alike(&c->parts[j], p)) continue;
            if (alike++ == 0) first = j;
            before += j < i;
        }
        const bool is_lane = before > 0 && alike != 2;
        p->operand = is_lane ? c->parts[first].operand : next++;
    }
}

ls_err pat_collect_end(struct pat_collect *c)
{
    struct pat_site site = {.ip = c->ip, .module = c->module};
    if (c->parts_len > 1) number_operands(c);
    for (size_t i = 0; i < c->parts_len; i++) {
        const struct pat_part *p = &c->parts[i];
        site.size_bytes = p->size_bytes;
        site.op = p->op;
        site.operand = p->operand;
        LS_TRY(append(c, c->thread, &site, p->addr));
    }
    c->parts_len = 0;
    return LS_OK;
}

ls_err pat_collect_one(struct pat_collect *c, uint32_t thread, const struct pat_site *site, uint64_t addr)
{
    if (c->parts_len) LS_TRY(pat_collect_end(c));
    return append(c, thread, site, addr);
}

/* --- events and batches --- */

static ls_err push_event(struct pat_event **events, size_t *len, size_t *room, const struct pat_event *event)
{
    LS_TRY(LS_GROW(*events, *room, *len + 1));
    (*events)[(*len)++] = *event;
    return LS_OK;
}

ls_err pat_collect_event(struct pat_collect *c, const struct pat_event *event)
{
    LS_TRY(pat_collect_end(c));
    if (c->accesses_len == 0) return push_event(&c->events, &c->events_len, &c->events_room, event);
    return push_event(&c->later, &c->later_len, &c->later_room, event);
}

/* After the batch was taken, begin the next one with the waiting events. */
static void begin_batch(struct pat_collect *c)
{
    struct pat_event *events = c->events;
    const size_t room = c->events_room;
    c->events = c->later;
    c->events_len = c->later_len;
    c->events_room = c->later_room;
    c->later = events;
    c->later_room = room;
    c->later_len = c->accesses_len = 0;
}

static void give_batch(const struct pat_collect *c, struct pat_batch *b)
{
    *b = (struct pat_batch){.events = c->events,
                            .events_len = c->events_len,
                            .accesses = c->accesses,
                            .accesses_len = c->accesses_len};
}

/* Keep err for the next call if a batch must be delivered first. */
static ls_err defer(struct pat_collect *c, ls_err err, struct pat_batch *b)
{
    char why[sizeof(c->why)];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    LS_TRY(pat_collect_end(c));
    if (c->events_len == 0 && c->accesses_len == 0) return ls_fail(err, "%s", why);
    c->deferred = err;
    memcpy(c->why, why, sizeof(why));
    give_batch(c, b);
    return LS_OK;
}

ls_err pat_collect_next(struct pat_collect *c, pat_collect_read *read, void *self, struct pat_batch *b)
{
    bool has_ended = false;
    ls_err err = LS_OK;
    if (c->deferred) return ls_fail(c->deferred, "%s", c->why);
    begin_batch(c);
    while (err == LS_OK && !has_ended && !pat_collect_is_ready(c))
        err = read(self, &has_ended);
    if (err != LS_OK) return defer(c, err, b);
    if (has_ended) LS_TRY(pat_collect_end(c));
    give_batch(c, b);
    return LS_OK;
}
