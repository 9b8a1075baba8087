/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile as a source of accesses, mangled by rule: each four bytes of the input put a value that nobody
 * expects into a field of a row of a table, or of a sample. HDF5 is left out, which takes 20 ms for a file:
 * the rows go through the checks of the reader, and on. */
#include "run_h5/prof_file.h"
#include "run_h5/prof_writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_check_source.h"
#include "tests/fuzz/fuzz_profile.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-run-h5/*";

enum { TARGETS = SAMPLES_TABLE + 1, ROW_BYTES_MAX = 4096 };
/* Contents of the changed file; tables are as wide as the rows of this program. */
static _Alignas(16) uint8_t mangled[PROF_TABLE_COUNT][ROW_BYTES_MAX];
static struct prof_sample samples[SAMPLES];

static void put_number(uint8_t *at, enum prof_type type, uint64_t value)
{
    static const uint8_t bytes[] = {
        [PROF_U8] = 1, [PROF_U16] = 2, [PROF_U32] = 4, [PROF_U64] = 8, [PROF_I32] = 4, [PROF_F64] = 8};
    memcpy(at, &value, bytes[type]);
}

static void change_table(const struct change *c)
{
    const struct prof_table *t = &prof_tables[c->target];
    if (tables[c->target].len == 0) return;
    const struct prof_field *f = &t->fields[c->field % t->fields_len];
    uint8_t *at = mangled[c->target] + c->row % tables[c->target].len * t->row_bytes + f->offset_bytes;
    if (f->type == PROF_TEXT)
        memcpy(at, &texts[c->value % (sizeof(texts) / sizeof(texts[0]))], sizeof(char *));
    else
        put_number(at, f->type, values[c->value % (sizeof(values) / sizeof(values[0]))]);
}

static void change_sample(const struct change *c)
{
    const struct prof_field *column = &prof_column_rows[c->field % PROF_COL_COUNT];
    const uint64_t value = values[c->value % (sizeof(values) / sizeof(values[0]))];
    memcpy((uint8_t *)&samples[c->row % SAMPLES] + column->offset_bytes, &value,
           prof_type_bytes(column->type));
}

static void mangle(const uint8_t *data, size_t len_bytes)
{
    struct change c;
    fuzz_make_samples(samples);
    for (size_t i = 0; i < PROF_TABLE_COUNT; i++)
        if (tables[i].len) memcpy(mangled[i], tables[i].rows, tables[i].len * prof_tables[i].row_bytes);
    for (size_t n = 0; n < CHANGES_MAX && len_bytes >= sizeof(c);
         n++, data += sizeof(c), len_bytes -= sizeof(c)) {
        memcpy(&c, data, sizeof(c));
        c.target %= TARGETS;
        if (c.target < PROF_TABLE_COUNT)
            change_table(&c);
        else
            change_sample(&c);
    }
}

/* --- a reader of our own instead of HDF5's: the same checks, on rows in memory --- */

struct prof_profile {
    void *columns[PROF_COL_COUNT];
};
static struct prof_profile the_profile;

static const struct prof_run run = {.schema = PROF_SCHEMA,
                                    .command = "",
                                    .host = "",
                                    .cpu = "",
                                    .topology = "",
                                    .engine = "",
                                    .trigger = "",
                                    .why = "",
                                    .version = "",
                                    .events_sampled = "",
                                    .latency_meaning = "",
                                    .unrepresented_why = "",
                                    .tsc_hz = 2000000000,
                                    .issue_width = 4,
                                    .level_latency_cycles = {5, 15, 60, 500}};

static struct prof_lens lens_of_tables(void)
{
    struct prof_lens lens = {.samples = SAMPLES};
    for (unsigned id = 0; id < PROF_TABLE_COUNT; id++)
        lens.rows[id] = tables[id].len;
    return lens;
}

/* The reader leaves no text NULL. */
static void fill_texts(enum prof_table_id id)
{
    const struct prof_table *t = &prof_tables[id];
    for (size_t i = 0; i < tables[id].len * t->fields_len; i++) {
        const struct prof_field *f = &t->fields[i % t->fields_len];
        const char **text =
            (const char **)(void *)(mangled[id] + i / t->fields_len * t->row_bytes + f->offset_bytes);
        if (f->type == PROF_TEXT && !*text) *text = "";
    }
}

