# SPDX-License-Identifier: BSD-3-Clause
# tests/analyse: hand-computed values on synthetic bursts
unit_programs += tests/analyse/unit
tests_analyse_unit_SOURCES = \
    tests/analyse/an_fixture.c tests/analyse/an_fixture.h \
    tests/analyse/test_an_advice.c \
    tests/analyse/test_an_annotate.c \
    tests/analyse/test_an_bootstrap.c \
    tests/analyse/test_an_calls.c \
    tests/analyse/test_an_combine.c \
    tests/analyse/test_an_cost.c \
    tests/analyse/test_an_diff.c \
    tests/analyse/test_an_kernel.c \
    tests/analyse/test_an_layout.c \
    tests/analyse/test_an_match.c \
    tests/analyse/test_an_origin.c \
    tests/analyse/test_an_reuse.c \
    tests/analyse/test_an_series.c \
    tests/analyse/test_an_sharing.c \
    tests/analyse/test_an_table.c \
    tests/analyse/test_an_tiles.c
tests_analyse_unit_CPPFLAGS = $(unit_cppflags)
tests_analyse_unit_CFLAGS = $(unit_cflags)
tests_analyse_unit_LDADD = libanalyse.la librunh5.la $(unit_libs)
