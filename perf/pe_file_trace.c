/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_file.h"

#include "common/ls_checked.h"
#include "common/ls_vector.h"

#include <stdlib.h>

/* tools/lib/perf/include/perf/event.h and tools/perf/util/arm-spe.h of Linux. */
enum {
    TRACE_CPUS_MAX = 65536,
    TRACE_INFO_FIRST_WORDS = 2, /* perf before 6.13: PMU type, mmaps of each CPU */
    TRACE_CPU_FIXED_WORDS = 3,  /* magic, CPU, number of the words that follow */
};

static const char *const trace_names[] = {
    [PE_TRACE_NONE] = "no kind",        [PE_TRACE_INTEL_PT] = "Intel PT",
    [PE_TRACE_INTEL_BTS] = "Intel BTS", [PE_TRACE_CORESIGHT] = "Arm CoreSight",
    [PE_TRACE_SPE] = "Arm SPE",
};

const char *pe_trace_name(uint32_t kind)
{
    return kind < sizeof(trace_names) / sizeof(trace_names[0]) ? trace_names[kind]
                                                               : "a kind that is not known";
}

/* magic, CPU, words that follow, MIDR, PMU type, least interval, ... */
static ls_err trace_take_cpu(struct ls_cursor *c, struct pe_trace_cpu *out)
{
    uint64_t fixed[TRACE_CPU_FIXED_WORDS], midr;
    if (!ls_cursor_read(c, fixed, sizeof(fixed)) || fixed[2] == 0 ||
        fixed[2] > ls_cursor_left(c) / sizeof(uint64_t))
        return ls_fail(LS_ERR_FORMAT, "the description of a CPU is cut off");
    const size_t fields_bytes = (size_t)fixed[2] * sizeof(uint64_t);
    memcpy(&midr, ls_cursor_take(c, fields_bytes), sizeof(midr));
    *out = (struct pe_trace_cpu){.cpu = (uint32_t)fixed[1], .midr = midr};
    return LS_OK;
}

/* version, words of this header, PMU type, number of CPUs, then the CPUs. The first version had neither a
 * number nor CPUs, and is recognized by its length. */
static ls_err trace_take_spe(struct pe_trace *t, struct ls_cursor *c)
{
    uint64_t head[4] = {0};
    const bool is_first = ls_cursor_left(c) == TRACE_INFO_FIRST_WORDS * sizeof(uint64_t);
    const size_t words = is_first ? TRACE_INFO_FIRST_WORDS : 4;
    const size_t begin = c->pos_bytes;
    if (!ls_cursor_read(c, head, words * sizeof(uint64_t)))
        return ls_fail(LS_ERR_FORMAT, "the description of the SPE recording is cut off");
    t->pmu_type = (uint32_t)head[is_first ? 0 : 2];
    if (is_first) return LS_OK;
    const size_t all = c->span.len_bytes - begin;
    if (head[1] < 4 || head[1] > all / sizeof(uint64_t) || head[3] > TRACE_CPUS_MAX)
        return ls_fail(LS_ERR_FORMAT, "the description of the SPE recording announces more than it has");
    c->pos_bytes = begin + (size_t)head[1] * sizeof(uint64_t);
    free(t->cpus);
    t->cpus_len = 0;
    t->cpus = calloc((size_t)head[3] + 1, sizeof(*t->cpus));
    if (!t->cpus) return ls_nomem("%llu CPUs", (unsigned long long)head[3]);
    for (; t->cpus_len < head[3]; t->cpus_len++)
        LS_TRY(trace_take_cpu(c, &t->cpus[t->cpus_len]));
    return LS_OK;
}

ls_err pe_trace_take_info(struct pe_trace *t, struct ls_span body)
{
    struct ls_cursor c = ls_cursor_over(body.data, body.len_bytes);
    uint32_t kind[2];
    if (!ls_cursor_read(&c, kind, sizeof(kind)))
        return ls_fail(LS_ERR_FORMAT, "the description of the AUX areas is cut off");
    t->kind = kind[0];
    return t->kind == PE_TRACE_SPE ? trace_take_spe(t, &c) : LS_OK;
}

/* shift, mult, zero; from Linux 5.12 cycles, mask and two flags */
ls_err pe_trace_take_clock(struct pe_trace *t, struct ls_span body)
{
    struct ls_cursor c = ls_cursor_over(body.data, body.len_bytes);
    uint64_t old[3], young[2];
    uint8_t flags[2];
    if (!ls_cursor_read(&c, old, sizeof(old))) return ls_fail(LS_ERR_FORMAT, "the clock is cut off");
    if (old[0] > 63 || old[1] > UINT32_MAX || old[1] == 0)
        return ls_fail(LS_ERR_FORMAT, "the clock has an impossible rate");
    t->clock = (struct pe_trace_clock){
        .is_reported = true, .shift = (uint16_t)old[0], .mult = (uint32_t)old[1], .zero = old[2]};
    if (!ls_cursor_read(&c, young, sizeof(young)) || !ls_cursor_read(&c, flags, sizeof(flags))) return LS_OK;
    t->clock.cycles = young[0];
    t->clock.mask = young[1];
    t->clock.is_short = flags[1] != 0;
    return LS_OK;
}

/* size, offset, reference, area, tid, CPU, reserved */
ls_err pe_trace_add(struct pe_trace *t, struct ls_span body, struct ls_span data, uint64_t at_bytes)
{
    struct ls_cursor c = ls_cursor_over(body.data, body.len_bytes);
    uint64_t words[3];
    uint32_t halves[3];
    if (!ls_cursor_read(&c, words, sizeof(words)) || !ls_cursor_read(&c, halves, sizeof(halves)))
        return ls_fail(LS_ERR_FORMAT, "the description of a piece of an AUX area is cut off");
    LS_TRY(LS_GROW(t->pieces, t->pieces_room, t->pieces_len + 1));
    t->bytes += words[0];
    t->pieces[t->pieces_len++] = (struct pe_trace_piece){.bytes = data.data,
                                                         .len_bytes = data.len_bytes,
                                                         .offset = words[1],
                                                         .at_bytes = at_bytes,
                                                         .area = halves[0],
                                                         .tid = halves[1],
                                                         .cpu = halves[2]};
    return LS_OK;
}

void pe_trace_fini(struct pe_trace *t)
{
    free(t->cpus);
    free(t->pieces);
    *t = (struct pe_trace){.kind = PE_TRACE_NONE};
}

/* tsc_to_perf_time of tools/perf/util/tsc.c. The result overflows only for a damaged file. */
uint64_t pe_trace_time_ns(const struct pe_trace_clock *clock, uint64_t ticks)
{
    if (clock->is_short) ticks = clock->cycles + ((ticks - clock->cycles) & clock->mask);
    const uint64_t whole = ticks >> clock->shift, rest = ticks & ((UINT64_C(1) << clock->shift) - 1);
    return clock->zero + whole * clock->mult + ls_muldiv_u64(rest, clock->mult, UINT64_C(1) << clock->shift);
}

bool pe_trace_midr(const struct pe_trace *t, uint32_t cpu, uint64_t *out)
{
    for (size_t i = 0; i < t->cpus_len; i++) {
        if (cpu != UINT32_MAX && t->cpus[i].cpu != cpu) continue;
        if (cpu == UINT32_MAX && t->cpus[i].midr != t->cpus[0].midr) return false;
        *out = t->cpus[i].midr;
        if (cpu != UINT32_MAX) return true;
    }
    return cpu == UINT32_MAX && t->cpus_len > 0;
}
