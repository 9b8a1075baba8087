/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts and samples of ranks: summed by key, or copied. */
#include "tools/merge/mrg_internal.h"

#include "common/ls_checked.h"
#include "common/ls_hash.h"
#include "common/ls_mpi.h"

#include <stdlib.h>
#include <string.h>

/* --- costs --- */

#define MRG_COLUMNS                                                                                   \
    (AN_COST_COLUMNS | PROF_MASK(thread) | PROF_MASK(time_ns) | PROF_MASK(phase) | PROF_MASK(burst) | \
     PROF_MASK(member))

ls_err mrg_costs_init(struct mrg_costs *out, prof_profile *profile)
{
    size_t len;
    const struct prof_burst *bursts = prof_bursts(profile, &len);
    memset(out, 0, sizeof(*out));
    an_input_init(&out->in, prof_run_of(profile), bursts, len);
    LS_TRY(prof_load_samples(profile, MRG_COLUMNS, &out->in.samples));
    return an_costs_init(&out->costs, &out->in);
}

/* Round to whole ns, so that sums do not depend on their order. */
static uint64_t time_of(const struct mrg_costs *c, uint64_t i)
{
    const struct prof_samples *s = &c->in.samples;
    if (!c->in.is_of_job) return ls_round_u64((double)c->costs.time_ns[i]);
    return s->cost_ns[i] == UINT64_MAX ? 0 : s->cost_ns[i];
}

static uint64_t stall_of(const struct mrg_costs *c, uint64_t i)
{
    const struct prof_samples *s = &c->in.samples;
    if (!c->in.is_of_job) return ls_round_u64((double)c->costs.stall_ns[i]);
    return s->stall_ns[i] == UINT64_MAX ? 0 : s->stall_ns[i];
}

static uint64_t weight_of(const struct mrg_costs *c, const struct prof_burst *b)
{
    return ls_round_u64(an_weight_ns(&c->costs, b));
}

static uint64_t data_weight_of(const struct mrg_costs *c, const struct prof_burst *b)
{
    return ls_round_u64(an_data_weight_ns(&c->costs, b));
}

void mrg_measure(const struct an_tables *t, const struct mrg_costs *c, struct prof_rank *const *rank_of)
{
    for (size_t i = 0; i < c->in.bursts_len; i++) {
        const struct prof_burst *b = &c->in.bursts[i];
        struct prof_rank *r = rank_of[t->threads[b->thread].process];
        if (!r) continue;
        const uint64_t weight_ns = weight_of(c, b);
        const enum ls_mpi_class class = ls_mpi_class_of(b->mpi);
        r->time_ns += weight_ns;
        r->bursts++;
        r->samples += b->samples_len;
        /* in a collective function, all ranks wait for the last one */
        if (class == LS_MPI_WAITS || class == LS_MPI_COLLECTIVE) r->mpi_wait_ns += weight_ns;
        if (class == LS_MPI_TRANSFERS) r->mpi_other_ns += weight_ns;
        for (uint64_t s = b->first_sample; s < b->first_sample + b->samples_len; s++)
            r->stall_ns += stall_of(c, s);
    }
}

/* --- sums --- */

/* The part of one rank in one row of /sums, and in one row of /rank_data (kind: PROF_SUM_KIND_COUNT). */
struct part {
    uint32_t rank;
    struct prof_sum sum;
};

struct parts {
    LS_VECTOR(struct part) rows;
    struct ls_index by_key;
};

enum { KEY_BYTES = offsetof(struct prof_sum, mpi_line) + sizeof(uint32_t) };

static ls_err part_of(struct parts *p, uint32_t rank, const struct prof_sum *key, struct part **out)
{
    const uint64_t hash = ls_hash_bytes(ls_hash_bytes(LS_HASH_BEGIN, &rank, sizeof(rank)), key, KEY_BYTES);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&p->by_key, hash, &step, &row);) {
        *out = &p->rows.rows[row];
        if ((*out)->rank == rank && memcmp(&(*out)->sum, key, KEY_BYTES) == 0) return LS_OK;
    }
    struct part new = {.rank = rank};
    memcpy(&new.sum, key, KEY_BYTES);
    row = (uint32_t)p->rows.len;
    LS_TRY(LS_VECTOR_ADD(&p->rows, new));
    *out = &p->rows.rows[row];
    return ls_index_put(&p->by_key, hash, row);
}

