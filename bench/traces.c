/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure traces: bytes an access, accesses written and read per second of CPU time, and the time that extraction
 * adds to reading. Each file is read, written again as a trace and as records of drmemtrace, and both are read back.
 * Prints a row of a Markdown table per file. usage: traces NAME=FILE... */
#include "patterns/extract/pat_extract.h"
#include "patterns/source/pat_source.h"
#include "patterns/source/pat_trace_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct result {
    uint64_t accesses;
    double read_s, write_s;
};

/* CPU time: other programs may be at work. */
static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double seconds_since(uint64_t begin_ns)
{
    return (double)(cpu_ns() - begin_ns) / 1e9;
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Records of an instruction and its access; threads where they change. */
struct records {
    FILE *file;
    uint32_t thread;
};

static void put_record(struct records *r, uint16_t type, uint16_t size, uint64_t value)
{
    uint8_t bytes[12];
    memcpy(bytes, &type, 2);
    memcpy(bytes + 2, &size, 2);
    memcpy(bytes + 4, &value, 8);
    fwrite(bytes, sizeof(bytes), 1, r->file);
}

static void put_records(struct records *r, const struct pat_batch *b, const struct pat_tables *t)
{
    for (size_t i = 0; i < b->accesses_len; i++) {
        const struct pat_access *a = &b->accesses[i];
        const struct pat_site *s = &t->sites[a->site];
        if (a->thread != r->thread) put_record(r, 22, 4, 1 + a->thread);
        r->thread = a->thread;
        put_record(r, 10, 4, s->ip);
        put_record(r, s->op == PAT_OP_STORE, s->size_bytes, a->addr);
    }
}

/* Read path to its end; pass its contents to w and r if they are given. */
static ls_err pass(const char *path, pat_trace_writer *w, struct records *r, struct result *out)
{
    pat_source *s;
    struct pat_batch b;
    uint64_t begin_ns = cpu_ns();
    *out = (struct result){0};
    LS_TRY(pat_source_open(path, NULL, &s));
    ls_err err;
    do {
        err = pat_source_next(s, &b);
        out->read_s += seconds_since(begin_ns);
        begin_ns = cpu_ns();
        if (err == LS_OK && w) err = pat_trace_writer_put(w, &b, pat_source_tables(s));
        out->write_s += seconds_since(begin_ns);
        if (err == LS_OK && r) put_records(r, &b, pat_source_tables(s));
        out->accesses += b.accesses_len;
        begin_ns = cpu_ns();
    } while (err == LS_OK && (b.accesses_len || b.events_len));
    if (err == LS_OK && w) {
        err = pat_trace_writer_finish(w, pat_source_tables(s), 0, 0);
        out->write_s += seconds_since(begin_ns);
    }
    pat_source_close(s);
    return err;
}

/* Extraction with reading; folds as `loadstone patterns` does. */
static ls_err extract(const char *path, double *out_s)
{
    pat_source *s;
    struct pat_sequences out;
    LS_TRY(pat_source_open(path, NULL, &s));
    const struct pat_extract_options o = {.fold_min = PAT_FOLD_MIN};
    const uint64_t begin_ns = cpu_ns();
    const ls_err err = pat_extract(s, &o, &out);
    *out_s = seconds_since(begin_ns);
    pat_sequences_fini(&out);
    pat_source_close(s);
    return err;
}

struct files {
    char trace[64], records[64];
};

static ls_err measure(const char *name, const char *path, const struct files *f)
{
    struct result first, trace, records;
    struct records r = {.file = fopen(f->records, "wbe"), .thread = PAT_NONE};
    pat_trace_writer *w;
    if (!r.file) return ls_fail(LS_ERR_IO, "%s cannot be written", f->records);
    LS_TRY(pat_trace_writer_new(f->trace, &(struct pat_trace_about){0}, &w));
    put_record(&r, 25, 0, 7);
    LS_TRY(pass(path, w, &r, &first));
    put_record(&r, 26, 0, 0);
    if (fclose(r.file) != 0) return ls_fail(LS_ERR_IO, "%s cannot be written", f->records);
    LS_TRY(pass(f->trace, NULL, NULL, &trace));
    LS_TRY(pass(f->records, NULL, NULL, &records));
    if (trace.accesses != first.accesses || records.accesses != first.accesses)
        return ls_fail(LS_ERR_FORMAT, "%s: %llu accesses became %llu and %llu", path,
                       (unsigned long long)first.accesses, (unsigned long long)trace.accesses,
                       (unsigned long long)records.accesses);
    double extract_s;
    LS_TRY(extract(f->trace, &extract_s));
    const double n = (double)first.accesses;
    const double extract_only_s = extract_s - trace.read_s;
    printf("| %s | %.1f | %.2f | %.0f | %.0f | %.0f | %.0f |\n", name, n / 1e6,
           (double)file_bytes(f->trace) / n, n / first.write_s / 1e6, n / trace.read_s / 1e6,
           n / records.read_s / 1e6, extract_only_s > 0 ? n / extract_only_s / 1e6 : 0);
    return LS_OK;
}

int main(int argc, char **argv)
{
    char folder[] = "bench-traces.XXXXXX";
    struct files f;
    ls_err err = LS_OK;
    if (argc < 2 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: traces NAME=FILE...\n");
        return 2;
    }
    snprintf(f.trace, sizeof(f.trace), "%s/t.trace", folder);
    snprintf(f.records, sizeof(f.records), "%s/t.raw", folder);
    for (int i = 1; i < argc && err == LS_OK; i++) {
        char *path = strchr(argv[i], '=');
        if (path) *path++ = '\0';
        err = measure(argv[i], path ? path : argv[i], &f);
        fflush(stdout);
    }
    if (err != LS_OK) fprintf(stderr, "traces: %s\n", ls_last_error());
    unlink(f.trace);
    unlink(f.records);
    rmdir(folder);
    return err != LS_OK;
}
