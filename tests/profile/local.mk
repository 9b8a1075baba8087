# SPDX-License-Identifier: BSD-3-Clause
# tests/profile
check_LTLIBRARIES += libproffixture.la
libproffixture_la_SOURCES = tests/profile/prof_fixture.c tests/profile/prof_fixture.h
libproffixture_la_LIBADD = libspoolfixture.la
check_PROGRAMS += tests/profile/make_example
tests_profile_make_example_LDADD = libproffixture.la libprofile.la

unit_programs += tests/profile/unit
tests_profile_unit_SOURCES = \
    tests/profile/test_prof_account.c \
    tests/profile/test_prof_atlas.c \
    tests/profile/test_prof_calls.c \
    tests/profile/test_prof_dump.c \
    tests/profile/test_prof_fields.c \
    tests/profile/test_prof_file.c \
    tests/profile/test_prof_forks.c \
    tests/profile/test_prof_frames.c \
    tests/profile/test_prof_kernel.c \
    tests/profile/test_prof_resolve.c \
    tests/profile/test_prof_sites.c \
    tests/profile/test_prof_source_label.c \
    tests/profile/test_prof_tls.c
tests_profile_unit_CPPFLAGS = $(unit_cppflags)
tests_profile_unit_CFLAGS = $(unit_cflags)
tests_profile_unit_LDADD = libproffixture.la libspoolfixture.la libanalyse.la libprofile.la $(ZLIB_LIBS) $(unit_libs)

# makes a long profile for test_memory.sh
tests/profile/test_memory.log: bench/resolve$(EXEEXT)
