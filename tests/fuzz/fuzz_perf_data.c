/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a perf.data. */
#include "perf/pe_file.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_corpus[] = "tests/data/perf/*.data";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

static void read_spe(const pe_file *f)
{
    pe_file_spe *spe;
    if (pe_file_spe_new(f, &spe) != LS_OK) return;
    for (const struct pe_spe_access *a; (a = pe_file_spe_peek(spe)) != NULL;) {
        fuzz_sum += a->time_ns + a->s.addr + a->aux_tid;
        if (pe_file_spe_take(spe) != LS_OK) break;
    }
    fuzz_sum += pe_file_spe_totals(spe)->broken_at_bytes;
    pe_file_spe_free(spe);
}

static void read_all(const pe_file *f)
{
    size_t len;
    const struct pe_file_record *records = pe_file_records(f, &len);
    for (size_t i = 0; i < len; i++) {
        struct pe_sample s;
        fuzz_sum += records[i].time_ns;
        if (records[i].rec.type == PERF_RECORD_SAMPLE &&
            pe_sample_read(&records[i].event->layout, &records[i].rec, &s) && s.callchain_len)
            fuzz_sum += pe_word_at(s.callchain, s.callchain_len - 1);
    }
    read_spe(f);
    for (const char *p = pe_file_about(f)->command; *p; p++)
        fuzz_sum += (unsigned char)*p;
    fuzz_sum += (unsigned char)*pe_file_build_id(f, "/bin/true");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    char path[64];
    pe_file *f;
    const int fd = memfd_create("perf.data", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, len_bytes) != (ssize_t)len_bytes) return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (pe_file_open(path, &f) == LS_OK) {
        read_all(f);
        pe_file_free(f);
    }
    close(fd);
    return 0;
}
