/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h5: is written completely or not at all, reads back as written, and damaged files do no harm. */
#include "config.h"

#include "run_h5/prof_h5.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_writer.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static struct spool_fixture fixture;
static char path[400];

static int set_up(void **state)
{
    (void)state;
    spool_fixture_init(&fixture);
    snprintf(path, sizeof(path), "%s/run.h5", fixture.root);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    spool_fixture_fini(&fixture);
    return 0;
}

static const struct prof_node nodes[] = {
    {.id = 0,
     .parent = UINT32_MAX,
     .kind = PROF_NODE_ROOT,
     .process = UINT32_MAX,
     .label = "all memory",
     .died_ns = UINT64_MAX},
    {.id = 1,
     .parent = 0,
     .kind = PROF_NODE_RANGE,
     .process = 0,
     .label = "na\xc3\xafve",
     .base = 16,
     .end = 32,
     .died_ns = 7},
};
static const struct prof_process processes[] = {
    {.pid = 5, .parent = PROF_NO_PROCESS, .exe = "/bin/x", .cmdline = "x y"}};
static const struct prof_thread threads[] = {{.process = 0, .tid = 5, .name = "x", .end_ns = 9}};

static struct prof_sample sample(uint64_t i)
{
    struct prof_sample s = prof_sample_missing;
    s.time_ns = 10 * i;
    s.thread = 0;
    s.ip = 0x400000 + i % 7;
    s.addr = i * UINT64_C(0x9e3779b97f4a7c15);
    s.node = i % 2;
    s.burst = 0;
    return s;
}

/* Write len samples; fails where the writer fails. */
static ls_err write_samples(prof_writer *w, uint64_t len)
{
    const struct prof_burst bursts[] = {{.thread = 0,
                                         .first_sample = 0,
                                         .samples_len = (uint32_t)len,
                                         .frame = UINT32_MAX,
                                         .phase = UINT32_MAX}};
    const struct prof_run run = {
        .schema = PROF_SCHEMA, .command = "x y", .overhead_achieved = NAN, .duration_ns = UINT64_MAX};
    for (uint64_t i = 0; i < len; i++) {
        const struct prof_sample s = sample(i);
        LS_TRY(prof_writer_add(w, &s));
    }
    LS_TRY(prof_writer_table(w, PROF_TABLE_nodes, nodes, 2));
    LS_TRY(prof_writer_table(w, PROF_TABLE_processes, processes, 1));
    LS_TRY(prof_writer_table(w, PROF_TABLE_threads, threads, 1));
    LS_TRY(prof_writer_table(w, PROF_TABLE_bursts, bursts, 1));
    for (int id = PROF_TABLE_modules; id < PROF_TABLE_COUNT; id++)
        LS_TRY(prof_writer_table(w, (enum prof_table_id)id, NULL, 0));
    LS_TRY(prof_writer_run(w, &run));
    return prof_writer_finish(w);
}

static ls_err write_file(const char *to, uint64_t len)
{
    prof_writer *w;
    LS_TRY(prof_writer_new(to, 1, &w));
    const ls_err e = write_samples(w, len);
    prof_writer_free(w);
    return e;
}

static void columns_and_tables_are_read_back(void **state)
{
    enum { N = 70001 }; /* two full chunks and a rest */
    prof_profile *p;
    struct prof_samples s;
    size_t len;
    (void)state;
    assert_int_equal(write_file(path, N), LS_OK);
    assert_int_equal(prof_open(path, &p), LS_OK);
    const struct prof_node *n = prof_nodes(p, &len);
    assert_int_equal(len, 2);
    assert_string_equal(n[1].label, "na\xc3\xafve");
    assert_int_equal(n[1].died_ns, 7);
    assert_int_equal(n[0].died_ns, UINT64_MAX);
    assert_string_equal(prof_processes(p, &len)->cmdline, "x y");
    assert_string_equal(prof_run_of(p)->command, "x y");
    assert_string_equal(prof_run_of(p)->host, "");
    assert_true(isnan(prof_run_of(p)->overhead_achieved));
    assert_int_equal(prof_load_samples(p, PROF_MASK(addr) | PROF_MASK(node), &s), LS_OK);
    assert_int_equal(s.len, N);
    assert_null(s.ip);
    assert_int_equal(prof_load_samples(p, PROF_MASK(ip) | PROF_MASK(latency_cycles), &s), LS_OK);
    assert_non_null(s.addr);
    for (uint64_t i = 0; i < N; i++) {
        const struct prof_sample want = sample(i);
        assert_true(s.addr[i] == want.addr && s.node[i] == want.node && s.ip[i] == want.ip);
        assert_true(s.latency_cycles[i] == INT32_MIN);
    }
    prof_close(p);
}

