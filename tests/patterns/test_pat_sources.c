/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of other tools: recognised by content, every record converted, unknown ones counted, truncated files
 * refused with the position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/source/pat_input.h"
#include "patterns/source/pat_source.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char path[] = "test_pat_sources.XXXXXX";
static char noted[1024];

static void note(void *user, const char *text)
{
    (void)user;
    snprintf(noted + strlen(noted), sizeof(noted) - strlen(noted), "%s\n", text);
}

static void write_file(const void *data, size_t len)
{
    FILE *f = fopen(path, "wbe");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    fclose(f);
}

/* --- the contents of a source as text: one event or access per line --- */

struct contents {
    char text[1 << 16];
    ls_err err;
    struct pat_source_counts counts;
    size_t threads;
};

static void add_batch(struct contents *out, const struct pat_batch *b, const struct pat_tables *t)
{
    size_t len = strlen(out->text);
    for (size_t i = 0; i < b->events_len; i++)
        len += (size_t)snprintf(out->text + len, sizeof(out->text) - len, "event %u of %s\n",
                                b->events[i].kind, t->threads[b->events[i].thread].label);
    for (size_t i = 0; i < b->accesses_len; i++) {
        const struct pat_access *a = &b->accesses[i];
        const struct pat_site *s = &t->sites[a->site];
        len +=
            (size_t)snprintf(out->text + len, sizeof(out->text) - len, "%s: %llx.%u %c%u %llx\n",
                             t->threads[a->thread].label, (unsigned long long)s->ip, s->operand,
                             s->op == PAT_OP_STORE ? 'S' : 'L', s->size_bytes, (unsigned long long)a->addr);
        assert_true(len < sizeof(out->text) - 200);
    }
}

static struct contents contents;

static const struct contents *read_path(const char *name, const struct pat_source_options *o)
{
    pat_source *source;
    struct pat_batch b;
    memset(&contents, 0, sizeof(contents));
    noted[0] = '\0';
    if ((contents.err = pat_source_open(name, o, &source)) != LS_OK) return &contents;
    do {
        contents.err = pat_source_next(source, &b);
        if (contents.err == LS_OK) add_batch(&contents, &b, pat_source_tables(source));
    } while (contents.err == LS_OK && (b.events_len || b.accesses_len));
    contents.counts = pat_source_counts(source);
    contents.threads = pat_source_tables(source)->threads_len;
    pat_source_close(source);
    return &contents;
}

static const struct contents *read_bytes(const void *data, size_t len)
{
    const struct pat_source_options o = {.note = note};
    write_file(data, len);
    return read_path(path, &o);
}

static const struct contents *read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void assert_read(const struct contents *t, const char *expected)
{
    if (t->err != LS_OK) fail_msg("%s", ls_last_error());
    assert_string_equal(t->text, expected);
}

/* --- texts --- */

#define LACKEY                    \
    "==12== Lackey, an example\n" \
    "I  04000b70,3\n"             \
    " L 1ffefffe18,8\n"           \
    "I  04000b73,5\n"             \
    "hello from the program\n"    \
    " M 1ffefffe20,4\n"           \
    "I  04000b78,2\n"             \
    " L 1000,8\n"                 \
    " L 2000,8\n"                 \
    "I  04000b7a,2\n"             \
    " S 3000,16\n"                \
    " S 3040,16\n"                \
    " S 3080,16\n"                \
    "==12== Counted 3 calls to main()\n"

static void lackey_loads_stores_and_both(void **state)
{
    (void)state;
    assert_read(read_text(LACKEY), "all threads: 4000b70.0 L8 1ffefffe18\n"
                                   "all threads: 4000b73.0 L4 1ffefffe20\n"
                                   "all threads: 4000b73.1 S4 1ffefffe20\n"
                                   /* two alike: operands */
                                   "all threads: 4000b78.0 L8 1000\n"
                                   "all threads: 4000b78.1 L8 2000\n"
                                   /* three alike: lanes */
                                   "all threads: 4000b7a.0 S16 3000\n"
                                   "all threads: 4000b7a.0 S16 3040\n"
                                   "all threads: 4000b7a.0 S16 3080\n");
    assert_int_equal(contents.counts.skipped, 3);
    assert_int_equal(contents.counts.accesses, 8);
    assert_false(contents.counts.is_sampled);
    assert_true(contents.counts.scale == 1);
}

