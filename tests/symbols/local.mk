# SPDX-License-Identifier: BSD-3-Clause
# tests/symbols
if HAVE_CMOCKA
symbols_test_programs = \
    tests/symbols/test_sym_files \
    tests/symbols/test_sym_mangled \
    tests/symbols/test_sym_perfmap
check_PROGRAMS += $(symbols_test_programs)
TESTS += $(symbols_test_programs)

tests_symbols_test_sym_perfmap_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -D_GNU_SOURCE
tests_symbols_test_sym_perfmap_LDADD = libsymbols.la $(CMOCKA_LIBS)
tests_symbols_test_sym_files_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_symbols_test_sym_files_CFLAGS = $(AM_CFLAGS) -g
tests_symbols_test_sym_files_LDADD = libspoolfixture.la libsymbols.la $(CMOCKA_LIBS)
# What test_sym_mangled mangles: once as it is, once with compressed debugging sections.
check_PROGRAMS += tests/symbols/sym_small tests/symbols/sym_small_gz
tests_symbols_sym_small_CFLAGS = -std=gnu11 -g -O1
tests_symbols_sym_small_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_symbols_sym_small_gz_SOURCES = tests/symbols/sym_small.c
tests_symbols_sym_small_gz_CFLAGS = -std=gnu11 -g -O1 -gz
tests_symbols_sym_small_gz_LDFLAGS = $(AM_LDFLAGS) -no-install -gz
tests_symbols_test_sym_mangled_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -D_GNU_SOURCE
tests_symbols_test_sym_mangled_LDADD = libspoolfixture.la libsymbols.la $(CMOCKA_LIBS)
tests_symbols_test_sym_mangled_LDFLAGS = $(AM_LDFLAGS) -no-install
endif
