/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_writer_sigsafe.h"

#include "common/ls_clock.h"
#include "common/ls_compat.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Raw system calls: the C library's mmap, munmap and close may be our own hooks. */
#define SPOOL_SYS(...) syscall(__VA_ARGS__)

/* Programs expect small descriptor numbers in order, and close what they do not know from the bottom. */
enum { SPOOL_FD_FLOOR = 700 };

/* Beside errno values: the cap refused the chunk, not the file system. */
enum { SPOOL_ERR_CAP = -1 };

/* EINTR-safe. Allocate for real, by writing zeros, where the file system has no fallocate. */
static int spool_write_zeros(int fd, uint64_t offset_bytes, uint64_t len_bytes)
{
    static const uint8_t zeros[4096];
    while (len_bytes > 0) {
        const size_t want = len_bytes < sizeof(zeros) ? (size_t)len_bytes : sizeof(zeros);
        const long wrote = SPOOL_SYS(SYS_pwrite64, fd, zeros, want, (off_t)offset_bytes);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return wrote < 0 ? errno : ENOSPC;
        offset_bytes += (uint64_t)wrote;
        len_bytes -= (uint64_t)wrote;
    }
    return 0;
}

/* A file that would grow over RLIMIT_FSIZE raises SIGXFSZ, which kills the program: look first. */
static bool spool_fits_size_limit(uint64_t end_bytes)
{
    struct rlimit limit;
    if (SPOOL_SYS(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) != 0) return true;
    return limit.rlim_cur == RLIM_INFINITY || end_bytes <= limit.rlim_cur;
}

static int spool_allocate(int fd, uint64_t offset_bytes, uint64_t len_bytes)
{
    if (!spool_fits_size_limit(offset_bytes + len_bytes)) return EFBIG;
    while (SPOOL_SYS(SYS_fallocate, fd, 0, (off_t)offset_bytes, (off_t)len_bytes) != 0) {
        if (errno == EOPNOTSUPP || errno == ENOSYS) return spool_write_zeros(fd, offset_bytes, len_bytes);
        if (errno != EINTR) return errno;
    }
    return 0;
}

/* The program may have closed our descriptor and opened its own file under the same number: never touch that.
 */
static bool spool_fd_is_ours(const struct spool_writer *w)
{
    struct stat st;
    return w->fd >= 0 && fstat(w->fd, &st) == 0 && st.st_dev == w->file_device && st.st_ino == w->file_inode;
}

static bool spool_cap_take(struct spool_cap *cap)
{
    const uint64_t used = __atomic_add_fetch(&cap->used_bytes, SPOOL_CHUNK_BYTES, __ATOMIC_RELAXED);
    if (cap->limit_bytes == 0 || used <= cap->limit_bytes) return true;
    __atomic_sub_fetch(&cap->used_bytes, SPOOL_CHUNK_BYTES, __ATOMIC_RELAXED);
    __atomic_store_n(&cap->cap_reached, 1, __ATOMIC_RELAXED);
    return false;
}

static void spool_cap_give_back(struct spool_cap *cap, uint64_t len_bytes)
{
    __atomic_sub_fetch(&cap->used_bytes, len_bytes, __ATOMIC_RELAXED);
}

/* Map chunk number chunks_len of the file. 0 or an errno. */
static int spool_map_next(struct spool_writer *w, uint8_t **out)
{
    const uint64_t offset_bytes = (uint64_t)w->chunks_len * SPOOL_CHUNK_BYTES;
    int err = spool_fd_is_ours(w) ? spool_allocate(w->fd, offset_bytes, SPOOL_CHUNK_BYTES) : EBADF;
    if (err != 0) return err;
    const long at = SPOOL_SYS(SYS_mmap, NULL, (size_t)SPOOL_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                              w->fd, (off_t)offset_bytes);
    if (at == -1) return errno;
    *out = (uint8_t *)at;
    return 0;
}

static int spool_take_chunk(struct spool_writer *w, uint8_t **out)
{
    if (!spool_cap_take(w->cap)) return SPOOL_ERR_CAP;
    const int err = spool_map_next(w, out);
    if (err == 0) return 0;
    spool_cap_give_back(w->cap, SPOOL_CHUNK_BYTES);
    __atomic_store_n(&w->cap->disk_errno, (uint32_t)err, __ATOMIC_RELAXED);
    return err;
}

