# SPDX-License-Identifier: BSD-3-Clause
# tests/patterns: compaction, classes and measures against their definitions
if HAVE_CMOCKA
COMPACT_TESTS = tests/patterns/test_pat_compact tests/patterns/test_pat_compact_parts tests/patterns/test_pat_feeds tests/patterns/test_pat_fold tests/patterns/test_pat_measure tests/patterns/test_pat_names \
    tests/patterns/test_pat_parallel tests/patterns/test_pat_period
PAT_PROGRAM = tests/patterns/pat_program.c tests/patterns/pat_program.h
tests_patterns_test_pat_compact_SOURCES = tests/patterns/test_pat_compact.c $(PAT_PROGRAM)
tests_patterns_test_pat_compact_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_compact_LDADD = libpatcompact.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_compact_parts_SOURCES = tests/patterns/test_pat_compact_parts.c $(PAT_PROGRAM)
tests_patterns_test_pat_compact_parts_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_compact_parts_LDADD = libpatcompact.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_feeds_SOURCES = tests/patterns/test_pat_feeds.c $(PAT_PROGRAM)
tests_patterns_test_pat_feeds_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_feeds_LDADD = libpatcompact.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_fold_SOURCES = tests/patterns/test_pat_fold.c \
    tests/patterns/memory_source.c tests/patterns/memory_source.h
tests_patterns_test_pat_fold_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_fold_LDADD = libpatcompact.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_names_SOURCES = tests/patterns/test_pat_names.c $(PAT_PROGRAM)
tests_patterns_test_pat_names_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_names_LDADD = libpatcompact.la $(CMOCKA_LIBS) -ldl -lm
tests_patterns_test_pat_measure_SOURCES = tests/patterns/test_pat_measure.c
tests_patterns_test_pat_measure_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_measure_LDADD = libpatcompact.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_parallel_SOURCES = tests/patterns/test_pat_parallel.c
tests_patterns_test_pat_parallel_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_parallel_LDADD = libpatcompact.la $(CMOCKA_LIBS)
tests_patterns_test_pat_period_SOURCES = tests/patterns/test_pat_period.c
tests_patterns_test_pat_period_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_period_LDADD = libpatcompact.la $(CMOCKA_LIBS)
check_PROGRAMS += $(COMPACT_TESTS)
TESTS += $(COMPACT_TESTS)
endif
