#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tr_victim with translated bursts, as on a machine that hides the instructions of FSGSBASE, and rdtscp.
LS_MODES="errno alternate coroutines faults sent" LOADSTONE_WITHOUT=fsgsbase,rdtscp
export LS_MODES LOADSTONE_WITHOUT
exec sh "$top_srcdir/tests/translate/test_translate_victim.sh"
