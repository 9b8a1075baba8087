/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "perf/pe_file.h"

#include "common/ls_checked.h"
#include "common/ls_owner.h"
#include "common/ls_vector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2", little-endian */
#define FILE_MAGIC_SWAPPED UINT64_C(0x50455246494c4532)
enum {
    FILE_HEADER_BYTES = 104,
    FILE_PIPE_HEADER_BYTES = 16,
    FILE_FEATURES = 256,
    FILE_EVENTS_MAX = 4096,
    FILE_SECTION_BYTES = 16,
    FILE_BUILD_ID_BYTES = 20,
};
/* tools/lib/perf/include/perf/event.h of Linux */
enum {
    FILE_REC_HEADER_ATTR = 64,
    FILE_REC_TRACING_DATA = 66,
    FILE_REC_BUILD_ID = 67,
    FILE_REC_AUXTRACE_INFO = 70,
    FILE_REC_AUXTRACE = 71,
    FILE_REC_TIME_CONV = 79,
    FILE_REC_HEADER_FEATURE = 80,
    FILE_REC_COMPRESSED = 81,
    FILE_REC_COMPRESSED2 = 83,
};
/* tools/perf/util/header.h */
enum {
    FEATURE_BUILD_ID = 2,
    FEATURE_HOST = 3,
    FEATURE_RELEASE = 4,
    FEATURE_VERSION = 5,
    FEATURE_ARCH = 6,
    FEATURE_CPU = 8,
    FEATURE_CPUID = 9,
    FEATURE_COMMAND = 11
};
static const int file_texts[] = {FEATURE_HOST, FEATURE_RELEASE, FEATURE_VERSION,
                                 FEATURE_ARCH, FEATURE_CPU,     FEATURE_CPUID};
enum { FILE_TEXTS = sizeof(file_texts) / sizeof(file_texts[0]) };

struct file_section {
    uint64_t offset, len_bytes;
};

struct file_build_id {
    const char *path; /* in the file's bytes */
    size_t path_len;
    char hex[2 * FILE_BUILD_ID_BYTES + 1];
};

struct pe_file {
    uid_t author;
    const char *path;
    uint8_t *bytes; /* mapped */
    size_t len_bytes;
    struct pe_file_event *events;
    size_t events_len, events_room;
    struct pe_file_record *records;
    size_t records_len, records_room;
    LS_VECTOR(struct file_build_id) build_ids;
    struct pe_file_about about;
    char *texts[FILE_TEXTS], *command;
    struct pe_trace trace;
    pe_unpack *unpack;
    LS_VECTOR(struct pe_unpacked) unpacked; /* each entry lives as long as the file */
    uint64_t truncated_bytes, broken;
};

static ls_err file_bad(const pe_file *f, const char *what, uint64_t at)
{
    return ls_fail(LS_ERR_FORMAT, "%s: %s (byte %llu)", f->path, what, (unsigned long long)at);
}

static bool file_holds(const pe_file *f, struct file_section s)
{
    return s.offset <= f->len_bytes && s.len_bytes <= f->len_bytes - s.offset;
}

static uint64_t file_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

static uint32_t file_half(const uint8_t *at)
{
    uint32_t half;
    memcpy(&half, at, sizeof(half));
    return half;
}

static struct file_section file_section_at(const pe_file *f, uint64_t offset)
{
    return (struct file_section){file_word(f->bytes + offset), file_word(f->bytes + offset + 8)};
}

int pe_file_probe(const void *head, size_t len_bytes)
{
    return len_bytes >= sizeof(uint64_t) &&
           (file_word(head) == FILE_MAGIC || file_word(head) == FILE_MAGIC_SWAPPED);
}

/* --- events --- */

/* attr_bytes: size of the writer's struct; fields missing in it are 0, later fields unknown here are left
 * out. */
