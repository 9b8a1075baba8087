/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a profile (doc/run-h5.md): the samples of a burst are consecutive accesses of its thread. Before each burst
 * the sequence is broken, and its accesses get their weight. Processes come one after the other, because each has its
 * own address space. */
#include "patterns/pat_access.h"
#include "common/ls_sorted.h"
#include "patterns/source/pat_run_ranges.h"
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_tables.h"
#include "run_h5/prof_cost.h"
#include "run_h5/prof_reader.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

struct run_module {
    uint32_t row;  /* row in the source's table; PAT_NONE: not needed yet */
    bool is_known; /* is_alone is determined */
    bool is_alone; /* no other module of its process was loaded at any of its addresses */
};

/* Finds the loaded object of an instruction of a profile. Addresses alone do not identify it: processes share
 * them, and after dlclose another object may be loaded at the same address. Then the profile's lines
 * decide, which have a row for each object. All zero: empty. */
struct run_modules {
    const struct prof_module *modules;
    const struct prof_line *lines;
    size_t len, lines_len;
    struct run_module *rows; /* a row for each module */
    size_t last;
};

struct run_location {
    uint64_t ip, time_ns;
    uint32_t process;
};

/* p stays open as long as m is used. */
static ls_err run_modules_init(struct run_modules *m, const prof_profile *p)
{
    *m = (struct run_modules){0};
    m->modules = prof_modules(p, &m->len);
    m->lines = prof_lines(p, &m->lines_len);
    m->rows = calloc(m->len + 1, sizeof(*m->rows));
    if (!m->rows) return ls_nomem("%zu modules", m->len);
    for (size_t i = 0; i < m->len; i++)
        m->rows[i].row = PAT_NONE;
    return LS_OK;
}

static void run_modules_fini(struct run_modules *m)
{
    free(m->rows);
    *m = (struct run_modules){0};
}

static bool run_check_alone(struct run_modules *m, size_t i)
{
    const struct prof_module *a = &m->modules[i];
    struct run_module *row = &m->rows[i];
    if (row->is_known) return row->is_alone;
    *row = (struct run_module){row->row, true, true};
    for (size_t j = 0; j < m->len && row->is_alone; j++) {
        const struct prof_module *b = &m->modules[j];
        row->is_alone = j == i || a->process != b->process || a->end <= b->base || b->end <= a->base;
    }
    return row->is_alone;
}

static bool is_line_before(const struct prof_line *l, const struct run_location *at)
{
    if (l->process != at->process) return l->process < at->process;
    return l->ip < at->ip || (l->ip == at->ip && l->until_ns != UINT64_MAX && l->until_ns <= at->time_ns);
}

/* Find the line of a location: among the rows for one ip the first whose module was still loaded. */
static const struct prof_line *run_line(const struct run_modules *m, const struct run_location *at)
{
    size_t from;
    LS_COUNT_FIRST(from, m->lines_len, i, is_line_before(&m->lines[i], at));
    if (from == m->lines_len) return NULL;
    const struct prof_line *l = &m->lines[from];
    return l->process == at->process && l->ip == at->ip ? l : NULL;
}

static bool run_is_in(const struct prof_module *m, const struct run_location *at)
{
    return m->process == at->process && at->ip >= m->base && at->ip < m->end;
}

/* Find the module at a location by the lines, otherwise the first one; m->len: none. */
static size_t run_find(const struct run_modules *m, const struct run_location *at)
{
    const struct prof_line *line = NULL;
    size_t first = m->len, found = 0;
    for (size_t i = 0; i < m->len; i++) {
        if (!run_is_in(&m->modules[i], at)) continue;
        if (found++ == 0)
            first = i;
        else if (found == 2)
            line = run_line(m, at);
        if (found > 1 && !line) return first;
        if (found > 1 && strcmp(m->modules[first].path, line->module) == 0) return first;
        if (found > 1 && strcmp(m->modules[i].path, line->module) == 0) return i;
    }
    return first;
}

