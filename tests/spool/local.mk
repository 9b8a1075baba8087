# SPDX-License-Identifier: BSD-3-Clause
# tests/spool
if HAVE_CMOCKA
spool_test_programs = \
    tests/spool/test_spool \
    tests/spool/test_spool_domains \
    tests/spool/test_spool_late \
    tests/spool/test_spool_shared
check_LTLIBRARIES += libspoolfixture.la
check_PROGRAMS += $(spool_test_programs)
TESTS += $(spool_test_programs)

libspoolfixture_la_SOURCES = tests/spool/spool_fixture.c tests/spool/spool_fixture.h
libspoolfixture_la_LIBADD = libspoolwrite.la

tests_spool_test_spool_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_spool_test_spool_LDADD = libspoolfixture.la libspoolread.la libcommon.la $(CMOCKA_LIBS)
tests_spool_test_spool_domains_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_spool_test_spool_domains_LDADD = libspoolfixture.la libspoolread.la libcommon.la $(CMOCKA_LIBS)
tests_spool_test_spool_late_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_spool_test_spool_late_LDADD = libspoolfixture.la libspoolread.la libcommon.la $(CMOCKA_LIBS)
tests_spool_test_spool_shared_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_spool_test_spool_shared_CFLAGS = $(AM_CFLAGS) -pthread
tests_spool_test_spool_shared_LDADD = libspoolfixture.la libspoolread.la libcommon.la $(CMOCKA_LIBS)
endif
