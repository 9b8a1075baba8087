/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_maps_sigsafe.h"

#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_sampler.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RT_MAPS_COST_FACTOR = 200,      /* at most half a percent of the time */
    RT_MAPS_DIRTY_FACTOR = 20,      /* a little more when modules come */
    RT_MAPS_PERIOD_NS = 1000000000, /* mappings made by the C library or raw system calls */
    RT_MAPS_SETTLE_NS = 20000000,   /* a dlopen in progress is over by then */
};

/* Mappings known to have changed: the first snapshot may fall into the change, so a second one follows. */
enum rt_maps_dirty { RT_MAPS_CLEAN, RT_MAPS_SETTLING, RT_MAPS_DIRTY };

/* Part of rt_state that only this file uses. */
static struct {
    uint32_t dirty; /* enum rt_maps_dirty */
    uint32_t busy;  /* one snapshot at a time: their pieces must not mix */
    uint64_t last_ns, cost_ns;
    uint64_t heap_end;
    uint32_t changes;      /* records of single mappings */
    uint32_t text_changes; /* changes when the text of the last snapshot was taken */
    uint64_t text_hash;    /* hash of its lines; 0: the spool does not have all of them */
} rt_maps;

void rt_maps_note_record(void)
{
    __atomic_fetch_add(&rt_maps.changes, 1, __ATOMIC_RELAXED);
}

void rt_maps_mark_dirty(void)
{
    __atomic_store_n(&rt_maps.dirty, RT_MAPS_DIRTY, __ATOMIC_RELAXED);
}

bool rt_maps_is_dirty(void)
{
    return __atomic_load_n(&rt_maps.dirty, __ATOMIC_RELAXED) != RT_MAPS_CLEAN;
}

/* Under a tracer (QEMU's user mode) the file is a copy of the mappings at the time of open. */
static bool rt_maps_is_fresh(void)
{
    if (rt_state.maps_fd < 0 || rt_state.config.traced) return false;
    return ls_syscall(SYS_lseek, rt_state.maps_fd, 0, SEEK_SET) == 0;
}

/* Kept open: it still works after chroot and setuid. */
static bool rt_maps_rewind(void)
{
    if (rt_maps_is_fresh()) return true;
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    rt_fds_close(&rt_state.maps_fd);
    rt_state.maps_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&rt_state.maps_fd);
    return true;
}

/* Fill up scratch after used_bytes; *end when the text ends. Returns bytes in scratch. */
static uint32_t rt_maps_fill(struct rt_thread *t, uint32_t used_bytes, bool *end)
{
    *end = false;
    while (used_bytes < SPOOL_MAPS_PIECE_BYTES && !*end) {
        const long got = ls_syscall(SYS_read, rt_state.maps_fd, t->scratch + used_bytes,
                                    SPOOL_MAPS_PIECE_BYTES - used_bytes);
        if (got == -EINTR) continue;
        *end = got <= 0;
        used_bytes += got > 0 ? (uint32_t)got : 0;
    }
    return used_bytes;
}

/* Pieces end with a line where one ends in them. */
static uint32_t rt_maps_whole_lines(const uint8_t *text, uint32_t len_bytes)
{
    uint32_t end = len_bytes;
    while (end > 0 && text[end - 1] != '\n')
        end--;
    return end > 0 ? end : len_bytes;
}