static ls_err line_of(struct mrg_input *in, uint32_t process, uint64_t ip, uint64_t time_ns, uint32_t *out)
{
    uint32_t row = an_tables_line(&in->tables, process, ip);
    if (an_tables_line_changes(&in->tables, row)) row = an_tables_line_then(&in->tables, row, time_ns);
    return mrg_line(in, row, out);
}

static ls_err add_sample(struct mrg_input *in, const struct mrg_costs *c, struct parts *parts, uint32_t rank,
                         const struct prof_sum *burst, uint64_t i)
{
    const struct prof_samples *s = &c->in.samples;
    const uint32_t process = in->tables.threads[c->in.bursts[s->burst[i]].thread].process;
    struct prof_sum key = *burst;
    struct part *p;
    key.kind = PROF_SUM_ACCESSES;
    key.op = s->op[i];
    key.level = s->level[i] < PROF_LEVEL_COUNT ? s->level[i] : UINT32_MAX;
    key.timed = (uint32_t)an_is_measured(s, i);
    LS_TRY(mrg_node(in, s->node[i], &key.node));
    LS_TRY(line_of(in, process, s->ip[i], s->time_ns[i], &key.line));
    LS_TRY(mrg_member(in, s->member[i], &key.member));
    LS_TRY(mrg_phase(in, s->phase[i], &key.phase));
    LS_TRY(part_of(parts, rank, &key, &p));
    p->sum.count++;
    p->sum.time_ns += time_of(c, i);
    p->sum.stall_ns += stall_of(c, i);
    if (!key.timed) return LS_OK;
    const uint32_t cycles = s->latency_cycles[i] > 0 ? (uint32_t)s->latency_cycles[i] : 0;
    p->sum.latency_cycles += cycles;
    if (cycles > p->sum.latency_most_cycles) p->sum.latency_most_cycles = cycles;
    return LS_OK;
}

static ls_err add_burst(struct mrg_input *in, const struct mrg_costs *c, struct parts *parts, uint32_t rank,
                        const struct prof_burst *b)
{
    const uint32_t process = in->tables.threads[b->thread].process;
    struct prof_sum key = {.kind = PROF_SUM_BURSTS,
                           .node = UINT32_MAX,
                           .level = UINT32_MAX,
                           .member = UINT32_MAX,
                           .mpi = b->mpi,
                           .mpi_line = UINT32_MAX};
    struct part *p;
    LS_TRY(line_of(in, process, b->ip, b->time_ns, &key.line));
    if (b->mpi_ip) LS_TRY(line_of(in, process, b->mpi_ip, b->time_ns, &key.mpi_line));
    LS_TRY(mrg_phase(in, b->phase, &key.phase));
    LS_TRY(part_of(parts, rank, &key, &p));
    p->sum.count++;
    p->sum.time_ns += weight_of(c, b);
    if (b->samples_len == 0) p->sum.stall_ns += data_weight_of(c, b);
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++)
        LS_TRY(add_sample(in, c, parts, rank, &key, i));
    return LS_OK;
}

/* Add the part of a rank to a row: to the sums of all ranks, unless they contain it, and to those of the
 * rest. */
static void fold(struct prof_sum *to, const struct prof_sum *part, const struct prof_rank *rank, bool is_in)
{
    if (!rank || rank->kept == PROF_KEPT_SUMMED) {
        to->rest_count += part->count;
        to->rest_time_ns += part->time_ns;
        to->rest_stall_ns += part->stall_ns;
        to->rest_latency_cycles += part->latency_cycles;
    }
    if (is_in) return;
    to->count += part->count;
    to->time_ns += part->time_ns;
    to->stall_ns += part->stall_ns;
    to->latency_cycles += part->latency_cycles;
    if (part->latency_most_cycles > to->latency_most_cycles)
        to->latency_most_cycles = part->latency_most_cycles;
    if (!rank) return;
    if (to->ranks++ == 0 || part->time_ns < to->rank_least_ns) to->rank_least_ns = part->time_ns;
    if (part->time_ns > to->rank_most_ns || to->rank_of_most == UINT32_MAX ||
        (part->time_ns == to->rank_most_ns && rank->rank < to->rank_of_most)) {
        to->rank_most_ns = part->time_ns;
        to->rank_of_most = rank->rank;
    }
}

/* --- time of ranks by data --- */

enum { RANK_DATA_ROWS = 32768 }; /* a chunk of the file */

static ls_err put_rank_datum(struct mrg_job *job, const struct prof_rank_datum *row)
{
    LS_TRY(LS_VECTOR_ADD(&job->rank_data, *row));
    return job->rank_data.len == RANK_DATA_ROWS ? mrg_flush_rank_data(job) : LS_OK;
}

