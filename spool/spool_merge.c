/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_merge.h"

#include "common/ls_checked.h"
#include "common/ls_clock.h"
#include "spool/spool_late.h"
#include "spool/spool_reader.h"
#include "spool/spool_record.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct spool_input {
    struct spool_merge_stream state;
    char *damage_text;
    spool_reader *reader;
    spool_late *late;                   /* instead of the reader, where samples come late */
    const struct spool_rec_header *rec; /* head of the input */
    uint64_t time_ns;                   /* time of the head; never less than the one before */
    uint64_t burst_ns;                  /* time of the last BURST_BEGIN */
    unsigned order;                     /* order of the head among equals */
};

struct spool_merge {
    struct spool_input *inputs;
    size_t inputs_len;
    size_t *heap; /* inputs with a head, earliest first */
    size_t heap_len;
    bool head_is_used; /* the earliest head was handed out and must move on */
    uint64_t tsc_hz;
    struct spool_process *process;
};

static unsigned spool_order_of(uint16_t type)
{
    switch (type) {
    case SPOOL_REC_MUNMAP:
    case SPOOL_REC_FREE:
    case SPOOL_REC_NODE_REMOVE:
        return 0;
    case SPOOL_REC_ACCESS:
    case SPOOL_REC_SAMPLE:
        return 2;
    default:
        return 1;
    }
}

static void spool_input_damage(struct spool_input *input, ls_err e)
{
    input->state.damage = e;
    free(input->damage_text); /* a stream that is read a second time */
    input->damage_text = strdup(ls_last_error());
    input->state.damage_text = input->damage_text ? input->damage_text : "";
}

static uint64_t spool_head_time(const spool_merge *m, struct spool_input *input)
{
    if (spool_rec_has_time(input->rec)) {
        const uint64_t time_ns = spool_rec_time_ns(input->rec);
        if (input->rec->type == SPOOL_REC_BURST_BEGIN) input->burst_ns = time_ns;
        return time_ns;
    }
    const struct spool_access *a = (const void *)input->rec;
    return input->burst_ns + (m->tsc_hz ? ls_muldiv_u64(a->tsc_delta, LS_NS_PER_S, m->tsc_hz) : 0);
}

/* Move to the input's next record; false at its end or damage. */
static bool spool_input_advance(const spool_merge *m, struct spool_input *input)
{
    const ls_err e = input->late ? spool_late_next(input->late, &input->rec)
                                 : spool_reader_next(input->reader, &input->rec);
    if (e != LS_OK) spool_input_damage(input, e);
    if (!input->rec) return false;
    const uint64_t time_ns = spool_head_time(m, input);
    if (time_ns > input->time_ns) input->time_ns = time_ns;
    input->order = spool_order_of(input->rec->type);
    return true;
}

static bool spool_is_before(const spool_merge *m, size_t a, size_t b)
{
    const struct spool_input *x = &m->inputs[a], *y = &m->inputs[b];
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns;
    return x->order != y->order ? x->order < y->order : a < b;
}

static void spool_sift_down(spool_merge *m, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < m->heap_len; child++)
            if (spool_is_before(m, m->heap[child], m->heap[least])) least = child;
        if (least == at) return;
        const size_t other = m->heap[at];
        m->heap[at] = m->heap[least];
        m->heap[least] = other;
        at = least;
    }
}

/* Return true if the stream may be written by a thread of Loadstone: it begins with that thread's begin or
 * with the process record. */
static bool spool_may_be_late(const struct spool_rec_header *first)
{
    return first->type == SPOOL_REC_PROCESS ||
           (first->type == SPOOL_REC_THREAD_BEGIN && (first->flags & SPOOL_THREAD_OWN));
}

static ls_err spool_input_open(spool_merge *m, struct spool_input *input, const struct spool_stream *stream)
{
    input->state = (struct spool_merge_stream){.damage_text = ""};
    const ls_err e = spool_reader_open(stream, &input->reader);
    if (e == LS_ERR_NOMEM || e == LS_ERR_VERSION) return e;
    if (e != LS_OK) {
        spool_input_damage(input, e);
        return LS_OK;
    }
    input->state.tid = spool_reader_header(input->reader)->tid;
    if (!spool_input_advance(m, input)) return LS_OK;
    m->heap[m->heap_len++] = (size_t)(input - m->inputs);
    if (!spool_may_be_late(input->rec)) return LS_OK;
    LS_TRY(spool_late_open(stream, &input->late));
    if (input->late && !spool_input_advance(m, input)) m->heap_len--; /* usually the same first record */
    return LS_OK;
}

static ls_err spool_keep_process(spool_merge *m, const struct spool_rec_header *rec)
{
    m->process = malloc(rec->len_bytes);
    if (!m->process) return ls_nomem("a process record");
    memcpy(m->process, rec, rec->len_bytes);
    return LS_OK;
}

static ls_err spool_merge_fill(spool_merge *m, const struct spool_image *image)
{
    m->inputs = calloc(image->streams.len + 1, sizeof(*m->inputs));
    m->heap = calloc(image->streams.len + 1, sizeof(*m->heap));
    if (!m->inputs || !m->heap) return ls_nomem("%zu threads of %s", image->streams.len, image->path);
    for (size_t i = 0; i < image->streams.len; i++) {
        struct spool_input *input = &m->inputs[m->inputs_len++];
        LS_TRY(spool_input_open(m, input, &image->streams.rows[i]));
        if (!m->process && input->rec && input->rec->type == SPOOL_REC_PROCESS)
            LS_TRY(spool_keep_process(m, input->rec));
    }
    for (size_t i = m->heap_len / 2; i-- > 0;)
        spool_sift_down(m, i);
    return LS_OK;
}

ls_err spool_merge_new(const struct spool_image *image, uint64_t tsc_hz, spool_merge **out)
{
    spool_merge *m = calloc(1, sizeof(*m));
    if (!m) return ls_nomem("%s", image->path);
    m->tsc_hz = tsc_hz;
    const ls_err e = spool_merge_fill(m, image);
    if (e == LS_OK)
        *out = m;
    else
        spool_merge_free(m);
    return e;
}

void spool_merge_free(spool_merge *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->inputs_len; i++) {
        spool_reader_free(m->inputs[i].reader);
        spool_late_free(m->inputs[i].late);
        free(m->inputs[i].damage_text);
    }
    free(m->inputs);
    free(m->heap);
    free(m->process);
    free(m);
}

static void spool_move_on(spool_merge *m)
{
    if (!spool_input_advance(m, &m->inputs[m->heap[0]])) m->heap[0] = m->heap[--m->heap_len];
    spool_sift_down(m, 0);
    m->head_is_used = false;
}

struct spool_item spool_merge_next(spool_merge *m)
{
    if (m->head_is_used) spool_move_on(m);
    if (m->heap_len == 0) return (struct spool_item){0};
    const struct spool_input *input = &m->inputs[m->heap[0]];
    m->head_is_used = true;
    return (struct spool_item){.rec = input->rec, .time_ns = input->time_ns, .stream = m->heap[0]};
}

const struct spool_merge_stream *spool_merge_stream_at(const spool_merge *m, size_t stream)
{
    return &m->inputs[stream].state;
}

const struct spool_process *spool_merge_process(const spool_merge *m)
{
    return m->process;
}

void spool_merge_set_tsc_hz(spool_merge *m, uint64_t tsc_hz)
{
    m->tsc_hz = tsc_hz;
}