/* Return the row of a location's module in t, which is added at its first use; PAT_NONE without a module. */
static ls_err run_modules_row(struct run_modules *m, const struct run_location *at, struct pat_tables *t,
                              uint32_t *out)
{
    size_t i = m->last;
    *out = PAT_NONE;
    if (i >= m->len || !run_is_in(&m->modules[i], at) || !run_check_alone(m, i)) i = run_find(m, at);
    if (i == m->len) return LS_OK;
    m->last = i;
    const struct prof_module *seen = &m->modules[i];
    const struct pat_module row = {
        .path = (char *)seen->path, .start = seen->base, .end = seen->end, .bias = seen->bias};
    if (m->rows[i].row == PAT_NONE) LS_TRY(pat_tables_add_module(t, &row, &m->rows[i].row));
    *out = m->rows[i].row;
    return LS_OK;
}

/* ---- the source ---- */

enum {
    USER_BLOCK = 512,
    PHASES_DEEP = 64,

};

/* First samples of the scale, then samples of the accesses. */
static const uint64_t scale_columns = PROF_MASK(ip) | PROF_MASK(op) | PROF_MASK(position) |
                                      PROF_MASK(latency_cycles) | PROF_MASK(latency_valid);
static const uint64_t columns = PROF_MASK(time_ns) | PROF_MASK(ip) | PROF_MASK(addr) | PROF_MASK(size) |
                                PROF_MASK(op) | PROF_MASK(node) | PROF_MASK(element) | PROF_MASK(phase) |
                                PROF_MASK(position) | PROF_MASK(latency_cycles) | PROF_MASK(latency_valid);

struct run {
    char *path;
    prof_profile *profile;
    struct pat_collect collect;
    struct prof_samples samples;
    const struct prof_burst *bursts;
    const struct prof_thread *threads;
    const struct prof_phase *phases;
    size_t bursts_len, threads_len, phases_len;
    uint32_t *order;                    /* indices of the bursts, by process, then time */
    uint32_t *thread_rows, *phase_rows; /* rows in the source's tables; PAT_NONE: not needed yet */
    uint32_t *thread_phase;             /* the innermost one that a thread is in, UINT32_MAX: none */
    uint32_t *weights; /* by order: the weight of a burst's accesses, as in struct pat_event */
    struct run_modules modules;
    struct pat_run_ranges ranges;
    /* position of the reader: an index of order, and a sample of that burst */
    size_t at;
    uint64_t sample;
    uint64_t last;      /* row of the burst's last sample that was emitted, UINT64_MAX: none yet */
    size_t process_end; /* in order, of the process whose ranges are known */
    bool are_events_emitted;
};

/* --- order --- */

static uint32_t process_of(const struct run *r, uint32_t burst)
{
    const uint32_t thread = r->bursts[burst].thread;
    return thread < r->threads_len ? r->threads[thread].process : UINT32_MAX;
}

struct burst_key {
    uint64_t time_ns;
    uint32_t process, burst;
};

static int by_process_and_time(const void *a, const void *b)
{
    const struct burst_key *x = a, *y = b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
    return (x->burst > y->burst) - (x->burst < y->burst);
}

static bool is_usable(const struct run *r, const struct prof_burst *b)
{
    return b->thread < r->threads_len && b->samples_len > 0 && b->first_sample <= r->samples.len &&
           b->samples_len <= r->samples.len - b->first_sample;
}

/* Count the bursts whose thread and samples exist. */
static ls_err order_bursts(struct run *r, size_t all_len, size_t *len)
{
    struct burst_key *keys = malloc((all_len + 1) * sizeof(*keys));
    *len = 0;
    if (!keys) return ls_nomem("%zu bursts", all_len);
    for (uint32_t i = 0; i < all_len; i++)
        if (is_usable(r, &r->bursts[i]))
            keys[(*len)++] =
                (struct burst_key){.time_ns = r->bursts[i].time_ns, .process = process_of(r, i), .burst = i};
    if (*len) qsort(keys, *len, sizeof(*keys), by_process_and_time);
    for (size_t i = 0; i < *len; i++)
        r->order[i] = keys[i].burst;
    free(keys);
    return LS_OK;
}

