/* SPDX-License-Identifier: BSD-3-Clause */
/* The text that perf script prints of samples with addresses of data: perf mem record, perf record -d. */
#include "common/ls_access.h"
#include "common/ls_text.h"
#include "patterns/source/pat_script_line.h"
#include "perf/pe_sample.h"
#include "tools/cli/cli_message.h"
#include "tools/import/imp_source.h"
#include "tools/import/imp_table.h"
#include "tools/import/imp_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PS_REMEDY "perf script -F +addr,data_src,weight"

enum { PS_EVENTS_ROOM = 256 };

/* Copies of the texts, because a sample may continue in the following lines. */
struct ps_names {
    char *symbol, *module, *file, *data_symbol, *data_module;
};

struct ps_file {
    struct imp_text text;
    imp_table *table;
    bool is_open; /* a sample waits for its call chain */
    struct imp_access access;
    uint64_t ip;
    uint32_t line, frames; /* number of frames that were read; the first is the innermost one */
    struct ps_names names;
    uint64_t samples, without_addr, unknown, first_unknown;
    char events[PS_EVENTS_ROOM];
    enum ls_latency latency_kind;
    char *command, *host, *cpu;
};

static ls_err keep(char **out, struct pat_span s)
{
    free(*out);
    *out = strndup(s.at ? s.at : "", s.len);
    return *out ? LS_OK : ls_nomem("a name");
}

static void names_free(struct ps_names *n)
{
    free(n->symbol);
    free(n->module);
    free(n->file);
    free(n->data_symbol);
    free(n->data_module);
    *n = (struct ps_names){0};
}

/* --- meaning of an event --- */

/* Return the vendor's meaning of the weight by the event's name. The names are those in perf_mem_events (perf
 * mem record, tools/perf of each architecture) and in util/arm-spe.c (samples synthesized from SPE packets).
 * Intel is the default, because its events have many names. */
