/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of all threads: each stream is read back complete and in order, whatever its threads and the
 * system do. */
#include "config.h"

#include "spool/spool_dir.h"
#include "spool/spool_merge.h"
#include "spool/spool_reader.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 77, TID = 500 };

struct bed {
    struct spool_fixture f;
    int dirfd;
    struct spool_shared shared;
};

static void bed_open(struct bed *b)
{
    b->dirfd = open(b->f.spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    b->shared = (struct spool_shared){.dirfd = &b->dirfd, .cap = &b->f.cap, .ids.pid = PID, .fd = -1};
    assert_int_equal(spool_shared_open(&b->shared), 0);
}

static void bed_init(struct bed *b)
{
    *b = (struct bed){0};
    spool_fixture_init(&b->f);
    bed_open(b);
}

static void bed_close(struct bed *b)
{
    spool_shared_disown(&b->shared);
    close(b->dirfd);
}

static void bed_fini(struct bed *b)
{
    bed_close(b);
    spool_fixture_fini(&b->f);
}

static const char *bed_path(const struct bed *b, const char *name)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/p%u.0.%s", b->f.spool, PID, name);
    return path;
}

/* Record number of the stream that mark names. */
static bool put(struct spool_writer *w, uint64_t mark, uint64_t number)
{
    const struct spool_access a = {.ip = mark, .addr = number, .size_bytes = 8};
    return spool_put_access(w, 0, &a);
}

static bool put_large(struct spool_writer *w, uint64_t time_ns)
{
    static const char text[20000];
    return spool_put_maps(w, time_ns, SPOOL_MAPS_FIRST, (struct spool_text){text, sizeof(text)});
}

/* The records read back from one stream. */
struct seen {
    uint32_t tid;
    uint64_t mark, accesses, ends, maps;
    uint64_t reasons, lost_bytes;
    ls_err e;
};

static void look_at(struct seen *s, const struct spool_rec_header *rec)
{
    const struct spool_access *a = (const void *)rec;
    const struct spool_event *event = (const void *)rec;
    if (rec->type == SPOOL_REC_ACCESS) {
        if (s->accesses == 0) s->mark = a->ip;
        assert_int_equal(a->ip, s->mark); /* records of no other stream */
        assert_int_equal(a->addr, s->accesses++);
    }
    s->ends += rec->type == SPOOL_REC_THREAD_END;
    s->maps += rec->type == SPOOL_REC_MAPS;
    if (rec->type != SPOOL_REC_EVENT) return;
    if (event->kind == SPOOL_EVENT_DROPPED_BYTES) s->lost_bytes += event->count;
    s->reasons |= UINT64_C(1) << event->kind;
}

static struct seen read_stream(const struct spool_stream *stream)
{
    struct seen s = {.tid = stream->tid};
    const struct spool_rec_header *rec;
    spool_reader *r;
    s.e = spool_reader_open(stream, &r);
    if (s.e != LS_OK) return s;
    assert_int_equal(spool_reader_header(r)->tid, stream->tid);
    assert_int_equal(spool_reader_header(r)->pid, PID);
    while ((s.e = spool_reader_next(r, &rec)) == LS_OK && rec)
        look_at(&s, rec);
    spool_reader_free(r);
    return s;
}

/* All streams of the bed's directory, by tid; the caller frees them. */
static struct seen *read_all(const struct bed *b, size_t *out_len)
{
    spool_dir *dir;
    size_t images_len;
    if (spool_dir_open(b->f.spool, &dir) != LS_OK) fail_msg("%s", ls_last_error());
    const struct spool_image *image = spool_dir_images(dir, &images_len);
    struct seen *rows = calloc(image->streams.len + 1, sizeof(*rows));
    for (size_t i = 0; i < image->streams.len; i++)
        rows[i] = read_stream(&image->streams.rows[i]);
    *out_len = image->streams.len;
    spool_dir_free(dir);
    return rows;
}

enum { WORKERS = 8, STREAMS = 60 };
struct worker {
    struct bed *bed;
    uint32_t number;
    pthread_t thread;
};

/* Very short ones, some of a few chunks, some that move out. */
static uint64_t length_of(uint64_t mark)
{
    static const uint64_t lengths[] = {0, 1, 3, 700, 20, 1500, 2, 9000};
    return lengths[mark % 8] + mark % 5;
}

