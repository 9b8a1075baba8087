# SPDX-License-Identifier: BSD-3-Clause
# patterns diff and groups
EXTRA_DIST += tests/tools/test_patterns_diff.sh
if HAVE_YAJL
TESTS += tests/tools/test_patterns_diff.sh
endif
