/* SPDX-License-Identifier: BSD-3-Clause */
/* A run.h5 with changed bytes, read as a profile or as a source of accesses: each four bytes of the input put
 * a value that nobody expects into a field of a row or of a sample, change one byte anywhere, or cut the
 * file. The file lies in memory and is written once; an input changes a few bytes of it. */
#include "profile/prof_atlas.h"
#include "profile/prof_h5.h"
#include "profile/prof_writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_check_source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-run-h5/*";

enum {
    CHANGES_MAX = 64,
    SAMPLES = 12,
    SAMPLES_TABLE = PROF_TABLE_COUNT,
    BYTES,
    CUT,
    PLACES,
    FIELDS_MAX = 32,
    FILE_MAX_BYTES = 1 << 20
};
#define NO UINT32_MAX

static const struct prof_node nodes[] = {
    {.id = 0, .parent = NO, .kind = PROF_NODE_ROOT, .process = NO, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .process = NO, .died_ns = UINT64_MAX},
    {.id = 2,
     .kind = PROF_NODE_RANGE,
     .label = "A",
     .base = 0x1000,
     .end = 0x2000,
     .elem_size_bytes = 8,
     .born_ns = 100,
     .died_ns = 500},
    {.id = 3, .parent = 1, .kind = PROF_NODE_STATIC, .label = "app", .died_ns = UINT64_MAX},
    {.id = 4,
     .parent = 3,
     .kind = PROF_NODE_SYMBOL,
     .label = "table",
     .elem_size_bytes = 16,
     .died_ns = UINT64_MAX},
    {.id = 5, .parent = 1, .kind = PROF_NODE_SITE, .label = "list", .died_ns = UINT64_MAX},
    {.id = 6,
     .parent = 5,
     .kind = PROF_NODE_BLOCK,
     .label = "block 1",
     .base = 0x9000,
     .end = 0x9040,
     .born_ns = 50,
     .died_ns = UINT64_MAX}};
static const struct prof_process processes[] = {
    {.pid = 10, .parent = PROF_NO_PROCESS, .rank = -1, .exe = "/bin/app"},
    {.pid = 20, .parent = 0, .rank = 3, .exe = "/bin/app"}};
static const struct prof_thread threads[] = {{.process = 0, .tid = 10}, {.process = 1, .tid = 20}};
static const struct prof_module modules[] = {
    {.process = 0, .path = "/bin/app", .base = 0x400000, .end = 0x500000, .bias = 0x400000},
    {.process = 0, .path = "/lib/a.so", .base = 0x400000, .end = 0x480000, .bias = 0x400000},
    {.process = 1, .path = "/bin/app", .base = 0x400000, .end = 0x500000, .bias = 0x400000}};
static const struct prof_line lines[] = {
    {.process = 0, .ip = 0x400010, .module = "/lib/a.so", .until_ns = 500},
    {.process = 0, .ip = 0x400010, .module = "/bin/app", .until_ns = UINT64_MAX}};
static const struct prof_phase phases[] = {{.id = 0, .parent = NO, .name = "solve"},
                                           {.id = 1, .parent = 0, .name = "sweep"}};
static const struct prof_burst bursts[] = {{.thread = 0,
                                            .time_ns = 200,
                                            .weight_ns = 1000,
                                            .data_weight_ns = 1000,
                                            .instructions = 1000,
                                            .samples_len = 4,
                                            .frame = NO,
                                            .phase = NO},
                                           {.thread = 1,
                                            .time_ns = 300,
                                            .weight_ns = 1000,
                                            .data_weight_ns = 1000,
                                            .instructions = 1000,
                                            .first_sample = 4,
                                            .samples_len = 4,
                                            .frame = NO,
                                            .phase = NO},
                                           {.thread = 0,
                                            .time_ns = 700,
                                            .weight_ns = 1000,
                                            .data_weight_ns = 1000,
                                            .instructions = 1000,
                                            .first_sample = 8,
                                            .samples_len = 4,
                                            .frame = NO,
                                            .phase = NO}};

static const struct {
    const void *rows;
    size_t len;
} tables[PROF_TABLE_COUNT] = {
    [PROF_TABLE_nodes] = {nodes, sizeof(nodes) / sizeof(nodes[0])},
    [PROF_TABLE_threads] = {threads, sizeof(threads) / sizeof(threads[0])},
    [PROF_TABLE_processes] = {processes, sizeof(processes) / sizeof(processes[0])},
    [PROF_TABLE_bursts] = {bursts, sizeof(bursts) / sizeof(bursts[0])},
    [PROF_TABLE_modules] = {modules, sizeof(modules) / sizeof(modules[0])},
    [PROF_TABLE_lines] = {lines, sizeof(lines) / sizeof(lines[0])},
    [PROF_TABLE_phases] = {phases, sizeof(phases) / sizeof(phases[0])},
};

