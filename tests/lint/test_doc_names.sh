#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Files, folders, functions and make targets that the pages name exist, and the lint detects a violation.
lint=${top_srcdir:-.}/tests/lint/doc-names.py
command -v python3 >/dev/null || { echo "skipped: python3 is missing"; exit 77; }
count=$(python3 "$lint" "${top_srcdir:-.}") || { echo "$count"; exit 1; }
[ "${count%% *}" -gt 1000 ] || { echo "FAIL: only $count were found"; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/doc" "$work/perf"
echo 'int pe_open(int pe_cpu) { return pe_cpu; }' >"$work/perf/pe_open.c"
printf 'bench-perf:\n\tfalse\ncheck_PROGRAMS = perf/unit\n' >"$work/perf/local.mk"
# judged STATUS TEXT: for a page with this text
judged() {
    echo "$2" >"$work/doc/page.md"
    python3 "$lint" "$work" >"$work/out"
    [ $? -eq "$1" ] || { echo "FAIL: judged wrongly: $2"; cat "$work/out"; exit 1; }
}
judged 0 '`pe_open` in `perf/pe_open.c`, called by `perf/unit`; `perf/`, `perf/pe_*.c`, `pe_open.[ch]`, `pe_`, `make bench-perf`'
judged 1 'the file `pe_close.c`'
judged 1 'the file `perf/pe_close.[ch]`'
judged 1 'the file `tools/pe_open.c`'
judged 1 'the program `perf/other`'
judged 1 'the function `pe_close`'
judged 1 'the function `close()`'
judged 1 'functions that begin with `ps_`'
judged 1 'the target `make bench-pref`'
judged 1 '`pe_cpu` and `false` in `perf/pe_open.c`'