static void *write_streams(void *user)
{
    const struct worker *me = user;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    for (uint64_t i = 0; i < STREAMS; i++) {
        const uint64_t mark = me->number * STREAMS + i;
        if (spool_writer_join(&w, &me->bed->shared, TID + me->number) != 0) abort();
        for (uint64_t n = 0; n < length_of(mark); n++)
            if (!put(&w, mark, n)) abort();
        if (!spool_put_thread_end(&w, (struct spool_thread_end){.time_ns = mark, .cpu_ns = mark})) abort();
        spool_writer_close(&w);
    }
    return NULL;
}

static void many_concurrent_threads_are_read_back_complete(void **state)
{
    struct bed b;
    struct worker workers[WORKERS];
    size_t len;
    (void)state;
    bed_init(&b);
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.bed = &b, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, write_streams, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
    struct seen *rows = read_all(&b, &len);
    assert_int_equal(len, WORKERS * STREAMS);
    for (size_t i = 0; i < len; i++) { /* by tid, and of one tid in the order they began */
        assert_int_equal(rows[i].e, LS_OK);
        assert_int_equal(rows[i].tid, TID + i / STREAMS);
        assert_int_equal(rows[i].accesses, length_of(i));
        if (rows[i].accesses > 0) assert_int_equal(rows[i].mark, i);
        assert_int_equal(rows[i].ends, 1);
    }
    assert_int_equal(b.f.cap.dropped_records, 0);
    free(rows);
    bed_fini(&b);
}

static void a_chunk_is_used_by_one_thread_after_the_other(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    struct stat st;
    size_t len;
    (void)state;
    bed_init(&b);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0); /* the number is used again */
        put(&w, i, 0);
        assert_int_equal(spool_writer_fd(&w), -1);
        spool_writer_close(&w);
    }
    assert_int_equal(b.f.cap.used_bytes, SPOOL_SHARED_CHUNK_BYTES);
    assert_int_equal(stat(bed_path(&b, "t0.0"), &st), 0);
    assert_int_equal(st.st_size, SPOOL_SHARED_CHUNK_BYTES);
    struct seen *rows = read_all(&b, &len);
    assert_int_equal(len, 100);
    for (size_t i = 0; i < len; i++)
        assert_true(rows[i].e == LS_OK && rows[i].accesses == 1 && rows[i].mark == i);
    free(rows);
    spool_writer_disown(&w);
    bed_fini(&b);
}

static void a_thread_with_many_records_moves_to_its_own_file(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    size_t len;
    uint64_t n = 0;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0);
    while (spool_writer_fd(&w) < 0 && n < 5000)
        assert_true(put(&w, 1, n++));
    assert_int_equal(b.f.cap.used_bytes, SPOOL_SHARED_PIECES * SPOOL_SHARED_CHUNK_BYTES + SPOOL_CHUNK_BYTES);
    assert_in_range(n * sizeof(struct spool_access), 62000, 65536);
    assert_int_equal(access(bed_path(&b, "t500.0"), F_OK), 0);
    for (uint64_t more = 20000; more > 0; more--)
        assert_true(put(&w, 1, n++));
    spool_writer_close(&w);
    struct seen *rows = read_all(&b, &len);
    assert_int_equal(len, 1);
    assert_int_equal(rows[0].e, LS_OK);
    assert_int_equal(rows[0].accesses, n);
    free(rows);
    bed_fini(&b);
}

static void a_record_that_does_not_fit_moves_the_thread_to_its_own_file(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    size_t len;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0);
    put(&w, 1, 0);
    assert_true(put_large(&w, 5));
    assert_true(spool_writer_fd(&w) >= 0);
    put(&w, 1, 1);
    spool_writer_close(&w);
    const uint64_t used_bytes = b.f.cap.used_bytes;
    assert_int_equal(spool_writer_join(&w, &b.shared, TID + 1), 0); /* in the rest of the first one's chunk */
    put(&w, 2, 0);
    spool_writer_close(&w);
    assert_int_equal(b.f.cap.used_bytes, used_bytes);
    struct seen *rows = read_all(&b, &len);
    assert_int_equal(len, 2);
    assert_true(rows[0].e == LS_OK && rows[0].accesses == 2 && rows[0].maps == 1);
    assert_true(rows[1].e == LS_OK && rows[1].accesses == 1 && rows[1].mark == 2);
    free(rows);
    spool_writer_disown(&w);
    bed_fini(&b);
}

