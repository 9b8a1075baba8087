#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Exported functions work with a stack that is misaligned by 8 bytes, and the lint detects a violation.
top_builddir=${top_builddir:-.} top_srcdir=${top_srcdir:-.}
lint=$top_srcdir/tests/lint/entry-alignment.sh preload=$top_builddir/.libs/libloadstone-preload.so
[ "$(uname -m)" = x86_64 ] || { echo "skipped: such stacks are known on x86-64 only"; exit 77; }
command -v nm >/dev/null && command -v objdump >/dev/null || { echo "skipped: binutils are missing"; exit 77; }
mapfile -t frameless < <(sed -n 's/^LS_EXPORT_FRAMELESS .*[ *]\([A-Za-z_0-9]*\)(.*/\1/p' "$top_srcdir"/runtime/hooks/*.c)
[ ! -e "$preload" ] || "$lint" "$preload" "${frameless[@]}" || exit 1
"$lint" "$top_builddir/.libs/libloadstone.so" || exit 1

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || { echo "not tested: a breach (no C compiler)"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
# judged STATUS TEXT: for an object made of it, where only free_way may be frameless
judged() {
    echo "#include \"common/ls_compat.h\"
$2" | $cc -x c -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -O2 -fPIC -fvisibility=hidden -shared -o "$work/entry.so" - || exit 1
    "$lint" "$work/entry.so" free_way >"$work/out"
    [ $? -eq "$1" ] || { echo "FAIL: judged wrongly: $2"; cat "$work/out"; exit 1; }
}
bare='__attribute__((visibility("default")))'
helper='__attribute__((noinline)) static int helper(int i) { char text[64]; snprintf(text, sizeof(text), "%d", i); return text[0]; }'
judged 0 "#include <stdio.h>
LS_EXPORT int entry(int i) { return printf(\"%d\", i); }"
judged 1 "#include <stdio.h>
$bare int entry(int i) { return printf(\"%d\", i); }"
judged 0 "$bare int entry(int i) { return i + 1; }"
judged 1 "$bare int entry(int (*f)(void)) { return f() + 1; }"
judged 0 "LS_EXPORT_FRAMELESS int free_way(int (*f)(void)) { return f() + 1; }"
judged 1 "#include <stdio.h>
$helper
LS_EXPORT_FRAMELESS int free_way(int i) { return helper(i) + 1; }"
judged 0 "#include <stdio.h>
LS_ALIGNED $helper
LS_EXPORT_FRAMELESS int free_way(int i) { return helper(i) + 1; }"
judged 1 "typedef long pair __attribute__((vector_size(16)));
LS_EXPORT_FRAMELESS void free_way(void) { pair p = {0}; __asm__ volatile(\"\" ::\"r\"(&p) : \"memory\"); }"
