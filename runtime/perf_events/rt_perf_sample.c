/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_sample.h"

#include <string.h>

#define PE_SAMPLE_DATA_PAGE (UINT64_C(1) << 22) /* PERF_SAMPLE_DATA_PAGE_SIZE, Linux 5.11 */

enum { STACK_BYTES = 8192, CHAIN_MAX = 127, CHAIN_SHORTEST = 1 };

void rt_perf_sample_attr(struct perf_event_attr *attr, const char *callstack)
{
    const bool wants_copy = strcmp(callstack, "unwind") == 0 || strcmp(callstack, "auto") == 0;
    const bool wants_chain = strcmp(callstack, "fp") == 0 || (wants_copy && !rt_perf_regs_mask);
    attr->sample_type |= PE_SAMPLE_DATA_PAGE | PERF_SAMPLE_CALLCHAIN;
    attr->sample_max_stack = wants_chain ? CHAIN_MAX : CHAIN_SHORTEST; /* where a system call was made */
    if (!wants_copy || !rt_perf_regs_mask) return;
    attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr->sample_regs_user = rt_perf_regs_mask;
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

void rt_perf_sample_begin(const struct pe_layout *layout, const struct pe_sample *s, struct spool_sample *out,
                          unsigned *out_flags)
{
    (void)layout;
    *out = (struct spool_sample){.time_ns = s->time,
                                 .ip = s->ip,
                                 .addr = s->addr,
                                 .tid = s->tid,
                                 .cpu = s->has & PERF_SAMPLE_CPU ? s->cpu : UINT32_MAX,
                                 .page_bytes = (uint32_t)s->data_page_bytes,
                                 .source = SPOOL_NOT_TOLD,
                                 .snoop = SPOOL_NOT_TOLD,
                                 .tlb = SPOOL_NOT_TOLD,
                                 .numa = SPOOL_NOT_TOLD};
    *out_flags = SPOOL_OP_NOT_TOLD;
    if (is_of_user(s)) return;
    out->ip = first_of_chain(s);
    *out_flags |= SPOOL_SAMPLE_IP_BEHIND;
}

static void put_copied_stack(struct spool_writer *w, const struct pe_layout *layout,
                             const struct pe_sample *s, const struct spool_sample *rec)
{
    struct spool_stack r = {.time_ns = rec->time_ns, .bytes_len = (uint32_t)(s->stack_len_bytes & ~7ull)};
    const struct spool_text bytes = {s->stack, r.bytes_len};
    for (unsigned i = 0; i < SPOOL_REGS; i++)
        pe_sample_reg(layout, s, rt_perf_regs_numbers[i], &r.regs[i]);
    spool_put(w, SPOOL_WHAT(STACK, SPOOL_STACK_CALLS, r), &r, &bytes, 1);
}

static void put_chain(struct spool_writer *w, const struct pe_sample *s, const struct spool_sample *rec)
{
    uint32_t begin = 0, end;
    while (begin < s->callchain_len && is_mark(pe_word_at(s->callchain, begin)))
        begin++;
    for (end = begin; end < s->callchain_len && !is_mark(pe_word_at(s->callchain, end));)
        end++;
    spool_put_chain(w, rec->time_ns, s->callchain + begin * sizeof(uint64_t), end - begin);
}

void rt_perf_sample_stack(struct spool_writer *w, const struct pe_layout *layout, const struct pe_sample *s,
                          const struct spool_sample *rec)
{
    if (s->regs && s->stack)
        put_copied_stack(w, layout, s, rec);
    else if (s->callchain_len > 2 * CHAIN_SHORTEST) /* a mark and an address are no stack */
        put_chain(w, s, rec);
}
