/* SPDX-License-Identifier: BSD-3-Clause */
/* Drain all rings of a set of channels in the order of time. */
#include "perf/pe_open.h"

enum {
    PE_RELEASE_EVERY_PART = 8
}; /* part of a ring that is read before its bytes are released to the kernel */

/* Find the next sample of the AUX area, if the ring has reported any. */
static bool channel_find_aux(struct pe_drain *d, struct pe_channel *l)
{
    if (!pe_aux_next(&l->aux, &d->ticks, &l->head, &d->counts)) return false;
    l->head_time = l->head.time;
    return true;
}

static bool is_aux(const struct pe_channel *l, const struct pe_record *r)
{
    return l->aux.data && r->type == PERF_RECORD_AUX;
}

/* Find the channel's next sample; records before it are counted. False when no sample waits. */
static bool channel_find_head(struct pe_drain *d, struct pe_channel *l)
{
    struct pe_record r;
    if (channel_find_aux(d, l)) return true;
    while (pe_ring_peek(&l->ring, d->bounce, &r, &d->counts.broken)) {
        if (r.type == PERF_RECORD_SAMPLE && !l->aux.data) {
            if (!pe_sample_time(&d->layout, &r, &l->head_time)) l->head_time = 0;
            return true;
        }
        if (is_aux(l, &r))
            pe_aux_begin(&l->aux, &d->layout, &r, &d->counts);
        else
            pe_record_count(&r, &d->counts);
        pe_ring_take(&l->ring, &r);
        if (is_aux(l, &r) && channel_find_aux(d, l)) return true;
    }
    return false;
}

/* Give the bytes that were read back to the kernel. */
static void channel_release(struct pe_channel *l)
{
    pe_aux_release(&l->aux, &l->ring);
    pe_ring_release(&l->ring);
}

static void note_fill(struct pe_drain *d, const struct pe_channel *l, size_t waiting_bytes)
{
    const size_t permille = waiting_bytes * 1000 / l->ring.data_len_bytes;
    if (permille > d->fullest_permille) d->fullest_permille = permille;
}

/* Link the channels that have samples into a list. */
static struct pe_channel *active_channels(struct pe_drain *d, struct pe_channel *channels,
                                          size_t channels_len)
{
    struct pe_channel *first = NULL;
    d->fullest_permille = 0;
    for (size_t i = 0; i < channels_len; i++) {
        struct pe_channel *l = &channels[i];
        if (!l->ring.page) continue;
        const size_t waiting_bytes = pe_ring_look(&l->ring, &d->counts.broken);
        note_fill(d, l, waiting_bytes);
        if (waiting_bytes && channel_find_head(d, l)) {
            l->next = first;
            first = l;
        } else {
            channel_release(l);
        }
    }
    return first;
}

/* Return the link to the channel with the earliest sample. */
static struct pe_channel **earliest(struct pe_channel **first)
{
    struct pe_channel **best = first;
    for (struct pe_channel **p = first; *p; p = &(*p)->next)
        if ((*p)->head_time < (*best)->head_time) best = p;
    return best;
}

static bool hand_on(struct pe_drain *d, struct pe_channel *l)
{
    struct pe_record r;
    struct pe_sample s;
    if (l->aux.data) {
        d->sample(d->user, l, &l->head);
        d->counts.samples++;
        if (l->aux.pos == l->aux.end) pe_aux_release(&l->aux, &l->ring);
        return true;
    }
    if (!pe_ring_peek(&l->ring, d->bounce, &r, &d->counts.broken)) return false;
    const bool is_whole = pe_sample_read(&d->layout, &r, &s);
    if (is_whole) d->sample(d->user, l, &s);
    d->counts.samples += is_whole;
    d->counts.broken += !is_whole;
    pe_ring_take(&l->ring, &r);
    if (l->ring.tail - l->ring.released > l->ring.data_len_bytes / PE_RELEASE_EVERY_PART)
        pe_ring_release(&l->ring);
    return is_whole;
}

size_t pe_drain_channels(struct pe_drain *d, struct pe_channel *channels, size_t channels_len,
                         uint64_t until_time)
{
    struct pe_channel *first = active_channels(d, channels, channels_len);
    size_t handed = 0;
    while (first) {
        struct pe_channel **const at = earliest(&first), *const l = *at;
        /* samples of an AUX area are decoded already and cannot wait */
        const bool is_done = !l->aux.data && l->head_time > until_time;
        if (!is_done) handed += hand_on(d, l);
        if (is_done || !channel_find_head(d, l)) {
            *at = l->next;
            channel_release(l);
        }
    }
    return handed;
}
