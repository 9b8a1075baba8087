#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.h5 opens in h5py and pandas, and doc/run-h5.md is up to date.
. "${top_srcdir:-.}/tests/tools/check.sh"
needs_python h5py pandas
must "$top_builddir/tests/resolve/make_example" run.h5
must "$python" "$top_srcdir/tests/run_h5/test_run_h5.py" run.h5 "$top_srcdir/doc/run-h5.md"
exit $failed