static ls_err file_add_event(pe_file *f, const uint8_t *attr, size_t attr_bytes, const uint8_t *ids,
                             size_t ids_len)
{
    if (f->events_len == FILE_EVENTS_MAX) return file_bad(f, "more events than perf can have", 0);
    LS_TRY(LS_GROW(f->events, f->events_room, f->events_len + 1));
    uint64_t *copy = calloc(ids_len + 1, sizeof(*copy));
    if (!copy) return ls_nomem("the events of %s", f->path);
    struct pe_file_event *e = &f->events[f->events_len++];
    memset(e, 0, sizeof(*e));
    memcpy(&e->attr, attr, attr_bytes < sizeof(e->attr) ? attr_bytes : sizeof(e->attr));
    e->layout = pe_layout_of(&e->attr);
    e->ids = copy;
    e->ids_len = ids_len;
    memcpy(copy, ids, ids_len * sizeof(*copy));
    return LS_OK;
}

static ls_err file_read_attrs(pe_file *f, struct file_section attrs, uint64_t entry_bytes)
{
    if (!file_holds(f, attrs)) return file_bad(f, "the events lie outside of the file", attrs.offset);
    if (entry_bytes < PERF_ATTR_SIZE_VER0 + FILE_SECTION_BYTES || entry_bytes > 4096 ||
        attrs.len_bytes % entry_bytes)
        return file_bad(f, "the table of events has rows of an impossible length", attrs.offset);
    for (uint64_t at = attrs.offset; at < attrs.offset + attrs.len_bytes; at += entry_bytes) {
        const size_t attr_bytes = entry_bytes - FILE_SECTION_BYTES;
        const struct file_section ids = file_section_at(f, at + attr_bytes);
        if (!file_holds(f, ids) || ids.len_bytes % sizeof(uint64_t))
            return file_bad(f, "the numbers of an event lie outside of the file", at);
        LS_TRY(file_add_event(f, f->bytes + at, attr_bytes, f->bytes + ids.offset,
                              ids.len_bytes / sizeof(uint64_t)));
    }
    return LS_OK;
}

/* Add an event from a record of a pipe, which has no table of events. */
static ls_err file_take_attr(pe_file *f, const uint8_t *rec, size_t len_bytes)
{
    const size_t head = sizeof(struct perf_event_header);
    if (len_bytes < head + PERF_ATTR_SIZE_VER0) return file_bad(f, "an event is cut off", 0);
    size_t attr_bytes = file_half(rec + head + 4); /* attr.size */
    if (attr_bytes == 0) attr_bytes = PERF_ATTR_SIZE_VER0;
    if (attr_bytes > len_bytes - head) return file_bad(f, "an event is longer than its record", 0);
    const size_t ids_len = (len_bytes - head - attr_bytes) / sizeof(uint64_t);
    return file_add_event(f, rec + head, attr_bytes, rec + head + attr_bytes, ids_len);
}

static bool file_event_of(const pe_file *f, uint64_t id, uint32_t *row)
{
    for (size_t e = 0; e < f->events_len; e++)
        for (size_t i = 0; i < f->events[e].ids_len; i++)
            if (f->events[e].ids[i] == id) return *row = (uint32_t)e, true;
    return false;
}

/* --- features --- */

/* Read a text: a length, then that many bytes including a NUL. */
static size_t file_text(struct ls_span s, char **out)
{
    if (s.len_bytes < 4) return 0;
    const uint32_t room = file_half(s.data);
    if (room > s.len_bytes - 4) return 0;
    free(*out);
    *out = strndup((const char *)s.data + 4, room);
    return 4 + (size_t)room;
}

static void file_take_command(struct ls_span s, char **out)
{
    char *line = NULL, *word = NULL;
    size_t len = 0;
    if (s.len_bytes < 4) return;
    uint32_t words = file_half(s.data);
    s.data += 4, s.len_bytes -= 4;
    for (size_t used; words-- && (used = file_text(s, &word)) && word; s.data += used, s.len_bytes -= used) {
        char *grown = realloc(line, len + strlen(word) + 2);
        if (!grown) break;
        line = grown;
        len += (size_t)sprintf(line + len, "%s%s", len ? " " : "", word);
    }
    free(word);
    free(*out);
    *out = line;
}

