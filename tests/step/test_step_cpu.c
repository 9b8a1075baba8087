/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_cpu_sigsafe.h"
#include "runtime/bursts/rt_burst_processor.h"
#include "tests/unit.h"

#include <dlfcn.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

/* Call rt_burst_cpu on each processor that this process may use. */
static void check_on_each(bool has_rseq, uint64_t rseq_area_offset)
{
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (unsigned i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &allowed)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        assert_int_equal(rt_burst_cpu(has_rseq, rseq_area_offset), i);
        assert_true(rt_burst_cpu(has_rseq, rseq_area_offset) < (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
    }
    sched_setaffinity(0, sizeof allowed, &allowed);
}

static void cpu_is_asked_of_the_kernel(void **state)
{
    (void)state;
    check_on_each(false, 0);
}

static void cpu_is_read_where_the_kernel_keeps_it(void **state)
{
    (void)state;
    const ptrdiff_t *offset = (const ptrdiff_t *)dlsym(RTLD_DEFAULT, "__rseq_offset");
    const unsigned *size = (const unsigned *)dlsym(RTLD_DEFAULT, "__rseq_size");
    if (!offset || !size || !*size) skip();
    check_on_each(true, (uint64_t)*offset);
}

/* As rseq's area has it in a thread that is not registered. */
static void cpu_is_not_read_from_an_area_that_is_not_registered(void **state)
{
    static __thread int32_t area[8] __attribute__((aligned(32)));
    (void)state;
    uint64_t base;
    __asm__("mov %%fs:0, %0" : "=r"(base));
    for (int32_t number = -2; number < 0; number++) {
        area[1] = number;
        check_on_each(true, (uint64_t)(uintptr_t)area - base);
    }
    area[1] = 5;
    assert_int_equal(rt_burst_cpu(true, (uint64_t)(uintptr_t)area - base), 5);
}

static void instructions_to_do_without_are_named(void **state)
{
    (void)state;
    assert_false(rt_burst_has_fsgsbase("fsgsbase"));
    assert_false(rt_burst_has_fsgsbase("rdtscp,fsgsbase"));
    assert_false(rt_burst_has_rdtscp("fsgsbase,rdtscp"));
    assert_int_equal(rt_burst_has_rdtscp("fsgsbase,rdtsc"), rt_burst_has_rdtscp(""));
    assert_false(rt_burst_has_bmi2("rdtscp,bmi2"));
    assert_int_equal(rt_burst_has_fsgsbase(",rdtscp,fsgsbases"), rt_burst_has_fsgsbase(""));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_is_asked_of_the_kernel),
        cmocka_unit_test(cpu_is_read_where_the_kernel_keeps_it),
        cmocka_unit_test(cpu_is_not_read_from_an_area_that_is_not_registered),
        cmocka_unit_test(instructions_to_do_without_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
