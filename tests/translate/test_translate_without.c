/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests of test_translate.c as on a machine that hides the instructions of FSGSBASE, rdtscp and BMI2. */
#include "tests/translate/tr_session.h"
#include "tests/unit.h"

UNIT_GROUP()
{
    return tr_unit_run("fsgsbase,rdtscp,bmi2");
}
