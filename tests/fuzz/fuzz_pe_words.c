/* SPDX-License-Identifier: BSD-3-Clause */
/* Any words as data sources and weights. */
#include "perf/pe_sample.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-pe-words/*";

static int is_reported(uint8_t value, unsigned count)
{
    return value == LS_NOT_REPORTED || value < count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    for (size_t at = 0; at + 16 <= len_bytes; at++) {
        struct pe_sample s = pe_sample_missing();
        memcpy(&s.data_src, data + at, 8);
        memcpy(&s.weight, data + at + 8, 8);
        s.has = at % 2 ? PERF_SAMPLE_WEIGHT : PE_SAMPLE_WEIGHT_STRUCT;
        pe_data_src_decode(s.data_src, s.data_src % LS_LATENCY_COUNT, &s);
        pe_weight_decode(LS_LATENCY_USE, &s);
        if (!is_reported(s.op, 3) || !is_reported(s.source, LS_SOURCE_COUNT) || !is_reported(s.level, 4) ||
            !is_reported(s.snoop, 6) || !is_reported(s.tlb, 3) || !is_reported(s.locked, 2))
            abort();
        if ((s.latency_kind == LS_LATENCY_NONE) != (s.latency_cycles == 0)) abort();
    }
    return 0;
}