ls_err mrg_flush_rank_data(struct mrg_job *job)
{
    const size_t len = job->rank_data.len;
    job->rank_data.len = 0;
    return len ? prof_writer_rank_data(job->writer, job->rank_data.rows, len) : LS_OK;
}

static int compare_rank_data(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->sum.node > y->sum.node) - (x->sum.node < y->sum.node);
}

static ls_err add_rank_data(struct mrg_job *job, const struct parts *parts)
{
    struct parts by_node = {0};
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < parts->rows.len; i++) {
        const struct part *from = &parts->rows.rows[i];
        const struct prof_sum key = {.kind = PROF_SUM_KIND_COUNT, .node = from->sum.node};
        struct part *to;
        if (from->rank == MRG_NO_RANK || from->sum.kind != PROF_SUM_ACCESSES) continue;
        e = part_of(&by_node, from->rank, &key, &to);
        if (e != LS_OK) break;
        to->sum.count += from->sum.count;
        to->sum.time_ns += from->sum.time_ns;
        to->sum.stall_ns += from->sum.stall_ns;
    }
    if (by_node.rows.len)
        qsort(by_node.rows.rows, by_node.rows.len, sizeof(*by_node.rows.rows), compare_rank_data);
    for (size_t i = 0; e == LS_OK && i < by_node.rows.len; i++) {
        const struct part *p = &by_node.rows.rows[i];
        const struct prof_rank_datum row = {p->rank, p->sum.node, p->sum.time_ns, p->sum.stall_ns,
                                            p->sum.count};
        e = put_rank_datum(job, &row);
    }
    free(by_node.rows.rows);
    ls_index_fini(&by_node.by_key);
    return e;
}

static ls_err add_parts(struct mrg_input *in, const struct parts *parts)
{
    struct mrg_job *job = in->job;
    for (size_t i = 0; i < parts->rows.len; i++) {
        const struct part *p = &parts->rows.rows[i];
        struct prof_sum *to;
        LS_TRY(mrg_sum(&job->tables, &p->sum, &to));
        fold(to, &p->sum, p->rank == MRG_NO_RANK ? NULL : &job->ranks.rows[p->rank].row, in->file->is_sum);
    }
    return in->file->is_sum ? LS_OK : add_rank_data(job, parts);
}

ls_err mrg_add_samples(struct mrg_input *in, const struct mrg_costs *c)
{
    struct parts parts = {0};
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < c->in.bursts_len; i++) {
        const struct prof_burst *b = &c->in.bursts[i];
        const uint32_t rank = in->rank_of[in->tables.threads[b->thread].process];
        if (rank == MRG_LEFT_OUT || b->count > 0) continue;
        if (in->file->is_sum &&
            (rank == MRG_NO_RANK || in->job->ranks.rows[rank].row.kept != PROF_KEPT_SUMMED))
            continue;
        e = add_burst(in, c, &parts, rank, b);
    }
    if (e == LS_OK) e = add_parts(in, &parts);
    free(parts.rows.rows);
    ls_index_fini(&parts.by_key);
    return e;
}

/* --- the sums of a file --- */

static void add_sum(struct prof_sum *to, const struct prof_sum *from)
{
    const bool is_new = to->ranks == 0;
    to->count += from->count;
    to->time_ns += from->time_ns;
    to->stall_ns += from->stall_ns;
    to->latency_cycles += from->latency_cycles;
    if (from->latency_most_cycles > to->latency_most_cycles)
        to->latency_most_cycles = from->latency_most_cycles;
    to->rest_count += from->rest_count;
    to->rest_time_ns += from->rest_time_ns;
    to->rest_stall_ns += from->rest_stall_ns;
    to->rest_latency_cycles += from->rest_latency_cycles;
    if (from->ranks == 0) return;
    to->ranks += from->ranks;
    if (is_new || from->rank_least_ns < to->rank_least_ns) to->rank_least_ns = from->rank_least_ns;
    if (is_new || from->rank_most_ns > to->rank_most_ns ||
        (from->rank_most_ns == to->rank_most_ns && from->rank_of_most < to->rank_of_most)) {
        to->rank_most_ns = from->rank_most_ns;
        to->rank_of_most = from->rank_of_most;
    }
}

struct rank_rows {
    struct mrg_input *in;
    const uint32_t *rank_row_of;
};

