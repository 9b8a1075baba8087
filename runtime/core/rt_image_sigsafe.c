/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_image_sigsafe.h"

#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <fcntl.h>

enum { RT_IMAGES_MAX = 100000, RT_WAIT_ROUNDS = 10000, RT_PPM = 1000000 };

void rt_debug_note(const char *what, int detail_errno)
{
    if (!rt_state.config.debug || rt_state.spool_fd < 0) return;
    char line[256];
    struct rt_text text = rt_text_in(line, sizeof(line));
    rt_text_add_number(&text, (uint64_t)rt_state.pid);
    rt_text_add(&text, ": ");
    rt_text_add(&text, what);
    rt_text_add(&text, " (errno ");
    rt_text_add_number(&text, (uint64_t)detail_errno);
    rt_text_add(&text, ")\n");
    const long fd = ls_syscall(SYS_openat, rt_state.spool_fd, "debug.txt",
                               O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    ls_syscall(SYS_write, fd, line, text.len_bytes);
    ls_syscall(SYS_close, fd);
}

/* Take the first free number, because exec keeps the pid: the one whose file can be created. If no file can be, each
 * thread opens a separate one. 0 or an errno. */
static int rt_image_make(void)
{
    struct spool_shared *s = &rt_state.shared;
    int err = EEXIST;
    for (uint32_t image = 0; image < RT_IMAGES_MAX && err == EEXIST; image++) {
        *s = (struct spool_shared){.dirfd = &rt_state.spool_fd,
                                   .guard = rt_fds_guard,
                                   .has_room = rt_fds_have_room,
                                   .cap = &rt_state.cap,
                                   .ids = {.pid = (uint32_t)rt_state.pid,
                                           .parent_pid = (uint32_t)rt_state.parent_pid,
                                           .image = image},
                                   .fd = -1};
        err = spool_shared_open(s);
    }
    if (err == EEXIST || err == ENOENT) return err; /* no number is free; the directory is gone */
    if (err != 0) rt_debug_note("no spool file for all threads", err);
    rt_state.image = s->ids.image;
    rt_fds_guard(&s->fd);
    return 0;
}

/* Wait for another thread that makes it: it takes microseconds. */
static uint32_t rt_image_wait(void)
{
    uint32_t open = RT_IMAGE_OPENING;
    for (int i = 0; i < RT_WAIT_ROUNDS && open == RT_IMAGE_OPENING; i++) {
        ls_syscall(SYS_sched_yield);
        open = __atomic_load_n(&rt_state.image_open, __ATOMIC_ACQUIRE);
    }
    return open;
}

bool rt_image_open(bool *first)
{
    *first = false;
    uint32_t open = RT_IMAGE_CLOSED;
    if (!__atomic_compare_exchange_n(&rt_state.image_open, &open, RT_IMAGE_OPENING, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_ACQUIRE))
        return (open == RT_IMAGE_OPENING ? rt_image_wait() : open) == RT_IMAGE_OPEN;
    const int err = rt_image_make();
    if (err != 0) rt_debug_note("no files of this process in the spool", err);
    *first = err == 0;
    __atomic_store_n(&rt_state.image_open, err == 0 ? RT_IMAGE_OPEN : RT_IMAGE_FAILED, __ATOMIC_RELEASE);
    return err == 0;
}

static const char *rt_read_link(const char *path, char *out, size_t out_bytes)
{
    const long len = ls_syscall(SYS_readlinkat, AT_FDCWD, path, out, out_bytes - 1);
    out[len > 0 ? len : 0] = '\0';
    return out;
}

static struct spool_text rt_read_file(const char *path, char *out, size_t out_bytes)
{
    uint32_t used = 0;
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used < out_bytes) {
        const long got = ls_syscall(SYS_read, fd, out + used, out_bytes - used);
        if (got <= 0) break;
        used += (uint32_t)got;
    }
    if (fd >= 0) ls_syscall(SYS_close, fd);
    return (struct spool_text){out, used};
}

/* Record the origin of this image, and its place in a job. */
static void rt_image_put_origin(struct rt_thread *t, uint64_t time_ns)
{
    const struct rt_ancestor *a = &rt_state.ancestor;
    const struct ls_rank *rank = &rt_state.rank;
    if (a->pid)
        spool_put_ancestor(&t->writer, (struct spool_ancestor){.time_ns = time_ns,
                                                               .fork_ns = a->fork_ns,
                                                               .pid = (uint32_t)a->pid,
                                                               .image = a->image,
                                                               .tid = (uint32_t)a->tid});
    if (rank->variable)
        spool_put_rank(
            &t->writer,
            (struct spool_rank){.time_ns = time_ns, .rank = rank->rank, .ranks_len = rank->ranks_len},
            rank->variable);
}

void rt_image_put_process(struct rt_thread *t)
{
    const struct rt_engine_facts *facts = &rt_state.facts;
    const struct spool_process p = {
        .time_ns = rt_state.budget.start_ns,
        .pid = (uint32_t)rt_state.pid,
        .parent_pid = (uint32_t)rt_state.parent_pid,
        .overhead_ppm = (uint64_t)(rt_state.config.overhead_share * RT_PPM + 0.5),
        .burst_instructions = rt_state.config.burst_instructions,
        .tsc_hz = facts->tsc_hz,
        .tick_ns = rt_state.tick_ns,
        .probe_cost_cycles = facts->probe_cost_cycles,
    };
    char *const scratch = (char *)t->scratch;
    const size_t part = RT_SCRATCH_BYTES / 4;
    const struct spool_process_texts texts = {
        .engine = rt_state.engine->name,
        .trigger = facts->trigger,
        .why = facts->why,
        .exe = rt_read_link("/proc/self/exe", scratch, part),
        .cwd = rt_read_link("/proc/self/cwd", scratch + part, part),
        .cmdline = rt_read_file("/proc/self/cmdline", scratch + 2 * part, 2 * part),
    };
    spool_put_process(&t->writer, p, &texts);
    rt_image_put_origin(t, p.time_ns);
}

void rt_image_forget(void)
{
    rt_fds_unguard(&rt_state.shared.fd);
    spool_shared_disown(&rt_state.shared);
    rt_state.image_open = RT_IMAGE_CLOSED;
}
