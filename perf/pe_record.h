/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the kernel's perf_event interface, from a ring or a file: untrusted bytes, read through a
 * bounded cursor. Every record is skipped by its own length, known or not.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_RECORD_H
#define PE_RECORD_H

#include "common/ls_span.h"
#include "perf/pe_sample.h"

#include <stdbool.h>

/* Layout of an event's records: fields of its struct perf_event_attr. */
struct pe_layout {
    uint64_t sample_type, read_format;
    uint64_t regs_user, regs_intr; /* masks: sample_regs_user, sample_regs_intr */
    uint64_t branch_type;          /* branch_sample_type */
    bool sample_id_all;
};

/* One record: all of it, header included. */
struct pe_record {
    uint32_t type; /* PERF_RECORD_* */
    uint16_t misc;
    struct ls_span bytes;
};

/* Counts from records other than samples. They add up over rings. */
struct pe_counts {
    uint64_t samples;
    uint64_t lost;         /* samples that found no room in the ring: LOST */
    uint64_t lost_samples; /* samples that the hardware dropped: LOST_SAMPLES */
    uint64_t throttled, unthrottled;
    uint64_t aux_truncated, aux_partial, aux_collided;
    uint64_t others; /* skipped records: known ones that are not needed here, and unknown types */
    uint64_t broken; /* records whose fields do not fit their length, incomplete ends of spans */
};

/* Layout of the events opened by attr. */
struct pe_layout pe_layout_of(const struct perf_event_attr *attr);

/* Read the next record of the span; false at its end. A header whose length is below its own size or reaches
 * past the span also ends it, and *broken is incremented (NULL: not wanted): the next record cannot be
 * found. */
bool pe_record_next(struct ls_cursor *c, struct pe_record *out, uint64_t *broken);

/* Read the fields of a PERF_RECORD_SAMPLE without decoding them. False when they reach past the record. */
bool pe_sample_read(const struct pe_layout *layout, const struct pe_record *r, struct pe_sample *out);

/* Time of a sample, without reading the rest; false when it has none. */
bool pe_sample_time(const struct pe_layout *layout, const struct pe_record *r, uint64_t *out);

/* Read the id of a sample or of another record's trailer, at the position in its event's layout. All events
 * of a stream have it at the same position (perf's evlist__valid_sample_type), so any of their layouts finds
 * it. False when there is none. */
bool pe_record_id(const struct pe_layout *layout, const struct pe_record *r, uint64_t *out);
/* Read the trailer of a record that is not a sample (struct sample_id); out->has names the fields. False when
 * they do not fit. */
bool pe_trailer_read(const struct pe_layout *layout, const struct pe_record *r, struct pe_sample *out);
/* Read the time of a trailer; false when it has none. */
bool pe_trailer_time(const struct pe_layout *layout, const struct pe_record *r, uint64_t *out);

/* A PERF_RECORD_AUX: bytes of an AUX area that are complete now. */
struct pe_aux_record {
    uint64_t offset, size_bytes, flags;
    struct pe_sample of; /* has: TID, TIME, CPU, IDENTIFIER, as far as the record has them */
};
/* False when the fields reach past the record. */
bool pe_aux_record_read(const struct pe_layout *layout, const struct pe_record *r, struct pe_aux_record *out);

/* Count a record that is not a sample. */
void pe_record_count(const struct pe_record *r, struct pe_counts *counts);

/* The word at index of an unaligned array of words. */
static inline uint64_t pe_word_at(const uint8_t *words, size_t index)
{
    uint64_t word;
    memcpy(&word, words + index * sizeof(word), sizeof(word));
    return word;
}

/* Get a register of a sample by its number in asm/perf_regs.h; false when it was not recorded. */
bool pe_sample_reg(const struct pe_layout *layout, const struct pe_sample *s, unsigned number, uint64_t *out);

#endif
