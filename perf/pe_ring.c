/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_ring.h"

#include <sys/auxv.h>

enum { ERRNO_MAX = 4095 };

/* The first page of the mapping is the control page. */
static size_t page_bytes(void)
{
    return getauxval(AT_PAGESZ);
}

static void ring_adopt(struct pe_ring *r, void *base, size_t data_len_bytes)
{
    *r = (struct pe_ring){
        .page = base, .data = (const uint8_t *)base + page_bytes(), .data_len_bytes = data_len_bytes};
    r->tail = r->released = r->head = __atomic_load_n(&r->page->data_tail, __ATOMIC_RELAXED);
}

int pe_ring_map(struct pe_ring *r, const struct pe_kernel *k, int fd, size_t data_len_bytes)
{
    const long at = k->map(fd, page_bytes() + data_len_bytes, 0);
    *r = (struct pe_ring){.page = NULL};
    if (at < 0 && at >= -ERRNO_MAX) return (int)-at;
    ring_adopt(r, (void *)at, data_len_bytes);
    return 0;
}

void pe_ring_unmap(struct pe_ring *r, const struct pe_kernel *k)
{
    if (r->page) k->unmap(r->page, page_bytes() + r->data_len_bytes);
    *r = (struct pe_ring){.page = NULL};
}

size_t pe_ring_look(struct pe_ring *r, uint64_t *broken)
{
    r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
    /* more than the ring holds, which the kernel never reports: start again at the head */
    if (r->head - r->tail > r->data_len_bytes) {
        ++*broken;
        r->tail = r->head;
    }
    return (size_t)(r->head - r->tail);
}

static void ring_copy(const struct pe_ring *r, uint64_t from, uint8_t *to, size_t len)
{
    const size_t at = (size_t)(from & (r->data_len_bytes - 1));
    const size_t first = len < r->data_len_bytes - at ? len : r->data_len_bytes - at;
    memcpy(to, r->data + at, first);
    memcpy(to + first, r->data, len - first);
}

bool pe_ring_peek(struct pe_ring *r, uint8_t bounce[PE_RECORD_MAX_BYTES], struct pe_record *out,
                  uint64_t *broken)
{
    struct perf_event_header h;
    const uint64_t waiting = r->head - r->tail;
    if (waiting == 0) return false;
    if (waiting >= sizeof(h)) ring_copy(r, r->tail, (uint8_t *)&h, sizeof(h));
    if (waiting < sizeof(h) || h.size < sizeof(h) || h.size > waiting) {
        ++*broken;
        r->tail = r->head;
        return false;
    }
    const size_t at = (size_t)(r->tail & (r->data_len_bytes - 1));
    const bool wraps = at + h.size > r->data_len_bytes;
    if (wraps) ring_copy(r, r->tail, bounce, h.size);
    *out = (struct pe_record){.type = h.type,
                              .misc = h.misc,
                              .bytes = {.data = wraps ? bounce : r->data + at, .len_bytes = h.size}};
    return true;
}

void pe_ring_take(struct pe_ring *r, const struct pe_record *record)
{
    r->tail += record->bytes.len_bytes;
}

void pe_ring_release(struct pe_ring *r)
{
    if (r->tail == r->released) return;
    __atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
    r->released = r->tail;
}
