# SPDX-License-Identifier: BSD-3-Clause
# tests/spool
check_LTLIBRARIES += libspoolfixture.la
libspoolfixture_la_SOURCES = tests/spool/spool_fixture.c tests/spool/spool_fixture.h
libspoolfixture_la_LIBADD = libspoolwrite.la

unit_programs += tests/spool/unit
tests_spool_unit_SOURCES = \
    tests/spool/test_spool.c \
    tests/spool/test_spool_domains.c \
    tests/spool/test_spool_late.c \
    tests/spool/test_spool_pack.c \
    tests/spool/test_spool_series.c \
    tests/spool/test_spool_shared.c
tests_spool_unit_CPPFLAGS = $(unit_cppflags)
tests_spool_unit_CFLAGS = $(unit_cflags)
tests_spool_unit_LDADD = libspoolfixture.la libspoolread.la libcommon.la $(unit_libs)