static const uint64_t values[] = {
    0,         1,      2,  3,          8,         0x1000,     0x400010,       0x9000,    UINT8_MAX,
    INT32_MAX, NO - 1, NO, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
static const char *const texts[] = {"", "A", "/", "\xff\xfe\x80", "table", "/lib/a.so"};

/* Where a change goes. */
struct change {
    uint8_t place, row, field, value;
};

/* Where a column lies in the file; 0 rows: nowhere. */
struct column {
    enum prof_type type;
    uint64_t at, rows;
    size_t width;
};

static struct {
    int fd;
    char folder[48], path[64];
    size_t len_bytes, kept_bytes;
    uint8_t sound[FILE_MAX_BYTES]; /* as it was written */
    uint8_t *bytes;                /* of the file itself */
    struct column columns[SAMPLES_TABLE + 1][FIELDS_MAX];
    size_t columns_len[SAMPLES_TABLE + 1];
    struct {
        size_t at, len_bytes;
    } changed[CHANGES_MAX];
    size_t changed_len;
} file;

/* --- the sound file --- */

static ls_err add_samples(prof_writer *w)
{
    static const uint64_t addrs[] = {0x1008, 0x1800, 0x9000, 0x7020};
    static const uint32_t homes[] = {2, 2, 6, 4};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct prof_sample s = prof_sample_missing;
        s.burst = i / 4;
        s.thread = bursts[i / 4].thread;
        s.time_ns = bursts[i / 4].time_ns + i;
        s.position = i % 4 / 2;
        s.ip = 0x400010 + 16 * (i % 4 / 2);
        s.addr = addrs[i % 4];
        s.size = 8;
        s.op = i % 3 == 2;
        s.node = homes[i % 4];
        s.element = i;
        s.phase = i / 4 == 1 ? NO : i / 8;
        LS_TRY(prof_writer_add(w, &s));
    }
    return LS_OK;
}

static ls_err write_profile(const char *path)
{
    static const struct prof_run run = {.schema = PROF_SCHEMA,
                                        .tsc_hz = 2000000000,
                                        .issue_width = 4,
                                        .level_latency_cycles = {5, 15, 60, 500}};
    prof_writer *w;
    LS_TRY(prof_writer_new(path, 1, &w));
    ls_err err = add_samples(w);
    for (unsigned id = 0; id < PROF_TABLE_COUNT && err == LS_OK; id++)
        err = prof_writer_table(w, (enum prof_table_id)id, tables[id].rows, tables[id].len);
    if (err == LS_OK) err = prof_writer_run(w, &run);
    if (err == LS_OK) err = prof_writer_finish(w);
    prof_writer_free(w);
    return err;
}

/* The same values without compression, so that they can be changed in their place. */
static void unpack_samples(hid_t h5)
{
    const hsize_t len = SAMPLES;
    const hid_t space = H5Screate_simple(1, &len, NULL);
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        uint64_t values[SAMPLES];
        char name[64];
        snprintf(name, sizeof(name), "/samples/%s", prof_column_rows[c].name);
        const hid_t packed = H5Dopen2(h5, name, H5P_DEFAULT), type = H5Dget_type(packed);
        if (H5Dread(packed, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) abort();
        H5Dclose(packed);
        H5Ldelete(h5, name, H5P_DEFAULT);
        const hid_t plain = H5Dcreate2(h5, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (H5Dwrite(plain, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) abort();
        H5Dclose(plain);
        H5Tclose(type);
    }
    H5Sclose(space);
}

static void find_column(hid_t h5, unsigned place, const char *name, enum prof_type type)
{
    const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT), held = H5Dget_type(set), space = H5Dget_space(set);
    const haddr_t at = H5Dget_offset(set);
    if (at != HADDR_UNDEF && H5Sget_simple_extent_npoints(space) > 0 && file.columns_len[place] < FIELDS_MAX)
        file.columns[place][file.columns_len[place]++] =
            (struct column){type, at, (uint64_t)H5Sget_simple_extent_npoints(space), H5Tget_size(held)};
    H5Sclose(space);
    H5Tclose(held);
    H5Dclose(set);
}

static void find_columns(hid_t h5)
{
    char name[128];
    for (unsigned id = 0; id < PROF_TABLE_COUNT; id++)
        for (size_t f = 0; f < prof_tables[id].fields_len; f++) {
            snprintf(name, sizeof(name), "%s/%s", prof_tables[id].group, prof_tables[id].fields[f].name);
            find_column(h5, id, name, prof_tables[id].fields[f].type);
        }
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        snprintf(name, sizeof(name), "/samples/%s", prof_column_rows[c].name);
        find_column(h5, SAMPLES_TABLE, name, prof_column_rows[c].type);
    }
}

