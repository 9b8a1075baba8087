/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as packets of SPE. */
#include "perf/pe_spe.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-pe-spe/*";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    for (unsigned sources = 0; sources < PE_SPE_SOURCES_COUNT; sources++) {
        struct ls_cursor c = ls_cursor_over(data, len_bytes);
        struct pe_spe_counts counts = {0};
        struct pe_sample s;
        uint64_t found = 0;
        for (size_t last = 0; pe_spe_next(&c, (enum pe_spe_sources)sources, &s, &counts);
             last = c.pos_bytes, found++) {
            if (c.pos_bytes <= last || c.pos_bytes > len_bytes) abort();
            if (s.op != PE_OP_LOAD && s.op != PE_OP_STORE) abort();
        }
        if (counts.records != found + counts.others || counts.broken > 2 * len_bytes) abort();
    }
    return 0;
}