static void memtrace_has_instruction_kind_width_address(void **state)
{
    (void)state;
    assert_read(read_text("Format: <instr address>,<(r)ead/(w)rite>,<data size>,<data address>\n"
                          "0x00007f0000401136,r,8,0x00007ffd00000010\n"
                          "0x00007f000040113a,w, 4,0x00007ffd00000018\r\n"),
                "1: 7f0000401136.0 L8 7ffd00000010\n"
                "1: 7f000040113a.0 S4 7ffd00000018\n");
    assert_int_equal(contents.counts.skipped, 1);
}

static void gem5_packets_with_and_without_pc(void **state)
{
    (void)state;
    assert_read(read_text("r,2147483648,8,500\nw,2147483656,4,600\n"),
                "all packets: 0.0 L8 80000000\nall packets: 0.0 S4 80000008\n");
    assert_non_null(strstr(noted, "with_pc=True"));
    assert_read(read_text("7,r,4096,8,256,500,4198710\nu,4096,64,0,501\n8,w,8192,8,0,600,4198714\n"),
                "all packets: 401136.0 L8 1000\nall packets: 40113a.0 S8 2000\n");
    assert_string_equal(noted, "");
    assert_int_equal(contents.counts.skipped, 1);
}

static void gem5_execution_of_several_cpus(void **state)
{
    (void)state;
    assert_read(
        read_text(
            "gem5 Simulator System.  https://www.gem5.org\n"
            " 88000: system.cpu0: T0 : 0x2d898 @_findenv_r+86    : sub s0, a5, s3   : IntAlu :  D=0x0010\n"
            " 88220: system.cpu0: T0 : 0x2d89c @_findenv_r+90    : c_lw a0, 0(s1)   : MemRead :  D=0x0000 A=0x60ac8\n"
            " 88230: system.cpu1: A0 T0 : 0x2d8a0 @f    : ldr x1, [x1] : MemRead :  D=0x0 A=0x18980  "
            "FetchSeq=1 flags=(IsLoad)\n"
            " 88240: system.cpu0: T0 : 0x400080. 1 :   CALL_NEAR_I "
            ": st   t7, SS:[rsp] : MemWrite :  D=0x0 A=0x7fff0008\n"),
        "system.cpu0: T0: 2d89c.0 L0 60ac8\n"
        "system.cpu1: A0 T0: 2d8a0.0 L0 18980\n"
        "system.cpu0: T0: 400080.1 S0 7fff0008\n");
    assert_int_equal(contents.counts.skipped, 2);
}

static void perf_samples_stand_alone(void **state)
{
    (void)state;
    const struct pat_source_options o = {.note = note};
    char name[4096];
    snprintf(name, sizeof(name), "%s/tests/fuzz/corpus-perf-script/loads",
             getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    const struct contents *t = read_path(name, &o);
    if (t->err != LS_OK) fail_msg("%s", ls_last_error());
    assert_true(t->counts.is_sampled);
    assert_true(t->counts.accesses > 0);
    assert_non_null(strstr(noted, "single accesses"));
    assert_read(read_text("app  10/11  [000]  1.5:  1000 cpu/mem-loads/:  7f0000001000  "
                          "5080021 |OP LOAD|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  "
                          "N/A       7            401136 main+0x6 (/bin/app)\n"
                          "app  10/11  [000]  1.6:  3000 cpu/mem-stores/:  7f0000001008  "
                          "5080004 |OP STORE|LVL L1 hit|SNP None|TLB L1 hit|LCK No|BLK  "
                          "N/A       7            40113a main+0xa (/bin/app)\n"),
                "11: 401136.0 L0 7f0000001000\n"
                "event 2 of 11\n"
                "11: 40113a.0 S0 7f0000001008\n"
                "event 2 of 11\n");
    assert_true(contents.counts.scale == 2000);
}

static void texts_that_are_cut_or_foreign_are_refused(void **state)
{
    (void)state;
    const struct contents *t = read_bytes(LACKEY, sizeof(LACKEY) - 30); /* inside the last line */
    assert_int_equal(t->err, LS_ERR_TRUNCATED);
    assert_int_equal(t->counts.accesses, 8); /* the value before */
    assert_non_null(strstr(ls_last_error(), ":14: "));
    assert_int_equal(read_text("int main(void)\n{\n}\n")->err, LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "drmemtrace"));
    assert_int_equal(read_text("/* n rows, 5 nonzeros each: nnz = 5n */\n")->err, LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "drmemtrace"));
    assert_int_equal(read_text("")->err, LS_ERR_FORMAT);
    write_file("hello\n", 6);
    assert_int_equal(read_path(path, &(struct pat_source_options){.format = "lackey"})->err, LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "none of 1 lines"));
    assert_int_equal(read_path(path, &(struct pat_source_options){.format = "nothing"})->err, LS_ERR_USAGE);
    assert_int_equal(read_path("no-such-file", NULL)->err, LS_ERR_NOT_FOUND);
    assert_int_equal(read_path("-", NULL)->err, LS_ERR_ARG);
}