/* Two threads write until each is refused; accepted records are there, the others counted, the reason
 * recorded. */
static void write_until_refused(struct bed *b, enum spool_event_kind reason)
{
    struct spool_writer w[2] = {SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED};
    uint64_t accepted[2] = {0}, refused[2] = {0};
    size_t len;
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(spool_writer_join(&w[i], &b->shared, TID + i), 0);
    for (uint64_t n = 0; n < 60000; n++)
        for (uint32_t i = 0; i < 2; i++)
            *(put(&w[i], i, accepted[i]) ? &accepted[i] : &refused[i]) += 1;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t events = 0;
        while (spool_put_event(&w[i], (struct spool_event){.time_ns = 1, .kind = SPOOL_EVENT_TRACED}))
            events++;
        assert_in_range(events, 4, 20);
        assert_true(spool_put_resources(&w[i], (struct spool_resources){.time_ns = 1})); /* process */
        struct spool_exited *rec = spool_writer_reserve(&w[i], SPOOL_REC_EXITED, 0, sizeof(*rec));
        assert_non_null(rec);
        spool_writer_commit(&w[i], rec);
        assert_true(spool_put_thread_end(&w[i], (struct spool_thread_end){.time_ns = 1}));
        spool_writer_close(&w[i]);
    }
    assert_int_equal(b->f.cap.dropped_records, refused[0] + refused[1] + 2); /* and an event each */
    struct seen *rows = read_all(b, &len);
    assert_int_equal(len, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rows[i].e, LS_OK);
        assert_true(accepted[i] > 0 && refused[i] > 0);
        assert_int_equal(rows[i].accesses, accepted[i]);
        assert_int_equal(rows[i].lost_bytes,
                         refused[i] * sizeof(struct spool_access) + sizeof(struct spool_event));
        assert_int_equal(rows[i].ends, 1);
        assert_true(rows[i].reasons >> reason & 1);
    }
    free(rows);
}

static void size_cap_stops_each_thread_and_is_reported(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    (void)state;
    bed_init(&b);
    b.f.cap.limit_bytes = 3 * SPOOL_CHUNK_BYTES;
    write_until_refused(&b, SPOOL_EVENT_SPOOL_CAP);
    assert_int_equal(b.f.cap.cap_reached, 1);
    bed_fini(&b);

    bed_init(&b); /* too little for any own file: all of it is used in the shared one */
    b.f.cap.limit_bytes = 10 * SPOOL_SHARED_CHUNK_BYTES;
    write_until_refused(&b, SPOOL_EVENT_SPOOL_CAP);
    assert_int_equal(b.f.cap.used_bytes, b.f.cap.limit_bytes);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID + 9), ENOSPC); /* another thread finds no room */
    assert_false(put(&w, 0, 0));
    bed_fini(&b);
}

static void full_disk_stops_each_thread_and_is_reported(void **state)
{
    struct bed b = {0};
    (void)state;
    spool_fixture_init(&b.f);
    if (mount("none", b.f.spool, "tmpfs", 0, "size=1m") != 0) {
        spool_fixture_fini(&b.f);
        print_message("cannot mount a small tmpfs (%s): full disk not tested here\n", strerror(errno));
        skip();
    }
    bed_open(&b);
    write_until_refused(&b, SPOOL_EVENT_DISK_FULL);
    assert_int_equal(b.f.cap.disk_errno, ENOSPC);
    bed_close(&b);
    umount(b.f.spool);
    spool_fixture_fini(&b.f);
}