static void spool_publish(void *rec, struct spool_rec_header header)
{
    uint64_t word;
    memcpy(&word, &header, sizeof(word));
    __atomic_store_n((uint64_t *)rec, word, __ATOMIC_RELEASE);
}

static void spool_unmap(struct spool_writer *w)
{
    if (w->chunk) SPOOL_SYS(SYS_munmap, w->chunk, (size_t)SPOOL_CHUNK_BYTES);
    w->chunk = NULL;
    w->lost = NULL;
}

static void spool_pad_and_leave(struct spool_writer *w)
{
    const uint32_t left = SPOOL_CHUNK_BYTES - w->chunk_used_bytes;
    if (left > 0)
        spool_publish(w->chunk + w->chunk_used_bytes,
                      (struct spool_rec_header){.type = SPOOL_REC_PAD, .len_bytes = left});
    spool_unmap(w);
}

static struct spool_event *spool_say_last(struct spool_writer *w, uint32_t kind, uint32_t detail_errno,
                                          uint64_t count)
{
    struct spool_event *e = (struct spool_event *)(w->chunk + w->chunk_used_bytes);
    e->time_ns = ls_clock_mono_ns();
    e->kind = kind;
    e->detail_errno = detail_errno;
    e->count = count;
    w->chunk_used_bytes += sizeof(*e);
    spool_publish(e, (struct spool_rec_header){.type = SPOOL_REC_EVENT, .len_bytes = sizeof(*e)});
    return e;
}

/* No next chunk: say why in the room kept for it. */
static void spool_stop(struct spool_writer *w, int err)
{
    w->stopped = 1;
    const uint32_t kind = err == SPOOL_ERR_CAP ? SPOOL_EVENT_SPOOL_CAP : SPOOL_EVENT_DISK_FULL;
    const uint32_t code = err == SPOOL_ERR_CAP ? 0 : (uint32_t)err;
    spool_say_last(w, kind, code, 1);
    w->lost = spool_say_last(w, SPOOL_EVENT_DROPPED_BYTES, code, 0);
}

static void spool_count_drop(struct spool_writer *w, size_t len_bytes)
{
    if (w->lost) __atomic_store_n(&w->lost->count, w->lost->count + len_bytes, __ATOMIC_RELAXED);
    if (!w->cap) return;
    __atomic_add_fetch(&w->cap->dropped_bytes, len_bytes, __ATOMIC_RELAXED);
    __atomic_add_fetch(&w->cap->dropped_records, 1, __ATOMIC_RELAXED);
}

/* Move to the next chunk, or stop. */
static bool spool_advance(struct spool_writer *w)
{
    uint8_t *next;
    const int saved = errno;
    const int err = spool_take_chunk(w, &next);
    if (err != 0) {
        spool_stop(w, err);
    } else {
        spool_pad_and_leave(w);
        w->chunk = next;
        w->chunk_used_bytes = 0;
        w->chunks_len++;
    }
    errno = saved;
    return err == 0;
}

static bool spool_is_farewell(uint16_t type)
{
    return type == SPOOL_REC_EVENT || type == SPOOL_REC_THREAD_END || type == SPOOL_REC_BURST_END;
}

/* However many events and bursts say farewell, the thread's end still fits. */
static uint32_t spool_farewell_end(uint16_t type)
{
    return type == SPOOL_REC_THREAD_END ? SPOOL_CHUNK_BYTES
                                        : SPOOL_CHUNK_BYTES - (uint32_t)sizeof(struct spool_thread_end);
}

static bool spool_has_room(struct spool_writer *w, uint16_t type, size_t len_bytes)
{
    const uint32_t end = w->chunk_used_bytes + (uint32_t)len_bytes;
    if (w->stopped) return spool_is_farewell(type) && end <= spool_farewell_end(type);
    if (w->chunk_used_bytes + len_bytes <= SPOOL_CHUNK_BYTES - SPOOL_FAREWELL_BYTES) return true;
    return spool_advance(w) || spool_has_room(w, type, len_bytes);
}

void *spool_writer_reserve(struct spool_writer *w, uint16_t type, uint16_t flags, size_t len_bytes)
{
    const size_t len = (len_bytes + 7) & ~(size_t)7;
    /* exchanged, not looked at and set: a thread made by raw clone may share the writer of its maker */
    if (!w->chunk || len_bytes > SPOOL_REC_MAX_BYTES || __atomic_exchange_n(&w->busy, 1, __ATOMIC_ACQUIRE)) {
        spool_count_drop(w, len);
        return NULL;
    }
    if (!spool_has_room(w, type, len)) {
        __atomic_store_n(&w->busy, 0, __ATOMIC_RELEASE);
        spool_count_drop(w, len);
        return NULL;
    }
    w->pending = (struct spool_rec_header){.type = type, .flags = flags, .len_bytes = (uint32_t)len};
    return w->chunk + w->chunk_used_bytes;
}

