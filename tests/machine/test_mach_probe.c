/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_probe_sigsafe.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

static int fault_count;
static bool with_rdtscp;

static void resume_probe(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)info;
    ucontext_t *uc = context;
    const char *expected_ip = with_rdtscp ? mach_probe_load_ip : mach_probe_plain_load_ip;
    if (uc->uc_mcontext.gregs[REG_RIP] != (greg_t)(uintptr_t)expected_ip) _Exit(99);
    fault_count++;
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)mach_probe_fault_ip;
}

static void mach_probe_times_a_warm_line(void **state)
{
    (void)state;
    char line = 0;
    const uint64_t control = mach_probe_control(&line);
    assert_true(control > 0 && control < UINT64_C(1) << 40);
    assert_true(mach_probe_load(&line) != MACH_PROBE_FAULTED);
}

static void mach_probe_resumes_after_a_fault(void **state)
{
    (void)state;
    fault_count = 0;
    void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(hole, MAP_FAILED);
    struct sigaction old;
    const struct sigaction ours = {.sa_sigaction = resume_probe, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGSEGV, &ours, &old), 0);
    assert_true(mach_probe_load(hole) == MACH_PROBE_FAULTED);
    assert_int_equal(fault_count, 1);
    assert_int_equal(mprotect(hole, 4096, PROT_READ), 0);
    assert_true(mach_probe_load(hole) != MACH_PROBE_FAULTED);
    assert_int_equal(fault_count, 1);
    sigaction(SIGSEGV, &old, NULL);
    munmap(hole, 4096);
}

/* As on a machine that hides rdtscp. */
static void mach_probe_works_without_rdtscp(void **state)
{
    mach_probe_use_rdtscp(with_rdtscp = false);
    mach_probe_times_a_warm_line(state);
    mach_probe_resumes_after_a_fault(state);
}

UNIT_GROUP()
{
    with_rdtscp = mach_probe_has_rdtscp();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mach_probe_times_a_warm_line),
        cmocka_unit_test(mach_probe_resumes_after_a_fault),
        cmocka_unit_test(mach_probe_works_without_rdtscp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
