/* SPDX-License-Identifier: BSD-3-Clause */
/* All tests of bursts as on a machine that hides the instructions of FSGSBASE, rdtscp and BMI2. */
#include "tests/translate/tr_unit.h"
#include "tests/unit.h"

static int all_tests(void)
{
    const int failed = tr_cache_tests(); /* first, while there is memory for more code */
    return failed + tr_burst_tests() + tr_time_tests();
}

UNIT_GROUP()
{
    return tr_unit_run("fsgsbase,rdtscp,bmi2", all_tests);
}
