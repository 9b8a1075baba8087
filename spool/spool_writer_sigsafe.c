/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_writer_sigsafe.h"

#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "spool/spool_put_sigsafe.h"

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

/* Programs expect small descriptor numbers in order, and close unknown descriptors from the bottom. */
enum { SPOOL_FD_FLOOR = 700 };

/* Beside errno values. CAP: the cap refused the chunk, not the file system. LARGE: there is room, but not for
 * this record. */
enum { SPOOL_ERR_CAP = -1, SPOOL_ERR_LARGE = -2 };

/* ROOM: the largest record of a shared chunk, which may be the first one. SPARE: a smaller rest of one is not
 * kept for the next stream. */
enum {
    SPOOL_SHARED_ROOM_BYTES = SPOOL_SHARED_CHUNK_BYTES - sizeof(struct spool_file_header) -
                              sizeof(struct spool_piece) - SPOOL_FAREWELL_BYTES,
    SPOOL_SPARE_MIN_BYTES = 1024,
};
_Static_assert(sizeof(struct spool_maps) + SPOOL_MAPS_PIECE_BYTES <= SPOOL_SHARED_ROOM_BYTES,
               "a piece of the memory map fits a shared chunk");

/* EINTR-safe. 0 or an errno. */
static int spool_pwrite(int fd, const uint8_t *data, size_t len_bytes, uint64_t offset_bytes)
{
    while (len_bytes > 0) {
        const long wrote = SPOOL_SYS(SYS_pwrite64, fd, data, len_bytes, (off_t)offset_bytes);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return wrote < 0 ? errno : ENOSPC;
        data += wrote;
        offset_bytes += (uint64_t)wrote;
        len_bytes -= (size_t)wrote;
    }
    return 0;
}

/* Allocate for real, by writing zeros, where the file system has no fallocate. */
static int spool_write_zeros(int fd, uint64_t offset_bytes, uint64_t len_bytes)
{
    static const uint8_t zeros[4096];
    while (len_bytes > 0) {
        const size_t want = len_bytes < sizeof(zeros) ? (size_t)len_bytes : sizeof(zeros);
        const int err = spool_pwrite(fd, zeros, want, offset_bytes);
        if (err != 0) return err;
        offset_bytes += want;
        len_bytes -= want;
    }
    return 0;
}

/* Check RLIMIT_FSIZE first, because growing a file beyond it raises SIGXFSZ, which kills the program. */
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

