/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of Arm's SPE in the AUX areas of a perf.data, in the order of time. */
#include "perf/pe_file.h"

#include "common/ls_sorted.h"
#include "common/ls_vector.h"
#include "perf/pe_aux.h"
#include "perf/pe_spe.h"

#include <stdlib.h>

enum { SPE_AREAS_MAX = 16384 }; /* one area per CPU or thread */

/* Bytes of an area that the kernel reported in one PERF_RECORD_AUX. */
struct spe_span {
    uint64_t begin, end;
    uint64_t time_ns; /* time of the record; 0: not known */
    uint32_t pid, tid, cpu;
};

/* An AUX area: its pieces in the order of the file, its spans sorted by begin, and the read position. */
struct spe_area {
    uint32_t number, tid, cpu;
    LS_VECTOR(const struct pe_trace_piece *) pieces;
    size_t piece; /* the next one */
    struct spe_span *spans;
    size_t spans_len, spans_room;
    uint8_t *bytes;    /* bytes of the current piece, aligned as it was in the area */
    uint64_t base;     /* position of bytes[0] in the area */
    uint64_t at_bytes; /* offset of the piece in the file */
    uint64_t lead_bytes;
    uint64_t pos, part_end, end; /* in the area: read so far, end of the part of one span, end of the piece */
    const struct spe_span *span; /* span of that part; NULL: no record covers it */
    enum pe_spe_sources sources;
    struct pe_spe_access head;
};

struct pe_file_spe {
    const struct pe_trace *trace;
    struct pe_trace_clock clock;
    uint64_t first_midr; /* MIDR of all CPUs, from the features; 0: not known */
    struct spe_area *areas;
    size_t areas_len;
    struct spe_area **heap; /* areas that have a head, the earliest first */
    size_t heap_len;
    struct pe_spe_totals totals;
};

/* --- the areas and their spans --- */

static struct spe_area *spe_area_numbered(pe_file_spe *s, uint32_t number)
{
    for (size_t i = s->areas_len; i-- > 0;) /* pieces of one area are adjacent or alternate with others */
        if (s->areas[i].number == number) return &s->areas[i];
    return NULL;
}

static ls_err spe_add_piece(pe_file_spe *s, const struct pe_trace_piece *p)
{
    struct spe_area *a = spe_area_numbered(s, p->area);
    if (!a) {
        if (s->areas_len == SPE_AREAS_MAX)
            return ls_fail(LS_ERR_FORMAT, "the packets are of more than %d AUX areas (byte %llu)",
                           SPE_AREAS_MAX, (unsigned long long)p->at_bytes);
        a = &s->areas[s->areas_len++];
        *a = (struct spe_area){.number = p->area, .tid = p->tid, .cpu = p->cpu};
    }
    return LS_VECTOR_ADD(&a->pieces, p);
}

/* Each piece has one area; areas do not move, so that pointers to them stay valid. */
static ls_err spe_find_areas(pe_file_spe *s)
{
    const size_t most = s->trace->pieces_len < SPE_AREAS_MAX ? s->trace->pieces_len : SPE_AREAS_MAX;
    s->areas = calloc(most + 1, sizeof(*s->areas));
    s->heap = calloc(most + 1, sizeof(struct spe_area *));
    if (!s->areas || !s->heap) return ls_nomem("AUX areas");
    for (size_t i = 0; i < s->trace->pieces_len; i++)
        LS_TRY(spe_add_piece(s, &s->trace->pieces[i]));
    return LS_OK;
}

/* An area belongs to a CPU, or to a thread (perf record --per-thread). */
static struct spe_area *spe_area_of(pe_file_spe *s, const struct pe_sample *of)
{
    for (size_t i = 0; i < s->areas_len; i++) {
        const struct spe_area *a = &s->areas[i];
        if (a->cpu != UINT32_MAX ? of->has & PERF_SAMPLE_CPU && a->cpu == of->cpu
                                 : of->has & PERF_SAMPLE_TID && a->tid == of->tid)
            return &s->areas[i];
    }
    return s->areas_len == 1 ? s->areas : NULL;
}

static ls_err spe_add_span(struct spe_area *a, const struct pe_aux_record *r)
{
    LS_TRY(LS_GROW(a->spans, a->spans_room, a->spans_len + 1));
    const bool has_tid = r->of.has & PERF_SAMPLE_TID;
    a->spans[a->spans_len++] = (struct spe_span){.begin = r->offset,
                                                 .end = r->offset + r->size_bytes,
                                                 .time_ns = r->of.has & PERF_SAMPLE_TIME ? r->of.time : 0,
                                                 .pid = has_tid ? r->of.pid : UINT32_MAX,
                                                 .tid = has_tid ? r->of.tid : UINT32_MAX,
                                                 .cpu = r->of.has & PERF_SAMPLE_CPU ? r->of.cpu : UINT32_MAX};
    return LS_OK;
}

