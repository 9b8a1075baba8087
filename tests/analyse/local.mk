# tests/analyse: hand-computed values on synthetic bursts
if HAVE_CMOCKA
check_PROGRAMS += tests/analyse/test_an_keys tests/analyse/test_an_cost tests/analyse/test_an_table tests/analyse/test_an_bootstrap
TESTS += tests/analyse/test_an_keys tests/analyse/test_an_cost tests/analyse/test_an_table tests/analyse/test_an_bootstrap
tests_analyse_test_an_cost_SOURCES = tests/analyse/test_an_cost.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_cost_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_cost_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_table_SOURCES = tests/analyse/test_an_table.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_table_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_table_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_bootstrap_SOURCES = tests/analyse/test_an_bootstrap.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_bootstrap_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_bootstrap_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
tests_analyse_test_an_keys_SOURCES = tests/analyse/test_an_keys.c tests/analyse/an_fixture.c tests/analyse/an_fixture.h
tests_analyse_test_an_keys_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_keys_LDADD = libanalyse.la $(CMOCKA_LIBS) -lm
endif
