#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The same programs with the sampling engine that this machine allows: still the same output, status and records.
status=0
for t in preload preload_spool preload_programs; do
    echo "== $t"
    LOADSTONE_OVERHEAD=50% RT_TEST_ENGINE=auto "${top_srcdir:-.}/tests/runtime/test_$t.sh" || status=1
done
exit $status
