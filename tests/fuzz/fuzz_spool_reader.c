/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a spool file. Build with -fsanitize=fuzzer for a fuzzer; make check replays the corpus
 * (fuzz_replay.c). */
#include "spool/spool_reader.h"
#include "spool/spool_record.h"
#include "spool/spool_series.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-spool/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

static void fuzz_stream(const struct spool_stream *stream)
{
    spool_reader *r;
    const struct spool_rec_header *rec;
    if (spool_reader_open(stream, &r) != LS_OK) return;
    /* touch every byte that a record claims to have: a sanitizer detects bytes outside */
    while (spool_reader_next(r, &rec) == LS_OK && rec)
        for (uint32_t i = 0; i < rec->len_bytes; i++)
            fuzz_sum += ((const uint8_t *)rec)[i];
    spool_reader_free(r);
}

/* Read the bytes as the file of the counters that the launcher sampled. */
static void fuzz_series(const uint8_t *data, size_t len_bytes)
{
    struct spool_series s;
    if (spool_series_parse(data, len_bytes, &s) == LS_OK) {
        for (size_t i = 0; i < s.points.len; i++)
            fuzz_sum += s.counters.rows[s.points.rows[i].counter].kind + s.points.rows[i].gap;
        for (size_t i = 0; i < s.counters.len; i++)
            fuzz_sum += strlen(s.counters.rows[i].name) + strlen(s.counters.rows[i].verified);
    }
    spool_series_fini(&s);
}

/* Read the bytes as the file of all threads if the header has this kind, otherwise as a thread's file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    const struct spool_source source = {.path = "fuzz", .bytes = data, .len_bytes = len_bytes};
    struct spool_streams streams = {0};
    fuzz_series(data, len_bytes);
    if (spool_source_is_shared(&source)) {
        if (spool_streams_scan(&source, &streams) != LS_OK) abort();
    } else if (spool_streams_add_own(&streams, &source, 1, 0) != LS_OK) {
        abort();
    }
    spool_streams_sort(&streams);
    for (size_t i = 0; i < streams.len; i++)
        fuzz_stream(&streams.rows[i]);
    spool_streams_fini(&streams);
    return 0;
}