/* --- drmemtrace --- */

static uint8_t records[1 << 16];
static size_t records_len;

static void record(uint16_t type, uint16_t size, uint64_t value)
{
    uint8_t *r = records + records_len;
    assert_true(records_len + 12 <= sizeof(records));
    memcpy(r, &type, 2);
    memcpy(r + 2, &size, 2);
    memcpy(r + 4, &value, 8);
    records_len += 12;
}

enum {
    READ,
    WRITE,
    PREFETCH = 3,
    INSTR = 10,
    CALL = 14,
    BUNDLE = 17,
    THREAD = 22,
    EXIT,
    PID,
    HEADER,
    FOOTER,
    MARKER = 28,
    NO_FETCH,
    ENCODING = 47,
    TAKEN
};

static void drmemtrace_example(void)
{
    records_len = 0;
    record(HEADER, 0, 7);
    record(MARKER, 20, 7); /* version: before the first thread */
    record(THREAD, 4, 100);
    record(PID, 4, 100);
    record(MARKER, 2, 12345); /* time */
    record(ENCODING, 4, 0x909090);
    record(INSTR, 4, 0x401000);
    record(READ, 8, 0x1000);
    record(WRITE, 8, 0x2000);
    record(INSTR, 2, 0x401004);
    record(READ, 0, 0x3000);     /* no width */
    record(BUNDLE, 3, 0x030205); /* instructions of 5, 2, 3 bytes */
    record(WRITE, 4, 0x4000);    /* bytes of the third */
    record(THREAD, 4, 101);
    record(INSTR, 6, 0x501000);
    for (unsigned i = 0; i < 4; i++)
        record(READ, 8, 0x10000 - 256 * i); /* lanes of a gather */
    record(PREFETCH, 64, 0x5000);
    record(THREAD, 4, 100);
    record(TAKEN, 2, 0x401020);
    record(NO_FETCH, 2, 0x401022);
    record(READ, 1, 0x6000);
    record(MARKER, 14, 0); /* the first window */
    record(NO_FETCH, 2, 0x401022);
    record(READ, 1, 0x6001);
    record(MARKER, 14, 1); /* another one */
    record(CALL, 5, 0x401030);
    record(WRITE, 8, 0x7000);
    record(200, 1, 2); /* unknown */
    record(EXIT, 4, 100);
    record(FOOTER, 0, 0);
}

static const char drmemtrace_expected[] = "100: 401000.0 L8 1000\n"
                                          "100: 401000.1 S8 2000\n"
                                          "100: 401004.0 L0 3000\n"
                                          "100: 40100d.0 S4 4000\n"
                                          "101: 501000.0 L8 10000\n"
                                          "101: 501000.0 L8 ff00\n"
                                          "101: 501000.0 L8 fe00\n"
                                          "101: 501000.0 L8 fd00\n"
                                          "100: 401022.0 L1 6000\n"
                                          "100: 401022.0 L1 6001\n"
                                          "event 2 of 100\n"
                                          "100: 401030.0 S8 7000\n";

static void drmemtrace_threads_bundles_lanes_windows(void **state)
{
    (void)state;
    drmemtrace_example();
    assert_read(read_bytes(records, records_len), drmemtrace_expected);
    assert_int_equal(contents.counts.skipped, 11);
    assert_int_equal(contents.threads, 2);
    assert_string_equal(noted, "");
    assert_read(read_bytes(records + 12, records_len - 12), drmemtrace_expected); /* no header: by its look */
    assert_read(read_bytes(records, records_len - 12), drmemtrace_expected);
    assert_non_null(strstr(noted, "no footer"));
}