static hsize_t rows_of_chunk(const char *from, const char *dataset)
{
    hsize_t rows = 0;
    const hid_t file = H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT), d = H5Dopen2(file, dataset, H5P_DEFAULT);
    const hid_t properties = H5Dget_create_plist(d);
    assert_int_equal(H5Pget_chunk(properties, 1, &rows), 1);
    H5Pclose(properties);
    H5Dclose(d);
    H5Fclose(file);
    return rows;
}

static void chunks_are_no_longer_than_the_samples_need(void **state)
{
    static const struct {
        uint64_t samples, rows;
    } cases[] = {{0, 1024}, {10, 1024}, {1025, 2048}, {32768, 32768}, {70001, 32768}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(write_file(path, cases[i].samples), LS_OK);
        assert_int_equal(rows_of_chunk(path, "/samples/addr"), cases[i].rows);
    }
}

static void output_is_complete_or_absent(void **state)
{
    prof_writer *w, *other;
    (void)state;
    assert_int_equal(prof_writer_new(path, 0, &w), LS_OK);
    assert_int_equal(access(path, F_OK), -1);
    prof_writer_free(w);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(fixture.spool), 0);
    assert_int_equal(rmdir(fixture.root), 0); /* no file remains */
    spool_fixture_init(&fixture);
    snprintf(path, sizeof(path), "%s/run.h5", fixture.root);
    /* a file that appears meanwhile is kept */
    assert_int_equal(prof_writer_new(path, 0, &other), LS_OK);
    fixture_write_file(path, "mine", 4);
    assert_int_equal(write_samples(other, 10), LS_ERR_EXISTS);
    prof_writer_free(other);
    size_t len;
    free(fixture_read_file(path, &len));
    assert_int_equal(len, 4);
    assert_int_equal(prof_writer_new(path, 0, &w), LS_ERR_EXISTS);
    assert_int_equal(prof_writer_new("/nonexistent/run.h5", 0, &w), LS_ERR_NOT_FOUND);
}

/* Open and read everything; whatever happens, no crash. */
static ls_err read_everything(const char *from)
{
    prof_profile *p;
    struct prof_samples s;
    LS_TRY(prof_open(from, &p));
    const ls_err e = prof_load_samples(p, ~UINT64_C(0), &s);
    prof_close(p);
    return e;
}

static void full_disk_is_reported_and_leaves_no_file(void **state)
{
    char full[420];
    (void)state;
    if (mount("none", fixture.spool, "tmpfs", 0, "size=1m") != 0) {
        print_message("cannot mount a small tmpfs (%s): full disk not tested here\n", strerror(errno));
        skip();
    }
    snprintf(full, sizeof(full), "%s/run.h5", fixture.spool);
    unsigned refused = 0;
    for (uint64_t len = 1000; len < 1000000; len *= 3) {
        const ls_err e = write_file(full, len);
        if (e == LS_OK) continue;
        refused++;
        assert_int_equal(e, LS_ERR_FULL);
        assert_non_null(strstr(ls_last_error(), full));
    }
    assert_true(refused > 1);
    assert_int_equal(read_everything(full), LS_OK); /* the last one that fitted is whole */
    assert_int_equal(unlink(full), 0);
    struct statvfs left;
    assert_int_equal(statvfs(fixture.spool, &left), 0);
    assert_int_equal(left.f_bfree, left.f_blocks); /* no other file remains */
    assert_int_equal(umount(fixture.spool), 0);
}

