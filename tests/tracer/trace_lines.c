/* SPDX-License-Identifier: BSD-3-Clause */
/* The accesses of a trace as text, a line each: thread, load or store, bytes, home, distance from the start
 * of the range. usage: trace_lines FILE [HOME]: only accesses to this home; "-" those to none; "*" all.
 * "+" in front of HOME: events, too. */
#include "patterns/source/pat_source.h"
#include "smrtree/smr_live.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    const struct pat_tables *t;
    smr_live *live;
    const char *home;
    bool with_events;
    /* kept until the end, because labels are known only then */
    struct line {
        struct pat_access access;
        struct pat_event event;
        uint32_t range;
        bool is_event;
    } * rows;
    size_t len, room;
};

static void add(struct lines *l, struct line row)
{
    if (l->len == l->room) {
        l->room = l->room ? 2 * l->room : 1024;
        l->rows = reallocarray(l->rows, l->room, sizeof(*l->rows));
        if (!l->rows) abort();
    }
    l->rows[l->len++] = row;
}

static void take_event(struct lines *l, const struct pat_event *e)
{
    if (e->kind == PAT_EVENT_RANGE_BORN)
        smr_live_insert(l->live, l->t->ranges[e->what].start, l->t->ranges[e->what].end, e->what);
    else if (e->kind == PAT_EVENT_RANGE_DIED)
        smr_live_remove(l->live, l->t->ranges[e->what].start, e->what);
    if (l->with_events) add(l, (struct line){.event = *e, .is_event = true});
}

static const char *label_of(const struct lines *l, uint32_t range)
{
    if (range == PAT_NONE) return "-";
    const char *label = l->t->homes[l->t->ranges[range].home].label;
    return label ? label : "?";
}

static void print_event(const struct lines *l, const struct pat_event *e)
{
    static const char *const names[] = {"born", "died", "break", "phase", "phase-end"};
    const char *what = "";
    if (e->kind <= PAT_EVENT_RANGE_DIED) what = label_of(l, e->what);
    if (e->kind >= PAT_EVENT_PHASE_BEGIN) what = l->t->phases[e->what];
    printf("%s %s\n", names[e->kind], what);
}

static void print(const struct lines *l, const struct line *row)
{
    static const char *const ops[] = {"load", "store"};
    if (row->is_event) {
        print_event(l, &row->event);
        return;
    }
    const struct pat_site *s = &l->t->sites[row->access.site];
    const char *label = label_of(l, row->range);
    const uint64_t start = row->range == PAT_NONE ? 0 : l->t->ranges[row->range].start;
    if (strcmp(l->home, "*") != 0 && strcmp(l->home, label) != 0) return;
    printf("%s %s %u %s %" PRIu64 "\n", l->t->threads[row->access.thread].label, ops[s->op], s->size_bytes,
           label, row->access.addr - start);
}

int main(int argc, char **argv)
{
    struct lines l = {.live = smr_live_new(), .home = argc > 2 ? argv[2] : "*"};
    pat_source *s;
    struct pat_batch b;
    if (argc < 2) return 2;
    l.with_events = l.home[0] == '+';
    l.home += l.with_events;
    const struct pat_source_options o = {0};
    if (pat_source_open(argv[1], &o, &s) != LS_OK) {
        fprintf(stderr, "%s\n", ls_last_error());
        return 3;
    }
    do {
        if (pat_source_next(s, &b) != LS_OK) {
            fprintf(stderr, "%s\n", ls_last_error());
            return 3;
        }
        l.t = pat_source_tables(s);
        for (size_t i = 0; i < b.events_len; i++)
            take_event(&l, &b.events[i]);
        for (size_t i = 0; i < b.accesses_len; i++) {
            struct line row = {.access = b.accesses[i], .range = PAT_NONE};
            smr_live_find(l.live, row.access.addr, &row.range);
            add(&l, row);
        }
    } while (b.accesses_len > 0 || b.events_len > 0);
    l.t = pat_source_tables(s);
    for (size_t i = 0; i < l.len; i++)
        print(&l, &l.rows[i]);
    pat_source_close(s);
    smr_live_free(l.live);
    free(l.rows);
    return 0;
}
