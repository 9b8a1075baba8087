/* SPDX-License-Identifier: BSD-3-Clause */
/* DynamoRIO's drmemtrace, versions 1 to 7: packed records of 12 bytes, u16 type, u16 size, u64 address
 * (trace_type_t and trace_entry_t in clients/drcachesim/common/trace_entry.h), little-endian; as they are, or
 * in gzip, lz4, or members of a zip archive. Later versions add types, which are skipped. */
#include "patterns/source/pat_collect.h"
#include "patterns/source/pat_input.h"
#include "patterns/source/pat_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES = 12, BUNDLE_MAX = 8, TYPES = 256, TYPES_KNOWN = 64 };

/* Meanings of record types; types missing from the table are skipped. */
enum act {
    ACT_SKIP,
    ACT_LOAD,
    ACT_STORE,
    ACT_INSTRUCTION,
    ACT_BUNDLE,
    ACT_THREAD,
    ACT_HEADER,
    ACT_FOOTER,
    ACT_MARKER
};

static const uint8_t acts[TYPES] = {
    [0] = ACT_LOAD,         [1] = ACT_STORE,        [10] = ACT_INSTRUCTION, /* no branch */
    [11] = ACT_INSTRUCTION,                                                 /* kinds of branches */
    [12] = ACT_INSTRUCTION, [13] = ACT_INSTRUCTION, [14] = ACT_INSTRUCTION, [15] = ACT_INSTRUCTION,
    [16] = ACT_INSTRUCTION, [17] = ACT_BUNDLE, /* instructions that follow the last one, by their lengths */
    [22] = ACT_THREAD,      [25] = ACT_HEADER,      [26] = ACT_FOOTER,      [28] = ACT_MARKER,
    [29] = ACT_INSTRUCTION, /* an iteration of a rep string */
    [30] = ACT_INSTRUCTION, /* maybe one */
    [31] = ACT_INSTRUCTION, /* sysenter */
    [48] = ACT_INSTRUCTION, /* branch taken, not taken */
    [49] = ACT_INSTRUCTION};

/* Headers and their markers come before the first thread. */
static const bool is_of_thread[ACT_MARKER + 1] = {
    [ACT_LOAD] = true, [ACT_STORE] = true, [ACT_INSTRUCTION] = true, [ACT_BUNDLE] = true};

enum { MARKER_WINDOW = 14 }; /* trace_marker_type_t: another window, after a gap */

struct dr_thread {
    uint64_t ip, next_ip, window;
    bool has_window;
};

struct dr {
    struct pat_records records;
    struct pat_collect collect;
    struct pat_source_options options;
    struct dr_thread *threads; /* by their rows */
    size_t threads_room;
    uint32_t thread;
    bool has_header, has_footer;
};

static ls_err dr_thread(struct dr *d, uint64_t id)
{
    char label[32];
    snprintf(label, sizeof(label), "%llu", (unsigned long long)id);
    LS_TRY(pat_collect_end(&d->collect));
    LS_TRY(pat_collect_thread(&d->collect, id, label, &d->thread));
    if (d->thread >= d->threads_room) {
        const size_t room = 2 * (size_t)d->thread + 8;
        struct dr_thread *grown = realloc(d->threads, room * sizeof(*grown));
        if (!grown) return ls_nomem("%zu threads", room);
        memset(grown + d->threads_room, 0, (room - d->threads_room) * sizeof(*grown));
        d->threads = grown;
        d->threads_room = room;
    }
    return pat_collect_begin(&d->collect, d->thread, d->threads[d->thread].ip, PAT_NONE);
}

/* Accept records before the first thread record, because files of one thread may have none. */
static ls_err dr_need_thread(struct dr *d)
{
    return d->thread == PAT_NONE ? dr_thread(d, 0) : LS_OK;
}

static ls_err dr_instruction(struct dr *d, uint64_t ip, uint64_t len_bytes)
{
    struct dr_thread *t = &d->threads[d->thread];
    t->ip = ip;
    t->next_ip = ip + len_bytes;
    return pat_collect_begin(&d->collect, d->thread, ip, PAT_NONE);
}

/* The accesses that follow belong to the last instruction of the bundle. */
static ls_err dr_bundle(struct dr *d, const uint8_t *lengths, size_t len)
{
    for (size_t i = 0; i < len && i < BUNDLE_MAX; i++)
        LS_TRY(dr_instruction(d, d->threads[d->thread].next_ip, lengths[i]));
    return LS_OK;
}

static ls_err dr_marker(struct dr *d, uint16_t kind, uint64_t value)
{
    d->collect.counts.skipped++;
    if (kind != MARKER_WINDOW || d->thread == PAT_NONE) return LS_OK;
    struct dr_thread *t = &d->threads[d->thread];
    const bool is_new = t->has_window && t->window != value;
    t->has_window = true;
    t->window = value;
    if (!is_new) return LS_OK;
    return pat_collect_event(&d->collect, &(struct pat_event){.kind = PAT_EVENT_BREAK, .thread = d->thread});
}