static void truncated_file_is_refused_with_a_reason(void **state)
{
    size_t len;
    (void)state;
    assert_int_equal(write_file(path, 2000), LS_OK);
    uint8_t *bytes = fixture_read_file(path, &len);
    for (size_t cut = 0; cut < len; cut += 1 + len / 211) {
        fixture_write_file(path, bytes, cut);
        const ls_err e = read_everything(path);
        assert_true(e == LS_ERR_TRUNCATED || (cut < 64 && e == LS_ERR_FORMAT));
        assert_non_null(strstr(ls_last_error(), path));
    }
    free(bytes);
}

static void every_flipped_bit_is_noticed(void **state)
{
    size_t len;
    (void)state;
    assert_int_equal(write_file(path, 2000), LS_OK);
    uint8_t *bytes = fixture_read_file(path, &len);
    for (size_t at = 0; at < len; at += at < 1024 ? 7 : 1 + len / 499) {
        bytes[at] ^= (uint8_t)(1u << at % 8);
        fixture_write_file(path, bytes, len);
        const ls_err e = read_everything(path);
        /* without its magic a file counts as unsealed, and is still complete; the rest of the seal's block is
         * unused */
        if (at >= 8 && at < 24) assert_true(e == LS_ERR_FORMAT || e == LS_ERR_TRUNCATED);
        if (at >= 512) assert_int_equal(e, LS_ERR_FORMAT);
        bytes[at] ^= (uint8_t)(1u << at % 8);
    }
    free(bytes);
}

static void foreign_files_are_refused_by_kind(void **state)
{
    (void)state;
    fixture_write_file(path, "not HDF5 at all, just text", 26);
    assert_int_equal(read_everything(path), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "not an HDF5 file"));
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n";
    fixture_write_file(path, pointer, sizeof(pointer) - 1);
    assert_int_equal(read_everything(path), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "is a pointer of git-lfs, not the file itself"));
    assert_int_equal(read_everything("/nonexistent.h5"), LS_ERR_NOT_FOUND);
    assert_int_equal(read_everything("/dev/null"), LS_ERR_FORMAT);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_int_equal(read_everything(path), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "not of Loadstone"));
}

/* Change a file as an editor of HDF5 would: unsealed, then one data set or attribute replaced. */
static hid_t open_unsealed(void)
{
    size_t len;
    uint8_t *bytes = fixture_read_file(path, &len);
    memset(bytes, 0, 512);
    fixture_write_file(path, bytes, len);
    free(bytes);
    return H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
}

static void replace_u32(hid_t file, const char *name, const uint32_t *values, hsize_t len)
{
    const hid_t space = H5Screate_simple(1, &len, NULL);
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t dataset = H5Dcreate2(file, name, H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
}

static void wrong_contents_are_refused_by_name(void **state)
{
    static const struct {
        const char *name;
        uint32_t values[3];
        hsize_t len;
        const char *says;
    } rows[] = {
        {"/nodes/parent", {UINT32_MAX, 5, 0}, 2, "/nodes: row 1: parent"},
        {"/nodes/parent", {UINT32_MAX, 0, 0}, 3, "/nodes/parent: has another length"},
        {"/nodes/id", {1, 0, 0}, 2, "/nodes: row 0: id"},
        {"/nodes/kind", {0, 99, 0}, 2, "/nodes: row 1: kind"},
        {"/nodes/label", {0, 0, 0}, 2, "/nodes/label: has a type"},
        {"/threads/process", {9, 0, 0}, 1, "/threads: row 0: process"},
        {"/bursts/samples_len", {99, 0, 0}, 1, "/bursts: row 0: samples"},
        {"/samples/node", {0, 1, 7}, 3, "/samples/node: row 2: 7 is out of range"},
        {"/samples/thread", {0, 0, 0}, 2, "/samples/thread: has another length"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(write_file(path, 3), LS_OK);
        const hid_t file = open_unsealed();
        replace_u32(file, rows[i].name, rows[i].values, rows[i].len);
        H5Fclose(file);
        assert_int_equal(read_everything(path), LS_ERR_FORMAT);
        if (!strstr(ls_last_error(), rows[i].says))
            fail_msg("expected \"%s\" in: %s", rows[i].says, ls_last_error());
    }
}

static void other_schema_is_refused(void **state)
{
    const uint64_t schema = 99;
    (void)state;
    assert_int_equal(write_file(path, 3), LS_OK);
    const hid_t file = open_unsealed(), run = H5Gopen2(file, "/run", H5P_DEFAULT);
    const hid_t attribute = H5Aopen(run, "schema", H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_UINT64, &schema);
    H5Aclose(attribute);
    H5Gclose(run);
    H5Fclose(file);
    assert_int_equal(read_everything(path), LS_ERR_VERSION);
    assert_non_null(strstr(ls_last_error(), "schema 99"));
}

/* --- files of other users --- */

/* Replace name by a data set of len values that were never written. Closes properties. */
static void replace_strange(hid_t file, const char *name, hid_t type, hsize_t len, hid_t properties)
{
    const hsize_t unlimited = H5S_UNLIMITED;
    const bool is_chunked = H5Pget_layout(properties) == H5D_CHUNKED;
    const hid_t space = H5Screate_simple(1, &len, is_chunked ? &unlimited : NULL);
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(properties);
}

static void strange_external(hid_t file)
{
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, "secret", 0, 24);
    replace_strange(file, "/samples/addr", H5T_STD_U64LE, 3, properties);
}

static void strange_virtual(hid_t file)
{
    const hsize_t len = 3;
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &len, NULL);
    H5Pset_virtual(properties, space, "other.h5", "secret", space);
    H5Sclose(space);
    replace_strange(file, "/samples/ip", H5T_STD_U64LE, 3, properties);
}