static void file_take_feature(pe_file *f, uint64_t bit, struct ls_span s)
{
    for (size_t i = 0; i < FILE_TEXTS; i++)
        if ((int)bit == file_texts[i]) file_text(s, &f->texts[i]);
    if (bit == FEATURE_COMMAND) file_take_command(s, &f->command);
}

static ls_err file_take_build_id(pe_file *f, const uint8_t *rec, size_t len_bytes)
{
    const size_t fixed = sizeof(struct perf_event_header) + 4 + 24;
    if (len_bytes <= fixed) return LS_OK;
    LS_TRY(LS_VECTOR_ROOM(&f->build_ids));
    struct file_build_id *b = &f->build_ids.rows[f->build_ids.len++];
    b->path = (const char *)rec + fixed;
    b->path_len = strnlen(b->path, len_bytes - fixed);
    for (int i = 0; i < FILE_BUILD_ID_BYTES; i++)
        sprintf(b->hex + 2 * i, "%02x", rec[sizeof(struct perf_event_header) + 4 + i]);
    return LS_OK;
}

static ls_err file_take_build_ids(pe_file *f, struct file_section s)
{
    struct ls_cursor c = ls_cursor_over(f->bytes + s.offset, s.len_bytes);
    struct pe_record rec;
    while (pe_record_next(&c, &rec, NULL))
        LS_TRY(file_take_build_id(f, rec.bytes.data, rec.bytes.len_bytes));
    return LS_OK;
}

static ls_err file_read_features(pe_file *f, uint64_t at)
{
    for (unsigned bit = 0; bit < FILE_FEATURES; bit++) {
        if (!(f->bytes[72 + bit / 8] >> bit % 8 & 1)) continue;
        if (!file_holds(f, (struct file_section){at, FILE_SECTION_BYTES})) return LS_OK; /* perf was killed */
        const struct file_section s = file_section_at(f, at);
        at += FILE_SECTION_BYTES;
        if (!file_holds(f, s)) continue;
        file_take_feature(f, bit, (struct ls_span){f->bytes + s.offset, s.len_bytes});
        if (bit == FEATURE_BUILD_ID) LS_TRY(file_take_build_ids(f, s));
    }
    return LS_OK;
}

/* --- records --- */

/* Find the event of a record by its id, which is at the same position in all events' layouts. Without an id,
 * or with 0, the record belongs to the first event, as for perf (evlist__event2evsel). */
static bool file_whose(const pe_file *f, const struct pe_record *rec, uint32_t *row)
{
    uint64_t id;
    *row = 0;
    if (f->events_len == 1) return true;
    if (!pe_record_id(&f->events[0].layout, rec, &id) || id == 0) return true;
    return file_event_of(f, id, row) || rec->type != PERF_RECORD_SAMPLE;
}

static ls_err file_add_record(pe_file *f, const struct pe_record *rec)
{
    if (f->events_len == 0) return file_bad(f, "a record comes before any event", 0);
    LS_TRY(LS_GROW(f->records, f->records_room, f->records_len + 1));
    struct pe_file_record r = {.rec = *rec, .number = f->records_len};
    const bool is_known = file_whose(f, rec, &r.event_row);
    const struct pe_layout *layout = &f->events[r.event_row].layout;
    if (rec->type != PERF_RECORD_SAMPLE) {
        if (!pe_trailer_time(layout, rec, &r.time_ns)) r.time_ns = 0;
    } else {
        struct pe_sample s;
        if (!is_known || !pe_sample_read(layout, rec, &s)) {
            f->broken++;
            return LS_OK;
        }
        r.time_ns = s.has & PERF_SAMPLE_TIME ? s.time : 0;
    }
    f->records[f->records_len++] = r;
    return LS_OK;
}

/* NULL: this build lacks libzstd. */
#ifdef HAVE_ZSTD
static const struct pe_unpacking *const unpacking = &pe_unpacking_zstd;
#else
static const struct pe_unpacking *const unpacking;
#endif