static void drmemtrace_cut_inside_a_record(void **state)
{
    (void)state;
    drmemtrace_example();
    const struct contents *t = read_bytes(records, records_len - 3);
    assert_int_equal(t->err, LS_ERR_TRUNCATED);
    assert_string_equal(t->text, drmemtrace_expected);
    char position[128];
    snprintf(position, sizeof(position), "byte %zu", records_len - 3);
    assert_non_null(strstr(ls_last_error(), position));
}

/* --- packed files --- */

static size_t deflate_raw(const void *data, size_t len, int window, uint8_t *out, size_t room)
{
    z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len, .next_out = out, .avail_out = (uInt)room};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static uint8_t packed[1 << 19];

static void put(size_t *len, uint64_t value, size_t bytes)
{
    memcpy(packed + *len, &value, bytes);
    *len += bytes;
}

enum zip_form { ZIP_STORED, ZIP_DEFLATED, ZIP_DESCRIPTOR, ZIP_DESCRIPTOR_64 };
enum { ZIP_MEMBERS = 3000 };

static struct zip_entry {
    size_t at, body_len, bytes;
    uint32_t crc;
    enum zip_form form;
} zip_entries[ZIP_MEMBERS];

/* A member chunk.NNNN. */
static void zip_member(size_t *len, unsigned number, enum zip_form form, size_t at, size_t bytes)
{
    const uint8_t *data = records + at;
    uint8_t body[4096];
    const uint32_t crc = (uint32_t)crc32(0, data, (uInt)bytes);
    const size_t body_len = form == ZIP_STORED ? bytes : deflate_raw(data, bytes, -15, body, sizeof(body));
    const int is_late = form >= ZIP_DESCRIPTOR;
    zip_entries[number] = (struct zip_entry){*len, body_len, bytes, crc, form};
    put(len, 0x04034b50, 4);
    put(len, 20, 2);
    put(len, is_late ? 8 : 0, 2);
    put(len, form == ZIP_STORED ? 0 : 8, 2);
    put(len, 0, 4);
    put(len, is_late ? 0 : crc, 4);
    put(len, is_late ? 0 : body_len, 4);
    put(len, is_late ? 0 : bytes, 4);
    put(len, 10, 2);
    put(len, 4, 2);
    *len += (size_t)sprintf((char *)packed + *len, "chunk.%04u", number);
    put(len, 0x0000cafe, 4); /* an extra field */
    memcpy(packed + *len, form == ZIP_STORED ? data : body, body_len);
    *len += body_len;
    if (is_late) put(len, 0x08074b50, 4);
    if (is_late) put(len, crc, 4);
    if (is_late) put(len, body_len, form == ZIP_DESCRIPTOR_64 ? 8 : 4);
    if (is_late) put(len, bytes, form == ZIP_DESCRIPTOR_64 ? 8 : 4);
}

static void zip_directory_entry(size_t *len, unsigned number)
{
    const struct zip_entry *e = &zip_entries[number];
    put(len, 0x02014b50, 4);
    put(len, 20, 2);
    put(len, 20, 2);
    put(len, e->form >= ZIP_DESCRIPTOR ? 8 : 0, 2);
    put(len, e->form == ZIP_STORED ? 0 : 8, 2);
    put(len, 0, 4);
    put(len, e->crc, 4);
    put(len, e->body_len, 4);
    put(len, e->bytes, 4);
    put(len, 10, 2);
    put(len, 0, 8); /* no extra field, no comment, first disk, attributes */
    put(len, 0, 4);
    put(len, e->at, 4);
    *len += (size_t)sprintf((char *)packed + *len, "chunk.%04u", number);
}

static void zip_directory(size_t *len, unsigned members)
{
    const size_t at = *len;
    for (unsigned i = 0; i < members; i++)
        zip_directory_entry(len, i);
    const size_t directory_len = *len - at;
    put(len, 0x06054b50, 4);
    put(len, 0, 4);
    put(len, members, 2);
    put(len, members, 2);
    put(len, directory_len, 4);
    put(len, at, 4);
    put(len, 0, 2);
}

static size_t zip_example(void)
{
    size_t len = 0;
    for (unsigned i = 0; i < 4; i++)
        zip_member(&len, i, (enum zip_form)i, i * 84, i < 3 ? 84 : records_len - 3 * 84);
    zip_directory(&len, 4);
    return len;
}

