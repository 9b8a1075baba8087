# SPDX-License-Identifier: BSD-3-Clause
# tests/patterns: compaction, classes and measures against their definitions
if HAVE_CMOCKA
COMPACT_TESTS = tests/patterns/test_pat_period
tests_patterns_test_pat_period_SOURCES = tests/patterns/test_pat_period.c
tests_patterns_test_pat_period_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_period_LDADD = libpatcompact.la $(CMOCKA_LIBS)
check_PROGRAMS += $(COMPACT_TESTS)
TESTS += $(COMPACT_TESTS)
endif
