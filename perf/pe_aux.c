/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_aux.h"

#include "common/ls_checked.h"
#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "perf/pe_spe.h"

#include <sys/auxv.h>

/* --- the clock of SPE packets --- */

struct pe_ticks pe_ticks_now(void)
{
    struct pe_ticks t;
    const uint64_t before_ns = ls_clock_mono_ns();
    if (!ls_arm_counter(&t.ticks, &t.hz))
        return (struct pe_ticks){.hz = LS_NS_PER_S, .ticks = before_ns, .time_ns = before_ns};
    t.time_ns = before_ns + (ls_clock_mono_ns() - before_ns) / 2;
    return t;
}

uint64_t pe_ticks_time_ns(const struct pe_ticks *t, uint64_t ticks)
{
    if (!t->hz) return t->time_ns;
    if (ticks >= t->ticks) return t->time_ns + ls_muldiv_u64(ticks - t->ticks, LS_NS_PER_S, t->hz);
    const uint64_t ago_ns = ls_muldiv_u64(t->ticks - ticks, LS_NS_PER_S, t->hz);
    return ago_ns < t->time_ns ? t->time_ns - ago_ns : 0;
}

enum {
    ERRNO_MAX = 4095,
    SEAM_BYTES = 2 * PE_SPE_RECORD_MAX_BYTES, /* the most that an alignment packet may skip, on each side */
};

int pe_aux_map(struct pe_aux *a, const struct pe_ring *ring, const struct pe_kernel *k, int fd,
               size_t len_bytes)
{
    const uint64_t offset = getauxval(AT_PAGESZ) + ring->data_len_bytes;
    *a = (struct pe_aux){.data = NULL};
    ring->page->aux_offset = offset;
    ring->page->aux_size = len_bytes;
    const long at = k->map(fd, len_bytes, offset);
    if (at < 0 && at >= -ERRNO_MAX) return (int)-at;
    *a = (struct pe_aux){.data = (const uint8_t *)at, .len_bytes = len_bytes};
    return 0;
}

void pe_aux_unmap(struct pe_aux *a, const struct pe_kernel *k)
{
    if (a->data) k->unmap((void *)(uintptr_t)a->data, a->len_bytes);
    *a = (struct pe_aux){.data = NULL};
}

bool pe_aux_begin(struct pe_aux *a, const struct pe_layout *layout, const struct pe_record *r,
                  struct pe_counts *counts)
{
    struct pe_aux_record aux;
    uint64_t size;
    const uint64_t broken = counts->broken;
    pe_record_count(r, counts);
    if (counts->broken != broken) return false;
    if (!pe_aux_record_read(layout, r, &aux)) {
        counts->broken++;
        return false;
    }
    a->is_stopped |= aux.flags & PERF_AUX_FLAG_TRUNCATED;
    size = aux.size_bytes;
    /* more bytes than the area holds, or bytes that were already released: the kernel does not write such a
     * record */
    if (size > a->len_bytes || aux.offset < a->end || aux.offset + size < aux.offset) {
        counts->broken++;
        return false;
    }
    a->pos = aux.offset;
    a->end = aux.offset + size;
    a->of = aux.of;
    return size != 0;
}

/* Bytes from the position to the end of the area or of the current AUX record, whichever is nearer. */
static size_t straight_bytes(const struct pe_aux *a)
{
    const size_t at = (size_t)(a->pos & (a->len_bytes - 1)), room = a->len_bytes - at;
    return a->end - a->pos < room ? (size_t)(a->end - a->pos) : room;
}

/* Decode the next load or store from the bytes up to the end of the area. */
static bool next_straight(struct pe_aux *a, struct pe_sample *out, struct pe_spe_counts *spe)
{
    const size_t at = (size_t)(a->pos & (a->len_bytes - 1));
    struct ls_cursor c = ls_cursor_over(a->data, at + straight_bytes(a));
    c.pos_bytes = at;
    const bool found = pe_spe_next(&c, a->sources, out, spe);
    a->pos += c.pos_bytes - at;
    return found;
}