static ls_err add_rank_rows(void *user, const struct prof_rank_datum *rows, uint64_t len)
{
    const struct rank_rows *r = user;
    for (uint64_t i = 0; i < len; i++) {
        struct prof_rank_datum row = rows[i];
        row.rank = r->rank_row_of[rows[i].rank];
        LS_TRY(mrg_node(r->in, rows[i].node, &row.node));
        LS_TRY(put_rank_datum(r->in->job, &row));
    }
    return LS_OK;
}

ls_err mrg_add_sums(struct mrg_input *in, const uint32_t *rank_row_of)
{
    size_t len;
    const struct prof_sum *sums = prof_sums(in->profile, &len);
    for (size_t i = 0; i < len; i++) {
        struct prof_sum key = sums[i], *to;
        LS_TRY(mrg_node(in, sums[i].node, &key.node));
        LS_TRY(mrg_line(in, sums[i].line, &key.line));
        LS_TRY(mrg_line(in, sums[i].mpi_line, &key.mpi_line));
        LS_TRY(mrg_member(in, sums[i].member, &key.member));
        LS_TRY(mrg_phase(in, sums[i].phase, &key.phase));
        LS_TRY(mrg_sum(&in->job->tables, &key, &to));
        add_sum(to, &sums[i]);
    }
    struct rank_rows rows = {in, rank_row_of};
    return prof_each_rank_data(in->profile, add_rank_rows, &rows);
}

/* --- ranks that are kept --- */

/* New rows of a file's processes, threads, frames and lines; UINT32_MAX: not kept. */
struct copies {
    uint32_t *process, *thread, *frame, *line;
};

static uint64_t shifted(const struct mrg_input *in, uint64_t time_ns)
{
    return time_ns == UINT64_MAX ? time_ns : time_ns + in->shift_ns;
}

static bool is_kept(const struct mrg_input *in, uint32_t process)
{
    const uint32_t rank = in->rank_of[process];
    return rank != MRG_NO_RANK && rank != MRG_LEFT_OUT &&
           in->job->ranks.rows[rank].row.kept != PROF_KEPT_SUMMED;
}

static uint32_t *no_rows(size_t len)
{
    uint32_t *rows = malloc((len + 1) * sizeof(*rows));
    if (rows) memset(rows, 0xff, (len + 1) * sizeof(*rows));
    return rows;
}

static ls_err keep_processes(struct mrg_input *in, const struct copies *to)
{
    struct mrg_kept *k = &in->job->kept;
    prof_names *names = in->job->names;
    for (uint32_t i = 0; i < in->tables.processes_len; i++) {
        if (!is_kept(in, i)) continue;
        struct prof_process p = in->tables.processes[i];
        struct prof_rank *rank = &in->job->ranks.rows[in->rank_of[i]].row;
        to->process[i] = (uint32_t)k->processes.len + 1; /* after the process of the sums */
        if (rank->process == UINT32_MAX) rank->process = to->process[i];
        p.parent = p.parent < i ? to->process[p.parent] : UINT32_MAX;
        p.begin_ns = shifted(in, p.begin_ns);
        p.end_ns = shifted(in, p.end_ns);
        const char **texts[] = {&p.rank_from, &p.exe, &p.cmdline, &p.engine, &p.trigger, &p.why};
        for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
            *texts[t] = prof_name_of(names, *texts[t]);
        LS_TRY(LS_VECTOR_ADD(&k->processes, p));
    }
    for (uint32_t i = 0; i < in->tables.threads_len; i++) {
        struct prof_thread t = in->tables.threads[i];
        if (to->process[t.process] == UINT32_MAX) continue;
        to->thread[i] = (uint32_t)k->threads.len + 1;
        t.process = to->process[t.process];
        t.name = prof_name_of(names, t.name);
        t.begin_ns = shifted(in, t.begin_ns);
        t.end_ns = shifted(in, t.end_ns);
        LS_TRY(LS_VECTOR_ADD(&k->threads, t));
    }
    for (size_t i = 0; i < in->tables.modules_len; i++) {
        struct prof_module m = in->tables.modules[i];
        if (to->process[m.process] == UINT32_MAX) continue;
        m.process = to->process[m.process];
        m.path = prof_name_of(names, m.path);
        m.build_id = prof_name_of(names, m.build_id);
        LS_TRY(LS_VECTOR_ADD(&k->modules, m));
    }
    return LS_OK;
}

