#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The call stacks of known programs, bursts begun by the perf trigger.
top_builddir=${top_builddir-.}
trigger=perf
. "${top_srcdir-.}/tests/calls/calls.inc"
for way in auto unwind; do
    run_modes $way calls_victim_nofp
    run_unwound $way calls_victim_nofp
done
run_modes fp calls_victim_fp
run_turns auto calls_victim_nofp
run_turns auto calls_victim_fp
record calls_victim_fp fp deep && expect 85 'fp deep' '^(.stack cut off.|main);(descend;){100,}work_until_over'
run_modes auto calls_victim_fp
run_unwound auto calls_victim_fp
record calls_victim_fp auto jit && expect 85 'generated code' '^(main;in_generated_code|.stack cut off.);generated code without a name '
record calls_victim_fp auto jit-named && expect 85 'named generated code' '^(main;in_generated_code|.stack cut off.);JS:[*]sumUp /app[.]js:3 '
forget_map
record calls_thrower auto x && expect 60 exceptions '^main;[^;]*catcher[^;]*(;[^;]*thrower[^;]*)*(;[^;]*Guard[^;]*)?;[^;]*churn'
exit $failed
