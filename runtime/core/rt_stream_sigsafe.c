/* SPDX-License-Identifier: BSD-3-Clause */
/* rt_spool_sigsafe.h: a thread's stream in the spool, from its first record to its last. The first stream of
 * a process begins with the records that describe the process; the parts that write these include that
 * header, and this file includes theirs. */
#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_image_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tls_blocks_sigsafe.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

/* The kernel's vdso is an ELF image without a file: its bytes go to the spool, so that resolve can name its
 * functions and unwind through them, on any machine. */
enum { VDSO_BYTES_MAX = 32768 };

/* Return the length of the 64-bit ELF image at base, up to its last section header; room_bytes may be read.
 * 0: no such image, or larger. */
static uint32_t vdso_len_bytes(const void *base, uint32_t room_bytes)
{
    const Elf64_Ehdr *h = base;
    if (room_bytes < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    const uint64_t end = h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize;
    return h->e_shoff >= sizeof(*h) && end > h->e_shoff && end <= room_bytes ? (uint32_t)end : 0;
}

static void put_vdso(struct rt_thread *t, uint64_t time_ns)
{
    const void *base = (const void *)rt_state.vdso_base;
    if (!base) return;
    const struct spool_text bytes = {base, vdso_len_bytes(base, VDSO_BYTES_MAX)};
    const struct spool_image_bytes r = {
        .time_ns = time_ns, .base = rt_state.vdso_base, .len_bytes = bytes.len_bytes};
    if (bytes.len_bytes > 0) spool_put(&t->writer, SPOOL_WHAT(IMAGE, 0, r), &r, &bytes, 1);
}

static void put_thread(struct rt_thread *t)
{
    char name[20] = ""; /* the kernel's 16 and room */
    ls_syscall(SYS_prctl, PR_GET_NAME, name);
    const struct spool_thread_begin begin = {
        .rec.flags = t->own ? SPOOL_THREAD_OWN : 0,
        .time_ns = t->begin_ns,
        .stack_base = t->stack_base,
        .stack_end = t->stack_end,
        .tid = (uint32_t)t->tid,
    };
    spool_put_thread_begin(&t->writer, begin, name);
}

/* The stream may begin with a record whose time is already taken (a burst's trigger): the records written
 * here bear earlier times, so that the order is kept. */
static int open_stream(struct rt_thread *t)
{
    bool first;
    if (!rt_image_open(&first)) return EIO;
    const int err = spool_writer_join(&t->writer, &rt_state.shared, (uint32_t)t->tid);
    if (err != 0) return err;
    t->streams++;
    if (first) rt_image_put_process(t);
    put_thread(t);
    if (!first) return 0;
    rt_maps_snapshot_sigsafe(t, t->begin_ns);
    put_vdso(t, t->begin_ns);
    rt_tls_ids_put_sigsafe(t, t->begin_ns);
    rt_resources_put_sigsafe(t, t->begin_ns);
    return 0;
}

static void open_once(struct rt_thread *t)
{
    const int saved = errno;
    t->opening = true;
    rt_budget_hook_forget(); /* a start, no hook like others */
    RT_COMPILER_BARRIER();
    const int err = open_stream(t);
    if (err != 0) {
        rt_debug_note("no room in the spool for a thread", err);
        t->open_failed = true;
    }
    RT_COMPILER_BARRIER();
    t->opening = false;
    errno = saved;
}

void rt_stream_disown(struct rt_thread *t)
{
    rt_fds_unguard(&t->writer.fd);
    spool_writer_disown(&t->writer);
    t->writer.cap = &rt_state.cap;
}

void rt_stream_renew(struct rt_thread *t)
{
    t->epoch = __atomic_load_n(&rt_state.epoch, __ATOMIC_RELAXED);
    rt_stream_disown(t);
    t->opening = t->open_failed = false;
    t->tls_seen = 0;
    t->spent_ns = 0;
    t->hook_bytes = t->allocs = t->large_allocs = 0;
    if (t->begin_ns < rt_state.budget.start_ns) t->begin_ns = rt_state.budget.start_ns;
    if (rt_tls.thread != t) return;
    rt_tls.looked_calls = rt_tls.skipped_allocs = 0;
    rt_tls.sample_left_bytes = 0;
}

struct spool_writer *rt_spool_writer(struct rt_thread *t)
{
    rt_stream_refresh(t);
    if (__builtin_expect(!spool_writer_is_open(&t->writer) && !t->open_failed && !t->opening, 0))
        open_once(t);
    return &t->writer;
}

static bool rt_event_put(struct rt_thread *t, const struct spool_event *e)
{
    return t && rt_tls.thread == t && !t->opening && !t->writer.busy && !t->open_failed &&
           spool_put_event(rt_spool_writer(t), *e);
}

void rt_event_count_sigsafe(enum spool_event_kind kind, uint64_t count, int detail_errno)
{
    const struct spool_event e = {
        .time_ns = ls_clock_mono_ns(), .kind = kind, .detail_errno = (uint32_t)detail_errno, .count = count};
    rt_quiet_begin();
    if (!rt_is_recording() || !rt_event_put(rt_thread_self(), &e))
        __atomic_fetch_add(&rt_state.pending_events[kind], count, __ATOMIC_RELAXED);
    rt_quiet_end();
}

static void flush_pending(struct rt_thread *t)
{
    for (uint32_t kind = 0; kind < SPOOL_EVENT_COUNT; kind++) {
        const uint64_t count = __atomic_exchange_n(&rt_state.pending_events[kind], 0, __ATOMIC_RELAXED);
        if (count > 0)
            spool_put_event(&t->writer, (struct spool_event){
                                            .time_ns = ls_clock_mono_ns(), .kind = kind, .count = count});
    }
}

void rt_stream_close(struct rt_thread *t)
{
    rt_stream_refresh(t);
    if (!spool_writer_is_open(&t->writer)) return;
    rt_alloc_put_skipped();
    rt_alloc_put_tag_counts();
    flush_pending(t);
    rt_budget_hooks_ns();
    const struct spool_thread_end end = {
        .time_ns = ls_clock_mono_ns(),
        .cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID),
        .spent_ns = t->spent_ns,
    };
    spool_put_thread_end(&t->writer, end);
    rt_fds_unguard(&t->writer.fd);
    spool_writer_close(&t->writer);
    t->tls_seen = 0;           /* the next stream needs the blocks again */
    t->begin_ns = end.time_ns; /* begin of the next stream, if one comes */
}