static void file_size_limit_never_kills(void **state)
{
    struct bed b;
    (void)state;
    bed_init(&b);
    fflush(stdout); /* or the child's exit writes it again */
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {3 * SPOOL_SHARED_CHUNK_BYTES + 100, 3 * SPOOL_SHARED_CHUNK_BYTES + 100};
        struct spool_writer w = SPOOL_WRITER_CLOSED;
        setrlimit(RLIMIT_FSIZE, &limit);
        bool good = spool_writer_join(&w, &b.shared, TID) == 0;
        for (uint64_t i = 0; i < 20000; i++)
            put(&w, 1, i);
        good &= b.f.cap.disk_errno == EFBIG && b.f.cap.dropped_records > 0 && b.shared.chunks_len == 3;
        spool_writer_close(&w);
        _exit(good ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    bed_fini(&b);
}

static void without_the_shared_descriptor_threads_have_their_own_files(void **state)
{
    struct bed b;
    struct spool_writer w[2] = {SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED};
    char path[400];
    struct stat st;
    size_t len;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w[0], &b.shared, TID), 0);
    snprintf(path, sizeof(path), "%s/theirs", b.f.root);
    fixture_write_file(path, "theirs", 6);
    const int theirs = open(path, O_RDWR | O_CLOEXEC), number = b.shared.fd;
    assert_int_equal(dup2(theirs, number), number); /* close and reuse */
    assert_int_equal(spool_writer_join(&w[1], &b.shared, TID + 1), 0);
    assert_true(spool_writer_fd(&w[1]) >= 0);
    for (uint64_t n = 0; n < 1000; n++)
        assert_true(put(&w[0], 0, n) && put(&w[1], 1, n));
    assert_true(spool_writer_fd(&w[0]) >= 0);
    spool_writer_close(&w[0]);
    spool_writer_close(&w[1]);
    spool_shared_disown(&b.shared); /* as a fork child does */
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 6);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(theirs);
    struct seen *rows = read_all(&b, &len);
    assert_int_equal(len, 2);
    for (size_t i = 0; i < len; i++)
        assert_true(rows[i].e == LS_OK && rows[i].accesses == 1000);
    free(rows);
    bed_fini(&b);
}

static void without_descriptors_a_thread_stays_in_the_shared_file(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    struct rlimit before;
    size_t len;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0);
    getrlimit(RLIMIT_NOFILE, &before);
    const struct rlimit none = {0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (uint64_t n = 0; n < 5000; n++)
        assert_true(put(&w, 1, n));
    assert_int_equal(spool_writer_fd(&w), -1);
    assert_false(put_large(&w, 5)); /* only this record is lost */
    assert_int_equal(b.f.cap.dropped_records, 1);
    assert_true(put(&w, 1, 5000));
    setrlimit(RLIMIT_NOFILE, &before);
    spool_writer_close(&w);
    struct seen *rows = read_all(&b, &len);
    assert_true(len == 1 && rows[0].e == LS_OK && rows[0].accesses == 5001);
    free(rows);
    spool_writer_disown(&w);
    bed_fini(&b);
}

static void fork_child_releases_files_without_harm(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    size_t len;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0);
    put(&w, 1, 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int number = b.shared.fd;
        spool_writer_disown(&w);
        spool_shared_disown(&b.shared);
        _exit(!put(&w, 1, 1) && fcntl(number, F_GETFD) < 0 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    put(&w, 1, 1);
    spool_writer_close(&w);
    struct seen *rows = read_all(&b, &len);
    assert_true(len == 1 && rows[0].e == LS_OK && rows[0].accesses == 2);
    free(rows);
    spool_writer_disown(&w);
    bed_fini(&b);
}

static void killed_threads_leave_a_readable_spool(void **state)
{
    struct bed b;
    uint64_t *written = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    size_t len, whole = 0;
    (void)state;
    bed_init(&b);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct spool_writer w = SPOOL_WRITER_CLOSED;
        for (uint64_t mark = 0;; mark++) {
            while (mark == 20000) /* the parent is kept from killing us: the disk shall not be full */
                pause();
            if (spool_writer_join(&w, &b.shared, TID) != 0) _exit(1);
            for (uint64_t n = 0; n < mark % 50; n++)
                put(&w, mark, n);
            spool_writer_close(&w);
            __atomic_store_n(written, mark + 1, __ATOMIC_RELEASE);
        }
    }
    int status;
    while (__atomic_load_n(written, __ATOMIC_ACQUIRE) < 2000) {
        assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* still writing */
        usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    struct seen *rows = read_all(&b, &len);
    assert_in_range(len, *written, *written + 1);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(rows[i].e, LS_OK);
        whole += rows[i].accesses == i % 50;
    }
    assert_in_range(whole, *written, len);
    free(rows);
    munmap(written, 4096);
    bed_fini(&b);
}

