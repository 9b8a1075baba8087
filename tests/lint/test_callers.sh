#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every exported definition has a user in another file, and the lint detects a violation.
top_builddir=$(cd "${top_builddir:-.}" && pwd) top_srcdir=$(cd "${top_srcdir:-.}" && pwd)
lint=$top_srcdir/tests/lint/callers.sh
command -v nm >/dev/null || { echo "skipped: nm (binutils) is missing"; exit 77; }
"$lint" "$top_builddir" "$top_srcdir" || exit 1

cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || { echo "not tested: a breach (no C compiler)"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/common" "$work/tests" "$work/.libs"
cd "$work" || exit 99
# judged STATUS: for common/a.c and common/b.c
judged() {
    for f in common/*.c; do $cc -c -o "${f%.c}.o" "$f" || exit 1; done
    "$lint" "$work" >out
    [ $? -eq "$1" ] || { echo "FAIL: judged wrongly:"; cat out common/*.c; exit 1; }
}
echo 'int used(void) { return 1; }' >common/a.c
echo 'int used(void); int main(void) { return used(); }' >common/b.c
judged 0
echo 'int lonely(void) { return 2; } int used(void) { return lonely(); }' >common/a.c
judged 1
echo 'static int lonely(void) { return 2; } int used(void) { return lonely(); }' >common/a.c
judged 0
echo 'int spare[2] = {1, 2}; int used(void) { return 1; }' >common/a.c
judged 1
echo 'extern int spare[2]; int test(void) { return spare[0]; }' >tests/test_a.c
judged 0
