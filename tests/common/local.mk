# SPDX-License-Identifier: BSD-3-Clause
# What all folders use.
if HAVE_CMOCKA
check_PROGRAMS += tests/common/test_ls_containers tests/common/test_ls_hash tests/common/test_ls_text
TESTS += tests/common/test_ls_containers tests/common/test_ls_hash tests/common/test_ls_text
tests_common_test_ls_containers_SOURCES = tests/common/test_ls_containers.c
tests_common_test_ls_containers_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_common_test_ls_containers_LDADD = libcommon.la $(CMOCKA_LIBS)
tests_common_test_ls_hash_SOURCES = tests/common/test_ls_hash.c
tests_common_test_ls_hash_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_common_test_ls_hash_LDADD = $(CMOCKA_LIBS)
tests_common_test_ls_text_SOURCES = tests/common/test_ls_text.c
tests_common_test_ls_text_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_common_test_ls_text_LDADD = libcommon.la $(CMOCKA_LIBS)
endif
