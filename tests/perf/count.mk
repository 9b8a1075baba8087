# SPDX-License-Identifier: BSD-3-Clause
# tests/perf: counting
if HAVE_CMOCKA
check_PROGRAMS += tests/perf/test_pe_count
TESTS += tests/perf/test_pe_count
tests_perf_test_pe_count_SOURCES = tests/perf/test_pe_count.c
tests_perf_test_pe_count_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_count_LDADD = libperfcount.la $(CMOCKA_LIBS) -lm
endif