static void strange_compact(hid_t file)
{
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(properties, H5D_COMPACT);
    replace_strange(file, "/samples/addr", H5T_STD_U64LE, 3, properties);
}

static void strange_link(hid_t file)
{
    H5Ldelete(file, "/samples/addr", H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/secret", file, "/samples/addr", H5P_DEFAULT, H5P_DEFAULT);
}

static void strange_link_elsewhere(hid_t file)
{
    H5Lcreate_external("other.h5", "/meshes", file, "/fields/loaned", H5P_DEFAULT, H5P_DEFAULT);
}

static void strange_text(hid_t file)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    replace_strange(file, "/nodes/label", type, 2, H5Pcreate(H5P_DATASET_CREATE));
    H5Tclose(type);
}

static void strange_wide_text(hid_t file)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 1 << 20);
    replace_strange(file, "/nodes/label", type, 2, H5Pcreate(H5P_DATASET_CREATE));
    H5Tclose(type);
}

static void strange_attribute(hid_t file)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    const hid_t run = H5Gopen2(file, "/run", H5P_DEFAULT);
    const char *text = "./program";
    H5Tset_size(type, H5T_VARIABLE);
    H5Adelete(run, "command");
    const hid_t attribute = H5Acreate2(run, "command", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, &text);
    H5Aclose(attribute);
    H5Gclose(run);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_attribute(hid_t object, const char *name, hid_t type, hsize_t len)
{
    const hid_t space = H5Screate_simple(1, &len, NULL);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

/* Attributes in a separate heap. */
static void strange_place_of_attributes(hid_t file)
{
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_attr_phase_change(properties, 0, 0);
    const hid_t group = H5Gcreate2(file, "/more", H5P_DEFAULT, properties, H5P_DEFAULT);
    put_attribute(group, "dense", H5T_STD_U64LE, 3);
    H5Gclose(group);
    H5Pclose(properties);
}

static void strange_attribute_type(hid_t file)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(type, "member", 0, H5T_STD_U64LE);
    put_attribute(file, "compound", type, 3);
    H5Tclose(type);
}

/* Claims of sizes with only a few bytes in the file. */
static hid_t in_unwritten_chunks(hsize_t len)
{
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &len);
    return properties;
}

static void strange_rows(hid_t file)
{
    replace_strange(file, "/samples/ip", H5T_STD_U64LE, 400000000, in_unwritten_chunks(32768));
}

static void strange_table(hid_t file)
{
    replace_strange(file, "/nodes/id", H5T_STD_U32LE, 400000000, in_unwritten_chunks(32768));
}

static void strange_chunk(hid_t file)
{
    replace_strange(file, "/samples/ip", H5T_STD_U64LE, 3, in_unwritten_chunks(1 << 26));
}

static void strange_filter(hid_t file)
{
    const hid_t properties = in_unwritten_chunks(3);
    H5Pset_nbit(properties);
    replace_strange(file, "/samples/ip", H5T_STD_U64LE, 3, properties);
}