static void packed_traces_are_unpacked(void **state)
{
    (void)state;
    drmemtrace_example();
    char position[128];
    const size_t gzip_len = deflate_raw(records, records_len, 31, packed, sizeof(packed));
    assert_read(read_bytes(packed, gzip_len), drmemtrace_expected);
    assert_int_equal(read_bytes(packed, gzip_len - 9)->err, LS_ERR_TRUNCATED);
    assert_non_null(strstr(ls_last_error(), "the gzip data ends too early"));
    snprintf(position, sizeof(position), "at byte %zu of the file, after %zu unpacked bytes", gzip_len - 9,
             records_len);
    assert_non_null(strstr(ls_last_error(), position));
    const size_t zip_len = zip_example();
    assert_read(read_bytes(packed, zip_len), drmemtrace_expected);
    for (size_t cut = 40; cut < zip_len; cut += 7)
        assert_int_equal(read_bytes(packed, cut)->err, LS_ERR_TRUNCATED);
    packed[60] ^= 1; /* a byte of the stored member */
    assert_int_equal(read_bytes(packed, zip_len)->err, LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "CRC"));
}

static uint8_t unpacked[1 << 19];

/* Return all bytes that are unpacked from a file. */
static ls_err unpack(const char *name, size_t *len)
{
    pat_input *in;
    size_t got = 1;
    ls_err err = pat_input_open(name, &in);
    *len = 0;
    if (err != LS_OK) return err;
    for (; err == LS_OK && got > 0; *len += got) {
        assert_true(*len < sizeof(unpacked));
        err = pat_input_read(in, unpacked + *len, sizeof(unpacked) - *len, &got);
        if (err != LS_OK) break;
    }
    pat_input_free(in);
    return err;
}

static ls_err unpack_bytes(const void *data, size_t data_len, size_t *len)
{
    write_file(data, data_len);
    return unpack(path, len);
}

static const char *example_name(const char *suffix)
{
    static char name[4096];
    snprintf(name, sizeof(name), "%s/tests/fuzz/corpus-drmemtrace/example.%s",
             getenv("top_srcdir") ? getenv("top_srcdir") : ".", suffix);
    return name;
}

static size_t read_example(const char *suffix)
{
    FILE *f = fopen(example_name(suffix), "rbe");
    assert_non_null(f);
    const size_t len = fread(packed, 1, sizeof(packed), f);
    fclose(f);
    return len;
}

/* cat a.gz b.gz, and the same of the others that may follow each other; a byte that is another one is seen. */
static void packed_parts_follow_each_other_and_are_checked(void **state)
{
    static const char *const suffixes[] = {"gz", "zst", "lz4"};
    static uint8_t once[1 << 16];
    (void)state;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t once_len, len;
        const size_t packed_len = read_example(suffixes[i]);
        const ls_err err = unpack(example_name(suffixes[i]), &once_len);
        if (err == LS_ERR_UNSUPPORTED) continue;
        assert_int_equal(err, LS_OK);
        assert_true(once_len > 0 && once_len <= sizeof(once));
        memcpy(once, unpacked, once_len);
        memcpy(packed + packed_len, packed, packed_len);
        assert_int_equal(unpack_bytes(packed, 2 * packed_len, &len), LS_OK);
        assert_int_equal(len, 2 * once_len);
        assert_memory_equal(unpacked, once, once_len);
        assert_memory_equal(unpacked + once_len, once, once_len);
        packed[packed_len - 6] ^= 1; /* bytes of a checksum, or of the last block */
        const ls_err damaged = unpack_bytes(packed, packed_len, &len);
        if (damaged != LS_ERR_FORMAT && damaged != LS_ERR_TRUNCATED)
            fail_msg("%s: damage is not seen (%d)", suffixes[i], (int)damaged);
    }
}

static void gzip_lengths_and_checksums_count(void **state)
{
    (void)state;
    drmemtrace_example();
    size_t unpacked_len;
    const size_t len = deflate_raw(records, records_len, 31, packed, sizeof(packed));
    assert_int_equal(unpack_bytes(packed, len, &unpacked_len), LS_OK);
    for (size_t back = 1; back <= 8; back++) {
        packed[len - back] ^= 0x40;
        assert_int_equal(unpack_bytes(packed, len, &unpacked_len), LS_ERR_FORMAT);
        packed[len - back] ^= 0x40;
    }
    memset(packed + len, 0, 512); /* padding after the last member, as on tapes */
    assert_int_equal(unpack_bytes(packed, len + 512, &unpacked_len), LS_OK);
    assert_int_equal(unpacked_len, records_len);
}

