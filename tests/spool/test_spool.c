/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer to reader: everything is read back, however the writer ended. */
#include "config.h"

#include "spool/spool_dir.h"
#include "spool/spool_merge.h"
#include "spool/spool_reader.h"
#include "spool/spool_record.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <errno.h>
#include <fcntl.h>
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

enum { PID = 77 };

static spool_reader *open_reader(const char *path)
{
    struct spool_stream stream;
    spool_reader *r;
    if (spool_stream_of_file(path, &stream) != LS_OK || spool_reader_open(&stream, &r) != LS_OK)
        fail_msg("%s", ls_last_error());
    return r;
}

static const struct spool_rec_header *next(spool_reader *r)
{
    const struct spool_rec_header *rec;
    if (spool_reader_next(r, &rec) != LS_OK) fail_msg("%s", ls_last_error());
    return rec;
}

static bool put_access(struct spool_writer *w, uint64_t number)
{
    const struct spool_access a = {.ip = number, .addr = ~number, .size_bytes = 8};
    return spool_put_access(w, SPOOL_ACCESS_LATENCY_VALID, &a);
}

/* Accesses 0, 1, 2 ... from here on; how many. */
static uint64_t count_accesses(spool_reader *r)
{
    uint64_t n = 0;
    for (const struct spool_rec_header *rec; (rec = next(r)) != NULL;) {
        if (rec->type != SPOOL_REC_ACCESS) continue;
        const struct spool_access *a = (const void *)rec;
        assert_int_equal(a->ip, n);
        assert_int_equal(a->addr, ~n);
        n++;
    }
    return n;
}

static void strings_and_fields_are_read_back(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    (void)state;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 2, PID + 1);
    const struct spool_process_texts texts = {"step", "perf", "why not", "/bin/exe", "/cwd", {"a b", 3}};
    assert_true(spool_put_process(&w, (struct spool_process){.time_ns = 5, .pid = PID}, &texts));
    assert_true(spool_put_thread_begin(&w, (struct spool_thread_begin){.time_ns = 6}, "a thread"));
    const uint64_t frames[] = {1, 2, 3};
    assert_true(spool_put_alloc(&w, (struct spool_alloc){.time_ns = 7, .base = 16, .frames_len = 3},
                                SPOOL_ALLOC_CALLOC, frames));
    assert_true(
        spool_put_node(&w, SPOOL_REC_NODE_ADD, (struct spool_node){.time_ns = 8, .node = 1}, "label"));
    assert_true(spool_put_mmap(&w, (struct spool_mmap){.time_ns = 9, .base = 4096}, "/file"));
    assert_true(spool_put_phase(&w, 10, true, "phase"));
    spool_writer_close(&w);
    spool_reader *r = open_reader(spool_fixture_path(&f, PID, 2, PID + 1));
    assert_int_equal(spool_reader_header(r)->pid, PID);
    assert_int_equal(spool_reader_header(r)->image, 2);
    assert_int_equal(spool_reader_header(r)->tid, PID + 1);
    const struct spool_process *p = (const void *)next(r);
    assert_int_equal(p->rec.type, SPOOL_REC_PROCESS);
    assert_memory_equal(SPOOL_REC_TAIL(p), "stepperfwhy not/bin/exea b/cwd", 30);
    const struct spool_thread_begin *t = (const void *)next(r);
    assert_memory_equal(SPOOL_REC_TAIL(t), "a thread", t->name_len);
    const struct spool_alloc *a = (const void *)next(r);
    assert_int_equal(a->rec.flags, SPOOL_ALLOC_CALLOC);
    assert_memory_equal(SPOOL_REC_TAIL(a), frames, sizeof(frames));
    const struct spool_node *n = (const void *)next(r);
    assert_memory_equal(SPOOL_REC_TAIL(n), "label", n->label_len);
    const struct spool_mmap *m = (const void *)next(r);
    assert_int_equal(m->base, 4096);
    assert_memory_equal(SPOOL_REC_TAIL(m), "/file", m->path_len);
    const struct spool_phase *ph = (const void *)next(r);
    assert_int_equal(ph->rec.flags, SPOOL_PHASE_BEGIN);
    assert_null(next(r));
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

