#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Signal-safe code calls only signal-safe functions, and the lint detects a violation.
top_builddir=${top_builddir:-.} top_srcdir=${top_srcdir:-.}
lint=$top_srcdir/tests/lint/sigsafe-symbols.sh list=$top_srcdir/tests/lint/sigsafe-symbols.txt
command -v nm >/dev/null || { echo "skipped: nm (binutils) is missing"; exit 77; }
# runtime/, spool/ and machine/: code that a preloaded program runs
mapfile -t objects < <(find "$top_builddir/runtime" "$top_builddir/spool" "$top_builddir/machine" -path '*/.libs/*' -name '*.o')
"$lint" "$list" "${objects[@]}" || exit 1

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || { echo "not tested: a breach (no C compiler)"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
# breach TEXT: the lint must fail for an object made of it.
breach() {
    echo "$1" | $cc -x c -std=gnu11 -O1 -fPIC -c -o "$work/bad_sigsafe.o" - || exit 1
    if "$lint" "$list" "$work/bad_sigsafe.o" >/dev/null; then echo "FAIL: not seen: $1"; exit 1; fi
}
breach '#include <stdio.h>
int f(int i) { return printf("%d", i); }'
breach '#include <stdlib.h>
void *f(int i) { return malloc(i); }'
breach '__thread int lazy; int *f(void) { return &lazy; }'