static void load_file(void)
{
    struct stat st;
    file.fd = open(file.path, O_RDWR | O_CLOEXEC);
    if (file.fd < 0 || fstat(file.fd, &st) != 0 || st.st_size > FILE_MAX_BYTES) abort();
    file.len_bytes = file.kept_bytes = (size_t)st.st_size;
    file.bytes = mmap(NULL, FILE_MAX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    if (file.bytes == MAP_FAILED) abort();
    memset(file.bytes, 0, sizeof(struct prof_seal)); /* a changed file would not fit to it */
    memcpy(file.sound, file.bytes, file.len_bytes);
}

static void remove_file(void)
{
    unlink(file.path);
    rmdir(file.folder);
}

/* In memory where that can be. HDF5 wants a file with a name. */
static void make_file(void)
{
    snprintf(file.folder, sizeof(file.folder), "/dev/shm/fuzz_h5_file.XXXXXX");
    if (!mkdtemp(file.folder)) {
        snprintf(file.folder, sizeof(file.folder), "/tmp/fuzz_h5_file.XXXXXX");
        if (!mkdtemp(file.folder)) abort();
    }
    atexit(remove_file);
    snprintf(file.path, sizeof(file.path), "%s/run.h5", file.folder);
    if (write_profile(file.path) != LS_OK) abort();
    const hid_t h5 = H5Fopen(file.path, H5F_ACC_RDWR, H5P_DEFAULT);
    unpack_samples(h5);
    find_columns(h5);
    H5Fclose(h5);
    load_file();
}

/* --- changes --- */

static void put(size_t at, const void *bytes, size_t len_bytes)
{
    if (at > file.len_bytes || len_bytes > file.len_bytes - at) return;
    memcpy(file.bytes + at, bytes, len_bytes);
    file.changed[file.changed_len].at = at;
    file.changed[file.changed_len++].len_bytes = len_bytes;
}

static void change_column(const struct change *c, unsigned place)
{
    if (file.columns_len[place] == 0) return;
    const struct column *column = &file.columns[place][c->field % file.columns_len[place]];
    const size_t at = column->at + c->row % column->rows * column->width;
    char text[PROF_TEXT_MAX_BYTES];
    if (column->type == PROF_TEXT) {
        prof_h5_pack_text(text, column->width, texts[c->value % (sizeof(texts) / sizeof(texts[0]))]);
        put(at, text, column->width);
    } else {
        put(at, &values[c->value % (sizeof(values) / sizeof(values[0]))], column->width);
    }
}

static void change_file(const uint8_t *data, size_t len_bytes)
{
    struct change c;
    for (size_t n = 0; n < CHANGES_MAX && len_bytes >= sizeof(c);
         n++, data += sizeof(c), len_bytes -= sizeof(c)) {
        memcpy(&c, data, sizeof(c));
        const unsigned place = c.place % PLACES;
        const size_t anywhere = (size_t)(c.place / PLACES) << 16 | (size_t)c.row << 8 | c.field;
        if (place <= SAMPLES_TABLE)
            change_column(&c, place);
        else if (place == BYTES)
            put(anywhere % file.len_bytes, &c.value, 1);
        else
            file.kept_bytes = file.len_bytes * c.value / 256;
    }
    if (file.kept_bytes != file.len_bytes && ftruncate(file.fd, (off_t)file.kept_bytes) != 0) abort();
}

static void restore_file(void)
{
    if (file.kept_bytes != file.len_bytes) {
        if (ftruncate(file.fd, (off_t)file.len_bytes) != 0) abort();
        memcpy(file.bytes + file.kept_bytes, file.sound + file.kept_bytes, file.len_bytes - file.kept_bytes);
        file.kept_bytes = file.len_bytes;
    }
    while (file.changed_len > 0) {
        const size_t at = file.changed[--file.changed_len].at;
        memcpy(file.bytes + at, file.sound + at, file.changed[file.changed_len].len_bytes);
    }
}

/* --- reading --- */

static bool read_profile(void)
{
    prof_profile *p;
    struct prof_samples samples;
    struct ndm_atlas atlas;
    if (prof_open(file.path, &p) != LS_OK) return false;
    const bool is_read = prof_load_samples(p, ~UINT64_C(0), &samples) == LS_OK;
    prof_atlas_read(p, &atlas);
    ndm_atlas_fini(&atlas);
    prof_close(p);
    return is_read;
}

static bool read_source(void)
{
    const struct pat_source_options o = {.format = "run-h5"};
    pat_source *s;
    if (pat_source_open(file.path, &o, &s) != LS_OK) return false;
    fuzz_check_source(s);
    const bool has_accesses = pat_source_counts(s).accesses > 0;
    pat_source_close(s);
    return has_accesses;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    if (!file.bytes) {
        make_file();
        if (!read_profile() || !read_source()) abort(); /* the unchanged one is sound */
    }
    change_file(data, len_bytes);
    if (len_bytes && data[0] & 1)
        read_source();
    else
        read_profile();
    restore_file();
    return 0;
}