static enum ls_latency latency_kind_of(const char *event)
{
    static const struct {
        const char *part, *vendor;
    } rows[] = {{"ibs_op", "amd"}, {"arm_spe", "arm"}, {"l1d-", "arm"},          {"llc-", "arm"},
                {"tlb-", "arm"},   {"memory", "arm"},  {"remote-access", "arm"}, {"PM_MRK", "power"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strstr(event, rows[i].part)) return pe_latency_kind_of(rows[i].vendor);
    return pe_latency_kind_of("intel");
}

static bool is_listed(const char *list, const char *event)
{
    const size_t len = strlen(event);
    for (const char *at = list; (at = strstr(at, event)); at += len)
        if ((at == list || at[-1] == ' ') && (at[len] == '\0' || strncmp(at + len, ", ", 2) == 0))
            return true;
    return false;
}

enum { PS_EVENT_ROOM = 128 };

static void event_of(const struct pat_script_sample *s, char out[PS_EVENT_ROOM])
{
    snprintf(out, PS_EVENT_ROOM, "%.*s", (int)s->event.len, s->event.at ? s->event.at : "");
}

static void note_event(struct ps_file *f, const struct pat_script_sample *s)
{
    char event[PS_EVENT_ROOM];
    const size_t len = strlen(f->events);
    event_of(s, event);
    if (s->weight != UINT64_MAX && s->weight > 0) f->latency_kind = latency_kind_of(event);
    if (!*event || is_listed(f->events, event) || len + strlen(event) + 3 > sizeof(f->events)) return;
    snprintf(f->events + len, sizeof(f->events) - len, "%s%s", len ? ", " : "", event);
}

static void decode_source(const struct pat_script_sample *s, struct imp_access *a)
{
    struct pe_sample decoded = pe_sample_missing();
    char event[PS_EVENT_ROOM];
    enum pat_op op;
    if (pat_script_op(s, &op)) a->op = op == PAT_OP_STORE ? PE_OP_STORE : PE_OP_LOAD;
    if (!s->has_data_src) return;
    event_of(s, event);
    pe_data_src_decode(s->data_src, latency_kind_of(event), &decoded);
    if (decoded.op == PE_OP_PREFETCH) a->op = decoded.op;
    a->source = decoded.source;
    a->snoop = decoded.snoop;
    a->tlb = decoded.tlb;
    a->locked = decoded.locked;
}

/* --- a sample, from its first line to the last frame --- */

static ls_err node_of(struct ps_file *f, uint32_t *out)
{
    const char *module = f->names.data_module;
    char label[256];
    if (*f->names.data_symbol && f->access.addr != f->ip)
        return imp_table_node(f->table, f->names.data_symbol, 0, out);
    if (strcmp(module, "[heap]") == 0) return imp_table_home(f->table, "heap", out);
    if (strcmp(module, "[stack]") == 0) return imp_table_home(f->table, "stack", out);
    if (!*module || strncmp(module, "//anon", 6) == 0 || strncmp(module, "[anon", 5) == 0)
        return imp_table_home(f->table, "data without a name", out);
    snprintf(label, sizeof(label), "data of %.200s", ls_base_name(module));
    return imp_table_home(f->table, label, out);
}

static ls_err close_sample(struct ps_file *f)
{
    const struct ps_names *n = &f->names;
    if (!f->is_open) return LS_OK;
    f->is_open = false;
    LS_TRY(node_of(f, &f->access.node));
    const struct imp_code code = {
        .ip = f->ip, .module = n->module, .function = n->symbol, .file = n->file, .line = f->line};
    if (f->ip || *n->symbol || *n->file) LS_TRY(imp_table_line(f->table, &code, &f->access.line));
    return imp_table_add(f->table, &f->access);
}

static ls_err set_code(struct ps_file *f, const struct pat_script_location *code)
{
    LS_TRY(keep(&f->names.symbol, code->symbol));
    return keep(&f->names.module, code->module);
}

static struct imp_access access_of(const struct pat_script_sample *s)
{
    struct imp_access a = imp_access_missing;
    a.addr = s->data.addr;
    a.time_ns = s->time_ns == UINT64_MAX ? 0 : s->time_ns;
    a.pid =
        s->pid == UINT32_MAX ? 0 : s->pid; /* perf printed only threads: one process contains all of them */
    a.tid = s->tid;
    a.cpu = s->cpu;
    a.events = s->period_events;
    if (s->weight > 0 && s->weight <= INT32_MAX) a.latency_cycles = (int32_t)s->weight;
    decode_source(s, &a);
    return a;
}

static ls_err open_sample(struct ps_file *f, const struct pat_script_sample *s)
{
    static const struct pat_span none = {"", 0};
    LS_TRY(close_sample(f));
    f->samples++;
    if (!f->command) LS_TRY(keep(&f->command, s->comm));
    note_event(f, s);
    if (s->data.addr == UINT64_MAX) {
        f->without_addr++;
        return LS_OK;
    }
    f->access = access_of(s);
    f->ip = s->code.addr == UINT64_MAX ? 0 : s->code.addr;
    f->line = 0;
    f->frames = f->ip != 0;
    f->is_open = true;
    LS_TRY(keep(&f->names.file, none));
    LS_TRY(keep(&f->names.data_symbol, s->data.symbol));
    LS_TRY(keep(&f->names.data_module, s->data.module));
    return set_code(f, &s->code);
}

/* --- lines --- */

/* "# hostname : NAME", which perf script --header prints. */
static ls_err read_comment(struct ps_file *f, const char *line)
{
    const struct {
        const char *begin;
        char **out;
    } rows[] = {{"# hostname : ", &f->host}, {"# cpudesc : ", &f->cpu}, {"# cmdline : ", &f->command}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const size_t len = strlen(rows[i].begin);
        if (strncmp(line, rows[i].begin, len) != 0) continue;
        LS_TRY(keep(rows[i].out, (struct pat_span){line + len, strlen(line + len)}));
    }
    return LS_OK;
}

/* Read a line below a sample: a frame or a source line. The innermost frame is the sample's location. perf
 * prints the address of a frame relative to its file, so the location is identified by its names instead. */
static ls_err read_below(struct ps_file *f, bool *is_known)
{
    struct pat_script_location frame;
    struct pat_span file;
    uint32_t number;
    *is_known = true;
    if (pat_script_source_of(f->text.line, &file, &number)) {
        if (!f->is_open || f->frames != 1) return LS_OK;
        f->line = number;
        return keep(&f->names.file, file);
    }
    *is_known = pat_script_frame_of(f->text.line, &frame);
    if (!*is_known || !f->is_open || f->frames++ > 0) return LS_OK;
    return set_code(f, &frame);
}

static ls_err read_line(struct ps_file *f)
{
    const char *line = f->text.line;
    struct pat_script_sample sample;
    bool is_known;
    if (*line == '\0') return close_sample(f);
    if (*line == '#') return read_comment(f, line);
    if (strstr(line, "PERF_RECORD_")) return LS_OK; /* --show-mmap-events and the like */
    if (pat_script_sample_of(line, &sample)) return open_sample(f, &sample);
    LS_TRY(read_below(f, &is_known));
    if (is_known && f->samples > 0) return LS_OK;
    if (f->unknown++ == 0) f->first_unknown = f->text.lines.number;
    return LS_OK;
}

static ls_err check_samples(const struct ps_file *f)
{
    if (f->samples == 0)
        return ls_fail(LS_ERR_FORMAT, "%s: no line is a sample as %s prints it", f->text.path, PS_REMEDY);
    if (f->samples == f->without_addr)
        return ls_fail(
            LS_ERR_FORMAT,
            "%s: %llu samples, none with an address of data: print it with %s, record it with perf "
            "mem record or perf record -d (page faults have no weight: perf script -F +addr)",
            f->text.path, (unsigned long long)f->samples, PS_REMEDY);
    return LS_OK;
}

static ls_err read_file(struct ps_file *f)
{
    for (;;) {
        LS_TRY(imp_text_next(&f->text));
        if (!f->text.line) break;
        LS_TRY(read_line(f));
    }
    LS_TRY(close_sample(f));
    return check_samples(f);
}

static ls_err write_file(const struct ps_file *f, const struct imp_job *job)
{
    const struct imp_about about = {.output_path = job->output_path,
                                    .force = job->force,
                                    .tool = "imported (perf script)",
                                    .command = f->command && *f->command ? f->command : job->path,
                                    .events = f->events,
                                    .latency_meaning = ls_latency_text(f->latency_kind),
                                    .host = f->host ? f->host : "",
                                    .cpu = f->cpu ? f->cpu : "",
                                    .topology = "",
                                    .clock_hz = job->clock_hz};
    return imp_table_write(f->table, &about);
}

static void file_fini(struct ps_file *f)
{
    imp_text_close(&f->text);
    imp_table_free(f->table);
    names_free(&f->names);
    free(f->command);
    free(f->host);
    free(f->cpu);
}

static ls_err script_run(struct imp_job *job)
{
    struct ps_file f = {.latency_kind = LS_LATENCY_NONE};
    LS_TRY(imp_table_new(&f.table));
    ls_err err = imp_text_open(job->path, &f.text);
    if (err == LS_OK) err = read_file(&f);
    if (err == LS_OK && f.unknown)
        cli_warn("%s:%llu: no sample and no part of one as perf script prints them; "
                 "%llu such lines were left out",
                 job->path, (unsigned long long)f.first_unknown, (unsigned long long)f.unknown);
    if (err == LS_OK) err = write_file(&f, job);
    job->samples = imp_table_len(f.table);
    job->skipped = f.without_addr;
    file_fini(&f);
    return err;
}

/* Accept text with a line that is a sample, after comments and records of other kinds. */
static bool script_probe(const char *head, size_t len_bytes)
{
    bool is_script = strncmp(head, "# ========\n# captured on", 24) == 0;
    if (memchr(head, '\0', len_bytes)) return false;
    char *text = strndup(head, len_bytes), *rest = text;
    for (char *line; !is_script && (line = strsep(&rest, "\n"));)
        is_script = pat_script_is_sample(line);
    free(text);
    return is_script;
}

const struct imp_source imp_source_perf_script = {.name = "perf-script",
                                                  .words = "text of perf script",
                                                  .takes_packed = true,
                                                  .probe = script_probe,
                                                  .run = script_run};
