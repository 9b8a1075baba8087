/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_cost.h"

#include "common/ls_vector.h"
#include "run_h5/prof_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct prof_cost_window {
    double penalty_cycles; /* sum over timed loads; in translated bursts over all, with the transfers */
    double issue_cycles;
    double most;     /* part of the time that the pace leaves room for */
    double transfer; /* counted part of the transfer of an access that is not timed */
    const struct prof_walks_burst *walks;
    double counted; /* part of each penalty that counts: below 1 with a coarse counter */
    uint64_t accesses, measured;
    uint32_t begin; /* position */
};

static double prof_known_or(double value, double fallback)
{
    return isfinite(value) && value > 0 ? value : fallback;
}

void prof_cost_model_init(struct prof_cost_model *m, const struct prof_run *run)
{
    *m = (struct prof_cost_model){
        .l1_cycles = prof_known_or(run->level_latency_cycles[PROF_LEVEL_L1], PROF_COST_L1_CYCLES),
        .dram_cycles = prof_known_or(run->level_latency_cycles[PROF_LEVEL_DRAM], PROF_COST_DRAM_CYCLES),
        .l1_is_l2 = prof_level_l1_is_l2(run),
        .step_cycles = run->tsc_step_cycles == UINT64_MAX ? 1.0 : fmax(1.0, (double)run->tsc_step_cycles),
        .issue_width = prof_known_or(run->issue_width, PROF_COST_ISSUE_WIDTH),
        .weight_max_ns = INFINITY,
        .is_timed = true,
        .is_stepped = run->engine && strcmp(run->engine, "step") == 0};
    m->beyond_l2_cycles = prof_known_or(run->level_limit_cycles[PROF_LEVEL_L2], m->l1_cycles);
    m->latency_max_cycles = PROF_COST_LATENCY_TIMES * m->dram_cycles;
    for (int l = 0; l < PROF_LEVEL_COUNT; l++) {
        m->line_cycles[l] =
            prof_known_or(run->level_line_cycles[l] - run->level_line_cycles[PROF_LEVEL_L1], 0);
        m->level_bytes[l] = prof_known_or(run->level_bytes[l], 0);
        m->last_level_bytes = fmax(m->last_level_bytes, m->level_bytes[l]);
    }
    m->tsc_hz = run->tsc_hz == UINT64_MAX ? 0 : (double)run->tsc_hz;
    m->line_cycles_each = prof_known_or(run->line_cycles_all, 0) / prof_known_or((double)run->line_cpus, 1);
}

void prof_cost_loads_add(struct prof_cost_loads *l, const struct prof_cost_samples *s)
{
    for (uint64_t i = 0; i < s->len; i++) {
        const uint64_t n = s->count && s->count[i] != UINT32_MAX ? s->count[i] : 1;
        l->loads += s->op[i] == 0 ? n : 0;
        if (!prof_cost_is_measured(s, i)) continue;
        l->timed += n;
        if (s->position[i] < l->earliest) l->earliest = s->position[i];
    }
}

void prof_cost_model_loads(struct prof_cost_model *m, const struct prof_cost_loads *l)
{
    m->window_begin = l->earliest == UINT32_MAX ? 0 : l->earliest;
    m->is_timed = l->timed > 0 && (double)l->timed >= PROF_COST_TIMED_MIN * (double)l->loads;
}