static uint64_t rt_maps_hash(uint64_t h, const uint8_t *text, uint32_t len_bytes)
{
    for (uint32_t i = 0; i < len_bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, len_bytes - i < 8 ? len_bytes - i : 8);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

/* The chunks of the spool itself come and go, and no access is to them. */
static bool rt_maps_is_of_spool(const uint8_t *line, size_t len_bytes)
{
    const size_t path_len = strlen(rt_state.spool_path);
    return path_len && memmem(line, len_bytes, rt_state.spool_path, path_len);
}

static uint64_t rt_maps_hash_lines(uint64_t h, const uint8_t *text, uint32_t len_bytes)
{
    for (uint32_t at = 0; at < len_bytes;) {
        const uint8_t *end = memchr(text + at, '\n', len_bytes - at);
        const uint32_t line_len = end ? (uint32_t)(end - (text + at)) + 1 : len_bytes - at;
        if (!rt_maps_is_of_spool(text + at, line_len)) h = rt_maps_hash(h, text + at, line_len);
        at += line_len;
    }
    return h;
}

/* Go through the text in pieces, and write them if *puts. If the text is one piece, it is compared with the known hash
 * first (0: none is known), and *puts becomes whether they differ. The engine gets every piece. Return the hash of the
 * lines; 0: there was no text, so that the older snapshot holds, or a piece was not written. */
static uint64_t rt_maps_walk(struct rt_thread *t, uint64_t time_ns, uint64_t known, bool *puts)
{
    _Static_assert((int)RT_SCRATCH_BYTES >= (int)SPOOL_MAPS_PIECE_BYTES, "a piece fits");
    struct spool_writer *const w = rt_spool_writer(t);
    uint16_t flags = SPOOL_MAPS_FIRST;
    uint32_t have = 0;
    uint64_t hash = 1;
    for (bool end = false; !end; flags = 0) {
        have = rt_maps_fill(t, have, &end);
        const uint32_t len = end ? have : rt_maps_whole_lines(t->scratch, have);
        if (len == 0 && (flags & SPOOL_MAPS_FIRST)) return 0;
        if (end) flags |= SPOOL_MAPS_LAST;
        hash = rt_maps_hash_lines(hash, t->scratch, len);
        if (known && flags == (SPOOL_MAPS_FIRST | SPOOL_MAPS_LAST)) *puts = hash != known;
        if (*puts && !spool_put_maps(w, time_ns, flags, (struct spool_text){t->scratch, len})) return 0;
        if (rt_state.engine->maps && !rt_state.engine->maps((const char *)t->scratch, len, flags))
            rt_maps_mark_dirty();
        have -= len;
        memmove(t->scratch, t->scratch + len, have);
    }
    return hash ? hash : 1;
}

/* always: write the text also where nothing changed since the last snapshot. */
static void rt_maps_copy(struct rt_thread *t, uint64_t time_ns, bool always)
{
    const uint32_t changes = __atomic_load_n(&rt_maps.changes, __ATOMIC_RELAXED);
    const uint64_t known = always || changes != rt_maps.text_changes ? 0 : rt_maps.text_hash;
    bool puts = !known;
    if (!rt_maps_rewind()) return;
    uint64_t hash = rt_maps_walk(t, time_ns, known, &puts);
    if (known && hash == known) return;
    if (!puts) {
        if (!rt_maps_rewind()) return;
        puts = true;
        hash = rt_maps_walk(t, time_ns, 0, &puts);
    }
    rt_maps.text_hash = hash;
    rt_maps.text_changes = changes;
}

static uint64_t rt_maps_program_break(void)
{
    return (uint64_t)ls_syscall(SYS_brk, 0);
}

static void rt_maps_take(struct rt_thread *t, uint64_t time_ns, bool always)
{
    if (__atomic_exchange_n(&rt_maps.busy, 1, __ATOMIC_ACQUIRE)) return;
    /* in CPU time: a snapshot that other programs interrupt must not put off the next one */
    const uint64_t begin_cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    rt_maps.heap_end = rt_maps_program_break();
    rt_maps_copy(t, time_ns, always);
    rt_maps.last_ns = ls_clock_mono_ns();
    rt_maps.cost_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
    __atomic_store_n(&rt_maps.busy, 0, __ATOMIC_RELEASE);
}

void rt_maps_snapshot_sigsafe(struct rt_thread *t, uint64_t time_ns)
{
    rt_maps_take(t, time_ns, true);
}

static void rt_maps_poll_heap(struct rt_thread *t)
{
    const uint64_t end = rt_maps_program_break();
    uint64_t old = __atomic_load_n(&rt_maps.heap_end, __ATOMIC_RELAXED);
    if (end <= old ||
        !__atomic_compare_exchange_n(&rt_maps.heap_end, &old, end, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    const struct spool_mmap grown = {.time_ns = ls_clock_mono_ns(),
                                     .base = old,
                                     .len_bytes = end - old,
                                     .prot = PROT_READ | PROT_WRITE,
                                     .map_flags = MAP_PRIVATE | MAP_ANONYMOUS};
    rt_maps_note_record();
    spool_put_mmap(rt_spool_writer(t), grown, "[heap]");
}

static bool rt_maps_is_due(uint64_t now_ns, uint32_t dirty)
{
    const uint64_t age_ns = now_ns - rt_maps.last_ns;
    if (dirty == RT_MAPS_DIRTY) return age_ns >= RT_MAPS_DIRTY_FACTOR * rt_maps.cost_ns;
    if (dirty == RT_MAPS_SETTLING)
        return age_ns >= RT_MAPS_SETTLE_NS && age_ns >= RT_MAPS_DIRTY_FACTOR * rt_maps.cost_ns;
    return age_ns >= RT_MAPS_PERIOD_NS && age_ns >= RT_MAPS_COST_FACTOR * rt_maps.cost_ns;
}

void rt_maps_poll_sigsafe(struct rt_thread *t, uint64_t now_ns)
{
    if (!rt_is_recording()) return;
    rt_maps_poll_heap(t);
    uint32_t dirty = __atomic_load_n(&rt_maps.dirty, __ATOMIC_RELAXED);
    if (!rt_maps_is_due(now_ns, dirty)) return;
    const uint32_t cleaner = dirty == RT_MAPS_CLEAN ? RT_MAPS_CLEAN : dirty - 1;
    __atomic_compare_exchange_n(&rt_maps.dirty, &dirty, cleaner, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    rt_maps_take(t, ls_clock_mono_ns(), false);
}

void rt_maps_finish(struct rt_thread *t)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    if (rt_maps_is_dirty() || now_ns - rt_maps.last_ns >= RT_MAPS_SETTLE_NS) rt_maps_take(t, now_ns, false);
}

void rt_maps_after_fork_child(void)
{
    rt_fds_close(&rt_state.maps_fd);
    rt_maps.busy = 0;
    rt_maps.text_hash = 0;
}