/* --- rows --- */

static ls_err thread_row(struct run *r, uint32_t thread, uint32_t *out)
{
    char label[64];
    size_t processes_len;
    const struct prof_process *processes = prof_processes(r->profile, &processes_len);
    const struct prof_thread *t = &r->threads[thread];
    const bool has_rank = t->process < processes_len && processes[t->process].rank >= 0;
    if (r->thread_rows[thread] == PAT_NONE) {
        if (has_rank)
            snprintf(label, sizeof(label), "rank %d thread %u", processes[t->process].rank, t->tid);
        else
            snprintf(label, sizeof(label), "%u", t->tid);
        LS_TRY(pat_collect_thread(&r->collect, thread, label, &r->thread_rows[thread]));
    }
    *out = r->thread_rows[thread];
    return LS_OK;
}

/* --- phases --- */

static ls_err report_phase(struct run *r, uint32_t thread, enum pat_event_kind kind, uint32_t phase)
{
    if (r->phase_rows[phase] == PAT_NONE)
        LS_TRY(pat_tables_add_phase(&r->collect.tables, r->phases[phase].name, &r->phase_rows[phase]));
    return pat_collect_event(
        &r->collect,
        &(struct pat_event){.kind = (uint8_t)kind, .thread = thread, .what = r->phase_rows[phase]});
}

/* List the phases around phase, including itself, the innermost first. */
static size_t phases_around(const struct run *r, uint32_t phase, uint32_t out[PHASES_DEEP])
{
    size_t len = 0;
    for (; phase < r->phases_len && len < PHASES_DEEP; phase = r->phases[phase].parent)
        out[len++] = phase;
    return len;
}

/* Report the events of a thread that changes from one phase to another. */
static ls_err change_phase(struct run *r, uint32_t thread, uint32_t row, uint32_t phase)
{
    uint32_t before[PHASES_DEEP], now[PHASES_DEEP];
    size_t before_len = phases_around(r, r->thread_phase[thread], before),
           now_len = phases_around(r, phase, now);
    size_t same = 0;
    while (same < before_len && same < now_len && before[before_len - 1 - same] == now[now_len - 1 - same])
        same++;
    for (size_t i = 0; i + same < before_len; i++)
        LS_TRY(report_phase(r, row, PAT_EVENT_PHASE_END, before[i]));
    for (size_t i = now_len - same; i-- > 0;)
        LS_TRY(report_phase(r, row, PAT_EVENT_PHASE_BEGIN, now[i]));
    r->thread_phase[thread] = phase;
    return LS_OK;
}

/* --- bursts --- */

static struct prof_cost_samples costs_of(const struct prof_samples *s)
{
    return (struct prof_cost_samples){.op = s->op,
                                      .latency_valid = s->latency_valid,
                                      .latency_cycles = s->latency_cycles,
                                      .position = s->position,
                                      .len = s->len};
}

/* Report the ranges of the process that begins with burst `at` of order. */
static ls_err begin_process(struct run *r)
{
    const uint32_t process = process_of(r, r->order[r->at]);
    size_t end = r->at;
    while (end < r->bursts_len && process_of(r, r->order[end]) == process)
        end++;
    r->process_end = end;
    struct pat_run_part part = {
        .bursts = r->bursts, .order = r->order + r->at, .order_len = end - r->at, .samples = &r->samples};
    part.nodes = prof_nodes(r->profile, &part.nodes_len);
    return pat_run_ranges_of(&r->ranges, &part, &r->collect);
}

static uint64_t time_of(const struct run *r, const struct prof_burst *b, uint64_t sample)
{
    const uint64_t time_ns = r->samples.time_ns[b->first_sample + sample];
    return time_ns == UINT64_MAX ? b->time_ns : time_ns;
}