/* Decode an operation that wraps around the end of the area: join both pieces in a buffer that keeps their
 * alignment. */
static bool next_over_seam(struct pe_aux *a, struct pe_sample *out, struct pe_spe_counts *spe)
{
    uint8_t both[2 * SEAM_BYTES];
    const size_t before = straight_bytes(a);
    size_t after = (size_t)(a->end - a->pos) - before;
    if (before > SEAM_BYTES) return false;
    if (after > SEAM_BYTES) after = SEAM_BYTES;
    memcpy(both + SEAM_BYTES - before, a->data + a->len_bytes - before, before);
    memcpy(both + SEAM_BYTES, a->data, after);
    struct ls_cursor c = ls_cursor_over(both, SEAM_BYTES + after);
    c.pos_bytes = SEAM_BYTES - before;
    const bool found = pe_spe_next(&c, a->sources, out, spe);
    a->pos += c.pos_bytes - (SEAM_BYTES - before);
    return found;
}

/* Skip the bytes up to `until`, which hold no complete operation: padding, or an operation that was cut
 * off. */
static void pass_to(struct pe_aux *a, uint64_t until, struct pe_counts *counts)
{
    bool is_padding = true;
    for (; a->pos < until; a->pos++)
        is_padding &= a->data[a->pos & (a->len_bytes - 1)] == 0;
    if (!is_padding) counts->broken++;
}

static bool next_of_any(struct pe_aux *a, struct pe_sample *out, struct pe_spe_counts *spe,
                        struct pe_counts *counts)
{
    while (a->pos < a->end) {
        if (next_straight(a, out, spe)) return true;
        const uint64_t seam = a->pos + straight_bytes(a);
        if (seam == a->end) {
            pass_to(a, a->end, counts);
        } else if (a->pos < seam) {
            if (next_over_seam(a, out, spe)) return true;
            if (a->pos < seam) pass_to(a, a->end - seam <= SEAM_BYTES ? a->end : seam, counts);
        }
    }
    return false;
}

/* Fill in thread, process, CPU, id and time. Thread and process ids come from the AUX record, which uses the
 * program's pid namespace; the context packet does not. */
static void complete(const struct pe_aux *a, const struct pe_ticks *ticks, struct pe_sample *s)
{
    const uint64_t of = a->of.has & (PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
    if (of & PERF_SAMPLE_TID) {
        s->pid = a->of.pid;
        s->tid = a->of.tid;
    }
    s->cpu = a->of.cpu;
    s->id = a->of.id;
    /* without a time packet, or with a time after the AUX record's, use the record's time */
    s->time = s->has & PERF_SAMPLE_TIME ? pe_ticks_time_ns(ticks, s->time) : a->of.time;
    if (a->of.has & PERF_SAMPLE_TIME && s->time > a->of.time) s->time = a->of.time;
    s->has |= of | PERF_SAMPLE_TIME;
}

bool pe_aux_next(struct pe_aux *a, const struct pe_ticks *ticks, struct pe_sample *out,
                 struct pe_counts *counts)
{
    struct pe_spe_counts spe = {0};
    if (!a->data) return false;
    const bool found = next_of_any(a, out, &spe, counts);
    counts->broken += spe.broken;
    if (found) complete(a, ticks, out);
    return found;
}

void pe_aux_release(struct pe_aux *a, const struct pe_ring *ring)
{
    if (!a->data || !ring->page) return;
    const uint64_t tail = ring->page->aux_tail;
    if (a->pos <= tail) return; /* nothing was read since the last release */
    __atomic_store_n(&ring->page->aux_tail, a->pos, __ATOMIC_RELEASE);
    /* either the kernel reads the new tail, or this thread reads the new head */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const uint64_t used = __atomic_load_n(&ring->page->aux_head, __ATOMIC_RELAXED) - tail;
    if (used + PE_AUX_MIN_BYTES > a->len_bytes) a->is_stopped = true;
}
