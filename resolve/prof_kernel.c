/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_kernel.h"

#include "common/ls_checked.h"
#include "resolve/prof_replay.h"

#include <math.h>
#include <stdlib.h>

enum { PROF_PAGE_BYTES = 4096, PROF_HUGE_BYTES = 2 << 20 };
static const double PROF_QUANTILE = 1.96; /* quantile of the normal distribution for 95 % */
/* Used where nothing was measured: right in the order of magnitude. */
static const double PROF_USUAL_FAULT_NS = 700, PROF_USUAL_HUGE_FAULT_NS = 150000,
                    PROF_USUAL_FAULT_ERROR = 0.5;

static const uint8_t prof_cause_of_call[SPOOL_CALL_KINDS] = {
    [SPOOL_CALL_MAP] = PROF_KERNEL_MAP,     [SPOOL_CALL_UNMAP] = PROF_KERNEL_UNMAP,
    [SPOOL_CALL_BREAK] = PROF_KERNEL_BREAK, [SPOOL_CALL_READ] = PROF_KERNEL_READ,
    [SPOOL_CALL_WRITE] = PROF_KERNEL_WRITE, [SPOOL_CALL_OTHER] = PROF_KERNEL_CALL,
};

/* --- cells --- */

static bool prof_cell_is(const struct prof_kernel_cell *a, const struct prof_kernel_cell *b)
{
    return a->ip == b->ip && a->cause == b->cause && a->node == b->node;
}

static void prof_cell_join(struct prof_kernel_cell *row, const struct prof_kernel_cell *what)
{
    row->calls += what->calls;
    row->bytes += what->bytes;
    row->time_ns += what->time_ns;
    row->variance += what->variance;
}

/* Add the time that one seen call or fault represents. */
static ls_err prof_cell_add(struct prof_kernel_cells *c, const struct prof_kernel_cell *what)
{
    const uint64_t key = ls_index_key(what->ip, (uint64_t)what->node << 32 | what->cause);
    uint32_t at = LS_INDEX_NONE;
    for (size_t step = 0; ls_index_next(&c->by_cell, key, &step, &at);)
        if (prof_cell_is(&c->rows.rows[at], what)) {
            prof_cell_join(&c->rows.rows[at], what);
            return LS_OK;
        }
    LS_TRY(LS_VECTOR_ADD(&c->rows, *what));
    return ls_index_put(&c->by_cell, key, (uint32_t)c->rows.len - 1);
}

void prof_kernel_fini(struct prof_kernel_cells *c)
{
    free(c->rows.rows);
    ls_index_fini(&c->by_cell);
    *c = (struct prof_kernel_cells){0};
}

/* Estimate from one call drawn with probability 1 / calls that took each_ns: the Horvitz-Thompson estimator
 * and its variance (Journal of the American Statistical Association 47, 1952). */
static void prof_cell_estimate(struct prof_kernel_cell *cell, double calls, double each_ns)
{
    cell->calls = calls;
    cell->time_ns = calls * each_ns;
    cell->variance = calls * (calls - 1) * each_ns * each_ns;
}

/* --- records --- */

struct prof_fault_costs {
    double small_ns, huge_ns, error; /* error: a share */
};

static struct prof_fault_costs prof_fault_costs(const struct mach_calibration *m)
{
    struct prof_fault_costs c = {PROF_USUAL_FAULT_NS, PROF_USUAL_HUGE_FAULT_NS, PROF_USUAL_FAULT_ERROR};
    if (!m || !(m->fault_ns > 0)) return c;
    c.huge_ns = m->huge_fault_ns > 0 ? m->huge_fault_ns : c.huge_ns;
    c.small_ns = m->fault_ns;
    c.error = m->fault_error;
    return c;
}

double prof_kernel_fault_ns(const struct mach_calibration *m)
{
    return prof_fault_costs(m).small_ns;
}

static ls_err prof_on_fault(struct prof_replay *r, const struct spool_kernel_fault *f)
{
    const bool is_huge = f->rec.flags & SPOOL_FAULT_HUGE;
    const struct prof_fault_costs costs = prof_fault_costs(r->run->calibration);
    struct prof_kernel_cell cell = {.cause = is_huge ? PROF_KERNEL_HUGE_FAULT : PROF_KERNEL_FAULT,
                                    .ip = f->ip};
    prof_space_set_time(r->space, f->time_ns);
    cell.node = prof_space_find_site(r->space, f->addr);
    if (cell.node == PROF_NO_NODE) return ls_nomem("the homes of addresses");
    prof_cell_estimate(&cell, f->faults, is_huge ? costs.huge_ns : costs.small_ns);
    cell.bytes = (double)f->faults * (is_huge ? PROF_HUGE_BYTES : PROF_PAGE_BYTES);
    LS_TRY(prof_ip_add(&r->ips, cell.ip));
    return prof_cell_add(&r->kernel, &cell);
}