static int prof_compare_weights(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ls_err prof_cost_model_weights(struct prof_cost_model *m, const struct prof_burst *bursts, size_t len)
{
    double *weights = malloc((len + 1) * sizeof(*weights)), smaller_ns = 0;
    size_t n = 0;
    if (!weights) return ls_nomem("the weights of %zu bursts", len);
    for (size_t i = 0; i < len; i++)
        if (bursts[i].weight_ns != UINT64_MAX && bursts[i].weight_ns > 0)
            smaller_ns += weights[n++] = (double)bursts[i].weight_ns;
    if (n >= PROF_COST_BURSTS_MIN) {
        qsort(weights, n, sizeof(*weights), prof_compare_weights);
        m->weight_usual_ns = weights[n / 2];
        while (n > 1) {
            smaller_ns -= weights[n - 1];
            if (weights[n - 1] <= PROF_COST_WEIGHT_TIMES * m->weight_usual_ns ||
                weights[n - 1] <= smaller_ns / 4)
                break;
            n--;
        }
        m->weight_max_ns = weights[n - 1];
    }
    free(weights);
    return LS_OK;
}

double prof_cost_latency_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                                uint64_t i)
{
    const double latency = (double)s->latency_cycles[i];
    return latency > m->latency_max_cycles ? m->dram_cycles : latency;
}

double prof_cost_beyond_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s, uint64_t i)
{
    if (s->level[i] == PROF_LEVEL_L1 && !m->l1_is_l2) return 0;
    return fmax(prof_cost_latency_cycles(m, s, i) - m->l1_cycles, 0);
}

static bool prof_is_beyond_l2(const struct prof_cost_model *m, const struct prof_cost_samples *s, uint64_t i)
{
    if (s->level[i] < PROF_LEVEL_COUNT) return s->level[i] >= PROF_LEVEL_L3;
    return (double)s->latency_cycles[i] > m->beyond_l2_cycles;
}

/* --- nodes whose data stays in the caches --- */

/* Lines are counted in a bitmap that is indexed by their hash (linear counting: Whang, Vander-Zanden, Taylor,
 * A linear-time probabilistic counting algorithm, 1990): B bits with Z of them clear indicate
 * about -B ln(Z / B) lines. */
enum { PROF_LINE_BITS = 2048, PROF_LINE_WORDS = PROF_LINE_BITS / 64 };

struct prof_cost_node {
    uint64_t timed, beyond_l2, beyond_l3;
    double touched; /* sum of the distinct lines of each burst */
    uint32_t burst; /* number of the burst that `now` belongs to */
    bool is_kept;
    struct {
        uint64_t all[PROF_LINE_WORDS], now[PROF_LINE_WORDS];
    } * lines; /* bitmaps for the whole run and for the burst; NULL: fewer loads than PROF_COST_KEPT_TIMED */
};

static double prof_count_lines(const uint64_t *bitmap)
{
    int clear = 0;
    for (int i = 0; i < PROF_LINE_WORDS; i++)
        clear += __builtin_popcountll(~bitmap[i]);
    return clear ? -PROF_LINE_BITS * log((double)clear / PROF_LINE_BITS) : INFINITY;
}

static void prof_end_burst(struct prof_cost_node *n)
{
    n->touched += prof_count_lines(n->lines->now);
    memset(n->lines->now, 0, sizeof(n->lines->now));
}

/* Return the row of a node, or NULL without memory: the node then counts as one that leaves the caches. */
static struct prof_cost_node *prof_cost_node(struct prof_cost_nodes *n, uint32_t node)
{
    if (node == UINT32_MAX) return NULL;
    const size_t len = n->len;
    if (LS_GROW(n->rows, n->len, (size_t)node + 1) != LS_OK) return NULL;
    if (n->len > len) memset(n->rows + len, 0, (n->len - len) * sizeof(*n->rows));
    return &n->rows[node];
}

static void prof_touch_line(struct prof_cost_node *row, uint32_t burst, uint64_t addr)
{
    const uint64_t line = addr / PROF_COST_LINE_BYTES;
    const uint64_t bit = line * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (PROF_LINE_BITS - 1);
    if (!row->lines) row->lines = calloc(1, sizeof(*row->lines));
    if (!row->lines) return;
    if (row->burst != burst) prof_end_burst(row);
    row->burst = burst;
    row->lines->all[bit / 64] |= UINT64_C(1) << bit % 64;
    row->lines->now[bit / 64] |= UINT64_C(1) << bit % 64;
}

