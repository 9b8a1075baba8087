# SPDX-License-Identifier: BSD-3-Clause
# tests/patterns: extraction
if HAVE_CMOCKA
EXTRACT_TESTS = tests/patterns/test_pat_extract tests/patterns/test_pat_extract_defects \
    tests/patterns/test_pat_ext_arena tests/patterns/test_pat_ext_echo tests/patterns/test_pat_ext_home_pages tests/patterns/test_pat_ext_round tests/patterns/test_pat_ext_rows \
    tests/patterns/test_pat_ext_cost tests/patterns/test_pat_ext_tables
tests_patterns_test_pat_ext_cost_SOURCES = tests/patterns/test_pat_ext_cost.c tests/patterns/memory_source.c \
    tests/patterns/memory_source.h
tests_patterns_test_pat_ext_cost_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_cost_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_ext_rows_SOURCES = tests/patterns/test_pat_ext_rows.c tests/patterns/memory_source.c \
    tests/patterns/memory_source.h
tests_patterns_test_pat_ext_rows_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_rows_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_ext_tables_SOURCES = tests/patterns/test_pat_ext_tables.c
tests_patterns_test_pat_ext_tables_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_tables_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_ext_home_pages_SOURCES = tests/patterns/test_pat_ext_home_pages.c
tests_patterns_test_pat_ext_home_pages_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_home_pages_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_ext_arena_SOURCES = tests/patterns/test_pat_ext_arena.c
tests_patterns_test_pat_ext_arena_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_arena_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_ext_echo_SOURCES = tests/patterns/test_pat_ext_echo.c tests/patterns/memory_source.c \
    tests/patterns/memory_source.h
tests_patterns_test_pat_ext_echo_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_echo_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_ext_round_SOURCES = tests/patterns/test_pat_ext_round.c
tests_patterns_test_pat_ext_round_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_ext_round_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_extract_defects_SOURCES = tests/patterns/test_pat_extract_defects.c \
    tests/patterns/memory_source.c tests/patterns/memory_source.h
tests_patterns_test_pat_extract_defects_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_extract_defects_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_extract_SOURCES = tests/patterns/test_pat_extract.c \
    tests/patterns/memory_source.c tests/patterns/memory_source.h \
    tests/patterns/naive_extract.c tests/patterns/naive_extract.h
tests_patterns_test_pat_extract_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_extract_LDADD = libpatcompact.la libpatterns.la $(CMOCKA_LIBS) -lm
if HAVE_STEP
EXTRACT_TESTS += tests/patterns/test_pat_indirect
tests_patterns_test_pat_indirect_SOURCES = tests/patterns/test_pat_indirect.c \
    tests/patterns/memory_source.c tests/patterns/memory_source.h
tests_patterns_test_pat_indirect_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_indirect_LDADD = libpatterns.la $(CMOCKA_LIBS)
endif
check_PROGRAMS += $(EXTRACT_TESTS)
TESTS += $(EXTRACT_TESTS)
endif
