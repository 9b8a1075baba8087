/* SPDX-License-Identifier: BSD-3-Clause */
/* One function a record type: fill the fixed part, give the strings, and it is in the spool.
 * The caller fills every field but rec and the *_len fields, which come from the strings.
 * Each returns false when the record was dropped (and counted).  Thread: the owner of w.  Signal: safe; errno
 * is kept. */
#ifndef SPOOL_PUT_SIGSAFE_H
#define SPOOL_PUT_SIGSAFE_H

#include "spool/spool_writer_sigsafe.h"

#include <string.h>

/* Bytes, no NUL needed; truncated to the maximum of the record. */
struct spool_text {
    const void *data;
    uint32_t len_bytes;
};

/* The text of a C string, at most max_bytes of it; NULL is empty. */
struct spool_text spool_text_of(const char *text, uint32_t max_bytes);

/* Fixed part (its rec is replaced), then the texts one after the other. */
bool spool_put(struct spool_writer *w, struct spool_rec_header what, const void *fixed,
               const struct spool_text *texts, size_t texts_len);

enum { SPOOL_TEXT_MAX_BYTES = 8192 }; /* longest string of a record; PROCESS holds six */

struct spool_process_texts {
    const char *engine, *trigger, *why, *exe, *cwd;
    struct spool_text cmdline; /* arguments separated by NUL or spaces */
};
bool spool_put_process(struct spool_writer *w, struct spool_process p,
                       const struct spool_process_texts *texts);

