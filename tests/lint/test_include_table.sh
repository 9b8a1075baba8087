#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The include table is respected, and its lint detects a violation.
lint=${top_srcdir:-.}/tests/lint/include-table.sh
"$lint" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/common" "$work/analyse" "$work/runtime/core" "$work/runtime/step" "$work/kernels/replay" "$work/kernels/stream" "$work/runtime/perf_events" "$work/run_h5" "$work/tools/rogue" "$work/rogue"
cp "${top_srcdir:-.}/ARCHITECTURE.md" "$work/"
echo '#include "run_h5/prof_reader.h"' >"$work/analyse/fine.c"
echo '#include "runtime/core/rt_state.h"' >"$work/runtime/step/fine.c"
echo '#include "kernels/kn_options.h"' >"$work/kernels/replay/fine.c"
"$lint" "$work" >/dev/null || { echo "FAIL: an allowed include is refused"; exit 1; }

# breach FILE TARGET: the lint must fail.
breach() {
    echo "#include \"$2\"" >"$work/$1"
    if "$lint" "$work" >/dev/null; then echo "FAIL: $1 including $2 was not seen"; exit 1; fi
    rm "$work/$1"
}
breach common/bad.c spool/spool_format.h
breach analyse/bad.h tools/tool.h
breach tools/bad.c runtime/core/rt_state.h
breach runtime/core/bad.c perf/pe_open.h
breach runtime/core/bad.c runtime/step/rt_step_sigsafe.h
breach runtime/step/bad.c runtime/perf_events/rt_perf.h
breach runtime/perf_events/bad.c runtime/step/rt_step_sigsafe.h
breach run_h5/bad.c resolve/prof_replay.h
breach kernels/bad.c kernels/replay/kn_replay.h
breach kernels/stream/bad.c kernels/replay/kn_replay.h
breach rogue/bad.c common/ls_error.h
breach tools/rogue/bad.c common/ls_error.h
