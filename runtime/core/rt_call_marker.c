/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_call_marker.h"

#include "runtime/core/rt_spool_sigsafe.h"

#include <stddef.h>
#include <sys/mman.h>

enum { RT_PAGE_BYTES = 4096 };

/* Through a mapping of its own, since the writer's chunk moves on. */
static struct {
    struct spool_callback *rec;
    uint64_t map_base;
} marker;

static void map_record(const struct spool_writer *w, const struct spool_callback *rec)
{
    uint64_t at;
    const int fd = spool_writer_locate(w, rec, &at);
    const uint64_t page = at & ~(uint64_t)(RT_PAGE_BYTES - 1);
    const long map =
        ls_syscall(SYS_mmap, NULL, 2 * RT_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);
    if (map < 0 && map > -RT_PAGE_BYTES) return;
    marker.map_base = (uint64_t)map;
    __atomic_store_n(&marker.rec, (struct spool_callback *)((uintptr_t)map + (uintptr_t)(at - page)),
                     __ATOMIC_RELEASE);
}

static void write_record(struct rt_thread *t)
{
    struct spool_callback *rec = rt_spool_reserve(t, SPOOL_REC_CALLBACK, SPOOL_CALLBACK_RUNS, sizeof(*rec));
    if (!rec) return;
    rec->time_ns = ls_clock_mono_ns();
    rt_spool_commit(t, rec);
    map_record(&t->writer, rec);
}

static void set_entered(uint32_t entered)
{
    struct spool_callback *rec = __atomic_load_n(&marker.rec, __ATOMIC_ACQUIRE);
    if (rec) __atomic_store_n(&rec->entered, entered, __ATOMIC_RELEASE);
}

void rt_call_marker_enter(uint32_t node, uint64_t function, uint64_t argument)
{
    if (!marker.rec) write_record(rt_tls.thread);
    if (!marker.rec) return;
    marker.rec->node = node;
    marker.rec->function = function;
    marker.rec->argument = argument;
    set_entered(1);
}

void rt_call_marker_leave(void)
{
    set_entered(0);
}

void rt_call_marker_give_up(void)
{
    set_entered(0);
}

/* In a fork child the mapping is the parent's file: nothing is written there. */
void rt_call_marker_close(void)
{
    if (!marker.rec) return;
    if (rt_tls.thread && rt_tls.thread->own) set_entered(0);
    __atomic_store_n(&marker.rec, NULL, __ATOMIC_RELEASE);
    ls_syscall(SYS_munmap, marker.map_base, 2 * RT_PAGE_BYTES);
}
