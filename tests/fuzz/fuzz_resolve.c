/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the file of all threads of a process image, resolved: survey, replay, account and tables. The
 * spool is in memory, and a writer of this test replaces the HDF5 writer: it stores samples and reads every
 * row and text of the tables. Binaries that the spool names are not read: a process for each input would take
 * most of the time. */
#include "common/ls_vector.h"
#include "machine/mach_topology.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_file.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_dir.h"
#include "spool/spool_source.h"
#include "symbols/sym_worker.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-spool/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

/* --- the spool: one image --- */

struct spool_dir {
    struct spool_image image;
};

static struct spool_source input = {.path = "fuzz"};

ls_err spool_dir_open(const char *path, spool_dir **out)
{
    static struct spool_dir dir;
    (void)path;
    dir.image = (struct spool_image){.pid = 1, .path = (char *)"fuzz"};
    struct spool_streams *streams = &dir.image.streams;
    const ls_err e = spool_source_is_shared(&input) ? spool_streams_scan(&input, streams)
                                                    : spool_streams_add_own(streams, &input, 1, 0);
    if (e != LS_OK) return e;
    spool_streams_sort(streams);
    *out = &dir;
    return LS_OK;
}

void spool_dir_free(spool_dir *d)
{
    if (d) spool_streams_fini(&d->image.streams);
}

const struct spool_image *spool_dir_images(const spool_dir *d, size_t *out_len)
{
    *out_len = 1;
    return &d->image;
}

/* The same on every machine. */
ls_err mach_describe(struct mach_machine *out)
{
    (void)out;
    return LS_ERR_UNSUPPORTED;
}

/* --- no reader of binaries --- */

ls_err sym_worker_new(struct sym_limits limits, sym_worker **out)
{
    (void)limits;
    (void)out;
    return ls_fail(LS_ERR_IO, "no reader");
}

void sym_worker_free(sym_worker *w)
{
    (void)w;
}

ls_err sym_worker_ask(sym_worker *w, const struct sym_request *request, struct sym_answer *out)
{
    (void)w;
    (void)request;
    (void)out;
    return ls_fail(LS_ERR_IO, "no reader");
}

int sym_worker_pid(const sym_worker *w)
{
    (void)w;
    return 0;
}

unsigned sym_worker_deaths(const sym_worker *w)
{
    (void)w;
    return 0;
}

/* --- the writer --- */

struct prof_writer {
    struct prof_sample *samples;
    size_t len, room;
};

ls_err prof_writer_new(const char *path, int force, prof_writer **out)
{
    (void)path;
    (void)force;
    *out = calloc(1, sizeof(**out));
    return *out ? LS_OK : LS_ERR_NOMEM;
}

ls_err prof_writer_add(prof_writer *w, const struct prof_sample *sample)
{
    LS_TRY(LS_GROW(w->samples, w->room, w->len + 1));
    w->samples[w->len++] = *sample;
    return LS_OK;
}

static void look_at_field(const struct prof_field *f, const uint8_t *at)
{
    const size_t len = prof_type_bytes(f->type);
    for (size_t i = 0; i < len; i++)
        fuzz_sum += at[i];
    const char *text = NULL;
    if (f->type == PROF_TEXT) memcpy(&text, at, sizeof(text));
    if (text) fuzz_sum += strlen(text);
}

ls_err prof_writer_table(prof_writer *w, enum prof_table_id id, const void *rows, size_t rows_len)
{
    const struct prof_table *t = &prof_tables[id];
    (void)w;
    for (size_t i = 0; i < rows_len; i++)
        for (size_t f = 0; f < t->fields_len; f++)
            look_at_field(&t->fields[f],
                          (const uint8_t *)rows + i * t->row_bytes + t->fields[f].offset_bytes);
    return LS_OK;
}

ls_err prof_writer_run(prof_writer *w, const struct prof_run *run)
{
    (void)w;
    for (size_t f = 0; f < prof_run_table.fields_len; f++)
        look_at_field(&prof_run_table.fields[f],
                      (const uint8_t *)run + prof_run_table.fields[f].offset_bytes);
    return LS_OK;
}

ls_err prof_writer_read(prof_writer *w, enum prof_column column, struct prof_slice slice, void *out)
{
    const struct prof_field *f = &prof_column_rows[column];
    const size_t bytes = prof_type_bytes(f->type);
    if (slice.first + slice.len > w->len) abort();
    for (uint64_t i = 0; i < slice.len; i++)
        memcpy((uint8_t *)out + i * bytes, (uint8_t *)&w->samples[slice.first + i] + f->offset_bytes, bytes);
    return LS_OK;
}

ls_err prof_writer_rewrite(prof_writer *w, enum prof_column column, struct prof_slice slice,
                           const void *values)
{
    const struct prof_field *f = &prof_column_rows[column];
    const size_t bytes = prof_type_bytes(f->type);
    if (slice.first + slice.len > w->len) abort();
    for (uint64_t i = 0; i < slice.len; i++)
        memcpy((uint8_t *)&w->samples[slice.first + i] + f->offset_bytes, (const uint8_t *)values + i * bytes,
               bytes);
    return LS_OK;
}

ls_err prof_writer_finish(prof_writer *w)
{
    (void)w;
    return LS_OK;
}

void prof_writer_free(prof_writer *w)
{
    if (w) free(w->samples);
    free(w);
}

/* Fields of natural domains are HDF5's: their first group fails. */
hid_t prof_writer_file(const prof_writer *w)
{
    (void)w;
    return H5I_INVALID_HID;
}

ls_err prof_writer_group(prof_writer *w, hid_t where, const char *name, hid_t *out)
{
    (void)w;
    (void)where;
    (void)name;
    (void)out;
    return LS_ERR_UNSUPPORTED;
}

ls_err prof_writer_reserve(prof_writer *w, uint64_t len_bytes)
{
    (void)w;
    (void)len_bytes;
    return LS_OK;
}

ls_err prof_writer_failed(prof_writer *w, const char *what)
{
    (void)w;
    return ls_fail(LS_ERR_IO, "%s", what);
}

ls_err prof_writer_check_usable(const prof_writer *w)
{
    (void)w;
    return LS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    const struct prof_resolve_options o = {.spool_dir = "fuzz", .output_path = "fuzz.h5"};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    input.bytes = data;
    input.len_bytes = len_bytes;
    prof_resolve(&o, NULL);
    return 0;
}
