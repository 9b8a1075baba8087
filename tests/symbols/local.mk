# SPDX-License-Identifier: BSD-3-Clause
# tests/symbols
if HAVE_CMOCKA
symbols_test_programs = \
    tests/symbols/test_sym_files \
    tests/symbols/test_sym_perfmap
check_PROGRAMS += $(symbols_test_programs)
TESTS += $(symbols_test_programs)

tests_symbols_test_sym_perfmap_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) -D_GNU_SOURCE
tests_symbols_test_sym_perfmap_LDADD = libsymbols.la $(CMOCKA_LIBS)
tests_symbols_test_sym_files_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_symbols_test_sym_files_CFLAGS = $(AM_CFLAGS) -g
tests_symbols_test_sym_files_LDADD = libspoolfixture.la libsymbols.la $(CMOCKA_LIBS)
endif
