#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fewer than 3 % of the comments of the product contain a phrase that plain technical English hardly ever needs (CONTRIBUTING.md,
# Language), and the lint that counts them sees one.
command -v python3 >/dev/null || { echo "skipped: python3 is missing"; exit 77; }
lint=${top_srcdir:-.}/tests/lint/language.py
work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf '/* Return the slot that holds the key. */\n/* What is behind it was told. */\nint x; // "what" is two words\n' >"$work/a.c"
python3 "$lint" "$work/a.c" | grep -Eq '^all +3 +2 ' || { echo "FAIL: counted wrongly:"; python3 "$lint" "$work/a.c"; exit 1; }
cd "${top_srcdir:-.}" || exit 99
mapfile -t files < <(find include common machine perf smrtree ndm spool runtime symbols profile analyse patterns kernels viz-export tools \
    -name node_modules -prune -o \( -name '*.c' -o -name '*.h' -o -name '*.S' \) -print)
[ ${#files[@]} -gt 500 ] || { echo "FAIL: only ${#files[@]} files were found"; exit 1; }
all=$(python3 tests/lint/language.py "${files[@]}" | tail -1)
echo "$all"
percent=${all##* }
[ "${percent%.*}" -lt 3 ] || { echo "FAIL: reword these:"; python3 tests/lint/language.py --list "${files[@]}"; exit 1; }