/* A packed column whose chunk of 4096 rows unpacks to len_bytes; the mask skipped names filters that are not applied. */
static void put_chunk(hid_t file, uLong len_bytes, uint32_t skipped)
{
    const hsize_t first = 0;
    const hid_t properties = in_unwritten_chunks(4096);
    uint8_t values[80000] = {0}, packed[90000];
    uLongf packed_bytes = sizeof(packed);
    H5Pset_deflate(properties, 1);
    replace_strange(file, "/samples/addr", H5T_STD_U64LE, 3, properties);
    assert_int_equal(compress2(packed, &packed_bytes, values, len_bytes, 1), Z_OK);
    const hid_t dataset = H5Dopen2(file, "/samples/addr", H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, &first, skipped ? len_bytes : packed_bytes,
                               skipped ? values : packed) >= 0);
    H5Dclose(dataset);
}

static void strange_short_chunk(hid_t file)
{
    put_chunk(file, 4096 * sizeof(uint64_t) - 1, 0);
}

static void strange_tiny_chunk(hid_t file)
{
    put_chunk(file, 16, 0);
}

static void strange_long_chunk(hid_t file)
{
    put_chunk(file, 4096 * sizeof(uint64_t) + 1, 0);
}

static void strange_short_plain_chunk(hid_t file)
{
    put_chunk(file, 16, 1);
}

static void strange_long_plain_chunk(hid_t file)
{
    put_chunk(file, 80000, 1);
}

static void strange_torn_chunk(hid_t file)
{
    const hsize_t first = 0;
    put_chunk(file, 4096 * sizeof(uint64_t), 0);
    const hid_t dataset = H5Dopen2(file, "/samples/addr", H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &first, 5, "\x78\x01\x00\x00\x00") >= 0);
    H5Dclose(dataset);
}

static void files_of_other_users_are_refused(void **state)
{
    static const struct {
        void (*make)(hid_t file);
        const char *says;
    } rows[] = {
        {strange_external, "/samples/addr: has its values in another file"},
        {strange_virtual, "/samples/ip: is a virtual data set"},
        {strange_compact, "/samples/addr: is stored in a way"},
        {strange_link, "links to other files"},
        {strange_link_elsewhere, "links to other files"},
        {strange_text, "/nodes/label: is text of variable length"},
        {strange_wide_text, "/nodes/label: has values that are too wide"},
        {strange_attribute, "command: is text of variable length"},
        {strange_place_of_attributes, "has attributes that are not in the header of their object"},
        {strange_attribute_type, "has an attribute of a kind that Loadstone does not read"},
        {strange_rows, "/samples/ip: has more rows than a file of this length"},
        {strange_table, "/nodes/id: has more rows than a file of this length"},
        {strange_chunk, "/samples/ip: has chunks of more than 64 MiB"},
        {strange_filter, "/samples/ip: is packed in a way"},
        {strange_tiny_chunk, "/samples/addr: has a chunk that is shorter"},
        {strange_short_chunk, "/samples/addr: has a chunk that is shorter"},
        {strange_long_chunk, "/samples/addr: has a chunk that is damaged, or longer than its rows"},
        {strange_short_plain_chunk, "/samples/addr: has a chunk that is shorter"},
        {strange_long_plain_chunk, "/samples/addr: has a chunk that is longer"},
        {strange_torn_chunk, "/samples/addr: has a chunk that is damaged"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(write_file(path, 3), LS_OK);
        const hid_t file = open_unsealed();
        rows[i].make(file);
        H5Fclose(file);
        if (read_everything(path) != LS_ERR_FORMAT)
            fail_msg("row %zu is not refused, expected \"%s\"", i, rows[i].says);
        if (!strstr(ls_last_error(), rows[i].says))
            fail_msg("expected \"%s\" in: %s", rows[i].says, ls_last_error());
    }
}

/* Replace `was` by `is`, both of len_bytes, after the name in the file. */
static void patch_after(const char *name, const void *was, const void *is, size_t len_bytes)
{
    size_t len;
    uint8_t *bytes = fixture_read_file(path, &len);
    uint8_t *at = memmem(bytes, len, name, strlen(name) + 1);
    assert_non_null(at);
    at = memmem(at, len - (size_t)(at - bytes), was, len_bytes);
    assert_non_null(at);
    memcpy(at, is, len_bytes);
    fixture_write_file(path, bytes, len);
    free(bytes);
}

/* libhdf5 1.10 reads as much as an attribute states, and divides by the extents of chunks. Groups of this file have no
 * checksums. */
static void damaged_headers_are_refused_before_they_are_read(void **state)
{
    (void)state;
    static const uint64_t three = 3, many = 3000000;
    assert_int_equal(write_file(path, 3), LS_OK);
    hid_t file = open_unsealed();
    hid_t group = H5Gcreate2(file, "/more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_attribute(group, "an attribute", H5T_STD_U64LE, 3);
    H5Gclose(group);
    H5Fclose(file);
    assert_int_equal(read_everything(path), LS_OK);
    patch_after("an attribute", &three, &many, sizeof(three));
    assert_int_equal(read_everything(path), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "has an attribute that is longer than its place in the file"));

    static const uint32_t chunk[] = {4567, 8}, none[] = {0, 8}; /* rows, and the bytes of a value */
    assert_int_equal(write_file(path, 3), LS_OK);
    file = open_unsealed();
    replace_strange(file, "/more", H5T_STD_U64LE, 3, in_unwritten_chunks(4567));
    H5Fclose(file);
    assert_int_equal(read_everything(path), LS_OK);
    patch_after("", chunk, none, sizeof(chunk));
    assert_int_equal(read_everything(path), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "has chunks without values"));
}