static ls_err file_read_records(pe_file *f, struct ls_cursor *c, bool is_plain);

/* Unpack one compressed record and read the records in it. A record may continue in the next one: the
 * incomplete tail is kept in *rest and put in front of the next piece. */
static ls_err file_take_compressed(pe_file *f, const uint8_t *bytes, size_t len_bytes,
                                   struct pe_unpacked *rest)
{
    struct pe_unpacked out = *rest;
    *rest = (struct pe_unpacked){0};
    if (!unpacking)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "the records are compressed and this Loadstone was built without libzstd; `perf inject "
            "-i FILE -o PLAIN` where perf is unpacks them");
    if (!f->unpack) LS_TRY(unpacking->open(&f->unpack));
    const ls_err err = unpacking->more(f->unpack, bytes, len_bytes, &out);
    if (LS_VECTOR_ADD(&f->unpacked, out) != LS_OK) {
        free(out.bytes);
        return LS_ERR_NOMEM;
    }
    LS_TRY(err);
    struct ls_cursor c = ls_cursor_over(out.bytes, out.len_bytes);
    LS_TRY(file_read_records(f, &c, false));
    const size_t left = ls_cursor_left(&c);
    if (left == 0) return LS_OK;
    rest->bytes = malloc(left);
    if (!rest->bytes) return ls_nomem("unpacked records");
    memcpy(rest->bytes, out.bytes + out.len_bytes - left, left);
    rest->len_bytes = rest->room_bytes = left;
    return LS_OK;
}

/* Bytes that follow a record and are not counted in its length. */
static uint64_t file_payload_bytes(const struct pe_record *r)
{
    const uint8_t *at = r->bytes.data;
    if (r->type == FILE_REC_AUXTRACE && r->bytes.len_bytes >= 16) return file_word(at + 8);
    if (r->type == FILE_REC_TRACING_DATA && r->bytes.len_bytes >= 12)
        return ((uint64_t)file_half(at + 8) + 7) & ~7ull;
    return 0;
}

/* Offset of a record's bytes in the file; 0: they were compressed. */
static uint64_t file_offset(const pe_file *f, const uint8_t *bytes)
{
    const uintptr_t begin = (uintptr_t)f->bytes, at = (uintptr_t)bytes;
    return at >= begin && at - begin < f->len_bytes ? at - begin : 0;
}

/* Append the offset in the file to a format error. */
static ls_err file_located(const pe_file *f, const struct pe_record *rec, ls_err err)
{
    char text[256];
    if (err != LS_ERR_FORMAT) return err;
    snprintf(text, sizeof(text), "%s", ls_last_error());
    return file_bad(f, text, file_offset(f, rec->bytes.data));
}

static ls_err file_take_record(pe_file *f, const struct pe_record *rec, struct pe_unpacked *rest)
{
    const uint8_t *bytes = rec->bytes.data;
    const size_t len = rec->bytes.len_bytes, head = sizeof(struct perf_event_header);
    const struct ls_span body = {bytes + head, len - head};
    switch (rec->type) {
    case FILE_REC_HEADER_ATTR:
        return file_take_attr(f, bytes, len);
    case FILE_REC_BUILD_ID:
        return file_take_build_id(f, bytes, len);
    case FILE_REC_AUXTRACE_INFO:
        return file_located(f, rec, pe_trace_take_info(&f->trace, body));
    case FILE_REC_TIME_CONV:
        return file_located(f, rec, pe_trace_take_clock(&f->trace, body));
    case FILE_REC_HEADER_FEATURE: /* records of a pipe, which has no table of features */
        if (body.len_bytes >= 8)
            file_take_feature(f, file_word(body.data), (struct ls_span){body.data + 8, body.len_bytes - 8});
        return LS_OK;
    case FILE_REC_COMPRESSED:
        return file_take_compressed(f, bytes + head, len - head, rest);
    case FILE_REC_COMPRESSED2: /* preceded by the length without padding */
        if (len < head + 8 || file_word(bytes + head) > len - head - 8)
            return file_bad(f, "a compressed record is cut off", 0);
        return file_take_compressed(f, bytes + head + 8, file_word(bytes + head), rest);
    default:
        return rec->type < FILE_REC_HEADER_ATTR ? file_add_record(f, rec) : LS_OK;
    }
}

