# tests/patterns: the pattern format against the published examples
if HAVE_CMOCKA
PATTERN_TESTS = tests/patterns/test_pat_extent
check_PROGRAMS += $(PATTERN_TESTS)
TESTS += $(PATTERN_TESTS)
tests_patterns_test_pat_extent_SOURCES = tests/patterns/test_pat_extent.c
tests_patterns_test_pat_extent_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_extent_LDADD = libpatterns.la $(CMOCKA_LIBS)
endif