static ls_err emit_events(struct run *r)
{
    const struct prof_burst *b = &r->bursts[r->order[r->at]];
    uint32_t thread;
    LS_TRY(thread_row(r, b->thread, &thread));
    LS_TRY(pat_collect_event(
        &r->collect,
        &(struct pat_event){.kind = PAT_EVENT_BREAK, .thread = thread, .what = r->weights[r->at]}));
    LS_TRY(
        pat_run_ranges_events(&r->ranges, time_of(r, b, b->samples_len - 1), time_of(r, b, 0), &r->collect));
    return change_phase(r, b->thread, thread, r->samples.phase[b->first_sample]);
}

static ls_err emit_sample(struct run *r, const struct prof_burst *b, uint64_t i)
{
    const struct prof_samples *s = &r->samples;
    struct pat_collect *c = &r->collect;
    uint32_t thread, module;
    if (s->addr[i] == UINT64_MAX || s->op[i] > 1) {
        c->counts.skipped++;
        return LS_OK;
    }
    const bool is_same = r->last != UINT64_MAX && s->position[i] != UINT32_MAX &&
                         s->position[i] == s->position[r->last] && s->ip[i] == s->ip[r->last];
    r->last = i;
    if (!is_same) {
        LS_TRY(thread_row(r, b->thread, &thread));
        const struct run_location at = {s->ip[i], s->time_ns[i] == UINT64_MAX ? b->time_ns : s->time_ns[i],
                                        r->threads[b->thread].process};
        LS_TRY(run_modules_row(&r->modules, &at, &c->tables, &module));
        LS_TRY(pat_collect_begin(c, thread, s->ip[i], module));
    }
    return pat_collect_access(c, s->addr[i], s->size[i], s->op[i] ? PAT_OP_STORE : PAT_OP_LOAD);
}

/* Leave out loads that were timed alone, because they are far from each other. */
static ls_err emit_samples(struct run *r)
{
    const struct prof_burst *b = &r->bursts[r->order[r->at]];
    const struct prof_cost_samples s = costs_of(&r->samples);
    const uint32_t len = prof_cost_gapless(b, &s);
    if (r->sample == 0) r->last = UINT64_MAX;
    for (; r->sample < len && !pat_collect_is_ready(&r->collect); r->sample++)
        LS_TRY(emit_sample(r, b, b->first_sample + r->sample));
    if (r->sample < len) return LS_OK;
    r->sample = 0;
    r->at++;
    r->are_events_emitted = false;
    return LS_OK;
}

static ls_err run_read(void *self, bool *has_ended)
{
    struct run *r = self;
    if (r->at == r->process_end && r->ranges.len) { /* the previous process ends */
        LS_TRY(pat_run_ranges_events(&r->ranges, 0, UINT64_MAX, &r->collect));
        r->ranges.len = r->ranges.born = 0;
        return LS_OK;
    }
    *has_ended = r->at == r->bursts_len;
    if (*has_ended && r->collect.counts.accesses == 0 && r->collect.parts_len == 0)
        return ls_fail(LS_ERR_FORMAT, "%s: none of %llu samples is a load or store with an address", r->path,
                       (unsigned long long)r->samples.len);
    if (*has_ended) return LS_OK;
    if (r->at == r->process_end) LS_TRY(begin_process(r));
    if (r->are_events_emitted) return emit_samples(r);
    r->are_events_emitted = true;
    return emit_events(r);
}

static ls_err run_next(void *self, struct pat_batch *b)
{
    struct run *r = self;
    return pat_collect_next(&r->collect, run_read, r, b);
}

/* --- scale --- */

/* Add the samples' event counts; NAN when a sample has none. */
static ls_err add_events(void *user, const struct prof_samples *part)
{
    double *sum = user;
    for (uint64_t i = 0; i < part->len; i++)
        *sum += part->events[i] == UINT64_MAX ? (double)NAN : (double)part->events[i];
    return LS_OK;
}

