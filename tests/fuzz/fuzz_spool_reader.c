/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a spool file. Build with -fsanitize=fuzzer for a fuzzer; make check replays the corpus
 * (fuzz_replay.c). */
#include "spool/spool_reader.h"
#include "spool/spool_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes);

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    spool_reader *r;
    const struct spool_rec_header *rec;
    if (spool_reader_open_bytes(data, len_bytes, "fuzz", &r) != LS_OK) return 0;
    /* touch every byte that a record claims to have: a sanitizer sees what lies outside */
    while (spool_reader_next(r, &rec) == LS_OK && rec)
        for (uint32_t i = 0; i < rec->len_bytes; i++)
            fuzz_sum += ((const uint8_t *)rec)[i];
    spool_reader_free(r);
    return 0;
}