/* In snapshot mode the record's offset is the end of its bytes: perf takes the bytes before it. */
static ls_err spe_take_aux(pe_file_spe *s, const struct pe_file_record *rec)
{
    struct pe_aux_record r;
    struct pe_counts counts = {0};
    if (!pe_aux_record_read(&rec->event->layout, &rec->rec, &r)) return LS_OK;
    pe_record_count(&rec->rec, &counts);
    s->totals.truncated += counts.aux_truncated;
    s->totals.partial += counts.aux_partial;
    s->totals.collided += counts.aux_collided;
    if (r.flags & PERF_AUX_FLAG_OVERWRITE) r.offset -= r.size_bytes;
    struct spe_area *a = spe_area_of(s, &r.of);
    if (!a || r.size_bytes == 0 || r.offset + r.size_bytes < r.offset) return LS_OK;
    return spe_add_span(a, &r);
}

static int spe_by_begin(const void *a, const void *b)
{
    const struct spe_span *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static ls_err spe_find_spans(pe_file_spe *s, const pe_file *f)
{
    size_t len;
    const struct pe_file_record *records = pe_file_records(f, &len);
    for (size_t i = 0; i < len; i++)
        if (records[i].rec.type == PERF_RECORD_AUX) LS_TRY(spe_take_aux(s, &records[i]));
    for (size_t i = 0; i < s->areas_len; i++)
        if (s->areas[i].spans_len)
            qsort(s->areas[i].spans, s->areas[i].spans_len, sizeof(struct spe_span), spe_by_begin);
    return LS_OK;
}

/* --- the next operation of an area --- */

/* Return the first span that ends after pos. Spans overlap only in a damaged file; any of them will do
 * then. */
static const struct spe_span *spe_span_after(const struct spe_area *a, uint64_t pos)
{
    size_t low;
    LS_COUNT_FIRST(low, a->spans_len, i, a->spans[i].end <= pos);
    return low < a->spans_len ? &a->spans[low] : NULL;
}

static enum pe_spe_sources spe_sources(const pe_file_spe *s, uint32_t cpu)
{
    uint64_t midr = s->first_midr;
    if (s->trace->cpus_len && !pe_trace_midr(s->trace, cpu, &midr)) return PE_SPE_SOURCES_NONE;
    return pe_spe_sources_of(midr);
}

/* Start the part from pos on: the bytes up to the end of the span that covers pos, or up to the next span. */
static void spe_begin_part(const pe_file_spe *s, struct spe_area *a)
{
    const struct spe_span *next = spe_span_after(a, a->pos);
    a->span = next && next->begin <= a->pos ? next : NULL;
    a->part_end = a->end;
    if (next) {
        const uint64_t limit = a->span ? next->end : next->begin;
        if (limit < a->part_end) a->part_end = limit;
    }
    const uint32_t cpu = a->span && a->cpu == UINT32_MAX ? a->span->cpu : a->cpu;
    a->sources = spe_sources(s, cpu);
}

/* Copy the next piece into a buffer with the alignment that it had in the area, which alignment packets need.
 * *is_any is false when there is none. */
static ls_err spe_begin_piece(struct spe_area *a, bool *is_any)
{
    *is_any = a->piece < a->pieces.len;
    if (!*is_any) return LS_OK;
    const struct pe_trace_piece *p = a->pieces.rows[a->piece++];
    const uint64_t lead = p->offset & (PE_SPE_RECORD_MAX_BYTES - 1);
    free(a->bytes);
    a->bytes = calloc(1, (size_t)lead + p->len_bytes + 1);
    if (!a->bytes) return ls_nomem("%zu bytes of an AUX area", p->len_bytes);
    if (p->len_bytes) memcpy(a->bytes + lead, p->bytes, p->len_bytes);
    a->lead_bytes = lead;
    a->base = p->offset;
    a->at_bytes = p->at_bytes;
    a->pos = a->part_end = p->offset;
    a->end = p->offset + p->len_bytes;
    if (a->end < a->pos) a->end = a->pos; /* wraps around: the file is damaged */
    return LS_OK;
}

static void spe_note_broken(pe_file_spe *s, const struct spe_area *a, uint64_t pos, uint64_t number)
{
    if (number && !s->totals.broken) s->totals.broken_at_bytes = a->at_bytes + (pos - a->base);
    s->totals.broken += number;
}

/* Skip the rest of the part, which is padding or an operation that is cut off. */
static void spe_pass_rest(pe_file_spe *s, struct spe_area *a)
{
    bool is_padding = true;
    for (uint64_t at = a->pos; at < a->part_end && is_padding; at++)
        is_padding = a->bytes[a->lead_bytes + (at - a->base)] == 0;
    spe_note_broken(s, a, a->pos, !is_padding);
    a->pos = a->part_end;
}

/* Limit a packet's time to its record's time; without a time or a clock, use the record's time. */
static void spe_set_time(pe_file_spe *s, const struct spe_area *a, struct pe_spe_access *out)
{
    const uint64_t reported_ns = a->span ? a->span->time_ns : 0;
    const bool is_timed = s->clock.is_reported && out->s.has & PERF_SAMPLE_TIME && out->s.time;
    out->time_ns = is_timed ? pe_trace_time_ns(&s->clock, out->s.time) : reported_ns;
    if (reported_ns && out->time_ns > reported_ns) out->time_ns = reported_ns;
    s->totals.timeless += !is_timed;
}

static void spe_complete(pe_file_spe *s, const struct spe_area *a, struct pe_spe_access *out)
{
    const uint32_t cpu = a->cpu == UINT32_MAX && a->span ? a->span->cpu : a->cpu;
    spe_set_time(s, a, out);
    out->aux_pid = a->span ? a->span->pid : UINT32_MAX;
    out->aux_tid = a->span ? a->span->tid : UINT32_MAX;
    out->area_tid = a->tid;
    out->s.cpu = cpu;
    if (cpu != UINT32_MAX) out->s.has |= PERF_SAMPLE_CPU;
}

/* Decode the next operation of the part. */
static bool spe_next_of_part(pe_file_spe *s, struct spe_area *a, struct pe_spe_access *out)
{
    struct pe_spe_counts counts = {0};
    struct ls_cursor c = ls_cursor_over(a->bytes, (size_t)(a->lead_bytes + (a->part_end - a->base)));
    c.pos_bytes = (size_t)(a->lead_bytes + (a->pos - a->base));
    const bool found = pe_spe_next(&c, a->sources, &out->s, &counts);
    spe_note_broken(s, a, a->pos, counts.broken);
    a->pos = a->base + (c.pos_bytes - a->lead_bytes);
    s->totals.operations += counts.records;
    s->totals.others += counts.others;
    return found;
}

static ls_err spe_next_of_area(pe_file_spe *s, struct spe_area *a, bool *is_any)
{
    for (*is_any = false;;) {
        while (a->pos < a->part_end) {
            if (spe_next_of_part(s, a, &a->head)) {
                spe_complete(s, a, &a->head);
                *is_any = true;
                return LS_OK;
            }
            spe_pass_rest(s, a);
        }
        bool is_more = a->pos < a->end;
        if (!is_more) LS_TRY(spe_begin_piece(a, &is_more));
        if (!is_more) return LS_OK;
        spe_begin_part(s, a);
    }
}

/* --- all areas, the earliest first --- */

static void spe_sink(pe_file_spe *s, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->heap_len; child++)
            if (s->heap[child]->head.time_ns < s->heap[least]->head.time_ns) least = child;
        if (least == at) return;
        struct spe_area *const moved = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = moved;
        at = least;
    }
}