static void records_fill_many_chunks_without_a_gap(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    enum { N = 50000 };
    (void)state;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    errno = 1234;
    for (uint64_t i = 0; i < N; i++)
        assert_true(put_access(&w, i));
    assert_int_equal(errno, 1234);
    assert_true(f.cap.used_bytes >= N * sizeof(struct spool_access));
    assert_true(fcntl(spool_writer_fd(&w), F_GETFD) & FD_CLOEXEC);
    spool_writer_close(&w);
    assert_int_equal(spool_writer_fd(&w), -1);
    struct stat st;
    assert_int_equal(stat(spool_fixture_path(&f, PID, 0, PID), &st), 0);
    assert_int_equal(f.cap.used_bytes, st.st_size);
    spool_reader *r = open_reader(spool_fixture_path(&f, PID, 0, PID));
    assert_int_equal(count_accesses(r), N);
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

static void record_of_an_interrupting_handler_is_dropped(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    (void)state;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    struct spool_access *rec = spool_writer_reserve(&w, SPOOL_REC_ACCESS, 0, sizeof(*rec));
    assert_non_null(rec);
    assert_false(put_access(&w, 99)); /* as a handler would, between reserve and commit */
    rec->ip = 0;
    rec->addr = ~UINT64_C(0);
    spool_writer_commit(&w, rec);
    assert_true(put_access(&w, 1));
    assert_int_equal(f.cap.dropped_records, 1);
    spool_writer_close(&w);
    spool_reader *r = open_reader(spool_fixture_path(&f, PID, 0, PID));
    assert_int_equal(count_accesses(r), 2);
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

static void killed_writer_leaves_a_readable_file(void **state)
{
    enum { WRITTEN_MOST = 4000000 };
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    uint64_t *written = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)state;
    spool_fixture_init(&f);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        spool_fixture_open(&f, &w, PID, 0, PID);
        for (uint64_t i = 0;; i++) {
            while (i == WRITTEN_MOST) /* the parent is kept from killing us: the disk shall not be full */
                pause();
            put_access(&w, i);
            __atomic_store_n(written, i + 1, __ATOMIC_RELEASE);
        }
    }
    int status;
    while (__atomic_load_n(written, __ATOMIC_ACQUIRE) < 20000) {
        assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* still writing */
        usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    spool_reader *r = open_reader(spool_fixture_path(&f, PID, 0, PID));
    const uint64_t n = count_accesses(r);
    assert_in_range(n, *written, *written + 1);
    spool_reader_free(r);
    munmap(written, 4096);
    spool_fixture_fini(&f);
}

/* Write until the writer stops; accepted records must be there, the others counted, the reason recorded. */
static void write_until_refused(struct spool_fixture *f, struct spool_writer *w, uint32_t kind,
                                int detail_errno)
{
    uint64_t accepted = 0, refused = 0;
    for (uint64_t i = 0; i < 100000; i++)
        if (put_access(w, accepted))
            accepted++;
        else
            refused++;
    assert_true(accepted > 0 && refused > 0);
    assert_int_equal(f->cap.dropped_records, refused);
    assert_int_equal(f->cap.dropped_bytes, refused * sizeof(struct spool_access));
    assert_true(spool_put_thread_end(w, (struct spool_thread_end){.time_ns = 1, .cpu_ns = 42}));
    spool_writer_close(w);
    bool has_reason = false, has_end = false;
    uint64_t lost = 0;
    spool_reader *r = open_reader(spool_fixture_path(f, PID, 0, PID));
    uint64_t n = 0;
    for (const struct spool_rec_header *rec; (rec = next(r)) != NULL;) {
        const struct spool_event *e = (const void *)rec;
        n += rec->type == SPOOL_REC_ACCESS;
        has_end |= rec->type == SPOOL_REC_THREAD_END;
        if (rec->type == SPOOL_REC_EVENT && e->kind == kind)
            has_reason = (int)e->detail_errno == detail_errno;
        if (rec->type == SPOOL_REC_EVENT && e->kind == SPOOL_EVENT_DROPPED_BYTES) lost = e->count;
    }
    spool_reader_free(r);
    assert_int_equal(n, accepted);
    assert_int_equal(lost, refused * sizeof(struct spool_access));
    assert_true(has_reason);
    assert_true(has_end);
}

static void size_cap_stops_recording_and_is_reported(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED, late = SPOOL_WRITER_CLOSED;
    (void)state;
    spool_fixture_init(&f);
    f.cap.limit_bytes = 3 * SPOOL_CHUNK_BYTES;
    spool_fixture_open(&f, &w, PID, 0, PID);
    for (uint64_t i = 0; f.cap.dropped_records == 0; i++)
        put_access(&w, i);
    assert_int_equal(f.cap.cap_reached, 1);
    assert_int_equal(f.cap.disk_errno, 0);
    /* another thread of the process finds no room either, and leaves no file */
    const struct spool_file_header ids = {.pid = PID, .tid = 78};
    char path[512];
    snprintf(path, sizeof(path), "%s/p%u.0.t78.0", f.spool, PID);
    assert_int_equal(spool_writer_open(&late, AT_FDCWD, path, &ids, &f.cap), ENOSPC);
    assert_int_equal(access(path, F_OK), -1);
    assert_false(put_access(&late, 0));
    spool_writer_close(&w);
    spool_fixture_fini(&f);

    spool_fixture_init(&f);
    f.cap.limit_bytes = 3 * SPOOL_CHUNK_BYTES;
    spool_fixture_open(&f, &w, PID, 0, PID);
    write_until_refused(&f, &w, SPOOL_EVENT_SPOOL_CAP, 0);
    spool_fixture_fini(&f);
}

static void file_size_limit_never_kills(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct spool_fixture f;
        struct spool_writer w = SPOOL_WRITER_CLOSED;
        const struct rlimit limit = {2 * SPOOL_CHUNK_BYTES, 2 * SPOOL_CHUNK_BYTES};
        spool_fixture_init(&f);
        setrlimit(RLIMIT_FSIZE, &limit);
        spool_fixture_open(&f, &w, PID, 0, PID);
        for (uint64_t i = 0; i < 20000; i++)
            put_access(&w, i);
        const bool good = f.cap.disk_errno == EFBIG && f.cap.dropped_records > 0;
        spool_writer_close(&w);
        spool_fixture_fini(&f);
        _exit(good ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void full_disk_stops_recording_and_is_reported(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    (void)state;
    spool_fixture_init(&f);
    if (mount("none", f.spool, "tmpfs", 0, "size=1m") != 0) {
        spool_fixture_fini(&f);
        print_message("cannot mount a small tmpfs (%s): full disk not tested here\n", strerror(errno));
        skip();
    }
    spool_fixture_open(&f, &w, PID, 0, PID);
    write_until_refused(&f, &w, SPOOL_EVENT_DISK_FULL, ENOSPC);
    umount(f.spool);
    spool_fixture_fini(&f);
}

static void foreign_file_under_our_number_is_not_touched(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    char path[400];
    struct stat st;
    (void)state;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    snprintf(path, sizeof(path), "%s/theirs", f.root);
    fixture_write_file(path, "theirs", 6);
    const int theirs = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(dup2(theirs, spool_writer_fd(&w)), spool_writer_fd(&w)); /* close and reuse */
    const int number = spool_writer_fd(&w);
    for (uint64_t i = 0; i < 20000; i++)
        put_access(&w, i);
    assert_int_equal(f.cap.disk_errno, EBADF);
    spool_writer_close(&w);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 6);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(theirs);
    spool_fixture_fini(&f);
}

static void fork_child_releases_files_without_harm(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    (void)state;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    put_access(&w, 0);
    const pid_t child = fork();
    if (child == 0) {
        spool_writer_disown(&w);
        const bool dropped = !put_access(&w, 1);
        spool_writer_close(&w);
        spool_fixture_open(&f, &w, PID + 1, 0, PID + 1); /* the writer is usable again */
        const bool wrote = put_access(&w, 0);
        spool_writer_close(&w);
        _exit(dropped && wrote ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    put_access(&w, 1);
    spool_writer_close(&w);
    spool_reader *r = open_reader(spool_fixture_path(&f, PID, 0, PID));
    assert_int_equal(count_accesses(r), 2);
    spool_reader_free(r);
    spool_fixture_fini(&f);
}

/* Read all of it, whatever it is; every outcome but a crash is fine, and failures name an offset. */
static ls_err read_all(const uint8_t *bytes, size_t len, size_t *out_records)
{
    spool_reader *r;
    const struct spool_rec_header *rec;
    ls_err e = spool_reader_open_bytes(bytes, len, "damaged", &r);
    *out_records = 0;
    if (e != LS_OK) return e;
    while ((e = spool_reader_next(r, &rec)) == LS_OK && rec)
        ++*out_records;
    if (e != LS_OK) assert_non_null(strstr(ls_last_error(), "damaged: byte "));
    spool_reader_free(r);
    return e;
}

static uint8_t *small_spool(size_t *out_len, size_t *out_records)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    spool_put_thread_begin(&w, (struct spool_thread_begin){.time_ns = 6}, "a thread");
    for (uint64_t i = 0; i < 20; i++)
        put_access(&w, i);
    spool_put_node(&w, SPOOL_REC_NODE_ADD, (struct spool_node){.time_ns = 8, .node = 1}, "label");
    spool_writer_close(&w);
    uint8_t *bytes = fixture_read_file(spool_fixture_path(&f, PID, 0, PID), out_len);
    spool_fixture_fini(&f);
    assert_int_equal(read_all(bytes, *out_len, out_records), LS_OK);
    assert_int_equal(*out_records, 22);
    return bytes;
}

static void truncation_at_every_byte_keeps_earlier_records(void **state)
{
    size_t len, all, records, before = 0;
    uint8_t *bytes = small_spool(&len, &all);
    (void)state;
    for (size_t cut = 0; cut < len; cut++) {
        uint8_t *part = malloc(cut + 1); /* exact size: a read beyond it is a fault under ASan */
        memcpy(part, bytes, cut);
        const ls_err e = read_all(part, cut, &records);
        assert_true(e == LS_OK || e == LS_ERR_TRUNCATED || cut < 64);
        assert_true(records >= before && records <= all);
        before = records;
        free(part);
    }
    free(bytes);
}

static void flipped_bits_never_crash(void **state)
{
    size_t len, all, records, noticed = 0;
    uint8_t *bytes = small_spool(&len, &all);
    (void)state;
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        noticed += read_all(bytes, len, &records) != LS_OK;
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(noticed > 64); /* magic alone has 64 bits */
    free(bytes);
}

static void version_and_features_are_refused_by_name(void **state)
{
    size_t len, all, records;
    uint8_t *bytes = small_spool(&len, &all);
    (void)state;
    bytes[8] = SPOOL_VERSION - 1;
    assert_int_equal(read_all(bytes, len, &records), LS_ERR_VERSION);
    bytes[8] = SPOOL_VERSION;
    bytes[56] = 1;
    assert_int_equal(read_all(bytes, len, &records), LS_ERR_VERSION);
    bytes[56] = 0;
    bytes[0] = 'x';
    assert_int_equal(read_all(bytes, len, &records), LS_ERR_FORMAT);
    free(bytes);
}

static void make_file(const char *path, size_t zeros)
{
    static const char zero[64];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(zero, 1, zeros, file), zeros);
    assert_int_equal(fclose(file), 0);
}

/* killed between making the file and writing its header */
static void files_without_header_are_skipped(void **state)
{
    struct spool_fixture f;
    struct spool_writer w = SPOOL_WRITER_CLOSED;
    spool_dir *dir;
    size_t images_len;
    (void)state;
    spool_fixture_init(&f);
    spool_fixture_open(&f, &w, PID, 0, PID);
    spool_writer_close(&w);
    make_file(spool_fixture_path(&f, PID, 0, PID + 1), 0);
    make_file(spool_fixture_path(&f, PID, 0, PID + 2), 64);
    assert_int_equal(spool_dir_open(f.spool, &dir), LS_OK);
    assert_int_equal(spool_dir_images(dir, &images_len)->streams.len, 1);
    spool_dir_free(dir);
    spool_fixture_fini(&f);
}

static void threads_merge_in_time_order(void **state)
{
    struct spool_fixture f;
    struct spool_writer w[3] = {SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED, SPOOL_WRITER_CLOSED};
    spool_dir *dir;
    spool_merge *m;
    size_t images_len, n = 0;
    (void)state;
    spool_fixture_init(&f);
    for (uint32_t i = 0; i < 3; i++)
        spool_fixture_open(&f, &w[i], PID, 0, PID + i);
    for (uint64_t i = 0; i < 3000; i++) {
        const size_t thread = (size_t)(i * 7 % 3);
        const struct spool_event e = {.time_ns = 1000 + i, .kind = SPOOL_EVENT_TRACED, .count = i};
        assert_true(spool_put_event(&w[thread], e));
    }
    /* at one instant a free comes before an allocation, whoever wrote it */
    spool_put_alloc(&w[0], (struct spool_alloc){.time_ns = 9000, .base = 16, .len_bytes = 16},
                    SPOOL_ALLOC_MALLOC, NULL);
    spool_put_free(&w[2], 9000, 16);
    for (int i = 0; i < 3; i++)
        spool_writer_close(&w[i]);
    assert_int_equal(spool_dir_open(f.spool, &dir), LS_OK);
    const struct spool_image *images = spool_dir_images(dir, &images_len);
    assert_int_equal(images_len, 1);
    assert_int_equal(images[0].streams.len, 3);
    assert_int_equal(spool_merge_new(&images[0], 0, &m), LS_OK);
    struct spool_item item;
    for (; n < 3000; n++) {
        item = spool_merge_next(m);
        assert_int_equal(((const struct spool_event *)(const void *)item.rec)->count, n);
        assert_int_equal(item.time_ns, 1000 + n);
        assert_int_equal(item.stream, n * 7 % 3);
    }
    assert_int_equal(spool_merge_next(m).rec->type, SPOOL_REC_FREE);
    assert_int_equal(spool_merge_next(m).rec->type, SPOOL_REC_ALLOC);
    assert_null(spool_merge_next(m).rec);
    spool_merge_free(m);
    spool_dir_free(dir);
    spool_fixture_fini(&f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_and_fields_are_read_back),
        cmocka_unit_test(records_fill_many_chunks_without_a_gap),
        cmocka_unit_test(record_of_an_interrupting_handler_is_dropped),
        cmocka_unit_test(killed_writer_leaves_a_readable_file),
        cmocka_unit_test(size_cap_stops_recording_and_is_reported),
        cmocka_unit_test(file_size_limit_never_kills),
        cmocka_unit_test(full_disk_stops_recording_and_is_reported),
        cmocka_unit_test(foreign_file_under_our_number_is_not_touched),
        cmocka_unit_test(fork_child_releases_files_without_harm),
        cmocka_unit_test(truncation_at_every_byte_keeps_earlier_records),
        cmocka_unit_test(flipped_bits_never_crash),
        cmocka_unit_test(version_and_features_are_refused_by_name),
        cmocka_unit_test(files_without_header_are_skipped),
        cmocka_unit_test(threads_merge_in_time_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