/* The program may have closed our descriptor and opened its own file under the same number: never touch that. */
static bool spool_fd_is(int fd, uint64_t device, uint64_t inode)
{
    struct stat st;
    return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

static bool spool_fd_is_ours(const struct spool_writer *w)
{
    return spool_fd_is(w->fd, w->file_device, w->file_inode);
}

static bool spool_shared_is_ours(const struct spool_shared *s)
{
    return spool_fd_is(s->fd, s->file_device, s->file_inode);
}

static bool spool_cap_take(struct spool_cap *cap, uint64_t len_bytes)
{
    const uint64_t used = __atomic_add_fetch(&cap->used_bytes, len_bytes, __ATOMIC_RELAXED);
    if (cap->limit_bytes == 0 || used <= cap->limit_bytes) return true;
    __atomic_sub_fetch(&cap->used_bytes, len_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&cap->cap_reached, 1, __ATOMIC_RELAXED);
    return false;
}

static void spool_cap_give_back(struct spool_cap *cap, uint64_t len_bytes)
{
    __atomic_sub_fetch(&cap->used_bytes, len_bytes, __ATOMIC_RELAXED);
}

/* Allocate and map out->len_bytes at out->offset_bytes of the file. 0 or an errno. */
static int spool_map(int fd, struct spool_chunk *out)
{
    const int err = spool_allocate(fd, out->offset_bytes, out->len_bytes);
    if (err != 0) return err;
    const long at = SPOOL_SYS(SYS_mmap, NULL, (size_t)out->len_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                              (off_t)out->offset_bytes);
    if (at == -1) return errno;
    out->at = (uint8_t *)at;
    return 0;
}

/* Take *out, whose place and length are set, from the cap and from the file. 0, an errno or SPOOL_ERR_CAP. */
static int spool_take_chunk(struct spool_cap *cap, int fd, bool is_ours, struct spool_chunk *out)
{
    if (!spool_cap_take(cap, out->len_bytes)) return SPOOL_ERR_CAP;
    const int err = is_ours ? spool_map(fd, out) : EBADF;
    if (err == 0) return 0;
    spool_cap_give_back(cap, out->len_bytes);
    __atomic_store_n(&cap->disk_errno, (uint32_t)err, __ATOMIC_RELAXED);
    return err;
}

static void spool_publish(void *rec, struct spool_rec_header header)
{
    uint64_t word;
    memcpy(&word, &header, sizeof(word));
    __atomic_store_n((uint64_t *)rec, word, __ATOMIC_RELEASE);
}

static void spool_unmap(struct spool_chunk *c)
{
    if (c->at) SPOOL_SYS(SYS_munmap, c->at, (size_t)c->len_bytes);
    *c = (struct spool_chunk){0};
}

/* Keep the rest of a shared chunk, which is zero, so that another stream can begin there. */
static void spool_spare_or_unmap(struct spool_writer *w)
{
    if (!w->stopped && w->chunk.len_bytes - w->chunk.used_bytes >= SPOOL_SPARE_MIN_BYTES) {
        spool_unmap(&w->spare);
        w->spare = w->chunk;
        w->chunk = (struct spool_chunk){0};
    }
    spool_unmap(&w->chunk);
}

/* Leave the current chunk, if there is one. */
static void spool_leave_chunk(struct spool_writer *w)
{
    struct spool_chunk *const c = &w->chunk;
    if (!c->at) return;
    if (c->len_bytes == SPOOL_SHARED_CHUNK_BYTES) {
        spool_spare_or_unmap(w);
        return;
    }
    const uint32_t left = c->len_bytes - c->used_bytes;
    if (left > 0)
        spool_publish(c->at + c->used_bytes,
                      (struct spool_rec_header){.type = SPOOL_REC_PAD, .len_bytes = left});
    spool_unmap(c);
}

static void spool_put_piece(struct spool_writer *w)
{
    struct spool_piece *p = (struct spool_piece *)(void *)(w->chunk.at + w->chunk.used_bytes);
    p->tid = w->tid;
    p->stream = w->stream;
    p->sequence = w->pieces_len++;
    w->chunk.used_bytes += sizeof(*p);
    spool_publish(p, (struct spool_rec_header){.type = SPOOL_REC_PIECE, .len_bytes = sizeof(*p)});
}

/* Take the next chunk of the shared file. If it cannot be allocated, its number is returned if it is still
 * the last one, so that a file without room does not become one large hole. */
static int spool_lease(struct spool_shared *s, struct spool_chunk *out)
{
    if (s->fd < 0) return EBADF;
    const uint32_t number = __atomic_fetch_add(&s->chunks_len, 1, __ATOMIC_RELAXED);
    *out = (struct spool_chunk){.offset_bytes = (uint64_t)number * SPOOL_SHARED_CHUNK_BYTES,
                                .used_bytes = number == 0 ? sizeof(struct spool_file_header) : 0,
                                .len_bytes = SPOOL_SHARED_CHUNK_BYTES};
    const int err = spool_take_chunk(s->cap, s->fd, spool_shared_is_ours(s), out);
    uint32_t last = number + 1;
    if (err != 0)
        __atomic_compare_exchange_n(&s->chunks_len, &last, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return err;
}

/* Continue in another piece of the shared file. */
static int spool_go_on_shared(struct spool_writer *w)
{
    struct spool_chunk next = w->pieces_len == 0 ? w->spare : (struct spool_chunk){0};
    if (next.at) {
        w->spare = (struct spool_chunk){0};
    } else {
        const int err = spool_lease(w->shared, &next);
        if (err != 0) return err;
    }
    spool_leave_chunk(w);
    w->chunk = next;
    spool_put_piece(w);
    return 0;
}

/* Move the descriptor to a high number, because programs use the low ones; with a low limit, to the highest
 * possible one. */
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

/* Remove the empty file, which would look damaged. */
static void spool_remove(int dirfd, const char *name, int fd)
{
    SPOOL_SYS(SYS_unlinkat, dirfd, name, 0);
    SPOOL_SYS(SYS_close, fd);
}

/* Write the header without its magic. */
static struct spool_file_header spool_header_of(const struct spool_file_header *ids, uint32_t chunk_len_bytes)
{
    struct spool_file_header h = *ids;
    h.version = SPOOL_VERSION;
    h.header_len_bytes = sizeof(h);
    h.chunk_len_bytes = chunk_len_bytes;
    h.features = 0;
    h.realtime_ns = ls_clock_read_ns(CLOCK_REALTIME);
    h.mono_ns = ls_clock_mono_ns();
    h.tsc = ls_cpu_ticks();
    h.magic = 0;
    return h;
}

/* Create the own file and its first chunk. */
struct spool_file {
    int fd;
    uint64_t device, inode;
    struct spool_chunk chunk;
};

static int spool_file_open(struct spool_cap *cap, int dirfd, const char *name, struct spool_file *out)
{
    struct stat st;
    int err = 0;
    *out = (struct spool_file){.fd = spool_create(dirfd, name), .chunk.len_bytes = SPOOL_CHUNK_BYTES};
    if (out->fd < 0) return errno;
    if (fstat(out->fd, &st) != 0) err = errno;
    if (err == 0) err = spool_take_chunk(cap, out->fd, true, &out->chunk);
    if (err != 0) {
        spool_remove(dirfd, name, out->fd);
        return err;
    }
    out->device = st.st_dev;
    out->inode = st.st_ino;
    return 0;
}

/* Continue in the file, which becomes valid when its magic is written. */
static void spool_go_on_in(struct spool_writer *w, const struct spool_file *f,
                           const struct spool_file_header *ids)
{
    const struct spool_file_header h = spool_header_of(ids, SPOOL_CHUNK_BYTES);
    spool_leave_chunk(w);
    w->chunk = f->chunk;
    w->file_device = f->device;
    w->file_inode = f->inode;
    memcpy(w->chunk.at, &h, sizeof(h));
    w->chunk.used_bytes = sizeof(h);
    if (w->shared) spool_put_piece(w);
    w->fd = f->fd;
    if (w->shared && w->shared->guard) w->shared->guard(&w->fd);
    __atomic_store_n((uint64_t *)(void *)w->chunk.at, SPOOL_MAGIC, __ATOMIC_RELEASE);
}

static char *spool_add_number(char *at, uint32_t number)
{
    char digits[10];
    size_t len = 0;
    do
        digits[len++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (len > 0)
        *at++ = digits[--len];
    return at;
}

void spool_file_name(char out[SPOOL_NAME_BYTES], struct spool_name name)
{
    *out = 'p';
    char *end = spool_add_number(out + 1, name.pid);
    *end = '.';
    end = spool_add_number(end + 1, name.image);
    memcpy(end, ".t", 2);
    end = spool_add_number(end + 2, name.tid);
    *end = '.';
    *spool_add_number(end + 1, name.stream) = '\0';
}

/* Continue in a separate file of this stream. */
static int spool_go_on_alone(struct spool_writer *w)
{
    const struct spool_file_header *of = &w->shared->ids;
    char name[SPOOL_NAME_BYTES];
    spool_file_name(name, (struct spool_name){of->pid, of->image, w->tid, w->stream});
    struct spool_file f;
    const int err = spool_file_open(w->cap, *w->shared->dirfd, name, &f);
    if (err != 0) return err;
    struct spool_file_header ids = w->shared->ids;
    ids.tid = w->tid;
    spool_go_on_in(w, &f, &ids);
    return 0;
}

/* Take the next chunk of the own file. */
static int spool_go_on_own(struct spool_writer *w)
{
    struct spool_chunk next = {.offset_bytes = w->chunk.offset_bytes + SPOOL_CHUNK_BYTES,
                               .len_bytes = SPOOL_CHUNK_BYTES};
    const int err = spool_take_chunk(w->cap, w->fd, spool_fd_is_ours(w), &next);
    if (err != 0) return err;
    spool_leave_chunk(w);
    w->chunk = next;
    return 0;
}

/* Get room for a record of len_bytes: 0, an errno or SPOOL_ERR_*. If one file refuses, the other is tried:
 * the program may have reused the descriptor of the shared one; an own one may find no free descriptor, or no
 * permission after setuid. */
static int spool_go_on(struct spool_writer *w, size_t len_bytes)
{
    if (w->fd >= 0) return spool_go_on_own(w);
    const bool fits = len_bytes <= SPOOL_SHARED_ROOM_BYTES, is_short = w->pieces_len < SPOOL_SHARED_PIECES;
    int err = fits && is_short ? spool_go_on_shared(w) : 0;
    if (fits && is_short && (err == 0 || err == SPOOL_ERR_CAP)) return err;
    const bool may_go = !fits || !w->shared->has_room || w->shared->has_room(false);
    const int alone_err = may_go ? spool_go_on_alone(w) : EMFILE;
    if (alone_err == 0 || (fits && is_short)) return alone_err;
    if (fits) return spool_go_on_shared(w);
    return alone_err == SPOOL_ERR_CAP || alone_err == ENOSPC ? alone_err : SPOOL_ERR_LARGE;
}

static struct spool_event *spool_say_last(struct spool_writer *w, uint32_t kind, uint32_t detail_errno,
                                          uint64_t count)
{
    struct spool_event *e = (struct spool_event *)(void *)(w->chunk.at + w->chunk.used_bytes);
    e->time_ns = ls_clock_mono_ns();
    e->kind = kind;
    e->detail_errno = detail_errno;
    e->count = count;
    w->chunk.used_bytes += sizeof(*e);
    spool_publish(e, (struct spool_rec_header){.type = SPOOL_REC_EVENT, .len_bytes = sizeof(*e)});
    return e;
}

/* No next chunk: report the reason in the room reserved for it. */
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

/* Move to the next chunk, or stop; false: only this record finds no room. */
static bool spool_advance(struct spool_writer *w, size_t len_bytes)
{
    const int saved = errno;
    const int err = spool_go_on(w, len_bytes);
    if (err != 0 && err != SPOOL_ERR_LARGE) spool_stop(w, err);
    errno = saved;
    return err != SPOOL_ERR_LARGE;
}

/* Return the bytes reserved for the records that follow a record of this type when the thread and the process
 * end, so that they fit after any number of events and ends of bursts; UINT32_MAX: the type is not a final
 * record. */
static uint32_t spool_farewell_keeps(uint16_t type)
{
    const uint32_t after_exited = sizeof(struct spool_thread_end);
    const uint32_t after_resources = after_exited + sizeof(struct spool_exited);
    switch (type) {
    case SPOOL_REC_THREAD_END:
        return 0;
    case SPOOL_REC_EXITED:
        return after_exited;
    case SPOOL_REC_RESOURCES:
        return after_resources;
    case SPOOL_REC_EVENT:
    case SPOOL_REC_BURST_END:
        return after_resources + sizeof(struct spool_resources);
    default:
        return UINT32_MAX;
    }
}

static bool spool_fits_farewell(const struct spool_writer *w, uint16_t type, uint32_t end)
{
    const uint32_t keeps = spool_farewell_keeps(type);
    return keeps != UINT32_MAX && end + keeps <= w->chunk.len_bytes;
}

static bool spool_make_room(struct spool_writer *w, uint16_t type, size_t len_bytes)
{
    for (;;) {
        const uint32_t end = w->chunk.used_bytes + (uint32_t)len_bytes;
        if (w->stopped) return spool_fits_farewell(w, type, end);
        if (end <= w->chunk.len_bytes - SPOOL_FAREWELL_BYTES) return true;
        if (!spool_advance(w, len_bytes)) return false;
    }
}

void *spool_writer_reserve(struct spool_writer *w, uint16_t type, uint16_t flags, size_t len_bytes)
{
    const size_t len = (len_bytes + 7) & ~(size_t)7;
    /* an atomic exchange: a thread made by raw clone may share the writer of its creator */
    if (!w->chunk.at || len_bytes > SPOOL_REC_MAX_BYTES ||
        __atomic_exchange_n(&w->busy, 1, __ATOMIC_ACQUIRE)) {
        spool_count_drop(w, len);
        return NULL;
    }
    if (!spool_make_room(w, type, len)) {
        __atomic_store_n(&w->busy, 0, __ATOMIC_RELEASE);
        spool_count_drop(w, len);
        return NULL;
    }
    w->pending = (struct spool_rec_header){.type = type, .flags = flags, .len_bytes = (uint32_t)len};
    return w->chunk.at + w->chunk.used_bytes;
}

void spool_writer_commit(struct spool_writer *w, void *rec)
{
    w->chunk.used_bytes += w->pending.len_bytes;
    spool_publish(rec, w->pending);
    __atomic_store_n(&w->busy, 0, __ATOMIC_RELEASE);
}

int spool_writer_locate(const struct spool_writer *w, const void *rec, uint64_t *out_at_bytes)
{
    const int saved = errno;
    const bool is_ours = w->fd >= 0 ? spool_fd_is_ours(w) : w->shared && spool_shared_is_ours(w->shared);
    errno = saved;
    *out_at_bytes = w->chunk.offset_bytes + (uint64_t)((const uint8_t *)rec - w->chunk.at);
    if (!is_ours) return -1;
    return w->fd >= 0 ? w->fd : w->shared->fd;
}

/* The bytes are in the mapping too, which is of the same pages. */
bool spool_writer_write(const struct spool_writer *w, const void *at, const void *data, size_t len_bytes)
{
    uint64_t at_bytes;
    const int saved = errno;
    const int fd = spool_writer_locate(w, at, &at_bytes);
    const bool is_written = fd >= 0 && spool_fits_size_limit(at_bytes + len_bytes) &&
                            spool_pwrite(fd, data, len_bytes, at_bytes) == 0;
    errno = saved;
    return is_written;
}

static int spool_shared_create(struct spool_shared *s)
{
    char name[SPOOL_NAME_BYTES];
    spool_file_name(name, (struct spool_name){.pid = s->ids.pid, .image = s->ids.image});
    struct stat st;
    struct spool_file_header h = spool_header_of(&s->ids, SPOOL_SHARED_CHUNK_BYTES);
    h.tid = 0;
    h.magic = SPOOL_MAGIC;
    const int fd = spool_create(*s->dirfd, name);
    if (fd < 0) return errno;
    int err = spool_fits_size_limit(sizeof(h)) ? 0 : EFBIG;
    errno = ENOSPC; /* error to return for a short write */
    if (err == 0 && SPOOL_SYS(SYS_pwrite64, fd, &h, sizeof(h), (off_t)0) != (long)sizeof(h)) err = errno;
    if (err == 0 && fstat(fd, &st) != 0) err = errno;
    if (err != 0) {
        spool_remove(*s->dirfd, name, fd);
        return err;
    }
    s->file_device = st.st_dev;
    s->file_inode = st.st_ino;
    s->fd = fd;
    return 0;
}

int spool_shared_open(struct spool_shared *s)
{
    const int saved = errno;
    const int err = spool_shared_create(s);
    errno = saved;
    return err;
}

void spool_shared_disown(struct spool_shared *s)
{
    const int saved = errno;
    if (spool_shared_is_ours(s)) SPOOL_SYS(SYS_close, s->fd);
    s->fd = -1;
    s->chunks_len = s->streams_len = 0;
    errno = saved;
}

int spool_writer_open(struct spool_writer *w, int dirfd, const char *name,
                      const struct spool_file_header *ids, struct spool_cap *cap)
{
    const int saved = errno;
    struct spool_file f;
    *w = (struct spool_writer){.fd = -1, .cap = cap};
    const int err = spool_file_open(cap, dirfd, name, &f);
    if (err == 0) spool_go_on_in(w, &f, ids);
    errno = saved;
    return err == SPOOL_ERR_CAP ? ENOSPC : err;
}

int spool_writer_join(struct spool_writer *w, struct spool_shared *s, uint32_t tid)
{
    const int saved = errno;
    *w = (struct spool_writer){.fd = -1,
                               .cap = s->cap,
                               .shared = s,
                               .spare = w->spare,
                               .tid = tid,
                               .stream = __atomic_fetch_add(&s->streams_len, 1, __ATOMIC_RELAXED)};
    const int err = spool_go_on(w, 0);
    errno = saved;
    return err == SPOOL_ERR_CAP ? ENOSPC : err;
}

static void spool_close_own_file(struct spool_writer *w)
{
    const uint64_t end = w->chunk.offset_bytes + w->chunk.used_bytes;
    const uint32_t left = w->chunk.len_bytes - w->chunk.used_bytes;
    spool_unmap(&w->chunk); /* before the truncation: touching a mapped page after the end is SIGBUS */
    if (!spool_fd_is_ours(w)) return;
    if (SPOOL_SYS(SYS_ftruncate, w->fd, (off_t)end) == 0) spool_cap_give_back(w->cap, left);
    SPOOL_SYS(SYS_close, w->fd);
}

void spool_writer_close(struct spool_writer *w)
{
    const int saved = errno;
    if (w->fd >= 0)
        spool_close_own_file(w);
    else if (w->busy) /* a record is half-written there */
        spool_unmap(&w->chunk);
    else if (w->chunk.at)
        spool_spare_or_unmap(w);
    *w = (struct spool_writer){.fd = -1, .cap = w->cap, .spare = w->spare};
    errno = saved;
}

void spool_writer_disown(struct spool_writer *w)
{
    const int saved = errno;
    spool_unmap(&w->chunk);
    spool_unmap(&w->spare);
    if (spool_fd_is_ours(w)) SPOOL_SYS(SYS_close, w->fd);
    *w = (struct spool_writer){.fd = -1};
    errno = saved;
}
