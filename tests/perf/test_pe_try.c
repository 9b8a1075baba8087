/* SPDX-License-Identifier: BSD-3-Clause */
/* The running kernel's refusals, and the messages about them. Each runs in a child that gives up its
 * privileges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/pe_try.h"
#include "tests/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, CHILD_SKIPS = 77 };

static const struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
                                              .size = sizeof(faults),
                                              .config = PERF_COUNT_SW_PAGE_FAULTS,
                                              .sample_period = 1,
                                              .sample_type = PERF_SAMPLE_ADDR,
                                              .exclude_kernel = 1,
                                              .exclude_hv = 1};

static struct pe_tried try(const struct perf_event_attr *attr)
{
    struct mach_privilege machine;
    struct pe_tried tried;
    mach_privilege_read("", getenv, &machine);
    pe_try_attrs(attr, 1, "page-faults", &machine, NULL, &tried);
    return tried;
}

/* 0 in a child as expected, 1 with a message otherwise */
static int said(const struct pe_tried *t, int error, const char *cause, const char *remedy)
{
    if (t->error == error && strstr(t->advice.cause, cause) && strstr(t->advice.remedy, remedy)) return 0;
    fprintf(stderr, "errno %d (%s), cause '%s', remedy '%s'\n", t->error, strerror(t->error), t->advice.cause,
            t->advice.remedy);
    return 1;
}

static int child_opens(void)
{
    const struct pe_tried t = try(&faults);
    return t.opens && t.error == 0 && t.advice.cause[0] == '\0' ? 0 : said(&t, 0, "", "");
}

static int child_unknown_type(void)
{
    struct perf_event_attr attr = faults;
    attr.type = 0x7ffffff0;
    const struct pe_tried t = try(&attr);
    return said(&t, ENOENT, "", "");
}

static int child_huge_period(void)
{
    struct perf_event_attr attr = faults;
    attr.sample_period = UINT64_C(1) << 63;
    const struct pe_tried t = try(&attr);
    return said(&t, EINVAL, "highest bit", "--period");
}

static int child_fast_freq(void)
{
    struct perf_event_attr attr = faults;
    attr.freq = 1;
    attr.sample_freq = UINT64_C(1) << 40;
    const struct pe_tried t = try(&attr);
    return said(&t, EINVAL, "max_sample_rate", "--freq");
}

static int child_no_files(void)
{
    const struct rlimit none = {3, 3};
    setrlimit(RLIMIT_NOFILE, &none);
    const struct pe_tried t = try(&faults);
    return said(&t, EMFILE, "3 file descriptors", "ulimit -n");
}

static int child_kernel_as_nobody(void)
{
    struct perf_event_attr attr = faults;
    struct mach_privilege machine;
    attr.exclude_kernel = 0;
    if (getuid() == 0 && setuid(NOBODY) != 0) return CHILD_SKIPS;
    mach_privilege_read("", getenv, &machine);
    if (machine.perf_event_paranoid < 2 || machine.cap_perfmon) return CHILD_SKIPS;
    const struct pe_tried t = try(&attr);
    return said(&t, EACCES, "perf_event_paranoid is", "sudo sysctl kernel.perf_event_paranoid=1");
}

/* --- rings --- */

enum { RINGS_MAX = 4096, SMALL_RINGS = 8 };
struct mapped {
    void *base;
    size_t len_bytes;
};

/* A ring of one more event; false when no more memory may be locked, or no other event opens. */
static bool map_one(size_t len_bytes, struct mapped *out)
{
    struct perf_event_attr attr = faults;
    attr.disabled = 1;
    const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return false;
    out->len_bytes = len_bytes + (size_t)sysconf(_SC_PAGESIZE);
    out->base = mmap(NULL, out->len_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return out->base != MAP_FAILED;
}

/* Use up the allowance of user nobody, with some of the smallest rings first; return how many rings that
 * took, RINGS_MAX when it has no end. */
static size_t lock_all_memory(struct mapped rings[RINGS_MAX])
{
    const size_t least = (size_t)sysconf(_SC_PAGESIZE);
    size_t len = 0;
    while (len < SMALL_RINGS && map_one(least, &rings[len]))
        len++;
    for (size_t bytes = least << 8; bytes >= least; bytes /= 2)
        while (len < RINGS_MAX && map_one(bytes, &rings[len]))
            len++;
    return len;
}

/* Skipped for an ordinary user, whose other programs would lack the memory that is locked here. */
static bool becomes_nobody(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_MEMLOCK, &none) != 0) return false;
    return getuid() == 0 && setuid(NOBODY) == 0;
}