/* --- memory --- */

/* Room for values that makes the file as long as a small recording. */
static void make_long(hid_t file)
{
    const hsize_t len = 16 << 20;
    const hid_t space = H5Screate_simple(1, &len, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    const hid_t dataset =
        H5Dcreate2(file, "/long", H5T_STD_U8LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
}

/* All columns with 3 rows for each byte of the file. */
static void greedy_columns(hid_t file)
{
    char name[64];
    make_long(file);
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        const hid_t type = prof_h5_file_type(prof_column_rows[c].type);
        snprintf(name, sizeof(name), "/samples/%s", prof_column_rows[c].name);
        replace_strange(file, name, type, 50000000, in_unwritten_chunks(32768));
        H5Tclose(type);
    }
}

/* A chunk that unpacks to 4 GiB of zeros: a block of 16 MiB, compressed, again and again. */
static void greedy_chunk(hid_t file)
{
    enum { BLOCK_BYTES = 16 << 20, BLOCKS = 256, PACKED_MAX = 256 << 10 };
    const hsize_t len = 3, chunk = 32768, first = 0, unlimited = H5S_UNLIMITED;
    uint8_t *zeros = calloc(1, BLOCK_BYTES), *packed = malloc((size_t)PACKED_MAX * BLOCKS);
    z_stream z = {.next_in = zeros, .avail_in = BLOCK_BYTES, .next_out = packed, .avail_out = PACKED_MAX};
    assert_int_equal(deflateInit(&z, 1), Z_OK);
    assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
    assert_true(z.avail_out > 0);
    const size_t head = 2, block = z.total_out - head;
    deflateEnd(&z);
    for (size_t i = 1; i < BLOCKS; i++)
        memcpy(packed + head + i * block, packed + head, block);
    const hid_t space = H5Screate_simple(1, &len, &unlimited), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    H5Pset_deflate(properties, 1);
    H5Ldelete(file, "/samples/ip", H5P_DEFAULT);
    const hid_t dataset =
        H5Dcreate2(file, "/samples/ip", H5T_STD_U64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &first, head + BLOCKS * block, packed) >= 0);
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
    free(packed);
    free(zeros);
}

static void no_small_file_takes_more_than_a_gibibyte(void **state)
{
    static void (*const make[])(hid_t file) = {greedy_columns, greedy_chunk};
    (void)state;
    for (size_t i = 0; i < sizeof(make) / sizeof(make[0]); i++) {
        assert_int_equal(write_file(path, 3), LS_OK);
        const hid_t file = open_unsealed();
        make[i](file);
        H5Fclose(file);
        struct rusage used;
        int status;
        const pid_t child = fork();
        if (child == 0) _exit(read_everything(path) == LS_OK ? 1 : 0);
        assert_int_equal(wait4(child, &status, 0, &used), child);
        if (status != 0 || used.ru_maxrss > 1 << 20)
            fail_msg("file %zu: status %x, %ld KiB", i, (unsigned)status, used.ru_maxrss);
    }
}