ls_err prof_open(const char *path, prof_profile **out)
{
    const struct prof_lens lens = lens_of_tables();
    for (unsigned id = 0; id < PROF_TABLE_COUNT; id++) {
        fill_texts((enum prof_table_id)id);
        LS_TRY(prof_check_table(path, (enum prof_table_id)id, mangled[id], &lens));
    }
    *out = &the_profile;
    return LS_OK;
}

void prof_close(prof_profile *p)
{
    for (size_t c = 0; p && c < PROF_COL_COUNT; c++) {
        free(p->columns[c]);
        p->columns[c] = NULL;
    }
}

const struct prof_run *prof_run_of(const prof_profile *p)
{
    (void)p;
    return &run;
}

hid_t prof_profile_file(const prof_profile *p)
{
    (void)p;
    return H5I_INVALID_HID;
}

const char *prof_profile_path(const prof_profile *p)
{
    (void)p;
    return "fuzz";
}

const void *prof_table_rows(const prof_profile *p, enum prof_table_id id, size_t *out_len)
{
    (void)p;
    *out_len = tables[id].len;
    return mangled[id];
}

#define GETTER(id, row, group, columns)                                 \
    const struct row *prof_##id(const prof_profile *p, size_t *out_len) \
    {                                                                   \
        return prof_table_rows(p, PROF_TABLE_##id, out_len);            \
    }
PROF_TABLE_LIST(GETTER)

static ls_err load_column(prof_profile *p, enum prof_column column)
{
    const struct prof_lens lens = lens_of_tables();
    const size_t bytes = prof_type_bytes(prof_column_rows[column].type);
    uint8_t *values = malloc(SAMPLES * bytes);
    if (!values) abort();
    for (size_t i = 0; i < SAMPLES; i++)
        memcpy(values + i * bytes, (const uint8_t *)&samples[i] + prof_column_rows[column].offset_bytes,
               bytes);
    p->columns[column] = values;
    return prof_check_column("fuzz", column, &(struct prof_rows){values, 0, SAMPLES}, &lens);
}

static void hand_out(const prof_profile *p, struct prof_samples *out)
{
    *out = (struct prof_samples){.len = SAMPLES};
#define HAND_OUT(name, type, fill, meaning, text) out->name = p->columns[PROF_COL_##name];
    PROF_SAMPLE_COLUMNS(HAND_OUT)
}

ls_err prof_load_samples(prof_profile *p, uint64_t mask, struct prof_samples *out)
{
    for (int c = 0; c < PROF_COL_COUNT; c++)
        if ((mask >> c & 1) && !p->columns[c]) LS_TRY(load_column(p, (enum prof_column)c));
    hand_out(p, out);
    return LS_OK;
}

void prof_drop_samples(prof_profile *p, uint64_t mask, struct prof_samples *s)
{
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        if (!(mask >> c & 1)) continue;
        free(p->columns[c]);
        p->columns[c] = NULL;
    }
    hand_out(p, s);
}

ls_err prof_each_part(prof_profile *p, uint64_t mask, prof_part_use *use, void *user)
{
    struct prof_samples all;
    LS_TRY(prof_load_samples(p, mask, &all));
    return use(user, &all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    const struct pat_source_options o = {.format = "run-h5"};
    pat_source *s;
    for (size_t i = 0; i < PROF_TABLE_COUNT; i++)
        if (tables[i].len * prof_tables[i].row_bytes > ROW_BYTES_MAX) abort();
    mangle(data, len_bytes);
    const ls_err err = pat_source_open("fuzz", &o, &s);
    if (err != LS_OK && len_bytes < sizeof(struct change)) abort(); /* the unchanged one is sound */
    if (err == LS_OK) {
        fuzz_check_source(s);
        if (len_bytes < sizeof(struct change) && pat_source_counts(s).accesses == 0) abort();
        pat_source_close(s);
    }
    return 0;
}
