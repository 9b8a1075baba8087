#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The call stacks of known programs, bursts begun by the timer trigger.
top_builddir=${top_builddir-.}
trigger=timer
. "${top_srcdir-.}/tests/calls/calls.inc"
run_modes auto calls_victim_nofp
run_modes fp calls_victim_fp
record calls_victim_nofp auto handler && expect 85 handler '^main;(in_handler;)?send_it;.*raise;.*on_signal;work_until_over'
exit $failed