void spool_writer_commit(struct spool_writer *w, void *rec)
{
    w->chunk_used_bytes += w->pending.len_bytes;
    spool_publish(rec, w->pending);
    __atomic_store_n(&w->busy, 0, __ATOMIC_RELEASE);
}

/* Low numbers are the program's; where its limit is low, as high as it goes. */
static long spool_copy_high(int fd)
{
    static const int floors[] = {SPOOL_FD_FLOOR, 200, 100, 50, 24, 10, 6};
    for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
        const long high = SPOOL_SYS(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floors[i]);
        if (high >= 0) return high;
    }
    return -1;
}

static int spool_create(int dirfd, const char *name)
{
    long fd;
    do
        fd = SPOOL_SYS(SYS_openat, dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (fd == -1 && errno == EINTR);
    if (fd < 0) return -1;
    const long high = spool_copy_high((int)fd);
    if (high < 0) return (int)fd;
    SPOOL_SYS(SYS_close, (int)fd);
    return (int)high;
}

static void spool_write_header(struct spool_writer *w, const struct spool_file_header *ids)
{
    struct spool_file_header h = *ids;
    h.version = SPOOL_VERSION;
    h.header_len_bytes = sizeof(h);
    h.chunk_len_bytes = SPOOL_CHUNK_BYTES;
    h.features = 0;
    h.realtime_ns = ls_clock_read_ns(CLOCK_REALTIME);
    h.mono_ns = ls_clock_mono_ns();
    h.tsc = ls_cpu_ticks();
    h.magic = 0;
    memcpy(w->chunk, &h, sizeof(h));
    __atomic_store_n((uint64_t *)w->chunk, SPOOL_MAGIC, __ATOMIC_RELEASE);
    w->chunk_used_bytes = sizeof(h);
    w->chunks_len = 1;
}

static int spool_open_first(struct spool_writer *w, int dirfd, const char *name)
{
    struct stat st;
    w->fd = spool_create(dirfd, name);
    if (w->fd < 0 || fstat(w->fd, &st) != 0) return errno;
    w->file_device = st.st_dev;
    w->file_inode = st.st_ino;
    return spool_take_chunk(w, &w->chunk);
}

int spool_writer_open(struct spool_writer *w, int dirfd, const char *name,
                      const struct spool_file_header *ids, struct spool_cap *cap)
{
    const int saved = errno;
    *w = (struct spool_writer){.fd = -1, .cap = cap};
    const int err = spool_open_first(w, dirfd, name);
    if (err == 0) {
        spool_write_header(w, ids);
    } else if (w->fd >= 0) {
        /* an empty file would look like damage */
        SPOOL_SYS(SYS_unlinkat, dirfd, name, 0);
        SPOOL_SYS(SYS_close, w->fd);
        w->fd = -1;
    }
    errno = saved;
    return err == SPOOL_ERR_CAP ? ENOSPC : err;
}

void spool_writer_close(struct spool_writer *w)
{
    const int saved = errno;
    const bool is_open = w->chunk != NULL;
    spool_unmap(w); /* before the cut: touching a mapped page behind the end is SIGBUS */
    if (is_open && spool_fd_is_ours(w)) {
        const uint64_t end = (uint64_t)(w->chunks_len - 1) * SPOOL_CHUNK_BYTES + w->chunk_used_bytes;
        if (SPOOL_SYS(SYS_ftruncate, w->fd, (off_t)end) == 0)
            spool_cap_give_back(w->cap, SPOOL_CHUNK_BYTES - w->chunk_used_bytes);
        SPOOL_SYS(SYS_close, w->fd);
    }
    *w = (struct spool_writer){.fd = -1, .cap = w->cap};
    errno = saved;
}

void spool_writer_disown(struct spool_writer *w)
{
    const int saved = errno;
    spool_unmap(w);
    if (spool_fd_is_ours(w)) SPOOL_SYS(SYS_close, w->fd);
    *w = (struct spool_writer){.fd = -1};
    errno = saved;
}