/* rec_header whose len_bytes is the length of the fixed part */
#define SPOOL_WHAT(kind, rec_flags, fixed) \
    ((struct spool_rec_header){            \
        .type = SPOOL_REC_##kind, .flags = (uint16_t)(rec_flags), .len_bytes = sizeof(fixed)})

/* r.rec.flags: SPOOL_THREAD_OWN or 0 */
static inline bool spool_put_thread_begin(struct spool_writer *w, struct spool_thread_begin r,
                                          const char *name)
{
    const struct spool_text text = spool_text_of(name, 64);
    r.name_len = text.len_bytes;
    return spool_put(w, SPOOL_WHAT(THREAD_BEGIN, r.rec.flags, r), &r, &text, 1);
}

static inline bool spool_put_thread_end(struct spool_writer *w, struct spool_thread_end r)
{
    return spool_put(w, SPOOL_WHAT(THREAD_END, 0, r), &r, NULL, 0);
}

/* A piece of /proc/self/maps, at most SPOOL_MAPS_PIECE_BYTES; flags: SPOOL_MAPS_FIRST, SPOOL_MAPS_LAST. Lines
 * may be split. It fits a chunk of the file of all threads: the program may leave no descriptor for another. */
enum { SPOOL_MAPS_PIECE_BYTES = 15360 };
static inline bool spool_put_maps(struct spool_writer *w, uint64_t time_ns, uint16_t flags,
                                  struct spool_text piece)
{
    const struct spool_maps r = {.time_ns = time_ns, .text_len = piece.len_bytes};
    return spool_put(w, SPOOL_WHAT(MAPS, flags, r), &r, &piece, 1);
}

/* r.rec.flags: SPOOL_MMAP_FROM or 0 */
static inline bool spool_put_mmap(struct spool_writer *w, struct spool_mmap r, const char *path)
{
    const struct spool_text text = spool_text_of(path, SPOOL_TEXT_MAX_BYTES);
    r.path_len = text.len_bytes;
    return spool_put(w, SPOOL_WHAT(MMAP, r.rec.flags, r), &r, &text, 1);
}

static inline bool spool_put_munmap(struct spool_writer *w, uint64_t time_ns, uint64_t base,
                                    uint64_t len_bytes)
{
    const struct spool_extent r = {.time_ns = time_ns, .base = base, .len_bytes = len_bytes};
    return spool_put(w, SPOOL_WHAT(MUNMAP, 0, r), &r, NULL, 0);
}

static inline bool spool_put_alloc(struct spool_writer *w, struct spool_alloc r, unsigned flags,
                                   const uint64_t *frames)
{
    const struct spool_text path = {frames, r.frames_len * (uint32_t)sizeof(*frames)};
    return spool_put(w, SPOOL_WHAT(ALLOC, flags, r), &r, &path, 1);
}

static inline bool spool_put_free(struct spool_writer *w, uint64_t time_ns, uint64_t base)
{
    const struct spool_extent r = {.time_ns = time_ns, .base = base};
    return spool_put(w, SPOOL_WHAT(FREE, 0, r), &r, NULL, 0);
}

/* Blocks and copies of devices: r.frames_len frames, as of an ALLOC. */
static inline bool spool_put_device_block(struct spool_writer *w, struct spool_device_block r, unsigned flags,
                                          const uint64_t *frames)
{
    const struct spool_text path = {frames, r.frames_len * (uint32_t)sizeof(*frames)};
    return spool_put(w, SPOOL_WHAT(DEVICE_BLOCK, flags, r), &r, &path, 1);
}

static inline bool spool_put_device_free(struct spool_writer *w, uint64_t time_ns, uint64_t base)
{
    const struct spool_extent r = {.time_ns = time_ns, .base = base};
    return spool_put(w, SPOOL_WHAT(DEVICE_FREE, 0, r), &r, NULL, 0);
}

static inline bool spool_put_device_copy(struct spool_writer *w, struct spool_device_copy r, unsigned flags,
                                         const uint64_t *frames)
{
    const struct spool_text path = {frames, r.frames_len * (uint32_t)sizeof(*frames)};
    return spool_put(w, SPOOL_WHAT(DEVICE_COPY, flags, r), &r, &path, 1);
}

/* type: SPOOL_REC_NODE_ADD or SPOOL_REC_NODE_RANGE */
static inline bool spool_put_node(struct spool_writer *w, uint16_t type, struct spool_node r,
                                  const char *label)
{
    const struct spool_text text = spool_text_of(label, SPOOL_TEXT_MAX_BYTES);
    const struct spool_rec_header what = {.type = type, .len_bytes = sizeof(r)};
    r.label_len = text.len_bytes;
    return spool_put(w, what, &r, &text, 1);
}

static inline bool spool_put_node_remove(struct spool_writer *w, uint64_t time_ns, uint32_t node,
                                         enum spool_node_end why)
{
    const struct spool_node_remove r = {.time_ns = time_ns, .node = node};
    return spool_put(w, SPOOL_WHAT(NODE_REMOVE, why, r), &r, NULL, 0);
}

static inline bool spool_put_node_member(struct spool_writer *w, uint64_t time_ns, uint32_t group,
                                         uint32_t member)
{
    const struct spool_node_member r = {.time_ns = time_ns, .group = group, .member = member};
    return spool_put(w, SPOOL_WHAT(NODE_MEMBER, 0, r), &r, NULL, 0);
}

static inline bool spool_put_phase(struct spool_writer *w, uint64_t time_ns, bool begins, const char *name)
{
    const struct spool_text text = spool_text_of(name, SPOOL_TEXT_MAX_BYTES);
    const struct spool_phase r = {.time_ns = time_ns, .name_len = text.len_bytes};
    return spool_put(w, SPOOL_WHAT(PHASE, begins ? SPOOL_PHASE_BEGIN : 0, r), &r, &text, 1);
}

static inline bool spool_put_burst_begin(struct spool_writer *w, struct spool_burst_begin r)
{
    return spool_put(w, SPOOL_WHAT(BURST_BEGIN, 0, r), &r, NULL, 0);
}

/* frames: r.frames_len return addresses. */
static inline bool spool_put_site(struct spool_writer *w, struct spool_site r, const uint64_t *frames)
{
    const struct spool_text path = {frames, r.frames_len * (uint32_t)sizeof(uint64_t)};
    return spool_put(w, SPOOL_WHAT(SITE, 0, r), &r, &path, 1);
}

/* texts: source file, function; r has their lengths */
static inline bool spool_put_script(struct spool_writer *w, struct spool_script r,
                                    const struct spool_text texts[2])
{
    return spool_put(w, SPOOL_WHAT(SCRIPT, 0, r), &r, texts, 2);
}

static inline bool spool_put_mpi(struct spool_writer *w, uint16_t call, uint64_t ip)
{
    const struct spool_mpi r = {.ip = ip};
    return spool_put(w, SPOOL_WHAT(MPI, call, r), &r, NULL, 0);
}

static inline bool spool_put_access(struct spool_writer *w, uint16_t flags, const struct spool_access *r)
{
    return spool_put(w, SPOOL_WHAT(ACCESS, flags, *r), r, NULL, 0);
}

static inline bool spool_put_burst_end(struct spool_writer *w, enum spool_burst_end_why why,
                                       struct spool_burst_end r)
{
    return spool_put(w, SPOOL_WHAT(BURST_END, why, r), &r, NULL, 0);
}

static inline bool spool_put_burst_late(struct spool_writer *w, bool is_near, struct spool_burst_late r)
{
    return spool_put(w, SPOOL_WHAT(BURST_LATE, is_near ? SPOOL_LATE_NEAR : 0, r), &r, NULL, 0);
}

static inline bool spool_put_event(struct spool_writer *w, struct spool_event r)
{
    return spool_put(w, SPOOL_WHAT(EVENT, 0, r), &r, NULL, 0);
}

static inline bool spool_put_ancestor(struct spool_writer *w, struct spool_ancestor r)
{
    return spool_put(w, SPOOL_WHAT(ANCESTOR, 0, r), &r, NULL, 0);
}

static inline bool spool_put_rank(struct spool_writer *w, struct spool_rank r, const char *name)
{
    const struct spool_text text = spool_text_of(name, 256);
    r.name_len = text.len_bytes;
    return spool_put(w, SPOOL_WHAT(RANK, 0, r), &r, &text, 1);
}

static inline bool spool_put_child_ended(struct spool_writer *w, struct spool_child_ended r)
{
    return spool_put(w, SPOOL_WHAT(CHILD_ENDED, 0, r), &r, NULL, 0);
}

static inline bool spool_put_resources(struct spool_writer *w, struct spool_resources r)
{
    return spool_put(w, SPOOL_WHAT(RESOURCES, 0, r), &r, NULL, 0);
}

static inline bool spool_put_dump(struct spool_writer *w, struct spool_dump r, const char *path)
{
    const struct spool_text text = spool_text_of(path, SPOOL_TEXT_MAX_BYTES);
    r.path_len = text.len_bytes;
    return spool_put(w, SPOOL_WHAT(DUMP, 0, r), &r, &text, 1);
}

static inline bool spool_put_sample(struct spool_writer *w, unsigned flags, const struct spool_sample *r)
{
    return spool_put(w, SPOOL_WHAT(SAMPLE, flags, *r), r, NULL, 0);
}

/* ips: ips_len words, innermost first, possibly not aligned */
static inline bool spool_put_chain(struct spool_writer *w, unsigned flags, uint64_t time_ns, const void *ips,
                                   uint32_t ips_len)
{
    const struct spool_text text = {ips, ips_len * (uint32_t)sizeof(uint64_t)};
    const struct spool_chain r = {.time_ns = time_ns, .ips_len = ips_len};
    return spool_put(w, SPOOL_WHAT(CHAIN, flags, r), &r, &text, 1);
}

static inline bool spool_put_sampling(struct spool_writer *w, unsigned flags, struct spool_sampling r,
                                      const char *events)
{
    const struct spool_text text = spool_text_of(events, SPOOL_TEXT_MAX_BYTES);
    r.text_len = text.len_bytes;
    return spool_put(w, SPOOL_WHAT(SAMPLING, flags, r), &r, &text, 1);
}

static inline bool spool_put_cost(struct spool_writer *w, struct spool_cost r)
{
    return spool_put(w, SPOOL_WHAT(COST, 0, r), &r, NULL, 0);
}

static inline bool spool_put_watch(struct spool_writer *w, unsigned flags, struct spool_watch r,
                                   const char *text_asked)
{
    const struct spool_text text = spool_text_of(text_asked, SPOOL_TEXT_MAX_BYTES);
    r.text_len = text.len_bytes;
    return spool_put(w, SPOOL_WHAT(WATCH, flags, r), &r, &text, 1);
}

static inline bool spool_put_in_place(struct spool_writer *w, uint64_t time_ns,
                                      const struct spool_in_place_row *rows, uint32_t rows_len)
{
    const struct spool_text text = {rows, rows_len * (uint32_t)sizeof(*rows)};
    const struct spool_in_place r = {.time_ns = time_ns, .rows_len = rows_len};
    return spool_put(w, SPOOL_WHAT(IN_PLACE, 0, r), &r, &text, 1);
}

static inline bool spool_put_kernel_fault(struct spool_writer *w, unsigned flags, struct spool_kernel_fault r)
{
    return spool_put(w, SPOOL_WHAT(FAULT, flags, r), &r, NULL, 0);
}

/* r.rec.flags: as in spool_kernel_call */
static inline bool spool_put_kernel_call(struct spool_writer *w, struct spool_kernel_call r)
{
    return spool_put(w, SPOOL_WHAT(CALL, r.rec.flags, r), &r, NULL, 0);
}

static inline bool spool_put_setting(struct spool_writer *w, uint64_t time_ns, const char *setting)
{
    const struct spool_text text = spool_text_of(setting, SPOOL_TEXT_MAX_BYTES);
    const struct spool_setting r = {.time_ns = time_ns, .text_len = text.len_bytes};
    return spool_put(w, SPOOL_WHAT(SETTING, 0, r), &r, &text, 1);
}

#endif
