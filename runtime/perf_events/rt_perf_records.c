/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the engines on perf_event: the common part of a sample, its call stack; losses and costs. */
#include "common/ls_compat.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/perf_events/rt_perf.h"

#include <stddef.h>
#include <string.h>

#define PE_SAMPLE_DATA_PAGE (UINT64_C(1) << 22) /* PERF_SAMPLE_DATA_PAGE_SIZE, Linux 5.11 */

enum { STACK_BYTES = 8192, CHAIN_MAX = 127, CHAIN_SHORTEST = 1 };

/* Perf's numbers (arch/x86/include/uapi/asm/perf_regs.h) of the registers by DWARF number (x86-64 psABI,
 * figure 3.36): rax rdx rcx rbx rsi rdi rbp rsp r8-r15, instruction pointer. */
static const uint8_t regs_numbers[SPOOL_REGS] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
/* Stacks are copied on x86-64 only: the STACK record has its registers. */
static const uint64_t regs_mask = LS_IS_X86_64 ? 0x1ff | UINT64_C(0xff) << 16 : 0;

void rt_perf_sample_attr(struct perf_event_attr *attr, const char *callstack)
{
    const bool wants_copy =
        strcmp(callstack, "unwind") == 0; /* "auto": too expensive for each of many samples */
    const bool wants_chain = strcmp(callstack, "fp") == 0 || (wants_copy && !regs_mask);
    attr->sample_type |= PE_SAMPLE_DATA_PAGE | PERF_SAMPLE_CALLCHAIN;
    attr->sample_max_stack = wants_chain ? CHAIN_MAX : CHAIN_SHORTEST; /* where a system call was made */
    if (!wants_copy || !regs_mask) return;
    attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr->sample_regs_user = regs_mask;
    attr->sample_stack_user = STACK_BYTES;
}

/* The words of the chain are addresses and, from PERF_CONTEXT_MAX on, marks. */
static bool is_mark(uint64_t word)
{
    return word >= (uint64_t)PERF_CONTEXT_MAX;
}

static bool is_of_user(const struct pe_sample *s)
{
    return (s->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

static uint64_t first_of_chain(const struct pe_sample *s)
{
    for (uint32_t i = 0; i < s->callchain_len; i++)
        if (!is_mark(pe_word_at(s->callchain, i))) return pe_word_at(s->callchain, i);
    return 0;
}

void rt_perf_sample_begin(const struct pe_sample *s, struct spool_sample *out, unsigned *out_flags)
{
    *out = (struct spool_sample){.time_ns = s->time,
                                 .ip = s->ip,
                                 .addr = s->addr,
                                 .tid = s->tid,
                                 .cpu = s->has & PERF_SAMPLE_CPU ? s->cpu : UINT32_MAX,
                                 .page_bytes = (uint32_t)s->data_page_bytes,
                                 .source = SPOOL_NOT_REPORTED,
                                 .snoop = SPOOL_NOT_REPORTED,
                                 .tlb = SPOOL_NOT_REPORTED,
                                 .numa = SPOOL_NOT_REPORTED};
    *out_flags = SPOOL_OP_NOT_REPORTED;
    if (is_of_user(s)) return;
    out->ip = first_of_chain(s);
    *out_flags |= SPOOL_SAMPLE_IP_AFTER;
}

static void put_copied_stack(struct spool_writer *w, const struct pe_layout *layout,
                             const struct pe_sample *s, const struct spool_sample *rec)
{
    struct spool_stack r = {.time_ns = rec->time_ns, .bytes_len = (uint32_t)(s->stack_len_bytes & ~7ull)};
    const struct spool_text bytes = {s->stack, r.bytes_len};
    for (unsigned i = 0; i < SPOOL_REGS; i++)
        pe_sample_reg(layout, s, regs_numbers[i], &r.regs[i]);
    spool_put(w, SPOOL_WHAT(STACK, SPOOL_STACK_CALLS, r), &r, &bytes, 1);
}

static void put_chain(struct spool_writer *w, const struct pe_sample *s, const struct spool_sample *rec)
{
    uint32_t begin = 0, end;
    while (begin < s->callchain_len && is_mark(pe_word_at(s->callchain, begin)))
        begin++;
    for (end = begin; end < s->callchain_len && !is_mark(pe_word_at(s->callchain, end));)
        end++;
    spool_put_chain(w, 0, rec->time_ns, s->callchain + begin * sizeof(uint64_t), end - begin);
}

void rt_perf_sample_stack(struct spool_writer *w, const struct pe_layout *layout, const struct pe_sample *s,
                          const struct spool_sample *rec)
{
    if (s->regs && s->stack)
        put_copied_stack(w, layout, s, rec);
    else if (s->callchain_len > 2 * CHAIN_SHORTEST) /* a mark and an address are no stack */
        put_chain(w, s, rec);
}

void rt_perf_put_sampling(struct rt_perf_reported *t, struct spool_writer *w, uint64_t time_ns,
                          const struct rt_perf_engine *e, unsigned weak)
{
    const struct spool_sampling r = {.time_ns = time_ns, .latency_kind = e->latency_kind};
    if (t->has_sampling) return;
    t->has_sampling = true;
    spool_put_sampling(w, t->is_late ? SPOOL_SAMPLING_LATE : 0, r, e->events);
    if (weak & 1u << PE_WEAK_KERNEL) rt_event_count_sigsafe(SPOOL_EVENT_KERNEL_UNSEEN, 1, 0);
}

/* Counts that become events, and their kinds. */
static const struct {
    size_t offset; /* in pe_counts */
    enum spool_event_kind kind;
} event_rows[] = {
    {offsetof(struct pe_counts, lost), SPOOL_EVENT_SAMPLES_LOST},
    {offsetof(struct pe_counts, lost_samples), SPOOL_EVENT_HARDWARE_LOST},
    {offsetof(struct pe_counts, throttled), SPOOL_EVENT_THROTTLED},
    {offsetof(struct pe_counts, unthrottled), SPOOL_EVENT_UNTHROTTLED},
    {offsetof(struct pe_counts, broken), SPOOL_EVENT_RECORDS_BROKEN},
    {offsetof(struct pe_counts, aux_truncated), SPOOL_EVENT_AUX_DAMAGED},
    {offsetof(struct pe_counts, aux_partial), SPOOL_EVENT_AUX_DAMAGED},
    {offsetof(struct pe_counts, aux_collided), SPOOL_EVENT_AUX_DAMAGED},
};

static uint64_t count_at(const struct pe_counts *c, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)c + offset);
}

void rt_perf_put_counts(struct rt_perf_reported *t, const struct pe_counts *now)
{
    for (size_t i = 0; i < sizeof(event_rows) / sizeof(event_rows[0]); i++) {
        const uint64_t is = count_at(now, event_rows[i].offset),
                       was = count_at(&t->counts, event_rows[i].offset);
        if (is > was) rt_event_count_sigsafe(event_rows[i].kind, is - was, 0);
    }
    t->counts = *now;
}

void rt_perf_put_cost(struct rt_perf_reported *t, struct spool_writer *w, uint64_t time_ns, uint64_t all_ns)
{
    if (all_ns == t->cost_ns) return;
    t->cost_ns = all_ns;
    spool_put_cost(
        w, (struct spool_cost){.time_ns = time_ns, .spent_ns = all_ns, .hooks_ns = rt_budget_hooks_ns()});
}
