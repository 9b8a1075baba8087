/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a pattern file, and as an index file. */
#include "patterns/pat_builder.h"
#include "patterns/pat_config.h"
#include "patterns/pat_describe.h"
#include "patterns/pat_extent.h"
#include "patterns/pat_json.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-patterns/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

static void fuzz_touch(const struct pat_indices *p)
{
    for (size_t i = 0; i < p->len; i++)
        fuzz_sum += (uint64_t)p->data[i];
}

static void fuzz_config(const struct pat_config *c)
{
    struct pat_extent e;
    uint64_t dense;
    char text[PAT_TEXT_BYTES];
    struct pat_distance *distances;
    size_t len;
    fuzz_sum += (uint64_t)pat_describe(c, text)[0] + (uint64_t)pat_describe_delta(c, text)[0];
    if (pat_distances(&c->pattern, &distances, &len) == LS_OK) free(distances);
    fuzz_touch(&c->pattern);
    fuzz_touch(&c->gather);
    fuzz_touch(&c->scatter);
    if (pat_extent_of(c, PAT_SIDE_GATHER, &e) == LS_OK) fuzz_sum += pat_extent_elements(&e);
    if (pat_extent_of(c, PAT_SIDE_SCATTER, &e) == LS_OK) fuzz_sum += pat_extent_elements(&e);
    if (pat_dense_elements(c, &dense) == LS_OK) fuzz_sum += dense + pat_config_bytes(c, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    const struct pat_json_options o = {
        .compress = len_bytes % 2, .no_raw_files = true, .indices_max = 1 << 16};
    struct pat_suite s = {0};
    struct pat_indices p = {0};
    pat_input *in;
    if (pat_input_open_bytes(data, len_bytes, "fuzz", &in) != LS_OK) return 0;
    if (pat_json_read(in, &o, &s) == LS_OK)
        for (size_t i = 0; i < s.len; i++)
            fuzz_config(&s.rows[i]);
    pat_suite_fini(&s);
    pat_input_free(in);
    if (pat_input_open_bytes(data, len_bytes, "fuzz", &in) != LS_OK) return 0;
    if (pat_raw_read(in, &p) == LS_OK) fuzz_touch(&p);
    free(p.data);
    pat_input_free(in);
    return 0;
}