static ls_err scale_by_events(const struct run *r, double *out)
{
    *out = 0;
    LS_TRY(prof_each_part(r->profile, PROF_MASK(events), add_events, out));
    *out = r->samples.len ? *out / (double)r->samples.len : (double)NAN;
    return LS_OK;
}

/* Return the number of instructions whose accesses are all recorded. */
static double gapless_instructions(const struct prof_burst *b, const struct prof_cost_samples *s)
{
    const uint32_t len = prof_cost_gapless(b, s);
    if (len == 0) return 0;
    return (double)s->position[b->first_sample + len - 1] - s->position[b->first_sample] + 1;
}

/* Return the cycles of these instructions, by the pace of the burst; usual: by that of all bursts, 0: none has one. */
static double gapless_cycles(const struct prof_cost_model *m, const struct prof_burst *b,
                             const struct prof_cost_samples *s, double usual)
{
    const double other = usual > 0 ? usual : 1 / m->issue_width;
    return gapless_instructions(b, s) *
           (b->pace_instructions ? (double)b->pace_cycles / b->pace_instructions : other);
}

/* Estimate the native cycles of a burst from its part after the run-ahead window; 0: no such part. */
static double native_cycles(const struct prof_cost_model *m, const struct prof_burst *b,
                            const struct prof_cost_samples *s, double usual)
{
    double waiting = 0;
    if (b->probe_loads) return gapless_cycles(m, b, s, usual);
    if (b->instructions <= m->window_begin) return 0;
    for (uint64_t i = 0; i < b->samples_len; i++)
        if (prof_cost_is_measured(s, b->first_sample + i))
            waiting += s->latency_cycles[b->first_sample + i] - m->l1_cycles;
    const double seen = (double)(b->instructions - m->window_begin);
    const double cycles = seen / m->issue_width + (waiting > 0 ? waiting : 0);
    return cycles * (double)b->instructions / seen;
}

/* Return the cycles of an instruction, of all bursts with a pace. */
static double usual_pace(const struct run *r)
{
    double instructions = 0, cycles = 0;
    for (size_t i = 0; i < r->bursts_len; i++) {
        const struct prof_burst *b = &r->bursts[r->order[i]];
        instructions += b->pace_instructions;
        cycles += b->pace_instructions ? (double)b->pace_cycles : 0;
    }
    return instructions > 0 ? cycles / instructions : 0;
}

/* A burst: its accesses, the CPU time that it represents, and the native time of its instructions, which run_h5/prof_cost.h
 * estimates as instructions / issue width + the measured waiting of loads, an upper bound. */
struct represented {
    double accesses, weight_ns, instructions, cycles;
    uint64_t code;
    size_t at; /* in order */
};

static struct represented represented_by(const struct run *r, const struct prof_cost_model *m,
                                         const struct prof_cost_samples *s, double usual, size_t at)
{
    const struct prof_burst *b = &r->bursts[r->order[at]];
    return (struct represented){.accesses = prof_cost_gapless(b, s),
                                .weight_ns = prof_cost_data_weight_ns(m, b),
                                .instructions = b->probe_loads ? gapless_instructions(b, s) : b->instructions,
                                .cycles = native_cycles(m, b, s, usual),
                                .code = r->samples.ip[b->first_sample],
                                .at = at};
}

