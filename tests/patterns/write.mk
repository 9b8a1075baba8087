# SPDX-License-Identifier: BSD-3-Clause
# patterns that were found, written and read back
EXTRA_DIST += tests/patterns/test_pat_written.sh tests/patterns/read_written.py
check_PROGRAMS += tests/patterns/make_patterns
tests_patterns_make_patterns_SOURCES = tests/patterns/make_patterns.c tests/patterns/found_fixture.c tests/patterns/found_fixture.h
tests_patterns_make_patterns_LDADD = libpatterns.la libcommon.la
if HAVE_YAJL
TESTS += tests/patterns/test_pat_written.sh
if HAVE_CMOCKA
check_PROGRAMS += tests/patterns/test_pat_write
TESTS += tests/patterns/test_pat_write
tests_patterns_test_pat_write_SOURCES = tests/patterns/test_pat_write.c tests/patterns/found_fixture.c tests/patterns/found_fixture.h
tests_patterns_test_pat_write_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_write_LDADD = libpatterns.la libcommon.la $(CMOCKA_LIBS)
endif
endif
