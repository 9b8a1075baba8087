/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as sequences: compaction must not crash, and a pattern marked exact must be exact.
 * One byte of flags, two of the length limit, one of the element's size; then indices: a byte
 * selects the next one (a distance, a repetition of earlier indices, a break, an arbitrary one). */
#include "patterns/compact/pat_compact.h"
#include "patterns/pat_extent.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-compact/*";

enum { FUZZ_HEAD = 4, FUZZ_INDICES = 400, FUZZ_BREAKS = 64 };

struct fuzz_input {
    int64_t data[FUZZ_INDICES];
    size_t breaks[FUZZ_BREAKS];
    struct pat_sequence row;
    size_t room; /* indices of this input: a few bytes shall not become many */
};

static struct fuzz_input in;

static void fuzz_put(struct pat_sequence *s, uint64_t index)
{
    if (s->indices.len < in.room) s->indices.data[s->indices.len++] = (int64_t)index;
}

/* Repeat the last `back` distances `times` times. */
static void fuzz_repeat(struct pat_sequence *s, size_t back, size_t times)
{
    if (s->indices.len <= back) return;
    for (size_t i = 0; i < back * times; i++) {
        const int64_t *end = s->indices.data + s->indices.len;
        fuzz_put(s,
                 (uint64_t)end[-1] + (uint64_t)end[-(ptrdiff_t)back] - (uint64_t)end[-(ptrdiff_t)back - 1]);
        if (s->indices.len == in.room) return;
    }
}

static void fuzz_step(struct pat_sequence *s, const uint8_t *two)
{
    const uint64_t last = s->indices.len ? (uint64_t)s->indices.data[s->indices.len - 1] : 1000;
    switch (two[0] & 7) {
    case 0:
        fuzz_repeat(s, 1 + two[1] % 16, 1 + two[1] / 16);
        break;
    case 1:
        fuzz_repeat(s, 1 + two[1], 1 + (two[0] >> 3));
        break;
    case 2:
        if (s->breaks_len < FUZZ_BREAKS && s->indices.len) s->breaks[s->breaks_len++] = s->indices.len;
        break;
    case 3:
        fuzz_put(s, (uint64_t)two[1] << (two[0] >> 2));
        break;
    default:
        fuzz_put(s, last + (uint64_t)(int8_t)two[1]);
    }
}

static void fuzz_demand(bool holds)
{
    if (!holds) abort();
}

/* An exact pattern replays the original sequence. */
static void fuzz_check(const struct pat_found *f, const struct pat_sequence *s)
{
    const struct pat_config *c = &f->config;
    size_t at = f->prologue;
    struct pat_extent e;
    fuzz_demand(c->pattern.len >= 1 && c->count >= 1 && f->explained >= 0 && f->explained <= 1);
    fuzz_demand((unsigned)f->class < PAT_CLASS_COUNT);
    if (s->indices.len == 0) /* without an order they are not known */
        fuzz_demand(isnan(f->measures.delta_entropy_bits) && isnan(f->measures.spatial));
    else
        fuzz_demand(isfinite(f->measures.delta_entropy_bits) && f->measures.line_utilisation <= 1 &&
                    f->measures.spatial <= 1 && f->measures.temporal <= 1.0001);
    if (f->form != PAT_FORM_EXACT && (f->form != PAT_FORM_PERIODIC || s->breaks_len)) return;
    fuzz_demand(pat_extent_of(c, PAT_SIDE_GATHER, &e) == LS_OK && e.low == 0);
    for (uint64_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < c->pattern.len; j++, at++)
            fuzz_demand((uint64_t)s->indices.data[at] == (uint64_t)f->first_element +
                                                             (uint64_t)c->pattern.data[j] +
                                                             (uint64_t)pat_base(c->delta, &c->deltas, i));
    fuzz_demand(at + f->epilogue == s->indices.len);
}

static void fuzz_compact(struct pat_sequence *s, const struct pat_compact_options *o)
{
    struct pat_site site = {.ip = 1, .module = PAT_NONE, .size_bytes = 8};
    const struct pat_tables t = {.sites = &site, .sites_len = 1};
    const struct pat_sequences all = {.rows = s, .len = 1, .accesses = s->accesses};
    struct pat_findings found;
    if (pat_compact(&all, &t, o, &found) != LS_OK) return;
    fuzz_demand(found.len == 1);
    if (!o->is_sampled) fuzz_check(&found.rows[0], s);
    pat_findings_fini(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    if (len_bytes < FUZZ_HEAD) return 0;
    struct pat_sequence *s = &in.row;
    const struct pat_compact_options o = {.no_symbols = true,
                                          .is_sampled = data[0] & 1,
                                          .pattern_max = data[1] | (size_t)data[2] << 8,
                                          .seed = data[0]};
    *s = (struct pat_sequence){.home = PAT_NONE,
                               .elem_size_bytes = data[3],
                               .is_whole = !(data[0] & 4),
                               .indices = {in.data, 0},
                               .breaks = in.breaks,
                               .index_site = data[0] & 2 ? 0 : PAT_NONE,
                               .index_home = PAT_NONE};
    in.room = 4 * len_bytes < FUZZ_INDICES ? 4 * len_bytes : FUZZ_INDICES;
    for (size_t i = FUZZ_HEAD; i + 2 <= len_bytes; i += 2)
        fuzz_step(s, data + i);
    s->accesses = s->indices.len + (data[0] & 4 ? 1000 : 0);
    fuzz_compact(s, &o);
    return 0;
}
