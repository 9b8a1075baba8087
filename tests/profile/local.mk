# SPDX-License-Identifier: BSD-3-Clause
# tests/profile
if HAVE_CMOCKA
check_LTLIBRARIES += libproffixture.la
libproffixture_la_SOURCES = tests/profile/prof_fixture.c tests/profile/prof_fixture.h
libproffixture_la_LIBADD = libspoolfixture.la

profile_test_programs = \
    tests/profile/test_prof_account \
    tests/profile/test_prof_atlas \
    tests/profile/test_prof_fields \
    tests/profile/test_prof_sites \
    tests/profile/test_prof_source_label \
    tests/profile/test_prof_calls \
    tests/profile/test_prof_frames \
    tests/profile/test_prof_file \
    tests/profile/test_prof_dump \
    tests/profile/test_prof_forks \
    tests/profile/test_prof_kernel \
    tests/profile/test_prof_tls \
    tests/profile/test_prof_resolve
check_PROGRAMS += $(profile_test_programs)
TESTS += $(profile_test_programs)

tests_profile_test_prof_account_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_account_LDADD = libprofile.la $(CMOCKA_LIBS) -lm
tests_profile_test_prof_atlas_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(HDF5_CFLAGS)
tests_profile_test_prof_atlas_LDADD = libspoolfixture.la libprofile.la $(CMOCKA_LIBS) -lm
tests_profile_test_prof_fields_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_fields_LDADD = libproffixture.la libanalyse.la libprofile.la $(CMOCKA_LIBS) -lm
tests_profile_test_prof_calls_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_calls_LDADD = libproffixture.la libprofile.la $(CMOCKA_LIBS)
tests_profile_test_prof_tls_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_tls_CFLAGS = $(AM_CFLAGS) -g
tests_profile_test_prof_tls_LDADD = libprofile.la $(CMOCKA_LIBS)
tests_profile_test_prof_resolve_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_resolve_LDADD = libproffixture.la libprofile.la $(CMOCKA_LIBS)

tests_profile_test_prof_frames_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(HDF5_CFLAGS)
tests_profile_test_prof_frames_LDADD = libspoolfixture.la libprofile.la $(CMOCKA_LIBS)

tests_profile_test_prof_dump_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_dump_LDADD = libproffixture.la libprofile.la $(CMOCKA_LIBS)

tests_profile_test_prof_forks_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_forks_LDADD = libproffixture.la libprofile.la $(CMOCKA_LIBS)

tests_profile_test_prof_kernel_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_kernel_LDADD = libproffixture.la libprofile.la $(CMOCKA_LIBS)

tests_profile_test_prof_source_label_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_source_label_LDADD = libprofile.la $(CMOCKA_LIBS)

tests_profile_test_prof_sites_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_profile_test_prof_sites_LDADD = libproffixture.la libprofile.la $(CMOCKA_LIBS) -lm

tests_profile_test_prof_file_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(HDF5_CFLAGS)
tests_profile_test_prof_file_LDADD = libspoolfixture.la libprofile.la $(CMOCKA_LIBS) $(ZLIB_LIBS)
check_PROGRAMS += tests/profile/make_example
tests_profile_make_example_LDADD = libproffixture.la libprofile.la
TESTS += tests/profile/test_run_h5.sh
endif
EXTRA_DIST += tests/profile/test_run_h5.sh tests/profile/test_run_h5.py

