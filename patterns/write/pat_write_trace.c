/* SPDX-License-Identifier: BSD-3-Clause */
/* Write accesses as traces of other tools, which simulators and GS Patterns read. */
#include "patterns/write/pat_write.h"

#include <inttypes.h>
#include <string.h>

/* An access with the values that the formats need. */
struct pat_step {
    uint64_t ip, addr;
    uint32_t thread;
    uint16_t size_bytes;
    bool is_store, begins; /* begins: a new execution of the instruction */
};

struct pat_trace_format {
    const char *name;
    void (*begin)(FILE *out);
    void (*thread)(uint32_t thread, FILE *out); /* NULL: the format does not distinguish threads */
    void (*step)(const struct pat_step *s, FILE *out);
    void (*end)(FILE *out);
};

/* ---- drmemtrace: trace_entry_t of DynamoRIO, 12 bytes a record; the host is little-endian (configure) ---- */

enum {
    DR_LOAD = 0,
    DR_STORE = 1,
    DR_INSTRUCTION = 10,
    DR_THREAD = 22,
    DR_PROCESS = 24,
    DR_HEADER = 25,
    DR_FOOTER = 26
};
enum { DR_VERSION = 2 };

static void dr_put(uint16_t type, uint16_t size, uint64_t value, FILE *out)
{
    uint8_t record[12];
    memcpy(record, &type, sizeof(type));
    memcpy(record + 2, &size, sizeof(size));
    memcpy(record + 4, &value, sizeof(value));
    fwrite(record, sizeof(record), 1, out);
}

static void dr_begin(FILE *out)
{
    dr_put(DR_HEADER, 0, DR_VERSION, out);
}

static void dr_thread(uint32_t thread, FILE *out)
{
    dr_put(DR_THREAD, sizeof(uint32_t), thread + 1, out);
    dr_put(DR_PROCESS, sizeof(uint32_t), 1, out);
}

/* Traces have no lengths of instructions: 1 is the least one. */
static void dr_step(const struct pat_step *s, FILE *out)
{
    if (s->begins) dr_put(DR_INSTRUCTION, 1, s->ip, out);
    dr_put(s->is_store ? DR_STORE : DR_LOAD, s->size_bytes, s->addr, out);
}

static void dr_end(FILE *out)
{
    dr_put(DR_FOOTER, 0, 0, out);
}

/* ---- lackey: valgrind --tool=lackey --trace-mem=yes ---- */

static void lackey_step(const struct pat_step *s, FILE *out)
{
    if (s->begins) fprintf(out, "I  %08" PRIx64 ",1\n", s->ip);
    fprintf(out, " %c %08" PRIx64 ",%u\n", s->is_store ? 'S' : 'L', s->addr, s->size_bytes);
}

/* ---- both ---- */

static const struct pat_trace_format formats[] = {
    {"drmemtrace", dr_begin, dr_thread, dr_step, dr_end},
    {"lackey", NULL, NULL, lackey_step, NULL},
};

static const struct pat_trace_format *format_of(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

bool pat_write_trace_known(const char *format)
{
    return format_of(format) != NULL;
}

/* The operands of one execution follow each other with ascending numbers. */
struct pat_last {
    uint32_t thread;
    uint64_t ip;
    int operand;
};

static void write_access(const struct pat_trace_format *f, const struct pat_tables *t,
                         const struct pat_access *a, struct pat_last *last, FILE *out)
{
    const struct pat_site *site = &t->sites[a->site];
    const bool other_thread = a->thread != last->thread;
    if (other_thread && f->thread) f->thread(a->thread, out);
    const struct pat_step step = {.ip = site->ip,
                                  .addr = a->addr,
                                  .thread = a->thread,
                                  .size_bytes = site->size_bytes ? site->size_bytes : 1,
                                  .is_store = site->op == PAT_OP_STORE,
                                  .begins =
                                      other_thread || site->ip != last->ip || site->operand <= last->operand};
    f->step(&step, out);
    *last = (struct pat_last){a->thread, site->ip, site->operand};
}

static ls_err write_all(const struct pat_trace_format *f, pat_source *s, FILE *out, uint64_t *out_accesses)
{
    struct pat_last last = {.thread = PAT_NONE, .operand = -1};
    struct pat_batch b;
    if (f->begin) f->begin(out);
    for (*out_accesses = 0;; *out_accesses += b.accesses_len) {
        LS_TRY(pat_source_next(s, &b));
        if (!b.accesses_len && !b.events_len) break;
        for (size_t i = 0; i < b.accesses_len; i++)
            write_access(f, pat_source_tables(s), &b.accesses[i], &last, out);
    }
    if (f->end) f->end(out);
    return LS_OK;
}

ls_err pat_write_trace(pat_source *s, const char *format, const char *path, uint64_t *out_accesses)
{
    const struct pat_trace_format *f = format_of(format);
    ls_outputs *files;
    FILE *out;
    if (!f) return ls_fail(LS_ERR_ARG, "unknown trace format %s", format);
    LS_TRY(ls_outputs_new(true, &files));
    ls_err err = ls_outputs_open(files, path, &out);
    if (err == LS_OK) err = write_all(f, s, out, out_accesses);
    if (err == LS_OK && pat_source_counts(s).is_sampled)
        err = ls_fail(LS_ERR_UNSUPPORTED,
                      "%s: a recording has samples of the accesses; loadstone trace has all of them", path);
    if (err == LS_OK) err = ls_outputs_commit(files);
    ls_outputs_free(files);
    return err;
}