const struct pe_spe_access *pe_file_spe_peek(const pe_file_spe *s)
{
    return s->heap_len ? &s->heap[0]->head : NULL;
}

ls_err pe_file_spe_take(pe_file_spe *s)
{
    bool is_any;
    if (!s->heap_len) return LS_OK;
    LS_TRY(spe_next_of_area(s, s->heap[0], &is_any));
    if (!is_any) s->heap[0] = s->heap[--s->heap_len];
    spe_sink(s, 0);
    return LS_OK;
}

static ls_err spe_fill(pe_file_spe *s)
{
    for (size_t i = 0; i < s->areas_len; i++) {
        bool is_any;
        LS_TRY(spe_next_of_area(s, &s->areas[i], &is_any));
        if (is_any) s->heap[s->heap_len++] = &s->areas[i];
    }
    for (size_t i = s->heap_len; i-- > 0;)
        spe_sink(s, i);
    return LS_OK;
}

/* True when the user chose the records' clock (perf record -k): TIME_CONV does not convert to that clock. */
static bool spe_is_own_clock(const pe_file *f, uint32_t pmu_type)
{
    size_t len;
    const struct pe_file_event *events = pe_file_events(f, &len);
    for (size_t i = 0; i < len; i++)
        if (events[i].attr.type == pmu_type && events[i].attr.use_clockid) return true;
    return false;
}

ls_err pe_file_spe_new(const pe_file *f, pe_file_spe **out)
{
    pe_file_spe *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("AUX areas");
    s->trace = pe_file_trace(f);
    s->clock = s->trace->clock;
    if (spe_is_own_clock(f, s->trace->pmu_type)) s->clock.is_reported = false;
    s->first_midr = strtoull(pe_file_about(f)->cpuid, NULL, 16);
    ls_err err = spe_find_areas(s);
    if (err == LS_OK) err = spe_find_spans(s, f);
    if (err == LS_OK) err = spe_fill(s);
    if (err != LS_OK) {
        pe_file_spe_free(s);
        return err;
    }
    *out = s;
    return LS_OK;
}

void pe_file_spe_free(pe_file_spe *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->areas_len; i++) {
        free(s->areas[i].pieces.rows);
        free(s->areas[i].spans);
        free(s->areas[i].bytes);
    }
    free(s->areas);
    free(s->heap);
    free(s);
}

const struct pe_spe_totals *pe_file_spe_totals(const pe_file_spe *s)
{
    return &s->totals;
}
