# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns
EXTRA_DIST += tests/tools/test_patterns.sh tests/tools/test_patterns_foreign.sh
check_PROGRAMS += tests/tools/make_trace
tests_tools_make_trace_SOURCES = tests/tools/make_trace.c
tests_tools_make_trace_LDADD = libpatterns.la libcommon.la
if HAVE_YAJL
TESTS += tests/tools/test_patterns.sh tests/tools/test_patterns_foreign.sh
endif