static ls_err keep_code(struct mrg_input *in, const struct copies *to)
{
    struct mrg_kept *k = &in->job->kept;
    prof_names *names = in->job->names;
    for (uint32_t i = 0; i < in->tables.lines_len; i++) {
        struct prof_line l = in->tables.lines[i];
        if (to->process[l.process] == UINT32_MAX) continue;
        to->line[i] = (uint32_t)k->lines.len;
        l.process = to->process[l.process];
        l.until_ns = shifted(in, l.until_ns);
        const char **texts[] = {&l.module, &l.function, &l.file, &l.symbol};
        for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
            *texts[t] = prof_name_of(names, *texts[t]);
        LS_TRY(LS_VECTOR_ADD(&k->lines, l));
    }
    for (size_t i = 0; i < in->tables.inlines_len; i++) {
        struct prof_inline n = in->tables.inlines[i];
        if (to->line[n.line] == UINT32_MAX) continue;
        n.line = to->line[n.line];
        n.function = prof_name_of(names, n.function);
        n.file = prof_name_of(names, n.file);
        LS_TRY(LS_VECTOR_ADD(&k->inlines, n));
    }
    for (uint32_t i = 0; i < in->tables.frames_len; i++) {
        struct prof_frame f = in->tables.frames[i];
        if (to->process[f.process] == UINT32_MAX) continue;
        to->frame[i] = (uint32_t)k->frames.len;
        f.process = to->process[f.process];
        f.parent = f.parent < i ? to->frame[f.parent] : UINT32_MAX;
        f.line = f.line < in->tables.lines_len ? to->line[f.line] : UINT32_MAX;
        LS_TRY(LS_VECTOR_ADD(&k->frames, f));
    }
    return LS_OK;
}

/* Copy a sample; places in natural domains are left out. */
static ls_err keep_sample(struct mrg_input *in, const struct mrg_costs *c, const struct prof_samples *all,
                          const struct prof_burst *b, uint64_t i)
{
    struct prof_sample s;
#define MRG_TAKE(name, type, fill, meaning, text) s.name = all->name[i];
    PROF_SAMPLE_COLUMNS(MRG_TAKE)
    s.time_ns = shifted(in, s.time_ns);
    s.thread = b->thread;
    s.burst = (uint32_t)in->job->kept.bursts.len;
    s.field = s.value = UINT32_MAX;
    s.cost_ns = time_of(c, i);
    s.stall_ns = stall_of(c, i);
    LS_TRY(mrg_node(in, all->node[i], &s.node));
    LS_TRY(mrg_phase(in, all->phase[i], &s.phase));
    LS_TRY(mrg_member(in, all->member[i], &s.member));
    in->job->kept.samples_len++;
    return prof_writer_add(in->job->writer, &s);
}

static ls_err keep_bursts(struct mrg_input *in, const struct mrg_costs *c, const struct copies *to)
{
    struct prof_samples all;
    bool any = false;
    for (uint32_t i = 0; i < in->tables.processes_len; i++)
        any |= to->process[i] != UINT32_MAX;
    if (!any) return LS_OK;
    LS_TRY(prof_load_samples(in->profile, PROF_MASK_ALL, &all));
    for (size_t i = 0; i < in->tables.bursts_len; i++) {
        struct prof_burst b = in->tables.bursts[i];
        const uint64_t first = b.first_sample;
        if (to->thread[b.thread] == UINT32_MAX) continue;
        b.data_weight_ns = data_weight_of(c, &b);
        b.weight_ns = weight_of(c, &b);
        b.thread = to->thread[b.thread];
        b.time_ns = shifted(in, b.time_ns);
        b.frame = b.frame < in->tables.frames_len ? to->frame[b.frame] : UINT32_MAX;
        b.first_sample = in->job->kept.samples_len;
        LS_TRY(mrg_phase(in, in->tables.bursts[i].phase, &b.phase));
        for (uint64_t s = first; s < first + b.samples_len; s++)
            LS_TRY(keep_sample(in, c, &all, &b, s));
        LS_TRY(LS_VECTOR_ADD(&in->job->kept.bursts, b));
    }
    return LS_OK;
}

ls_err mrg_keep_samples(struct mrg_input *in, const struct mrg_costs *c)
{
    const struct copies to = {no_rows(in->tables.processes_len), no_rows(in->tables.threads_len),
                              no_rows(in->tables.frames_len), no_rows(in->tables.lines_len)};
    ls_err e = to.process && to.thread && to.frame && to.line ? LS_OK : ls_nomem("%s", in->file->path);
    if (e == LS_OK) e = keep_processes(in, &to);
    if (e == LS_OK) e = keep_code(in, &to);
    if (e == LS_OK) e = keep_bursts(in, c, &to);
    free(to.process);
    free(to.thread);
    free(to.frame);
    free(to.line);
    return e;
}
