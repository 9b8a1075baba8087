#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tarball holds every file that git tracks.
. "${top_srcdir:-.}/tests/tools/check.sh"
git -C "$top_srcdir" rev-parse --git-dir >/dev/null 2>&1 || skip "the source is no git checkout"
tree=$PWD/tree
must make -s -C "$top_builddir" distdir distdir="$tree" top_distdir="$tree" >make.log 2>&1
[ -d "$tree" ] || { tail -5 make.log; exit 1; }
(cd "$tree" && find . -type f) | sed 's,^\./,,' | sort >packed
git -C "$top_srcdir" ls-files | grep -v '\.gitignore$' | sort | comm -23 - packed >left_out
if [ -s left_out ]; then echo "FAIL: the tarball lacks these files:"; head -40 left_out; failed=1; fi
chmod -R u+w "$tree"
exit $failed