/* Three streams in turns, so that their pieces alternate; one of them moved out. */
static uint8_t *small_spool(size_t *out_len)
{
    struct bed b;
    struct spool_writer w[3] = {SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED};
    bed_init(&b);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(spool_writer_join(&w[i], &b.shared, TID + i), 0);
    for (uint64_t n = 0; n < 900; n++)
        for (uint32_t i = 0; i < 3; i++)
            if (n < 300 * (i + 1)) put(&w[i], i, n);
    for (uint32_t i = 0; i < 3; i++)
        spool_writer_close(&w[i]);
    assert_int_equal(spool_writer_join(&w[0], &b.shared, TID), 0);
    for (uint64_t n = 0; n < 50; n++)
        put(&w[0], 3, n);
    spool_writer_close(&w[0]);
    uint8_t *bytes = fixture_read_file(bed_path(&b, "t0.0"), out_len);
    for (uint32_t i = 0; i < 3; i++)
        spool_writer_disown(&w[i]);
    bed_fini(&b);
    return bytes;
}

struct totals {
    size_t streams, damaged;
    uint64_t accesses[4]; /* by mark */
};

/* Every outcome but a crash or a record of another stream is fine. */
static struct totals read_bytes(const uint8_t *bytes, size_t len)
{
    const struct spool_source source = {.path = "damaged", .bytes = bytes, .len_bytes = len};
    struct spool_streams streams = {0};
    struct totals t = {0};
    assert_int_equal(spool_streams_scan(&source, &streams), LS_OK);
    t.streams = streams.len;
    for (size_t i = 0; i < streams.len; i++) {
        const struct spool_rec_header *rec;
        spool_reader *r;
        ls_err e = spool_reader_open(&streams.rows[i], &r);
        const bool is_open = e == LS_OK;
        while (is_open && (e = spool_reader_next(r, &rec)) == LS_OK && rec) {
            const struct spool_access *a = (const void *)rec;
            if (rec->type == SPOOL_REC_ACCESS && a->ip < 4) t.accesses[a->ip]++;
        }
        if (is_open && e != LS_OK) assert_non_null(strstr(ls_last_error(), "damaged: byte "));
        if (is_open) spool_reader_free(r);
        t.damaged += e != LS_OK;
    }
    spool_streams_fini(&streams);
    return t;
}

static void truncation_anywhere_keeps_earlier_records(void **state)
{
    size_t len;
    uint8_t *bytes = small_spool(&len);
    struct totals before = {0};
    (void)state;
    const struct totals all = read_bytes(bytes, len);
    assert_int_equal(all.streams, 4);
    assert_int_equal(all.damaged, 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(all.accesses[i], 300 * (i + 1));
    assert_int_equal(all.accesses[3], 50);
    for (size_t cut = 0; cut < len; cut += 8) {
        uint8_t *part = malloc(cut + 1); /* exact size: a read beyond it is a fault under ASan */
        memcpy(part, bytes, cut);
        const struct totals t = read_bytes(part, cut);
        assert_true(t.damaged <=
                    (cut < 64 ? 1 : 2)); /* the one that was cut, and one whose next piece is gone */
        for (size_t i = 0; i < 4; i++)
            assert_true(t.accesses[i] >= before.accesses[i] && t.accesses[i] <= all.accesses[i]);
        before = t;
        free(part);
    }
    free(bytes);
}

static void flipped_bits_never_crash(void **state)
{
    size_t len, noticed = 0;
    uint8_t *bytes = small_spool(&len);
    (void)state;
    for (size_t bit = 0; bit < 8 * len; bit += 37) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const struct totals t = read_bytes(bytes, len);
        noticed += t.damaged > 0 || t.streams != 4;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(noticed > 100);
    free(bytes);
}

static void a_missing_piece_and_records_without_thread_are_damage(void **state)
{
    size_t len;
    uint8_t *bytes = small_spool(&len);
    (void)state;
    memset(bytes + SPOOL_SHARED_CHUNK_BYTES, 0,
           SPOOL_SHARED_CHUNK_BYTES); /* as if it had never been leased */
    assert_int_equal(read_bytes(bytes, len).damaged, 1);
    free(bytes);
    bytes = small_spool(&len);
    struct spool_piece *p = (void *)(bytes + SPOOL_SHARED_CHUNK_BYTES * 3);
    assert_int_equal(p->rec.type, SPOOL_REC_PIECE);
    assert_int_equal(p->sequence, 1);
    p->sequence = 2;
    assert_int_equal(read_bytes(bytes, len).damaged, 1);
    p->rec.type = SPOOL_REC_EVENT;
    const struct totals t = read_bytes(bytes, len);
    assert_int_equal(t.streams, 5);
    assert_int_equal(t.damaged, 1);
    free(bytes);
}

/* No reader treats a separate file as complete if its stream was not found. */
static void an_own_file_without_its_first_record_is_damage(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    size_t len;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0);
    for (uint64_t n = 0; spool_writer_fd(&w) < 0 && n < 5000; n++)
        put(&w, 1, n);
    spool_writer_close(&w);
    assert_int_equal(unlink(bed_path(&b, "t0.0")), 0);
    struct seen *rows = read_all(&b, &len);
    assert_int_equal(len, 1);
    assert_int_equal(rows[0].e, LS_ERR_FORMAT);
    assert_int_equal(rows[0].tid, TID);
    free(rows);
    bed_fini(&b);
}

