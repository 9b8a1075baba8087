/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/patterns/memory_source.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMORY_BATCH = 1000 };

/* Room for one more row of an array that doubles. */
static void *memory_room(void *rows, size_t len, size_t row_bytes)
{
    if (len & (len - 1) || (len && len < 8)) return rows;
    if (len == 0) return malloc(8 * row_bytes);
    void *wider = realloc(rows, 2 * len * row_bytes);
    if (!wider) abort();
    return wider;
}

#define MEMORY_PUSH(rows, len, ...)                       \
    do {                                                  \
        (rows) = memory_room(rows, len, sizeof(*(rows))); \
        if (!(rows)) abort();                             \
        (rows)[(len)++] = (__VA_ARGS__);                  \
    } while (0)

uint32_t memory_site(struct memory_source *m, uint64_t ip, uint16_t size_bytes, enum pat_op op)
{
    struct pat_tables *t = &m->tables;
    MEMORY_PUSH(t->sites, t->sites_len,
                (struct pat_site){.ip = ip, .module = PAT_NONE, .size_bytes = size_bytes, .op = (uint8_t)op});
    return (uint32_t)t->sites_len - 1;
}

uint32_t memory_home(struct memory_source *m, const char *label, uint64_t elem_size_bytes)
{
    struct pat_tables *t = &m->tables;
    MEMORY_PUSH(t->homes, t->homes_len,
                (struct pat_home){(char *)(uintptr_t)label, elem_size_bytes, PAT_HOME_REGISTERED});
    return (uint32_t)t->homes_len - 1;
}

uint32_t memory_range(struct memory_source *m, uint64_t start, uint64_t end, uint32_t home)
{
    struct pat_tables *t = &m->tables;
    MEMORY_PUSH(t->ranges, t->ranges_len, (struct pat_range){start, end, home});
    return (uint32_t)t->ranges_len - 1;
}

uint32_t memory_thread(struct memory_source *m)
{
    struct pat_tables *t = &m->tables;
    static char label[] = "thread";
    MEMORY_PUSH(t->threads, t->threads_len, (struct pat_thread){label});
    return (uint32_t)t->threads_len - 1;
}

void memory_event(struct memory_source *m, enum pat_event_kind kind, uint32_t thread, uint32_t what)
{
    MEMORY_PUSH(m->steps, m->steps_len,
                (struct memory_step){.is_event = true, .event = {(uint8_t)kind, thread, what}});
}

void memory_access(struct memory_source *m, uint32_t site, uint32_t thread, uint64_t addr)
{
    MEMORY_PUSH(m->steps, m->steps_len, (struct memory_step){.access = {addr, site, thread}});
}

static ls_err memory_next(void *self, struct pat_batch *b)
{
    struct memory_source *m = self;
    const size_t most = m->batch_max ? m->batch_max : MEMORY_BATCH;
    free(m->events);
    m->events = NULL;
    while (m->at < m->steps_len && m->steps[m->at].is_event) {
        const struct pat_event event = m->steps[m->at++].event;
        MEMORY_PUSH(m->events, b->events_len, event);
    }
    while (m->at < m->steps_len && !m->steps[m->at].is_event && b->accesses_len < most)
        m->accesses[b->accesses_len++] = m->steps[m->at++].access;
    b->events = m->events;
    b->accesses = m->accesses;
    return LS_OK;
}

static const struct pat_tables *memory_tables(const void *self)
{
    return &((const struct memory_source *)self)->tables;
}

static struct pat_source_counts memory_counts(const void *self)
{
    return (struct pat_source_counts){.accesses = ((const struct memory_source *)self)->at, .scale = 1};
}

static void memory_close(void *self)
{
    struct memory_source *m = self;
    free(m->events);
    free(m->accesses);
    m->events = NULL;
    m->accesses = NULL;
}

pat_source *memory_open(struct memory_source *m)
{
    static const struct pat_source_format row = {.name = "memory",
                                                 .text = "a test",
                                                 .next = memory_next,
                                                 .tables = memory_tables,
                                                 .counts = memory_counts,
                                                 .close = memory_close};
    pat_source *s = NULL;
    m->at = 0;
    m->accesses = malloc((m->batch_max ? m->batch_max : MEMORY_BATCH) * sizeof(*m->accesses));
    if (!m->accesses || pat_source_adopt(&row, m, &s) != LS_OK) abort();
    return s;
}

void memory_fini(struct memory_source *m)
{
    free(m->tables.sites);
    free(m->tables.homes);
    free(m->tables.ranges);
    free(m->tables.threads);
    free(m->tables.modules);
    free(m->steps);
    *m = (struct memory_source){0};
}

void memory_extract(struct memory_source *m, const struct pat_extract_options *o, struct pat_sequences *out)
{
    pat_source *s = memory_open(m);
    if (pat_extract(s, o, out) != LS_OK) {
        fprintf(stderr, "%s\n", ls_last_error());
        abort();
    }
    pat_source_close(s);
}
