#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.h5 opens in h5py and pandas, and doc/run-h5.md is up to date.
set -u
for python in "${PYTHON-}" python3 /usr/bin/python3; do
    if [ -n "$python" ] && "$python" -c 'import h5py, pandas' 2>/dev/null; then
        found=$python
        break
    fi
done
if [ -z "${found-}" ]; then
    echo "skipped: no Python with h5py and pandas (Debian: python3-h5py python3-pandas)"
    exit 77
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$top_builddir/tests/profile/make_example" "$dir/run.h5" || exit 1
"$found" "$top_srcdir/tests/profile/test_run_h5.py" "$dir/run.h5" "$top_srcdir/doc/run-h5.md"