/* Find the node of the memory that a call is about, and the number of blocks which that memory represents. */
static ls_err prof_call_memory(struct prof_replay *r, const struct prof_stream *stream,
                               const struct spool_kernel_call *c, struct prof_kernel_announced *out)
{
    *out = (struct prof_kernel_announced){.node = PROF_NO_NODE, .blocks = 1};
    if (c->rec.flags & SPOOL_CALL_ENDED) {
        *out = stream->announced;
        return LS_OK;
    }
    if (c->addr == 0) return LS_OK;
    prof_space_set_time(r->space, c->time_ns);
    out->node = prof_space_find_site(r->space, c->addr);
    if (c->rec.flags & SPOOL_CALL_BLOCK) out->blocks = prof_space_blocks_at(r->space, c->addr);
    return out->node == PROF_NO_NODE ? ls_nomem("the homes of addresses") : LS_OK;
}

static ls_err prof_on_call(struct prof_replay *r, struct prof_stream *stream,
                           const struct spool_kernel_call *c)
{
    const unsigned kind = c->rec.flags & SPOOL_CALL_KIND_MASK;
    struct prof_kernel_announced memory;
    if (kind >= SPOOL_CALL_KINDS) return LS_OK;
    LS_TRY(prof_call_memory(r, stream, c, &memory));
    if (c->rec.flags & SPOOL_CALL_ANNOUNCED) {
        stream->announced = memory;
        return LS_OK;
    }
    struct prof_kernel_cell cell = {.cause = prof_cause_of_call[kind],
                                    .node = memory.node,
                                    .ip = c->ip ? c->ip - 1 : 0}; /* inside of the call */
    prof_cell_estimate(&cell, c->calls * memory.blocks, (double)c->cpu_ns);
    cell.bytes = cell.calls * (double)c->len_bytes;
    LS_TRY(prof_ip_add(&r->ips, cell.ip));
    return prof_cell_add(&r->kernel, &cell);
}

ls_err prof_kernel_take(struct prof_replay *r, struct prof_stream *stream, const struct spool_rec_header *rec)
{
    const void *const whole = rec;
    return rec->type == SPOOL_REC_FAULT ? prof_on_fault(r, whole) : prof_on_call(r, stream, whole);
}

/* --- rows --- */

static bool prof_is_fault(uint32_t cause)
{
    return cause == PROF_KERNEL_FAULT || cause == PROF_KERNEL_HUGE_FAULT;
}

ls_err prof_kernel_write(struct prof_replay *r)
{
    struct prof_run_state *run = r->run;
    const double fault_error = prof_fault_costs(run->calibration).error;
    for (size_t i = 0; i < r->kernel.rows.len; i++) {
        const struct prof_kernel_cell *cell = &r->kernel.rows.rows[i];
        const double error_ns = PROF_QUANTILE * sqrt(cell->variance) +
                                (prof_is_fault(cell->cause) ? fault_error * cell->time_ns : 0);
        LS_TRY(LS_VECTOR_ADD(&run->kernels,
                             (struct prof_kernel){.process = r->process,
                                                  .cause = cell->cause,
                                                  .node = cell->node,
                                                  .line = prof_lines_find(&run->lines, r->process, cell->ip),
                                                  .frame = PROF_NO_FRAME,
                                                  .calls = ls_round_u64(cell->calls),
                                                  .bytes = ls_round_u64(cell->bytes),
                                                  .time_ns = cell->time_ns,
                                                  .error_ns = error_ns}));
    }
    return LS_OK;
}

static ls_err prof_kernel_add_other(struct prof_run_state *run, uint32_t process, double time_ns,
                                    double error_ns)
{
    return LS_VECTOR_ADD(&run->kernels, (struct prof_kernel){.process = process,
                                                             .cause = PROF_KERNEL_OTHER,
                                                             .node = UINT32_MAX,
                                                             .line = UINT32_MAX,
                                                             .frame = UINT32_MAX,
                                                             .time_ns = time_ns,
                                                             .error_ns = error_ns});
}

ls_err prof_kernel_finish(struct prof_run_state *run, uint32_t process, uint64_t kernel_ns)
{
    double known_ns = 0, variance = 0;
    if (kernel_ns == UINT64_MAX) return LS_OK;
    for (size_t i = 0; i < run->kernels.len; i++) {
        const struct prof_kernel *k = &run->kernels.rows[i];
        if (k->process != process) continue;
        known_ns += k->time_ns;
        variance += k->error_ns * k->error_ns;
    }
    const double rest_ns = (double)kernel_ns - known_ns;
    if (rest_ns > 0) return prof_kernel_add_other(run, process, rest_ns, sqrt(variance));
    for (size_t i = 0; rest_ns < 0 && i < run->kernels.len; i++) {
        struct prof_kernel *k = &run->kernels.rows[i];
        if (k->process != process) continue;
        k->time_ns *= (double)kernel_ns / known_ns;
        k->error_ns *= (double)kernel_ns / known_ns;
    }
    return LS_OK;
}
