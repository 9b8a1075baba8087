/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring that the kernel fills with records of one or several events, read in place.
 *
 * Protocol (linux/perf_event.h, struct perf_event_mmap_page): data_head is loaded with acquire order before
 * the records below it are read, data_tail is stored with release order when they are no longer needed.
 * Mappings of perf events are not inherited over fork: a child must forget its rings, not read them.
 *
 * Thread: one at a time for one ring.  Signal: safe. */
#ifndef PE_RING_H
#define PE_RING_H

#include "perf/pe_kernel.h"
#include "perf/pe_record.h"

enum {
    PE_RECORD_MAX_BYTES = 65536, /* lengths have 16 bits */
    PE_RING_MIN_BYTES = 4096,
};

struct pe_ring {
    struct perf_event_mmap_page *page; /* NULL: not mapped */
    const uint8_t *data;
    size_t data_len_bytes; /* a power of two */
    uint64_t tail;         /* records before it were read, ... */
    uint64_t released;     /* ... and records before this one were released to the kernel */
    uint64_t head;         /* data_head at the last pe_ring_look */
};

/* Map the ring of fd with data_len_bytes of room (a power of two, PE_RING_MIN_BYTES or more). 0 or an errno
 * (EPERM, ENOMEM: the allowance of locked memory is used up); r is unmapped then. */
int pe_ring_map(struct pe_ring *r, const struct pe_kernel *k, int fd, size_t data_len_bytes);
/* Idempotent. */
void pe_ring_unmap(struct pe_ring *r, const struct pe_kernel *k);

/* Read the kernel's position; returns the number of bytes that wait. More than the ring holds is impossible:
 * they are dropped and counted in *broken. */
size_t pe_ring_look(struct pe_ring *r, uint64_t *broken);
/* Read the next record before the head of the last look, without taking it; bounce holds it where it wraps
 * around the ring's end. False when there is none. An impossible length drops all bytes that wait, counted in
 * *broken. */
bool pe_ring_peek(struct pe_ring *r, uint8_t bounce[PE_RECORD_MAX_BYTES], struct pe_record *out,
                  uint64_t *broken);
/* Move past the record that was peeked at; pe_ring_release gives its bytes back to the kernel. */
void pe_ring_take(struct pe_ring *r, const struct pe_record *record);
void pe_ring_release(struct pe_ring *r);

#endif