static size_t zip_of_members(unsigned members)
{
    size_t len = 0;
    for (unsigned i = 0; i < members; i++)
        zip_member(&len, i, ZIP_STORED, i % records_len, 1);
    zip_directory(&len, members);
    return len;
}

static void untrusted_zip_archives_are_read(void **state)
{
    (void)state;
    drmemtrace_example();
    size_t len = zip_of_members(ZIP_MEMBERS), unpacked_len;
    const ls_err err = unpack_bytes(packed, len, &unpacked_len);
    if (err == LS_ERR_UNSUPPORTED) skip();
    assert_int_equal(err, LS_OK);
    assert_int_equal(unpacked_len, ZIP_MEMBERS);
    for (size_t i = 0; i < ZIP_MEMBERS; i++)
        assert_int_equal(unpacked[i], records[i % records_len]);
    packed[zip_entries[ZIP_MEMBERS / 2].at] ^= 1; /* no member begins at the offset in the directory */
    assert_int_equal(unpack_bytes(packed, len, &unpacked_len), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "damaged zip data"));
    len = zip_example();
    packed[zip_entries[0].at + 6] |= 1; /* encrypted, in both headers */
    packed[len - 22 - 4 * 56 + 8] |= 1;
    assert_int_equal(unpack_bytes(packed, len, &unpacked_len), LS_ERR_UNSUPPORTED);
    len = zip_of_members(0);
    assert_int_equal(unpack_bytes(packed, len, &unpacked_len), LS_OK);
    assert_int_equal(unpacked_len, 0);
}

/* Data that expands much takes no more memory than other data: it is read piece by piece. */
static void large_unpacked_files_are_read_in_pieces(void **state)
{
    enum { BOMB = 1 << 26 };
    static uint8_t part[1 << 16];
    (void)state;
    gzFile f = gzopen(path, "wb9");
    assert_non_null(f);
    for (size_t i = 0; i < BOMB / sizeof(part); i++)
        assert_int_equal(gzwrite(f, part, sizeof(part)), (int)sizeof(part));
    assert_int_equal(gzclose(f), Z_OK);
    pat_input *in;
    size_t got = 1, all = 0;
    assert_int_equal(pat_input_open(path, &in), LS_OK);
    for (; got > 0; all += got)
        assert_int_equal(pat_input_read(in, part, sizeof(part), &got), LS_OK);
    pat_input_free(in);
    assert_int_equal(all, BOMB);
}

/* An archive from a pipe is read forwards. */
static void packed_files_may_be_pipes(void **state)
{
    static const char *const suffixes[] = {"gz", "zst", "lz4", "zip"};
    (void)state;
    drmemtrace_example();
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char name[64];
        int fds[2];
        size_t once_len, len;
        static uint8_t once[1 << 16];
        const size_t packed_len = read_example(suffixes[i]);
        const ls_err err = unpack(example_name(suffixes[i]), &once_len);
        if (err == LS_ERR_UNSUPPORTED) continue;
        memcpy(once, unpacked, once_len);
        assert_int_equal(pipe(fds), 0);
        assert_int_equal(write(fds[1], packed, packed_len), (ssize_t)packed_len); /* it holds 64 KiB */
        close(fds[1]);
        snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[0]);
        assert_int_equal(unpack(name, &len), LS_OK);
        close(fds[0]);
        assert_int_equal(len, once_len);
        assert_memory_equal(unpacked, once, once_len);
    }
}

/* Every cut of a packed file is reported, with the position. The head must be there, else the packing is not
 * recognised. */
static void cut_everywhere(const char *name, const char *suffix)
{
    char position[128];
    FILE *f = fopen(name, "rbe");
    assert_non_null(f);
    const size_t len = fread(packed, 1, sizeof(packed), f);
    fclose(f);
    const struct pat_source_options o = {.format = "drmemtrace"};
    for (size_t cut = 8; cut < len; cut += 5) {
        write_file(packed, cut);
        read_path(path, &o);
        if (contents.err != LS_ERR_TRUNCATED) fail_msg("%s cut at %zu: %s", suffix, cut, ls_last_error());
        snprintf(position, sizeof(position), "ends too early, at byte %zu of the file, after ", cut);
        if (!strstr(ls_last_error(), position)) fail_msg("%s: no '%s'", ls_last_error(), position);
    }
}

