/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_drain.h"

enum { PE_RELEASE_EVERY_PART = 8 }; /* of a ring: the kernel gets room back while others are read */

/* Find the lane's next sample; what comes before it is counted. False when none waits. */
static bool lane_find_head(struct pe_drain *d, struct pe_lane *l)
{
    struct pe_record r;
    while (pe_ring_peek(&l->ring, d->bounce, &r, &d->counts.broken)) {
        if (r.type == PERF_RECORD_SAMPLE) {
            if (!pe_sample_time(&d->layout, &r, &l->head_time)) l->head_time = 0;
            return true;
        }
        pe_record_count(&r, &d->counts);
        pe_ring_take(&l->ring, &r);
    }
    return false;
}

static void note_fill(struct pe_drain *d, const struct pe_lane *l, size_t waiting_bytes)
{
    const size_t permille = waiting_bytes * 1000 / l->ring.data_len_bytes;
    if (permille > d->fullest_permille) d->fullest_permille = permille;
}

/* The lanes that have samples, as a list. */
static struct pe_lane *active_lanes(struct pe_drain *d, struct pe_lane *lanes, size_t lanes_len)
{
    struct pe_lane *first = NULL;
    d->fullest_permille = 0;
    for (size_t i = 0; i < lanes_len; i++) {
        struct pe_lane *l = &lanes[i];
        if (!l->ring.page) continue;
        const size_t waiting_bytes = pe_ring_look(&l->ring);
        note_fill(d, l, waiting_bytes);
        if (waiting_bytes && lane_find_head(d, l)) {
            l->next = first;
            first = l;
        } else {
            pe_ring_release(&l->ring);
        }
    }
    return first;
}

/* The link to the earliest. */
static struct pe_lane **earliest(struct pe_lane **first)
{
    struct pe_lane **best = first;
    for (struct pe_lane **p = first; *p; p = &(*p)->next)
        if ((*p)->head_time < (*best)->head_time) best = p;
    return best;
}

static bool hand_on(struct pe_drain *d, struct pe_lane *l)
{
    struct pe_record r;
    struct pe_sample s;
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

size_t pe_drain_lanes(struct pe_drain *d, struct pe_lane *lanes, size_t lanes_len, uint64_t until_time)
{
    struct pe_lane *first = active_lanes(d, lanes, lanes_len);
    size_t handed = 0;
    while (first) {
        struct pe_lane **const at = earliest(&first), *const l = *at;
        const bool is_done = l->head_time > until_time;
        if (!is_done) handed += hand_on(d, l);
        if (is_done || !lane_find_head(d, l)) {
            *at = l->next;
            pe_ring_release(&l->ring);
        }
    }
    return handed;
}
