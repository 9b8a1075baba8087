# SPDX-License-Identifier: BSD-3-Clause
# tests/ndm
if HAVE_CMOCKA
ndm_test_programs = \
    tests/ndm/test_ndm_layout \
    tests/ndm/test_ndm_live \
    tests/ndm/test_ndm_plain
check_PROGRAMS += $(ndm_test_programs)
TESTS += $(ndm_test_programs)
tests_ndm_test_ndm_layout_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_ndm_test_ndm_layout_LDADD = libndm.la libcommon.la $(CMOCKA_LIBS)
tests_ndm_test_ndm_live_SOURCES = tests/ndm/test_ndm_live.c ndm/ndm_untold_keep.c
tests_ndm_test_ndm_live_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_ndm_test_ndm_live_LDADD = libndmlive.la libndm.la libsmrtree.la $(CMOCKA_LIBS) -lpthread
tests_ndm_test_ndm_plain_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_ndm_test_ndm_plain_LDADD = libndm.la libcommon.la $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/ndm/ndm_functions
TESTS += tests/ndm/ndm_functions
tests_ndm_ndm_functions_SOURCES = tests/ndm/ndm_functions.cc ndm/ndm_untold_keep.c
tests_ndm_ndm_functions_LDADD = libndmlive.la libndm.la libsmrtree.la -lpthread