/* The same records, packed by the programs zstd and lz4. */
static void zstd_and_lz4_where_the_libraries_are(void **state)
{
    static const char *const suffixes[] = {"zst", "lz4", "gz", "zip"};
    (void)state;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        const char *name = example_name(suffixes[i]);
        const struct contents *t = read_path(name, NULL);
        if (t->err == LS_ERR_UNSUPPORTED) {
            print_message("%s\n", ls_last_error());
            continue;
        }
        assert_read(t, drmemtrace_expected);
        cut_everywhere(name, suffixes[i]);
    }
}

/* --- warps --- */

static size_t nvbit_header(unsigned maps)
{
    size_t len = 0;
    memset(packed, 0, sizeof(packed));
    put(&len, 3, 8);
    put(&len, maps, 8);
    put(&len, 3, 8);
    for (unsigned i = 0; i < maps; i++, len += 120)
        strcpy((char *)packed + len, "ID_TO_OPCODE");
    return len;
}

static void nvbit_record(size_t *len, int cta, int is_store, uint64_t first, int64_t step, unsigned lanes)
{
    const int32_t fields[] = {cta, 0, 0, 2, 1, 1, !is_store, is_store, 4, 0};
    put(len, 1, 8);
    for (size_t i = 0; i < 10; i++)
        put(len, (uint32_t)fields[i], 4);
    put(len, 0x7000, 8);
    for (unsigned i = 0; i < 32; i++)
        put(len, i < lanes ? first + (uint64_t)(step * i) : 0, 8);
}

static void nvbit_warps_are_threads_and_lanes_accesses(void **state)
{
    (void)state;
    size_t len = nvbit_header(2);
    nvbit_record(&len, 0, 0, 0x1000, 4, 32); /* contiguous */
    nvbit_record(&len, 1, 1, 0x8000, 64, 3); /* partial */
    nvbit_record(&len, -1, 0, 0, 0, 0);      /* the writer's mark */
    nvbit_record(&len, 0, 0, 0x9000, -8, 32);
    const struct contents *t = read_bytes(packed, len);
    if (t->err != LS_OK) fail_msg("%s", ls_last_error());
    assert_int_equal(t->counts.accesses, 32 + 3 + 32);
    assert_int_equal(t->counts.skipped, 1);
    assert_non_null(strstr(t->text, "grid 1 CTA 1,0,0 warp 2: 7000.0 S4 8080\n"));
    assert_non_null(strstr(t->text, "grid 1 CTA 0,0,0 warp 2: 7000.0 L4 8ff8\n"));
    const struct pat_source_options published = {.warps_as_published = true};
    assert_int_equal(read_path(path, &published)->counts.accesses, 32);
    assert_int_equal(read_bytes(packed, len - 1)->err, LS_ERR_TRUNCATED);
    assert_int_equal(read_bytes(packed, len - 2 * 312)->err, LS_ERR_TRUNCATED); /* the header announces 3 */
    assert_non_null(strstr(ls_last_error(), "after 2 of the 3 records"));
    write_file(packed, 24 + 120 + 5); /* inside the maps */
    assert_int_equal(read_path(path, &(struct pat_source_options){.format = "nvbit"})->err, LS_ERR_TRUNCATED);
}

static void nvbit_map(size_t *len, const char *table, unsigned id, const char *value)
{
    strcpy((char *)packed + *len, table);
    packed[*len + 24] = (uint8_t)id;
    packed[*len + 25] = (uint8_t)(id >> 8);
    strcpy((char *)packed + *len + 26, value);
    *len += 120;
}

static void nvbit_operation(size_t *len, int opcode_short, int line, unsigned ip, int64_t step)
{
    const bool stores = opcode_short == 3;
    const int32_t fields[] = {0, 0, 0, (int32_t)ip & 1, 7, opcode_short, !stores, stores, 8, line};
    put(len, 1, 8);
    for (size_t i = 0; i < 10; i++)
        put(len, (uint32_t)fields[i], 4);
    put(len, ip, 8);
    for (unsigned i = 0; i < 32; i++)
        put(len, 0x10000 + (uint64_t)(step * i), 8);
}

