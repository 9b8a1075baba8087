# SPDX-License-Identifier: BSD-3-Clause
# tests/analyse: hand-computed values on synthetic bursts
if HAVE_CMOCKA
analyse_tests = \
    tests/analyse/test_an_advice \
    tests/analyse/test_an_annotate \
    tests/analyse/test_an_bootstrap \
    tests/analyse/test_an_calls \
    tests/analyse/test_an_combine \
    tests/analyse/test_an_cost \
    tests/analyse/test_an_diff \
    tests/analyse/test_an_kernel \
    tests/analyse/test_an_match \
    tests/analyse/test_an_origin \
    tests/analyse/test_an_sharing \
    tests/analyse/test_an_table
check_PROGRAMS += $(analyse_tests)
TESTS += $(analyse_tests)
tests_analyse_test_an_advice_SOURCES = tests/analyse/test_an_advice.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_advice_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_advice_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_annotate_SOURCES = tests/analyse/test_an_annotate.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_annotate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_annotate_LDADD = libanalyse.la libprofread.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_bootstrap_SOURCES = tests/analyse/test_an_bootstrap.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_bootstrap_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_bootstrap_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_calls_SOURCES = tests/analyse/test_an_calls.c
tests_analyse_test_an_calls_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_calls_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_combine_SOURCES = tests/analyse/test_an_combine.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_combine_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_combine_LDADD = libanalyse.la libprofread.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_cost_SOURCES = tests/analyse/test_an_cost.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_cost_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_cost_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_diff_SOURCES = tests/analyse/test_an_diff.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_diff_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_diff_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_match_SOURCES = tests/analyse/test_an_match.c
tests_analyse_test_an_match_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_match_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_kernel_SOURCES = tests/analyse/test_an_kernel.c
tests_analyse_test_an_kernel_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_kernel_LDADD = libanalyse.la libprofread.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_origin_SOURCES = tests/analyse/test_an_origin.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_origin_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_origin_LDADD = libanalyse.la libprofread.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_sharing_SOURCES = tests/analyse/test_an_sharing.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_sharing_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_sharing_LDADD = libanalyse.la libprofread.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_table_SOURCES = tests/analyse/test_an_table.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_table_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
endif
