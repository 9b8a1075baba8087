# SPDX-License-Identifier: BSD-3-Clause
# tests/resolve
check_LTLIBRARIES += libproffixture.la
libproffixture_la_SOURCES = tests/resolve/prof_fixture.c tests/resolve/prof_fixture.h
libproffixture_la_LIBADD = libspoolfixture.la
check_PROGRAMS += tests/resolve/make_example
tests_resolve_make_example_LDADD = libproffixture.la libresolve.la

unit_programs += tests/resolve/unit
tests_resolve_unit_SOURCES = \
    tests/resolve/test_prof_account.c \
    tests/resolve/test_prof_calls.c \
    tests/resolve/test_prof_dump.c \
    tests/resolve/test_prof_fields.c \
    tests/resolve/test_prof_forks.c \
    tests/resolve/test_prof_frames.c \
    tests/resolve/test_prof_kernel.c \
    tests/resolve/test_prof_maps.c \
    tests/resolve/test_prof_python_label.c \
    tests/resolve/test_prof_resolve.c \
    tests/resolve/test_prof_sites.c \
    tests/resolve/test_prof_source_label.c \
    tests/resolve/test_prof_tls.c
tests_resolve_unit_CPPFLAGS = $(unit_cppflags)
tests_resolve_unit_CFLAGS = $(unit_cflags)
tests_resolve_unit_LDADD = libproffixture.la libspoolfixture.la libanalyse.la libresolve.la $(ZLIB_LIBS) $(unit_libs)

# makes a long profile for test_memory.sh
tests/resolve/test_memory.log: bench/resolve$(EXEEXT)
