#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
trigger=perf engine=translate
. "$top_srcdir/tests/step/step_traps.inc"
