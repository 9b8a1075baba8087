#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A build in the source tree leaves git status clean: git ignores every file of this build folder, and none of the source.
. "${top_srcdir:-.}/tests/tools/check.sh"
git -C "$top_srcdir" rev-parse --git-dir >/dev/null 2>&1 || skip "the source is no git checkout"
[ "$top_srcdir" != "$top_builddir" ] || skip "built in the source tree"
(cd "$top_builddir" && find . \( -name sanitized -o -name cases-output -o -name loadstone-[0-9]\* \) -prune -o -type f -print) | sed 's,^\./,,' >products
git -C "$top_srcdir" check-ignore --no-index --stdin <products >ignored
sort products >products.sorted
sort ignored | comm -23 products.sorted - >seen
must test "$(wc -l <products)" -gt 500
if [ -s seen ]; then echo "FAIL: .gitignore lacks these products:"; head -40 seen; failed=1; fi
git -C "$top_srcdir" ls-files -ci --exclude-standard >hidden
if [ -s hidden ]; then echo "FAIL: .gitignore hides sources:"; head -40 hidden; failed=1; fi
exit $failed
