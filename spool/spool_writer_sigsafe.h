/* SPDX-License-Identifier: BSD-3-Clause */
/* The one way into a spool: one writer a thread, wait-free, no malloc, no stdio, no locks.
 * A writer is a plain struct the caller keeps (in its thread's block); all zero but fd = -1 is a closed one
 * (SPOOL_WRITER_CLOSED). */
#ifndef SPOOL_WRITER_SIGSAFE_H
#define SPOOL_WRITER_SIGSAFE_H

#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by all writers of a process: the size cap and counts of lost records. Zero it, then set limit_bytes
 * (0: no cap). All fields but limit_bytes are changed by relaxed atomics; read them with __atomic_load_n. */
struct spool_cap {
    uint64_t limit_bytes;
    uint64_t used_bytes;    /* chunks held by files */
    uint64_t dropped_bytes; /* records that found no room */
    uint64_t dropped_records;
    uint32_t cap_reached; /* 1: a chunk was refused by limit_bytes */
    uint32_t disk_errno;  /* last errno of a chunk that the file system refused */
};

/* Space kept free at the end of every chunk, so that a thread that gets no further chunk can still report it
 * and write its final records and those for the process. */
#define SPOOL_FAREWELL_BYTES 512u

/* The file of all threads, from which writers lease chunks. */
struct spool_shared {
    const int *dirfd;                 /* directory of all files; the number may change */
    void (*guard)(int *fd);           /* called with the descriptor of each own file; NULL: no call */
    bool (*has_room)(bool is_needed); /* may there be another own file for short records? NULL: always */
    struct spool_cap *cap;            /* borrowed */
    struct spool_file_header ids;     /* pid, parent_pid and image of all files */
    int fd;                           /* -1: no shared file, each thread has its own file */
    uint32_t chunks_len;              /* atomic: leased so far */
    uint32_t streams_len;             /* atomic: begun so far */
    uint64_t file_device, file_inode;
};

/* A mapped chunk of a file. */
struct spool_chunk {
    uint8_t *at; /* NULL: none */
    uint64_t offset_bytes;
    uint32_t used_bytes, len_bytes;
};

struct spool_writer {
    struct spool_chunk chunk; /* at NULL: closed */
    struct spool_chunk spare; /* in the shared file: rest of a chunk of an ended stream, for the next one */
    struct spool_cap *cap;
    struct spool_shared *shared;     /* NULL: a file without other threads */
    struct spool_event *lost;        /* DROPPED_BYTES in the last chunk: its count continues to grow */
    struct spool_rec_header pending; /* header of the reserved record */
    int fd;                          /* descriptor of the own file; -1: none */
    uint32_t tid, stream;
    uint32_t pieces_len;      /* PIECE records of the stream so far */
    volatile uint8_t busy;    /* a record is reserved and not committed */
    volatile uint8_t stopped; /* no room any more: all records but the farewell are dropped */
    uint64_t file_device, file_inode;
};
#define SPOOL_WRITER_CLOSED \
    {                       \
        .fd = -1            \
    }

/* Signal: safe. */
void spool_file_name(char out[SPOOL_NAME_BYTES], struct spool_name name);

/* Create the file of all threads of process and image ids in *s->dirfd, and write its header; dirfd, guard, cap and
 * ids are set, fd is -1. Returns 0 or an errno; then fd stays -1, and each thread gets a separate file.
 * Errors: EEXIST: there is such a file; another image of the process wrote it, if the directory is its spool.
 * Thread: one, before any writer uses s.  Signal: safe; errno is kept. */
int spool_shared_open(struct spool_shared *s);
/* Release the parent's file in a fork child, after all writers of s have done so. Signal: safe; errno is
 * kept. */
void spool_shared_disown(struct spool_shared *s);

/* Create the file name (must not exist) in dirfd and write its header: ids gives pid, tid, parent_pid and
 * image, the rest is filled in. The descriptor is close-on-exec and moved out of the program's way where the
 * limits allow. Returns 0 or an errno; then w is closed, and only counts in cap remain.
 * Owns:   w borrows cap, which must outlive it.
 * Errors: ENOSPC also when the cap is reached (then cap->cap_reached is 1).
 * Thread: the owner of w.  Signal: safe; errno is kept. */
int spool_writer_open(struct spool_writer *w, int dirfd, const char *name,
                      const struct spool_file_header *ids, struct spool_cap *cap);

/* Begin the stream of thread tid in s: a piece of the shared file as long as it is short, then a separate
 * file; also at once where the shared file has no room, and for records that are too large
 * for it. A closed w keeps the rest of the last stream's chunk, and continues there. Returns 0 or an errno,
 * as above.
 * Thread: the owner of w.  Signal: safe; errno is kept. */
int spool_writer_join(struct spool_writer *w, struct spool_shared *s, uint32_t tid);

/* Reserve room for a record of len_bytes (header included, rounded up to 8; the room is all zero). Fill in
 * the part after the rec_header, then commit. NULL: dropped and counted (no room; or w has an uncommitted
 * record, which happens when a handler interrupts its own thread between reserve and commit).
 * Thread: the owner of w.  Signal: safe; errno is kept. */
void *spool_writer_reserve(struct spool_writer *w, uint16_t type, uint16_t flags, size_t len_bytes);

/* Write len_bytes of data to `at` in the reserved record by a system call, which costs less than the page faults of a copy
 * to the mapping when there are many bytes. False: nothing can be written that way; the caller copies.
 * Thread: the owner of w.  Signal: safe; errno is kept. */
enum { SPOOL_WRITE_LEAST_BYTES = 16384 };
bool spool_writer_write(const struct spool_writer *w, const void *at, const void *data, size_t len_bytes);

/* Make the reserved record visible: one release store of its header.
 * Thread: the owner of w.  Signal: safe. */
void spool_writer_commit(struct spool_writer *w, void *rec);

/* The descriptor of the own file, so that hooks of close can spare it; -1: none. */
static inline int spool_writer_fd(const struct spool_writer *w)
{
    return w->fd;
}

static inline bool spool_writer_is_open(const struct spool_writer *w)
{
    return w->chunk.at != NULL;
}

/* Locate rec, the record that is reserved or was committed last, in its file, to map it separately. Returns the descriptor
 * of the file; -1: it is no longer ours.
 * Thread: the owner of w.  Signal: safe; errno is kept. */
int spool_writer_locate(const struct spool_writer *w, const void *rec, uint64_t *out_at_bytes);

/* End the stream: an own file is truncated to the written bytes and closed.
 * Thread: the owner of w.  Signal: safe; errno is kept. */
void spool_writer_close(struct spool_writer *w);

/* Release the parent's files in a fork child without changing them. The mapping stays valid until this call,
 * so a handler between fork and this call does no harm, but must not write. Do not call it in a vfork child,
 * which shares the parent's memory. Thread: any, when no other uses w. Signal: safe; errno is kept. */
void spool_writer_disown(struct spool_writer *w);

#endif