static int child_no_locked_memory(void)
{
    static struct mapped rings[RINGS_MAX];
    if (!becomes_nobody() || !try(&faults).opens) return CHILD_SKIPS;
    const size_t len = lock_all_memory(rings);
    if (len < SMALL_RINGS || len == RINGS_MAX) return CHILD_SKIPS;
    const struct pe_tried refused = try(&faults);
    if (refused.opens || refused.call != PE_AT_MMAP ||
        said(&refused, EPERM, "more locked memory", "sysctl kernel.perf_event_mlock_kb="))
        return 1;
    /* others of this user may take the released memory first */
    for (size_t i = 0; i < SMALL_RINGS; i++) {
        munmap(rings[i].base, rings[i].len_bytes);
        const struct pe_tried t = try(&faults);
        if (!t.opens) continue;
        if (t.is_halved && t.ring_bytes < 256 << 10 && strstr(t.advice.remedy, "perf_event_mlock_kb"))
            return 0;
        fprintf(stderr, "a ring of %zu bytes, '%s'\n", t.ring_bytes, t.advice.remedy);
        return 1;
    }
    fprintf(stderr, "%zu rings, and nothing opens although some were given back\n", len);
    return 1;
}

static void touch_pages(void *user)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), len = 16 * page_bytes;
    volatile char *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)user;
    if (pages == MAP_FAILED) return;
    madvise((void *)pages, len, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < 16; i++)
        pages[i * page_bytes] = 1;
    munmap((void *)pages, len);
}

static int child_reads_samples(void)
{
    const struct pe_try_work work = {.run = touch_pages}, idle = {.run = NULL};
    struct mach_privilege machine;
    struct pe_tried busy, still;
    mach_privilege_read("", getenv, &machine);
    pe_try_attrs(&faults, 1, "page-faults", &machine, &work, &busy);
    pe_try_attrs(&faults, 1, "page-faults", &machine, &idle, &still);
    if (busy.opens && still.opens && busy.samples >= 16 && busy.samples > still.samples) return 0;
    fprintf(stderr, "%llu samples of 16 pages, %llu of none\n", (unsigned long long)busy.samples,
            (unsigned long long)still.samples);
    return 1;
}

static void run(int (*child)(void))
{
    int status = 1;
    const pid_t pid = fork();
    if (pid == 0) _exit(child());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_SKIPS) skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void page_faults_open_without_a_message(void **state)
{
    (void)state;
    run(child_opens);
}

static void an_unknown_pmu_is_enoent(void **state)
{
    (void)state;
    run(child_unknown_type);
}

static void a_field_that_the_kernel_refuses_is_named(void **state)
{
    (void)state;
    run(child_huge_period);
    run(child_fast_freq);
}

static void the_limit_of_descriptors_is_reported(void **state)
{
    (void)state;
    run(child_no_files);
}

static void without_privilege_the_sysctl_is_reported(void **state)
{
    (void)state;
    run(child_kernel_as_nobody);
}

static void used_up_locked_memory_is_found_and_its_sysctl_reported(void **state)
{
    (void)state;
    run(child_no_locked_memory);
}

static void records_written_to_the_ring_are_read(void **state)
{
    (void)state;
    run(child_reads_samples);
}

UNIT_GROUP()
{
    const struct pe_tried t = try(&faults);
    if (!t.opens) {
        printf("SKIP: this kernel opens no perf events at all: %s\n", t.advice.cause);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_faults_open_without_a_message),
        cmocka_unit_test(an_unknown_pmu_is_enoent),
        cmocka_unit_test(a_field_that_the_kernel_refuses_is_named),
        cmocka_unit_test(the_limit_of_descriptors_is_reported),
        cmocka_unit_test(without_privilege_the_sysctl_is_reported),
        cmocka_unit_test(used_up_locked_memory_is_found_and_its_sysctl_reported),
        cmocka_unit_test(records_written_to_the_ring_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