void prof_cost_nodes_add(struct prof_cost_nodes *n, const struct prof_cost_model *m,
                         const struct prof_cost_samples *burst)
{
    if (!m->is_stepped) return;
    n->bursts++;
    for (uint64_t i = 0; i < burst->len; i++) {
        if (!prof_cost_is_measured(burst, i)) continue;
        struct prof_cost_node *row = prof_cost_node(n, burst->node[i]);
        if (!row) continue;
        row->beyond_l2 += prof_is_beyond_l2(m, burst, i);
        row->beyond_l3 += burst->level[i] == PROF_LEVEL_DRAM;
        if (++row->timed >= PROF_COST_KEPT_TIMED) prof_touch_line(row, n->bursts, burst->addr[i]);
    }
}

void prof_cost_nodes_judge(struct prof_cost_nodes *n)
{
    for (size_t i = 0; i < n->len; i++) {
        struct prof_cost_node *row = &n->rows[i];
        if (!row->lines) continue;
        prof_end_burst(row);
        const double lines = prof_count_lines(row->lines->all), timed = (double)row->timed;
        row->is_kept = lines <= PROF_COST_KEPT_LINES && row->touched >= 2 * lines &&
                       (double)row->beyond_l2 < PROF_COST_KEPT_FAR * timed &&
                       (double)row->beyond_l3 < PROF_COST_KEPT_MEMORY * timed;
    }
}

static bool prof_cost_node_is_kept(const struct prof_cost_nodes *n, uint32_t node)
{
    return n && node < n->len && n->rows[node].is_kept;
}

void prof_cost_nodes_fini(struct prof_cost_nodes *n)
{
    for (size_t i = 0; i < n->len; i++)
        free(n->rows[i].lines);
    free(n->rows);
    *n = (struct prof_cost_nodes){0};
}

/* --- cost of the accesses of a burst --- */

static double prof_penalty_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                                  uint64_t i)
{
    if (!prof_cost_is_measured(s, i)) return 0;
    const double counted = m->walks ? prof_cost_counted(m->walks, s, i) : -1;
    if (counted >= 0) return counted * prof_cost_beyond_cycles(m, s, i);
    const double cycles = fmax(prof_cost_latency_cycles(m, s, i) - m->l1_cycles, 0);
    return prof_is_beyond_l2(m, s, i) && !prof_cost_node_is_kept(m->nodes, s->node[i]) ? cycles : 0;
}

uint64_t prof_cost_listed(const struct prof_cost_samples *s, uint64_t first, uint64_t len)
{
    uint64_t listed = 0;
    while (listed < len && listed < PROF_COST_LISTED_MOST && !prof_cost_is_measured(s, first + listed))
        listed++;
    return listed;
}

uint32_t prof_cost_gapless(const struct prof_burst *b, const struct prof_cost_samples *s)
{
    return b->probe_loads ? (uint32_t)prof_cost_listed(s, b->first_sample, b->samples_len) : b->samples_len;
}

/* Sum of the transfers of the accesses before the first timed load. */
static double prof_transfers(const struct prof_cost_model *m, const struct prof_walks_burst *walks,
                             const struct prof_cost_samples *s)
{
    double sum = 0;
    for (uint64_t i = 0; walks && i < prof_cost_walks_listed(walks); i++)
        sum += prof_cost_transfer_cycles(m->walks, walks, s, i);
    return sum;
}

/* Each timed load stands for as many as lie between two of them, and the accesses before the first one for all of
 * the window; together they wait no longer than the pace leaves room for, and in a loop with known times exactly as
 * long, if lines come from beyond L1. */
