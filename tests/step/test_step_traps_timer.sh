#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
trigger=timer engine=step
. "$top_srcdir/tests/step/step_traps.inc"
