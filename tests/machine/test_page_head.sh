#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The heads of the pages of measurements have the kernel's version, without the suffix of the one who built it.
. "${top_srcdir:-.}/tests/tools/check.sh"
grep -rnE 'Linux [0-9]+\.[0-9.]+-' "$top_srcdir/doc" >suffixes
if [ -s suffixes ]; then echo "FAIL: kernels with a suffix:"; cat suffixes; failed=1; fi
fake=$top_builddir/tests/perf/fake_kernel
"$fake" -- true 2>/dev/null || skip "the system gives no seccomp listener"
for release in 6.1.0-18-amd64 6.1.0; do
    must "$fake" -r $release -- "$top_builddir/bench/machine" >head
    must test "$(tail -n 1 head)" = "Linux 6.1.0"
done
exit $failed
