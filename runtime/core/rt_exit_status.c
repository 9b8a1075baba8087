/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_exit_status.h"

#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { RT_PAGE_BYTES = 4096, RT_STATUS_MASK = 0xff };

/* The status in the file, through a mapping of its own; NULL: nothing to fill in. */
static uint32_t *rt_exit_status_at;

static void rt_exit_status_map(const struct spool_writer *w, const struct spool_exited *rec)
{
    uint64_t at;
    const int fd = spool_writer_locate(w, &rec->status, &at);
    const uint64_t page = at & ~(uint64_t)(RT_PAGE_BYTES - 1);
    const long map = ls_syscall(SYS_mmap, NULL, RT_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);
    if (map > 0 || map < -RT_PAGE_BYTES)
        rt_exit_status_at = (uint32_t *)((uintptr_t)map + (uintptr_t)(at - page));
}

void rt_exit_status_put(struct rt_thread *t, uint32_t status)
{
    rt_exit_status_at = NULL;
    if (rt_state.image_open != RT_IMAGE_OPEN) return;
    struct spool_exited *rec = rt_spool_reserve(t, SPOOL_REC_EXITED, 0, sizeof(*rec));
    if (!rec) return;
    rec->time_ns = ls_clock_mono_ns();
    rec->status = status;
    rec->peak_bytes = rt_resources_peak_bytes();
    rt_spool_commit(t, rec);
    if (status == SPOOL_STATUS_UNKNOWN) rt_exit_status_map(&t->writer, rec);
}

static LS_ALIGNED void rt_exit_status_on_exit(int status, void *unused)
{
    (void)unused;
    if (rt_exit_status_at && rt_is_own_process())
        __atomic_store_n(rt_exit_status_at, (uint32_t)status & RT_STATUS_MASK, __ATOMIC_RELAXED);
}

void rt_exit_status_watch(void)
{
    on_exit(rt_exit_status_on_exit, NULL);
}
