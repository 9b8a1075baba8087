/* SPDX-License-Identifier: BSD-3-Clause */
/* A small recording with known truth: the owner of every address at every time. */
#ifndef PROF_FIXTURE_H
#define PROF_FIXTURE_H

#include "machine/mach_calibration.h"
#include "tests/spool/spool_fixture.h"

#include <stdint.h>

/* Addresses of the recording. */
#define FIXTURE_CODE UINT64_C(0x555555555100)
#define FIXTURE_STATIC UINT64_C(0x555555557040)
#define FIXTURE_BSS UINT64_C(0x555555559000)
#define FIXTURE_BRK UINT64_C(0x555555610000)
#define FIXTURE_BLOCK UINT64_C(0x7f2000000010)
#define FIXTURE_BLOCK_BYTES UINT64_C(0x100000)
#define FIXTURE_OTHER UINT64_C(0x7f3000000000)
#define FIXTURE_FILE UINT64_C(0x7f1000000800)
#define FIXTURE_STACK UINT64_C(0x7fffffffd000)
#define FIXTURE_THREAD_STACK UINT64_C(0x7f4000100000)
#define FIXTURE_VDSO UINT64_C(0x7ffff7fc2000)
#define FIXTURE_NOWHERE UINT64_C(0x123456789000)

#define FIXTURE_START_NS UINT64_C(1000000000)
#define FIXTURE_TSC_HZ UINT64_C(1000000000) /* a cycle is a nanosecond */
#define FIXTURE_PID 4000u

extern const char fixture_maps[];
/* L1 5, L2 15, L3 50, DRAM 300 cycles; limits 10, 30, 150. */
struct mach_calibration fixture_calibration(void);

/* A writer of one thread, and its clock. */
struct prof_fixture_thread {
    struct spool_writer writer;
    uint64_t now_ns;
    uint32_t bursts;
};
void prof_fixture_process(struct prof_fixture_thread *t, uint32_t pid, const char *cmdline);
void prof_fixture_maps(struct prof_fixture_thread *t, const char *text);
void prof_fixture_node(struct prof_fixture_thread *t, struct spool_node node, const char *label);
void prof_fixture_alloc(struct prof_fixture_thread *t, uint64_t base, uint64_t len_bytes);
void prof_fixture_burst_begin(struct prof_fixture_thread *t);
void prof_fixture_burst_end(struct prof_fixture_thread *t);
/* One access of 8 bytes inside a burst; latency 0: not measured. */
void prof_fixture_access(struct prof_fixture_thread *t, uint64_t addr, uint16_t flags,
                         uint32_t latency_cycles);
/* The NUMA node of a page of the burst under way. */
void prof_fixture_page(struct prof_fixture_thread *t, uint64_t page, unsigned node);
/* The stack of the burst under way: rsp, and links of its frame pointers above. */
void prof_fixture_stack(struct prof_fixture_thread *t, uint64_t rsp, const struct spool_link *links,
                        uint32_t links_len);
/* A burst of this one load. */
void prof_fixture_load(struct prof_fixture_thread *t, uint64_t addr, uint32_t latency_cycles);

/* The recording of doc/run-h5.md: two threads, groups, a nested range, a block freed and used again. */
void prof_fixture_example(struct spool_fixture *f);

#endif
