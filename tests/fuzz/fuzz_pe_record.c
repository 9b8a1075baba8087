/* SPDX-License-Identifier: BSD-3-Clause */
/* Any layout (the first 32 bytes) and any bytes after it as the kernel's records. */
#include "perf/pe_sample.h"
#include "perf/pe_record.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-pe-record/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

static void read_all(const uint8_t *at, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        fuzz_sum += at[i];
}

static void use(const struct pe_layout *layout, struct pe_sample *s)
{
    uint64_t reg;
    uint32_t size;
    read_all(s->callchain, (size_t)s->callchain_len * 8);
    read_all(s->raw, s->raw_len_bytes);
    read_all(s->stack, s->stack_len_bytes);
    for (unsigned i = 0; i < 70; i++)
        if (pe_sample_reg(layout, s, i, &reg)) fuzz_sum += reg;
    pe_data_src_decode(s->data_src, LS_LATENCY_USE, s);
    pe_weight_decode(LS_LATENCY_USE, s);
    if (pe_ibs_decode(s, &size)) fuzz_sum += size + s->source;
    if (s->level != LS_NOT_REPORTED && s->level > 3) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    uint64_t head[4] = {0};
    const size_t taken = len_bytes < sizeof(head) ? len_bytes : sizeof(head);
    memcpy(head, data, taken);
    const struct pe_layout layout = {.sample_type = head[0],
                                     .read_format = head[1],
                                     .regs_user = head[2],
                                     .regs_intr = head[2] >> 32,
                                     .branch_type = head[3],
                                     .sample_id_all = head[3] & 1};
    struct ls_cursor c = ls_cursor_over(data + taken, len_bytes - taken);
    struct pe_counts counts = {0};
    struct pe_record r;
    size_t last = 0;
    while (pe_record_next(&c, &r, &counts.broken)) {
        struct pe_sample s;
        uint64_t time;
        if (c.pos_bytes <= last) abort(); /* it gets on */
        last = c.pos_bytes;
        if (r.type != PERF_RECORD_SAMPLE) pe_record_count(&r, &counts);
        const bool has_time = pe_sample_time(&layout, &r, &time);
        if (!pe_sample_read(&layout, &r, &s)) continue;
        if (has_time && time != s.time) abort();
        use(&layout, &s);
    }
    fuzz_sum += counts.lost + counts.others;
    return 0;
}
