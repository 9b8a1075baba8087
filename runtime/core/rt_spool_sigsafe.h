/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the calling thread (rt_stream_sigsafe.c). Files are made when there is something to write: a
 * fork child that records nothing leaves none.
 *
 * Thread: t's own. */
#ifndef RT_SPOOL_SIGSAFE_H
#define RT_SPOOL_SIGSAFE_H

#include "runtime/core/rt_thread.h"
#include "spool/spool_put_sigsafe.h"

/* Return the open writer of t, which is the calling thread and has rt_tls.depth > 0; for the spool_put_*
 * functions. Opens the process's directory (PROCESS, MAPS) and begins the thread's stream (THREAD_BEGIN) when
 * this is the first record. Never NULL: a writer that could not be opened drops and counts.
 * Signal: safe, with depth > 0; errno is kept. */
struct spool_writer *rt_spool_writer(struct rt_thread *t);

/* Reserve and commit on the writer of t, as in spool_writer_sigsafe.h. */
static inline void *rt_spool_reserve(struct rt_thread *t, uint16_t type, uint16_t flags, size_t len_bytes)
{
    return spool_writer_reserve(rt_spool_writer(t), type, flags, len_bytes);
}

static inline void rt_spool_commit(struct rt_thread *t, void *rec)
{
    spool_writer_commit(&t->writer, rec);
}

/* Count an incident: written at once when the calling thread can, else with its next record. Keeps errno. */
void rt_event_count_sigsafe(enum spool_event_kind kind, uint64_t count, int detail_errno);

/* Let go of a stream of an earlier recording (runtime/attach/). Signal: safe, with depth > 0. */
void rt_stream_renew(struct rt_thread *t);
static inline void rt_stream_refresh(struct rt_thread *t)
{
    if (__builtin_expect(t->epoch != __atomic_load_n(&rt_state.epoch, __ATOMIC_RELAXED), 0))
        rt_stream_renew(t);
}
/* Let go of the stream of t, without a record. */
void rt_stream_disown(struct rt_thread *t);

/* End the stream of t (the calling thread): THREAD_END. The next record begins another one. */
void rt_stream_close(struct rt_thread *t);

#endif
