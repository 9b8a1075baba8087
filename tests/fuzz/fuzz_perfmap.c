/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a map of generated code. */
#include "symbols/sym_perfmap.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_corpus[] = "tests/fuzz/corpus-perfmap/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    sym_perfmap *m;
    if (sym_perfmap_parse((const char *)data, len_bytes, &m) != LS_OK) return 0;
    for (uint64_t ip = 0; ip < 0x10000; ip += 0x333) {
        const char *name = sym_perfmap_find(m, ip);
        for (; name && *name; name++)
            fuzz_sum += (unsigned char)*name;
    }
    sym_perfmap_free(m);
    return 0;
}