static int by_code(const void *a, const void *b)
{
    const struct represented *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Sort bursts by code, which becomes a number: the loop's, if it has many bursts, else that of its surroundings. */
static void sort_by_code(struct represented *one, size_t len)
{
    enum { LOOP_BYTES_LOG2 = 6, CODE_BYTES_LOG2 = 10, MANY = 16 };
    qsort(one, len, sizeof(*one), by_code);
    for (size_t from = 0, to; from < len; from = to) {
        const uint64_t ip = one[from].code, loop = ip >> LOOP_BYTES_LOG2;
        for (to = from; to < len && one[to].code >> LOOP_BYTES_LOG2 == loop; to++)
            ;
        for (size_t i = from; i < to; i++)
            one[i].code = to - from >= MANY ? loop << 1 | 1 : ip >> CODE_BYTES_LOG2 << 1;
    }
    qsort(one, len, sizeof(*one), by_code);
}

/* Give all bursts of the same code one pace. The measured pace of a single burst is uncertain, which makes the mean of the
 * weights too large. The bursts are sorted by code. */
static void take_pace_of_code(struct represented *one, size_t len)
{
    for (size_t from = 0, to; from < len; from = to) {
        double instructions = 0, cycles = 0;
        for (to = from; to < len && one[to].code == one[from].code; to++) {
            instructions += one[to].instructions;
            cycles += one[to].cycles;
        }
        for (size_t i = from; instructions > 0 && i < to; i++)
            one[i].cycles = one[i].instructions * cycles / instructions;
    }
}

/* Return the number of the program's accesses that an access of the burst represents, in units that are the same for all
 * bursts: its part of the CPU time over the time of its accesses. The time of a usual access is added, because a burst may end
 * after the first one. */
static double represents(const struct represented *one, double usual_cycles)
{
    const double cycles = one->cycles > 0 ? one->cycles : one->accesses * usual_cycles;
    return one->accesses > 0 && cycles + usual_cycles > 0 ? one->weight_ns / (cycles + usual_cycles) : 0;
}

/* Weigh the accesses: bursts are spread evenly over the time, not over the accesses. Return the mean that they represent. */
static double weigh(struct run *r, const struct represented *one)
{
    double accesses = 0, cycles = 0, sum = 0;
    for (size_t i = 0; i < r->bursts_len; i++) {
        accesses += one[i].accesses;
        cycles += one[i].cycles;
    }
    const double usual_cycles = accesses > 0 ? cycles / accesses : 0;
    for (size_t i = 0; i < r->bursts_len; i++)
        sum += one[i].accesses * represents(&one[i], usual_cycles);
    for (size_t i = 0; i < r->bursts_len; i++) {
        const double weight = sum > 0 ? represents(&one[i], usual_cycles) * accesses / sum * PAT_WEIGHT_USUAL
                                      : PAT_WEIGHT_USUAL;
        r->weights[one[i].at] = weight < 1 ? 1 : weight < UINT32_MAX ? (uint32_t)(weight + 0.5) : UINT32_MAX;
    }
    return accesses > 0 ? sum / accesses : 0;
}

/* Weigh the accesses. Set *out to the number of the program's accesses that a sampled one represents on average; NAN: not
 * known. */
static ls_err scale_by_bursts(struct run *r, double *out)
{
    const struct prof_run *run = prof_run_of(r->profile);
    const struct prof_cost_samples s = costs_of(&r->samples);
    struct prof_cost_model m;
    struct prof_cost_loads loads = PROF_COST_NO_LOADS;
    struct represented *one = malloc((r->bursts_len + 1) * sizeof(*one));
    if (!one) return ls_nomem("the weights of %zu bursts", r->bursts_len);
    const double usual = usual_pace(r);
    prof_cost_model_init(&m, run);
    prof_cost_loads_add(&loads, &s);
    prof_cost_model_loads(&m, &loads);
    for (size_t i = 0; i < r->bursts_len; i++)
        one[i] = represented_by(r, &m, &s, usual, i);
    sort_by_code(one, r->bursts_len);
    take_pace_of_code(one, r->bursts_len);
    const double hz = run->tsc_hz == UINT64_MAX ? 0 : (double)run->tsc_hz, scale = weigh(r, one) * hz / 1e9;
    *out = scale > 0 ? scale : NAN;
    free(one);
    return LS_OK;
}

static ls_err run_scale(struct run *r, double *out)
{
    LS_TRY(scale_by_events(r, out));
    if (isnan(*out)) LS_TRY(scale_by_bursts(r, out));
    prof_drop_samples(r->profile, ~columns, &r->samples);
    return prof_load_samples(r->profile, columns, &r->samples);
}

/* --- opening --- */

static bool run_recognise(const void *bytes, size_t len, const char *path)
{
    static const char magic[] = "\x89HDF\r\n\x1a\n";
    const char *at = bytes;
    (void)path;
    return (len >= 8 && memcmp(at, magic, 8) == 0) ||
           (len >= USER_BLOCK + 8 && memcmp(at + USER_BLOCK, magic, 8) == 0);
}

static void run_close(void *self)
{
    struct run *r = self;
    if (r->profile) prof_close(r->profile);
    pat_collect_fini(&r->collect);
    pat_run_ranges_fini(&r->ranges);
    free(r->path);
    free(r->order);
    run_modules_fini(&r->modules);
    free(r->thread_rows);
    free(r->phase_rows);
    free(r->thread_phase);
    free(r->weights);
    free(r);
}

static uint32_t *none_rows(size_t len)
{
    uint32_t *rows = malloc((len + 1) * sizeof(*rows));
    if (rows) memset(rows, 0xff, (len + 1) * sizeof(*rows)); /* PAT_NONE */
    return rows;
}

static ls_err run_start(struct run *r, const char *path, const struct pat_source_options *o)
{
    r->path = strdup(path);
    if (!r->path) return ls_nomem("reading %s", path);
    LS_TRY(prof_open(path, &r->profile));
    LS_TRY(prof_load_samples(r->profile, scale_columns, &r->samples));
    r->bursts = prof_bursts(r->profile, &r->bursts_len);
    r->threads = prof_threads(r->profile, &r->threads_len);
    r->phases = prof_phases(r->profile, &r->phases_len);
    LS_TRY(run_modules_init(&r->modules, r->profile));
    r->order = none_rows(r->bursts_len);
    r->thread_rows = none_rows(r->threads_len);
    r->phase_rows = none_rows(r->phases_len);
    r->thread_phase = none_rows(r->threads_len);
    r->weights = calloc(r->bursts_len + 1, sizeof(*r->weights));
    if (!r->order || !r->thread_rows || !r->phase_rows || !r->thread_phase || !r->weights)
        return ls_nomem("reading %s", path);
    const size_t all_bursts = r->bursts_len; /* from here on only the bursts in order */
    LS_TRY(order_bursts(r, all_bursts, &r->bursts_len));
    if (r->bursts_len == 0)
        return ls_fail(LS_ERR_FORMAT,
                       "%s: no burst has a sample (%zu bursts); record for longer, or with a larger "
                       "--overhead, or see every access by loadstone trace",
                       path, all_bursts);
    r->collect.counts.is_sampled = true;
    LS_TRY(run_scale(r, &r->collect.counts.scale));
    if (r->samples.len <= r->bursts_len && o->note)
        o->note(o->user,
                "its samples are single accesses: they show which instruction accesses which data, but no "
                "order (record --engine step takes bursts)");
    return LS_OK;
}

static ls_err run_open(const char *path, const struct pat_source_options *o, void **out)
{
    struct run *r = calloc(1, sizeof(*r));
    if (!r) return ls_nomem("reading %s", path);
    const ls_err err = run_start(r, path, o);
    if (err != LS_OK) {
        run_close(r);
        return err;
    }
    *out = r;
    return LS_OK;
}

static const struct pat_tables *run_tables(const void *self)
{
    return &((const struct run *)self)->collect.tables;
}

static struct pat_source_counts run_counts(const void *self)
{
    return ((const struct run *)self)->collect.counts;
}

const struct pat_source_format pat_source_run_h5 = {.name = "run-h5",
                                                    .text = "a profile of loadstone record",
                                                    .recognise = run_recognise,
                                                    .open = run_open,
                                                    .next = run_next,
                                                    .tables = run_tables,
                                                    .counts = run_counts,
                                                    .close = run_close};