/* Take the payload that follows a record; the cursor may hold less than its announced length. */
static ls_err file_take_payload(pe_file *f, const struct pe_record *rec, struct ls_cursor *c)
{
    const uint64_t payload_bytes = file_payload_bytes(rec);
    const size_t held = payload_bytes < ls_cursor_left(c) ? (size_t)payload_bytes : ls_cursor_left(c);
    const struct ls_span body = {rec->bytes.data + sizeof(struct perf_event_header),
                                 rec->bytes.len_bytes - sizeof(struct perf_event_header)};
    const struct ls_span bytes = {ls_cursor_take(c, held), held};
    if (rec->type != FILE_REC_AUXTRACE) return LS_OK;
    return file_located(f, rec, pe_trace_add(&f->trace, body, bytes, file_offset(f, bytes.data)));
}

/* is_plain: c covers the file itself; unpacked bytes may end inside a record. */
static ls_err file_read_records(pe_file *f, struct ls_cursor *c, bool is_plain)
{
    struct pe_unpacked rest = {0};
    struct pe_record rec;
    ls_err err = LS_OK;
    for (struct ls_cursor before = *c; err == LS_OK; before = *c) {
        uint64_t broken = 0;
        if (!pe_record_next(c, &rec, &broken)) {
            *c = before;
            break;
        }
        const uint64_t payload_bytes = file_payload_bytes(&rec);
        const bool is_cut = payload_bytes > ls_cursor_left(c);
        if (is_cut && !is_plain) { /* the rest of it comes with the next compressed record */
            *c = before;
            break;
        }
        err = file_take_record(f, &rec, &rest);
        if (is_cut && is_plain) f->truncated_bytes = ls_cursor_left(c);
        if (err == LS_OK) err = file_take_payload(f, &rec, c);
        if (is_cut) break;
    }
    free(rest.bytes);
    if (is_plain && !f->truncated_bytes) f->truncated_bytes = ls_cursor_left(c);
    return err;
}

static int file_by_time(const void *a, const void *b)
{
    const struct pe_file_record *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static ls_err file_read_plain(pe_file *f)
{
    const struct file_section attrs = file_section_at(f, 24);
    struct file_section data = file_section_at(f, 40);
    if (f->len_bytes < FILE_HEADER_BYTES) return file_bad(f, "the file ends inside its header", f->len_bytes);
    LS_TRY(file_read_attrs(f, attrs, file_word(f->bytes + 16)));
    if (data.offset > f->len_bytes) return file_bad(f, "the records lie outside of the file", data.offset);
    /* a length of 0: perf was killed before it wrote the length */
    if (data.len_bytes == 0 || data.len_bytes > f->len_bytes - data.offset)
        data.len_bytes = f->len_bytes - data.offset;
    struct ls_cursor c = ls_cursor_over(f->bytes + data.offset, data.len_bytes);
    LS_TRY(file_read_features(f, data.offset + data.len_bytes));
    return file_read_records(f, &c, true);
}

static ls_err file_read(pe_file *f)
{
    if (f->len_bytes < FILE_PIPE_HEADER_BYTES || !pe_file_probe(f->bytes, f->len_bytes))
        return file_bad(f, "this is no perf.data", 0);
    if (file_word(f->bytes) != FILE_MAGIC)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "%s was written on a machine of the other byte order: "
                       "`perf script` there, and import its text",
                       f->path);
    if (file_word(f->bytes + 8) != FILE_PIPE_HEADER_BYTES) {
        if (f->len_bytes < FILE_HEADER_BYTES)
            return file_bad(f, "the file ends inside its header", f->len_bytes);
        return file_read_plain(f);
    }
    struct ls_cursor c =
        ls_cursor_over(f->bytes + FILE_PIPE_HEADER_BYTES, f->len_bytes - FILE_PIPE_HEADER_BYTES);
    return file_read_records(f, &c, true);
}

