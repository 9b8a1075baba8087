#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The corpora of the sources of accesses, whole, cut and flipped.
status=0
for format in drmemtrace gem5 lackey memtrace nvbit perf-script trace; do
    echo "$format:"
    "$top_builddir/tests/fuzz/fuzz_source_$(echo "$format" | tr - _)" "$top_srcdir"/tests/fuzz/corpus-"$format"/* || status=1
done
echo "run-h5:"
"$top_builddir/tests/fuzz/fuzz_run_h5" "$top_srcdir"/tests/fuzz/corpus-run-h5/* || status=1
"$top_builddir/tests/fuzz/fuzz_h5_file" "$top_srcdir"/tests/fuzz/corpus-run-h5/* || status=1
exit $status
