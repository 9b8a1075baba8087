#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands and options that help, pages and messages name exist, and the lint detects a violation.
loadstone=${top_builddir:-.}/tools/loadstone lint=${top_srcdir:-.}/tests/lint/command-lines.py
command -v python3 >/dev/null || { echo "skipped: python3 is missing"; exit 77; }
count=$(python3 "$lint" "$loadstone" "${top_srcdir:-.}") || { echo "$count"; exit 1; }
[ "${count%% *}" -gt 500 ] || { echo "FAIL: only $count were found"; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/doc" "$work/tools/report"
touch "$work/README.md" "$work/NEWS" "$work/ARCHITECTURE.md"
# judged STATUS FILE TEXT: for a tree with this text
judged() {
    echo "$3" >"$work/$2"
    python3 "$lint" "$loadstone" "$work" >"$work/out"
    [ $? -eq "$1" ] || { echo "FAIL: judged wrongly: $2: $3"; cat "$work/out"; exit 1; }
    rm "$work/$2"
}
judged 0 doc/page.md 'Call stacks: `loadstone report --by calls run.h5`, recorded with --callstack.'
judged 1 doc/page.md 'Call stacks: `loadstone report --calls run.h5`.'
judged 1 doc/page.md 'Call stacks: `loadstone report -x run.h5`.'
judged 1 doc/page.md 'The option --no-such-option is in no command.'
judged 1 doc/page.md 'Try `loadstone reprot run.h5`.'
judged 0 tools/report/rep_x.c 'const char *text = "with --by calls; see record --callstack";'
judged 1 tools/report/rep_x.c 'const char *text = "recorded by --callstack";'
judged 1 tools/report/rep_x.c 'const char *text = "see record "
    "--by calls";'