static void streams_merge_in_time_order(void **state)
{
    struct bed b;
    struct spool_writer w[3] = {SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED};
    spool_dir *dir;
    spool_merge *m;
    size_t images_len;
    (void)state;
    bed_init(&b);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(spool_writer_join(&w[i], &b.shared, TID + i), 0);
    for (uint64_t i = 0; i < 9000; i++) /* all move out */
        assert_true(spool_put_event(&w[i * 7 % 3], (struct spool_event){.time_ns = 1000 + i, .count = i}));
    for (int i = 0; i < 3; i++)
        spool_writer_close(&w[i]);
    assert_int_equal(spool_dir_open(b.f.spool, &dir), LS_OK);
    assert_int_equal(spool_merge_new(spool_dir_images(dir, &images_len), 0, &m), LS_OK);
    for (uint64_t n = 0; n < 9000; n++) {
        const struct spool_item item = spool_merge_next(m);
        assert_int_equal(((const struct spool_event *)(const void *)item.rec)->count, n);
        assert_int_equal(item.stream, n * 7 % 3);
    }
    assert_null(spool_merge_next(m).rec);
    spool_merge_free(m);
    spool_dir_free(dir);
    bed_fini(&b);
}

static void a_record_is_located_in_its_file(void **state)
{
    struct bed b;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    (void)state;
    bed_init(&b);
    assert_int_equal(spool_writer_join(&w, &b.shared, TID), 0);
    for (uint64_t n = 0; n < 12000; n++) {
        struct spool_access *rec = spool_writer_reserve(&w, SPOOL_REC_ACCESS, 0, sizeof(*rec));
        uint64_t at, there = 0;
        rec->addr = n;
        spool_writer_commit(&w, rec);
        if (n % 100 != 0) continue;
        const int fd = spool_writer_locate(&w, &rec->addr, &at);
        assert_int_equal(pread(fd, &there, sizeof(there), (off_t)at), sizeof(there));
        assert_int_equal(there, n);
    }
    spool_writer_close(&w);
    bed_fini(&b);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_concurrent_threads_are_read_back_complete),
        cmocka_unit_test(a_chunk_is_used_by_one_thread_after_the_other),
        cmocka_unit_test(a_thread_with_many_records_moves_to_its_own_file),
        cmocka_unit_test(a_record_that_does_not_fit_moves_the_thread_to_its_own_file),
        cmocka_unit_test(size_cap_stops_each_thread_and_is_reported),
        cmocka_unit_test(full_disk_stops_each_thread_and_is_reported),
        cmocka_unit_test(file_size_limit_never_kills),
        cmocka_unit_test(without_the_shared_descriptor_threads_have_their_own_files),
        cmocka_unit_test(without_descriptors_a_thread_stays_in_the_shared_file),
        cmocka_unit_test(fork_child_releases_files_without_harm),
        cmocka_unit_test(killed_threads_leave_a_readable_spool),
        cmocka_unit_test(truncation_anywhere_keeps_earlier_records),
        cmocka_unit_test(flipped_bits_never_crash),
        cmocka_unit_test(a_missing_piece_and_records_without_thread_are_damage),
        cmocka_unit_test(an_own_file_without_its_first_record_is_damage),
        cmocka_unit_test(streams_merge_in_time_order),
        cmocka_unit_test(a_record_is_located_in_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
