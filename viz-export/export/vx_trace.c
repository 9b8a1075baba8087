/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline as trace events ("Trace Event Format", Google 2016), which ui.perfetto.dev and
 * chrome://tracing open: for each thread a track of its life and phases and one of its bursts; counters of
 * each process. */
#include "common/ls_put.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>

/* Bursts may overlap the end of a phase, which events of one track may not: they have a separate track, with
 * a number above all thread ids (the kernel's end at 2^22). */
enum { VX_BURST_TRACK = 1 << 24 };

struct vx_trace {
    const struct vx_source *s;
    FILE *out;
    bool begun;
};

static void vx_trace_begin(struct vx_trace *t, const char *kind, const char *name)
{
    fprintf(t->out, "%s{\"ph\": \"%s\", \"name\": ", t->begun ? ",\n" : "", kind);
    ls_put_json(t->out, name, "");
    t->begun = true;
}

/* Write microseconds with all digits of the nanoseconds. */
static void vx_trace_us(struct vx_trace *t, const char *key, uint64_t ns)
{
    fprintf(t->out, ", \"%s\": %" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static uint32_t vx_trace_pid(const struct vx_trace *t, uint32_t process)
{
    return process < t->s->tables->processes_len ? t->s->tables->processes[process].pid : 0;
}

static void vx_trace_track(struct vx_trace *t, uint32_t thread, bool bursts)
{
    const struct prof_thread *row = &t->s->tables->threads[thread];
    fprintf(t->out, ", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32, vx_trace_pid(t, row->process),
            bursts ? VX_BURST_TRACK + thread : row->tid);
}

static void vx_trace_processes(struct vx_trace *t)
{
    for (size_t i = 0; i < t->s->tables->processes_len; i++) {
        const struct prof_process *p = &t->s->tables->processes[i];
        vx_trace_begin(t, "M", "process_name");
        fprintf(t->out, ", \"pid\": %" PRIu32 ", \"args\": {\"name\": ", p->pid);
        ls_put_json(t->out, p->cmdline, "");
        fputs("}}", t->out);
    }
}

static void vx_trace_thread_name(struct vx_trace *t, uint32_t thread, bool bursts)
{
    char name[512];
    snprintf(name, sizeof(name), bursts ? "%s: bursts" : "%s", t->s->tables->threads[thread].name);
    vx_trace_begin(t, "M", "thread_name");
    vx_trace_track(t, thread, bursts);
    fputs(", \"args\": {\"name\": ", t->out);
    ls_put_json(t->out, name, "");
    fputs("}}", t->out);
    vx_trace_begin(t, "M", "thread_sort_index");
    vx_trace_track(t, thread, bursts);
    fprintf(t->out, ", \"args\": {\"sort_index\": %" PRIu32 "}}", 2 * thread + bursts);
}

/* Write a member of args, unless its value is missing. */
static void vx_trace_known(struct vx_trace *t, const char *key, uint64_t value, const char **comma)
{
    if (value == UINT64_MAX) return;
    fprintf(t->out, "%s\"%s\": %" PRIu64, *comma, key, value);
    *comma = ", ";
}

/* An interval without an end lasts as long as the run. */
static uint64_t vx_trace_end(const struct vx_trace *t, uint64_t begin_ns, uint64_t end_ns)
{
    if (end_ns == UINT64_MAX) end_ns = t->s->tables->duration_ns;
    return end_ns > begin_ns ? end_ns : begin_ns;
}

static void vx_trace_threads(struct vx_trace *t)
{
    for (uint32_t i = 0; i < t->s->tables->threads_len; i++) {
        const struct prof_thread *row = &t->s->tables->threads[i];
        const char *comma = "";
        vx_trace_thread_name(t, i, false);
        vx_trace_thread_name(t, i, true);
        if (row->begin_ns == UINT64_MAX) continue;
        vx_trace_begin(t, "X", "thread");
        vx_trace_track(t, i, false);
        vx_trace_us(t, "ts", row->begin_ns);
        vx_trace_us(t, "dur", vx_trace_end(t, row->begin_ns, row->end_ns) - row->begin_ns);
        fputs(", \"cat\": \"thread\", \"args\": {", t->out);
        vx_trace_known(t, "cpu_ns", row->cpu_ns, &comma);
        vx_trace_known(t, "spent_ns", row->spent_ns, &comma);
        fputs("}}", t->out);
    }
}

static void vx_trace_phases(struct vx_trace *t)
{
    for (size_t i = 0; i < t->s->spans_len; i++) {
        const struct prof_phase_span *span = &t->s->spans[i];
        if (span->thread >= t->s->tables->threads_len || span->begin_ns == UINT64_MAX) continue;
        const uint64_t life = vx_trace_end(t, 0, t->s->tables->threads[span->thread].end_ns);
        const uint64_t end = span->end_ns < life ? span->end_ns : life;
        vx_trace_begin(t, "X", vx_phase_name(t->s->tables, span->phase));
        vx_trace_track(t, span->thread, false);
        vx_trace_us(t, "ts", span->begin_ns);
        vx_trace_us(t, "dur", end > span->begin_ns ? end - span->begin_ns : 0);
        fputs(", \"cat\": \"phase\"}", t->out);
    }
}

/* The name is the interrupted function, so that equal functions have equal colours. Bursts without a time, such as sums
 * over ranks, are left out. */
static void vx_trace_bursts(struct vx_trace *t)
{
    for (size_t i = 0; i < t->s->tables->bursts_len; i++) {
        const struct prof_burst *b = &t->s->tables->bursts[i];
        const char *comma = "";
        if (b->thread >= t->s->tables->threads_len || b->time_ns == UINT64_MAX) continue;
        const struct prof_line *line = vx_line_of(t->s->tables, b->thread, b->ip, b->time_ns);
        vx_trace_begin(t, "X", line && *line->function ? line->function : "burst");
        vx_trace_track(t, b->thread, true);
        vx_trace_us(t, "ts", b->time_ns);
        vx_trace_us(t, "dur", b->spent_ns == UINT64_MAX ? 0 : b->spent_ns);
        fputs(", \"cat\": \"burst\", \"args\": {", t->out);
        vx_trace_known(t, "burst", i, &comma);
        vx_trace_known(t, "samples", b->samples_len, &comma);
        vx_trace_known(t, "instructions", b->instructions == UINT32_MAX ? UINT64_MAX : b->instructions,
                       &comma);
        vx_trace_known(t, "weight_ns", b->weight_ns, &comma);
        if (line && line->line) {
            fprintf(t->out, ", \"line\": %" PRIu32 ", \"file\": ", line->line);
            ls_put_json(t->out, line->file, "");
        }
        fputs("}}", t->out);
    }
}

static void vx_trace_counters(struct vx_trace *t)
{
    for (size_t c = 0; c < t->s->counters_len; c++) {
        const struct vx_counter *counter = &t->s->counters[c];
        for (size_t i = 0; i < counter->len; i++) {
            if (counter->points[i].time_ns == UINT64_MAX || counter->points[i].value == UINT64_MAX) continue;
            vx_trace_begin(t, "C", counter->name);
            fprintf(t->out, ", \"pid\": %" PRIu32, vx_trace_pid(t, counter->points[i].process));
            vx_trace_us(t, "ts", counter->points[i].time_ns);
            fputs(", \"args\": {", t->out);
            ls_put_json(t->out, counter->unit, "");
            fprintf(t->out, ": %" PRIu64 "}}", counter->points[i].value);
        }
    }
}

/* Counters of the machine, as rates that begin with their interval; in a gap there is no event. */
static void vx_trace_machine(struct vx_trace *t)
{
    enum { MACHINE_PID = 0 };
    for (size_t i = 0; i < t->s->readings_len; i++) {
        const struct prof_reading *r = &t->s->readings[i];
        const struct prof_counter *c = &t->s->machine[r->counter];
        char name[160], unit[64];
        if (!isfinite(r->value) || r->end_ns <= r->begin_ns) continue;
        const double rate = c->is_level ? r->value : r->value / ((double)(r->end_ns - r->begin_ns) * 1e-9);
        snprintf(name, sizeof(name), "%.30s %.120s", c->source, c->name);
        snprintf(unit, sizeof(unit), c->is_level ? "%.50s" : "%.50s/s", c->unit);
        vx_trace_begin(t, "C", name);
        fprintf(t->out, ", \"pid\": %d", MACHINE_PID);
        vx_trace_us(t, "ts", r->begin_ns);
        fputs(", \"args\": {", t->out);
        ls_put_json(t->out, unit, "");
        fprintf(t->out, ": %.6g}}", rate);
    }
}

static ls_err vx_trace_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_trace t = {.s = s};
    LS_TRY(ls_outputs_open(files, r->path, &t.out));
    fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"command\": ", t.out);
    ls_put_json(t.out, s->run->command, "");
    fputs(", \"host\": ", t.out);
    ls_put_json(t.out, s->run->host, "");
    fputs("}, \"traceEvents\": [\n", t.out);
    vx_trace_processes(&t);
    vx_trace_threads(&t);
    vx_trace_phases(&t);
    vx_trace_bursts(&t);
    vx_trace_counters(&t);
    vx_trace_machine(&t);
    fputs("\n]}\n", t.out);
    return LS_OK;
}

const struct vx_exporter vx_exporter_trace = {
    .name = "trace",
    .ends = ".trace.json|.json",
    .words = "Chrome trace events: threads, phases, bursts, counters (ui.perfetto.dev)",
    .needs = VX_NEEDS_TIMELINE,
    .one_file = true,
    .write = vx_trace_export};