static void prof_spread_probes(const struct prof_cost_model *m, const struct prof_burst *b,
                               const struct prof_cost_samples *s, double instructions,
                               struct prof_cost_window *w)
{
    w->walks = prof_cost_walks_of(m->walks, b);
    const double scale = w->walks ? instructions / prof_cost_walks_instructions(w->walks) : 0;
    const double transfers = prof_transfers(m, w->walks, s) * scale;
    const double all = w->penalty_cycles * b->probe_loads + transfers;
    double counted = 1;
    if (b->pace_instructions) {
        const double cycles = (double)b->pace_cycles / b->pace_instructions * instructions;
        const double rest = fmax(cycles - w->issue_cycles, 0);
        w->most = rest / fmax(cycles, 1);
        if (all > 0) counted = transfers > 0 && b->pace_rest_waits == 1 ? rest / all : fmin(1, rest / all);
        w->issue_cycles = fmax(w->issue_cycles, cycles - all * counted);
    }
    w->penalty_cycles = all * counted;
    w->counted *= b->probe_loads * counted;
    w->transfer = scale * counted;
}

static struct prof_cost_window prof_window_of(const struct prof_cost_model *m, const struct prof_burst *b,
                                              const struct prof_cost_samples *s)
{
    struct prof_cost_window w = {.begin = b->probe_loads ? 0 : m->window_begin, .counted = 1};
    double signed_cycles = 0;
    uint32_t first_timed = b->instructions;
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->position[i] < w.begin) continue;
        w.accesses++;
        if (!prof_cost_is_measured(s, i)) continue;
        if (!w.measured++) first_timed = s->position[i];
        w.penalty_cycles += prof_penalty_cycles(m, s, i);
        signed_cycles += prof_cost_latency_cycles(m, s, i) - m->l1_cycles;
    }
    if (!m->walks && m->step_cycles > 1 && w.penalty_cycles > 0 && signed_cycles < w.penalty_cycles) {
        w.counted = fmax(signed_cycles, 0) / w.penalty_cycles;
        w.penalty_cycles *= w.counted;
    }
    const uint32_t begin = b->probe_loads && w.measured ? first_timed : w.begin;
    const double instructions = b->instructions > begin ? (double)(b->instructions - begin) : 1.0;
    w.issue_cycles = instructions / m->issue_width;
    if (b->pace_instructions)
        w.issue_cycles =
            fmax(w.issue_cycles, instructions * (double)b->pace_least_cycles / b->pace_instructions);
    if (b->probe_loads) prof_spread_probes(m, b, s, instructions, &w);
    return w;
}

static void prof_split_evenly(double weight_ns, uint64_t len, float *time_ns)
{
    const float each = (float)(weight_ns / (double)len);
    for (uint64_t i = 0; i < len; i++)
        time_ns[i] = each;
}

struct prof_cost_burst prof_cost_split(const struct prof_cost_model *m, const struct prof_burst *b,
                                       const struct prof_cost_samples *s, float *time_ns, float *stall_ns)
{
    const double weight_ns = prof_cost_data_weight_ns(m, b);
    const struct prof_cost_window w = prof_window_of(m, b, s);
    if ((w.measured == 0 && !w.walks) || !m->is_timed) {
        prof_split_evenly(weight_ns, s->len, time_ns);
        return (struct prof_cost_burst){0};
    }
    const double ns_per_cycle = weight_ns / (w.penalty_cycles + w.issue_cycles);
    const double issue_each = w.issue_cycles / (double)w.accesses;
    const uint64_t listed = w.walks ? prof_cost_walks_listed(w.walks) : 0;
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->position[i] < w.begin) continue;
        double penalty = w.counted * prof_penalty_cycles(m, s, i);
        if (i < listed) penalty += w.transfer * prof_cost_transfer_cycles(m->walks, w.walks, s, i);
        stall_ns[i] = (float)(penalty * ns_per_cycle);
        time_ns[i] = (float)((penalty + issue_each) * ns_per_cycle);
    }
    const double stall_total_ns = w.penalty_cycles * ns_per_cycle;
    return (struct prof_cost_burst){.measured = w.measured ? w.measured : 1,
                                    .stall_ns = stall_total_ns,
                                    .most_ns = fmax(stall_total_ns, w.most * weight_ns)};
}