static void nvbit_tables_name_operations_and_lines(void **state)
{
    (void)state;
    static const char *const operations[] = {"LDG", "ATOMG", "LDC", "STG"};
    size_t len = 0;
    memset(packed, 0, sizeof(packed));
    put(&len, 3, 8);
    put(&len, 6, 8);
    put(&len, 6, 8);
    for (unsigned i = 0; i < 4; i++)
        nvbit_map(&len, "ID_TO_OPCODE_SHORT", i, operations[i]);
    nvbit_map(&len, "ID_TO_LINE", 300, "/x/kern.cu:10");
    nvbit_map(&len, "ID_TO_OPCODE", 7, "LDG.E.64.SYS");
    nvbit_operation(&len, 0, 300, 0x100, 64);
    nvbit_operation(&len, 1, 301, 0x200, 64); /* an atomic is a store, its line is not named */
    nvbit_operation(&len, 2, 300, 0x300, 64); /* constants are no published operation */
    nvbit_operation(&len, 3, 300, 0x401, 64); /* another warp */
    nvbit_operation(&len, 0, 300, 0x500, 8);  /* neighbours */
    nvbit_operation(&len, 0, 300, 0x600, 9);  /* and a byte between them */
    const struct contents *t = read_bytes(packed, len);
    if (t->err != LS_OK) fail_msg("%s", ls_last_error());
    assert_int_equal(t->counts.accesses, 6 * 32);
    assert_non_null(strstr(t->text, "warp 0: 100.0 L8 10040\n"));
    assert_non_null(strstr(t->text, "warp 0: 200.0 S8 10040\n"));
    const struct pat_source_options published = {.warps_as_published = true};
    t = read_path(path, &published);
    assert_int_equal(t->counts.accesses, 3 * 32);
    assert_int_equal(t->counts.skipped, 3);
    assert_non_null(strstr(t->text, "all warps: 401.0 S8 10040\n"));
    assert_non_null(strstr(t->text, "all warps: 600.0 L8 10009\n"));
    assert_null(strstr(t->text, ": 500.0"));
    pat_source *s;
    struct pat_batch b;
    assert_int_equal(pat_source_open(path, &(struct pat_source_options){0}, &s), LS_OK);
    while (pat_source_next(s, &b) == LS_OK && (b.events_len || b.accesses_len)) {
    }
    const struct pat_tables *tables = pat_source_tables(s);
    assert_int_equal(tables->lines_len, 1);
    assert_string_equal(tables->lines[0], "/x/kern.cu:10");
    assert_int_equal(tables->sites[0].line, 1);
    assert_int_equal(tables->sites[1].line, 0);
    pat_source_close(s);
}

static void names_of_formats_are_those_of_their_rows(void **state)
{
    (void)state;
    char names[256] = "";
    for (size_t i = 0; pat_source_format_at(i); i++) {
        if (i) strcat(names, "|");
        strcat(names, pat_source_format_at(i)->name);
    }
    assert_string_equal(names, PAT_SOURCE_NAMES);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_formats_are_those_of_their_rows),
        cmocka_unit_test(lackey_loads_stores_and_both),
        cmocka_unit_test(memtrace_has_instruction_kind_width_address),
        cmocka_unit_test(gem5_packets_with_and_without_pc),
        cmocka_unit_test(gem5_execution_of_several_cpus),
        cmocka_unit_test(perf_samples_stand_alone),
        cmocka_unit_test(texts_that_are_cut_or_foreign_are_refused),
        cmocka_unit_test(drmemtrace_threads_bundles_lanes_windows),
        cmocka_unit_test(drmemtrace_cut_inside_a_record),
        cmocka_unit_test(packed_traces_are_unpacked),
        cmocka_unit_test(packed_parts_follow_each_other_and_are_checked),
        cmocka_unit_test(gzip_lengths_and_checksums_count),
        cmocka_unit_test(untrusted_zip_archives_are_read),
        cmocka_unit_test(large_unpacked_files_are_read_in_pieces),
        cmocka_unit_test(packed_files_may_be_pipes),
        cmocka_unit_test(zstd_and_lz4_where_the_libraries_are),
        cmocka_unit_test(nvbit_warps_are_threads_and_lanes_accesses),
        cmocka_unit_test(nvbit_tables_name_operations_and_lines),
    };
    const int fd = mkstemp(path);
    if (fd < 0) return 99;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