static ls_err file_map(const char *path, pe_file *f)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        const int error = errno;
        if (fd >= 0) close(fd);
        return ls_fail_errno(error, "cannot read %s", path);
    }
    if (S_ISDIR(st.st_mode)) {
        close(fd);
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "%s is a directory (perf record --threads): record without --threads", path);
    }
    f->author = ls_owner_of(fd);
    f->len_bytes = (size_t)st.st_size;
    void *bytes = st.st_size ? mmap(NULL, f->len_bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    const int error = errno;
    close(fd);
    if (st.st_size == 0) return ls_fail(LS_ERR_FORMAT, "%s is empty", path);
    if (bytes == MAP_FAILED) return ls_fail_errno(error, "cannot read %s", path);
    f->bytes = bytes;
    return LS_OK;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

ls_err pe_file_open(const char *path, pe_file **out)
{
    pe_file *f = calloc(1, sizeof(*f));
    if (!f) return ls_nomem("%s", path);
    f->path = path;
    ls_err err = file_map(path, f);
    if (err == LS_OK) err = file_read(f);
    if (err == LS_OK && f->events_len == 0) err = file_bad(f, "there is no event in it", 0);
    if (err != LS_OK) {
        pe_file_free(f);
        return err;
    }
    for (size_t i = 0; i < f->records_len; i++) /* the array of events no longer moves from here on */
        f->records[i].event = &f->events[f->records[i].event_row];
    if (f->records_len) qsort(f->records, f->records_len, sizeof(*f->records), file_by_time);
    f->about = (struct pe_file_about){.host = text_or_none(f->texts[0]),
                                      .release = text_or_none(f->texts[1]),
                                      .perf_version = text_or_none(f->texts[2]),
                                      .arch = text_or_none(f->texts[3]),
                                      .cpu = text_or_none(f->texts[4]),
                                      .cpuid = text_or_none(f->texts[5]),
                                      .command = text_or_none(f->command)};
    *out = f;
    return LS_OK;
}

void pe_file_free(pe_file *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->events_len; i++)
        free(f->events[i].ids);
    for (size_t i = 0; i < f->unpacked.len; i++)
        free(f->unpacked.rows[i].bytes);
    for (size_t i = 0; i < FILE_TEXTS; i++)
        free(f->texts[i]);
    free(f->command);
    pe_trace_fini(&f->trace);
    free(f->unpacked.rows);
    if (f->unpack) unpacking->close(f->unpack);
    free(f->events);
    free(f->records);
    free(f->build_ids.rows);
    if (f->bytes) munmap(f->bytes, f->len_bytes);
    free(f);
}

const struct pe_file_event *pe_file_events(const pe_file *f, size_t *out_len)
{
    *out_len = f->events_len;
    return f->events;
}

uid_t pe_file_author(const pe_file *f)
{
    return f->author;
}

const struct pe_file_about *pe_file_about(const pe_file *f)
{
    return &f->about;
}

const struct pe_file_record *pe_file_records(const pe_file *f, size_t *out_len)
{
    *out_len = f->records_len;
    return f->records;
}

uint64_t pe_file_broken(const pe_file *f)
{
    return f->broken;
}

const struct pe_trace *pe_file_trace(const pe_file *f)
{
    return &f->trace;
}

uint64_t pe_file_truncated(const pe_file *f)
{
    return f->truncated_bytes;
}

const char *pe_file_build_id(const pe_file *f, const char *path)
{
    for (size_t i = 0; i < f->build_ids.len; i++)
        if (strlen(path) == f->build_ids.rows[i].path_len &&
            memcmp(path, f->build_ids.rows[i].path, f->build_ids.rows[i].path_len) == 0)
            return f->build_ids.rows[i].hex;
    return "";
}
