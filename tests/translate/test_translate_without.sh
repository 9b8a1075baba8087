#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tr_victim with translated bursts, as on a machine that hides the instructions of FSGSBASE, rdtscp and BMI2.
LS_MODES="errno alternate coroutines faults sent" LOADSTONE_WITHOUT=fsgsbase,rdtscp,bmi2
export LS_MODES LOADSTONE_WITHOUT
exec sh "$top_srcdir/tests/translate/test_translate_victim.sh"