/* The limit for a trusted file can be raised and lowered. */
static void memory_of_a_file_can_be_set(void **state)
{
    struct rlimit before, after;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    assert_int_equal(write_file(path, 100000), LS_OK);
    assert_int_equal(read_everything(path), LS_OK);
    assert_int_equal(setenv("LOADSTONE_MEMORY", "1M", 1), 0);
    assert_int_equal(read_everything(path), LS_ERR_RANGE);
    assert_non_null(strstr(ls_last_error(), "LOADSTONE_MEMORY"));
    assert_int_equal(unsetenv("LOADSTONE_MEMORY"), 0);
    assert_int_equal(getrlimit(RLIMIT_DATA, &after), 0);
    assert_true(after.rlim_cur == before.rlim_cur); /* when nothing is open */
}

static void untrusted_names_have_no_control_characters(void **state)
{
    const char *const evil[2] = {"all\x1b[2J memory", "a\r\xc2\x9b\xe2\x80\xae"};
    size_t len;
    prof_profile *p = NULL;
    (void)state;
    assert_int_equal(write_file(path, 3), LS_OK);
    const hid_t file = open_unsealed(), type = prof_h5_text_type(16);
    replace_strange(file, "/nodes/label", type, 2, H5Pcreate(H5P_DATASET_CREATE));
    const hid_t dataset = H5Dopen2(file, "/nodes/label", H5P_DEFAULT);
    assert_true(prof_h5_write_texts(dataset, 16, evil, 2) >= 0);
    H5Dclose(dataset);
    H5Tclose(type);
    H5Fclose(file);
    assert_int_equal(prof_open(path, &p), LS_OK);
    const struct prof_node *nodes = prof_nodes(p, &len);
    assert_int_equal(len, 2);
    assert_string_equal(nodes[0].label, "all?[2J memory");
    assert_string_equal(nodes[1].label, "a??????");
    prof_close(p);
}

static void columns_of_text_are_as_wide_as_their_longest(void **state)
{
    char packed[8] = "xxxxxxx";
    const char *const texts[] = {"a", NULL, "abcd"};
    (void)state;
    assert_int_equal(prof_h5_text_width(texts, 3), 4);
    assert_int_equal(prof_h5_text_width(texts + 1, 1), 1);
    prof_h5_pack_text(packed, 7, "ab");
    assert_memory_equal(packed, "ab\0\0\0\0", 7);
    prof_h5_pack_text(packed, 7, "abcdefgh");
    assert_memory_equal(packed, "abcd...", 7);
    prof_h5_pack_text(packed, 7,
                      "abc\xc3\xa4"
                      "efgh"); /* the character that would be halved is left out */
    assert_memory_equal(packed, "abc...\0", 7);
    prof_h5_pack_text(packed, 2, "abc"); /* no room for more */
    assert_memory_equal(packed, "..c.", 4);
    char *const long_text = calloc(1, 9001);
    memset(long_text, 'x', 9000);
    const char *const one = long_text;
    assert_int_equal(prof_h5_text_width(&one, 1), PROF_TEXT_MAX_BYTES);
    free(long_text);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_of_other_users_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_headers_are_refused_before_they_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_small_file_takes_more_than_a_gibibyte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_of_a_file_can_be_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(untrusted_names_have_no_control_characters, set_up, tear_down),
        cmocka_unit_test(columns_of_text_are_as_wide_as_their_longest),
        cmocka_unit_test_setup_teardown(columns_and_tables_are_read_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chunks_are_no_longer_than_the_samples_need, set_up, tear_down),
        cmocka_unit_test_setup_teardown(output_is_complete_or_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_disk_is_reported_and_leaves_no_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(truncated_file_is_refused_with_a_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_flipped_bit_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(foreign_files_are_refused_by_kind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_contents_are_refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_schema_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
