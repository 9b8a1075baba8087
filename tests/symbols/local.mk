# SPDX-License-Identifier: BSD-3-Clause
# tests/symbols
unit_programs += tests/symbols/unit
tests_symbols_unit_SOURCES = \
    tests/symbols/test_sym_demangle_rust.c \
    tests/symbols/test_sym_files.c \
    tests/symbols/test_sym_mangled.c \
    tests/symbols/test_sym_operand.c \
    tests/symbols/test_sym_perfmap.c
tests_symbols_unit_CPPFLAGS = $(unit_cppflags)
tests_symbols_unit_CFLAGS = $(unit_cflags)
tests_symbols_unit_LDADD = libspoolfixture.la libsymbols.la $(unit_libs)

# The file that test_sym_mangled damages: once unchanged, once with compressed debugging sections.
check_PROGRAMS += tests/symbols/sym_small tests/symbols/sym_small_gz
tests_symbols_sym_small_CFLAGS = -std=gnu11 -g -O1
tests_symbols_sym_small_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_symbols_sym_small_gz_SOURCES = tests/symbols/sym_small.c
tests_symbols_sym_small_gz_CFLAGS = -std=gnu11 -g -O1 -gz
tests_symbols_sym_small_gz_LDFLAGS = $(AM_LDFLAGS) -no-install -gz

# prints names of functions
check_PROGRAMS += tests/symbols/sym_names
tests_symbols_sym_names_LDADD = libsymbols.la