static ls_err dr_record(struct dr *d, const uint8_t *r)
{
    uint16_t type, size;
    uint64_t value;
    memcpy(&type, r, sizeof(type));
    memcpy(&size, r + 2, sizeof(size));
    memcpy(&value, r + 4, sizeof(value));
    const enum act act = type < TYPES ? (enum act)acts[type] : ACT_SKIP;
    if (act == ACT_THREAD) return dr_thread(d, value);
    if (__builtin_expect(d->thread == PAT_NONE, 0) && is_of_thread[act]) LS_TRY(dr_need_thread(d));
    switch (act) {
    case ACT_LOAD:
    case ACT_STORE:
        return pat_collect_access(&d->collect, value, size, act == ACT_STORE ? PAT_OP_STORE : PAT_OP_LOAD);
    case ACT_INSTRUCTION:
        return dr_instruction(d, value, size);
    case ACT_BUNDLE:
        return dr_bundle(d, r + 4, size);
    case ACT_MARKER:
        return dr_marker(d, size, value);
    case ACT_HEADER:
        d->has_header = true;
        break;
    case ACT_FOOTER:
        d->has_footer = true;
        break;
    default:
        break;
    }
    d->collect.counts.skipped++;
    return LS_OK;
}

static ls_err dr_end(struct dr *d)
{
    if (d->collect.counts.accesses == 0 && d->collect.parts_len == 0)
        return ls_fail(LS_ERR_FORMAT, "%s: none of %llu records is an access",
                       pat_input_name(d->records.input),
                       (unsigned long long)(d->records.at_bytes / RECORD_BYTES));
    if (d->has_header && !d->has_footer && d->options.note)
        d->options.note(d->options.user, "the trace has no footer: it may have been cut between two records");
    d->has_header = false; /* said once */
    return LS_OK;
}

static ls_err dr_read(void *self, bool *has_ended)
{
    struct dr *d = self;
    const uint8_t *r;
    do {
        LS_TRY(pat_records_next(&d->records, RECORD_BYTES, &r));
        if (!r) break;
        LS_TRY(dr_record(d, r));
    } while (!pat_collect_is_ready(&d->collect));
    *has_ended = !r;
    return r ? LS_OK : dr_end(d);
}

static ls_err dr_next(void *self, struct pat_batch *b)
{
    struct dr *d = self;
    return pat_collect_next(&d->collect, dr_read, d, b);
}

/* Files with a header begin with it; without one, the records at the head of the file must look plausible. */
static bool dr_recognise(const void *bytes, size_t len, const char *path)
{
    const uint8_t *r = bytes;
    size_t seen = 0, useful = 0, strange = 0;
    (void)path;
    for (; len >= RECORD_BYTES; r += RECORD_BYTES, len -= RECORD_BYTES, seen++) {
        const unsigned type = r[0] | r[1] << 8, size = r[2] | r[3] << 8;
        uint64_t value;
        memcpy(&value, r + 4, sizeof(value));
        if (seen == 0 && acts[type < TYPES ? type : 2] == ACT_HEADER && value > 0 && value < 100) return true;
        if (type >= TYPES || (size > 4096 && acts[type] != ACT_MARKER)) return false;
        strange += type >= TYPES_KNOWN;
        useful += acts[type] != ACT_SKIP && value != 0;
    }
    return seen > 0 && 2 * useful >= seen && 8 * strange < seen;
}

static void dr_close(void *self)
{
    struct dr *d = self;
    pat_records_fini(&d->records);
    pat_collect_fini(&d->collect);
    free(d->threads);
    free(d);
}

/* Binaries that the user gives take precedence over logged ones. */
static ls_err dr_start(struct dr *d, const char *path)
{
    struct pat_binaries logged = {0};
    LS_TRY(pat_records_init(&d->records, path));
    LS_TRY(pat_collect_binaries(&d->collect, d->options.binaries));
    ls_err err = pat_binaries_add_beside(&logged, path);
    if (err == LS_OK) err = pat_collect_binaries(&d->collect, &logged);
    pat_binaries_fini(&logged);
    return err;
}

static ls_err dr_open(const char *path, const struct pat_source_options *o, void **out)
{
    struct dr *d = calloc(1, sizeof(*d));
    if (!d) return ls_nomem("reading %s", path);
    d->options = *o;
    d->thread = PAT_NONE;
    d->collect.counts.scale = 1;
    const ls_err err = dr_start(d, path);
    if (err != LS_OK) {
        dr_close(d);
        return err;
    }
    *out = d;
    return LS_OK;
}

static const struct pat_tables *dr_tables(const void *self)
{
    return &((const struct dr *)self)->collect.tables;
}

static struct pat_source_counts dr_counts(const void *self)
{
    return ((const struct dr *)self)->collect.counts;
}

const struct pat_source_format pat_source_drmemtrace = {.name = "drmemtrace",
                                                        .text = "DynamoRIO's drmemtrace",
                                                        .recognise = dr_recognise,
                                                        .open = dr_open,
                                                        .next = dr_next,
                                                        .tables = dr_tables,
                                                        .counts = dr_counts,
                                                        .close = dr_close};
