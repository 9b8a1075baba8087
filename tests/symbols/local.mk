# SPDX-License-Identifier: BSD-3-Clause
# tests/symbols
unit_programs += tests/symbols/unit
tests_symbols_unit_SOURCES = \
    tests/symbols/test_sym_demangle_rust.c \
    tests/symbols/test_sym_files.c \
    tests/symbols/test_sym_mangled.c \
    tests/symbols/test_sym_operand.c \
    tests/symbols/test_sym_perfmap.c \
    tests/symbols/test_sym_walk.c
tests_symbols_unit_CPPFLAGS = $(unit_cppflags) $(DW_CFLAGS)
tests_symbols_unit_CFLAGS = $(unit_cflags)
tests_symbols_unit_LDADD = libspoolfixture.la libsymbols.la $(unit_libs)

# The file that test_sym_mangled damages: once unchanged, once with compressed debugging sections.
check_PROGRAMS += tests/symbols/sym_small tests/symbols/sym_small_gz
tests_symbols_sym_small_CFLAGS = -std=gnu11 -g -O1
tests_symbols_sym_small_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_symbols_sym_small_gz_SOURCES = tests/symbols/sym_small.c
tests_symbols_sym_small_gz_CFLAGS = -std=gnu11 -g -O1 -gz
tests_symbols_sym_small_gz_LDFLAGS = $(AM_LDFLAGS) -no-install -gz

# Files with type units, and with its entries in a .dwo file.
check_PROGRAMS += tests/symbols/sym_types tests/symbols/sym_split
tests_symbols_sym_types_SOURCES = tests/symbols/sym_types.cc
tests_symbols_sym_types_CXXFLAGS = -g -O1 -gdwarf-4 -fdebug-types-section
tests_symbols_sym_types_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_symbols_sym_split_SOURCES = tests/symbols/sym_types.cc
tests_symbols_sym_split_CXXFLAGS = -g -O1 -gdwarf-5 -gsplit-dwarf
tests_symbols_sym_split_LDFLAGS = $(AM_LDFLAGS) -no-install
CLEANFILES += tests/symbols/*.dwo

# prints names of functions
check_PROGRAMS += tests/symbols/sym_names
tests_symbols_sym_names_LDADD = libsymbols.la
