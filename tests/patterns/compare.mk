# SPDX-License-Identifier: BSD-3-Clause
# tests/patterns: distances, matching and groups
if HAVE_CMOCKA
COMPARE_TESTS = tests/patterns/test_pat_cluster tests/patterns/test_pat_compare tests/patterns/test_pat_compare_resample
tests_patterns_test_pat_cluster_SOURCES = tests/patterns/test_pat_cluster.c tests/patterns/pat_zoo.c tests/patterns/pat_zoo.h
tests_patterns_test_pat_cluster_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_cluster_LDADD = libpatterns.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_compare_SOURCES = tests/patterns/test_pat_compare.c tests/patterns/pat_zoo.c tests/patterns/pat_zoo.h
tests_patterns_test_pat_compare_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_compare_LDADD = libpatterns.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_compare_resample_SOURCES = tests/patterns/test_pat_compare_resample.c tests/patterns/pat_zoo.c \
    tests/patterns/pat_zoo.h
tests_patterns_test_pat_compare_resample_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_compare_resample_LDADD = libpatterns.la $(CMOCKA_LIBS) -lm
check_PROGRAMS += $(COMPARE_TESTS)
TESTS += $(COMPARE_TESTS)
endif
