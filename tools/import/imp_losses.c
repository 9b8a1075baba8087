/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_losses.h"

#include <string.h>

enum { REC_LOST_SAMPLES = 13 }; /* Linux 4.2 */

/* From Linux 6.1 on, perf asks each event for its lost samples (PERF_FORMAT_LOST) and writes them like
 * records of the kernel, but without a time (record__read_lost_samples). They may repeat the kernel's own
 * records. */
void imp_losses_take(struct imp_losses *l, const struct pe_file_record *r)
{
    struct pe_counts one = {0};
    if (r->rec.type == PERF_RECORD_SAMPLE) return;
    if (r->rec.type == REC_LOST_SAMPLES && r->time_ns == 0) {
        pe_record_count(&r->rec, &one);
        l->counted_by_perf += one.lost_samples;
        return;
    }
    pe_record_count(&r->rec, &l->counts);
}

void imp_losses_put(const struct imp_losses *l, struct spool_writer *w, uint64_t time_ns)
{
    const struct pe_counts *c = &l->counts;
    const struct {
        uint64_t count;
        enum spool_event_kind kind;
    } rows[] = {{c->lost > l->counted_by_perf ? c->lost : l->counted_by_perf, SPOOL_EVENT_SAMPLES_LOST},
                {c->lost_samples, SPOOL_EVENT_HARDWARE_LOST},
                {c->throttled, SPOOL_EVENT_THROTTLED},
                {c->unthrottled, SPOOL_EVENT_UNTHROTTLED},
                {c->aux_truncated + c->aux_partial + c->aux_collided, SPOOL_EVENT_AUX_DAMAGED}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].count)
            spool_put_event(
                w, (struct spool_event){.time_ns = time_ns, .kind = rows[i].kind, .count = rows[i].count});
}
