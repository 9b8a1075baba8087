# SPDX-License-Identifier: BSD-3-Clause
# tests/run_h5: prof_write_fixture is part of the programs that write profiles for other tests
unit_programs += tests/run_h5/unit
tests_run_h5_unit_SOURCES = \
    tests/run_h5/test_prof_atlas.c \
    tests/run_h5/test_prof_file.c \
    tests/run_h5/test_prof_h5_rows.c
tests_run_h5_unit_CPPFLAGS = $(unit_cppflags)
tests_run_h5_unit_CFLAGS = $(unit_cflags)
tests_run_h5_unit_LDADD = libspoolfixture.la librunh5.la $(ZLIB_LIBS) $(unit_libs)
