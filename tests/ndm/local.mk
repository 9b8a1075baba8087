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

# The examples of doc/natural-domain.md, as programs see them: headers and libraries as they are installed.
check_PROGRAMS += tests/ndm/doc_examples tests/ndm/doc_examples_cxx
TESTS += tests/ndm/doc_examples tests/ndm/doc_examples_cxx tests/ndm/test_ndm_doc.sh
EXTRA_DIST += tests/ndm/test_ndm_doc.sh tests/ndm/doc_examples_fortran.f90
tests_ndm_doc_examples_CPPFLAGS = -I$(top_srcdir)/include
tests_ndm_doc_examples_LDADD = libloadstone.la
tests_ndm_doc_examples_cxx_SOURCES = tests/ndm/doc_examples_cxx.cc
tests_ndm_doc_examples_cxx_CPPFLAGS = -I$(top_srcdir)/include
tests_ndm_doc_examples_cxx_LDADD = libloadstone.la
if HAVE_FC
check_PROGRAMS += tests/ndm/doc_examples_fortran
TESTS += tests/ndm/doc_examples_fortran
tests_ndm_doc_examples_fortran_SOURCES = tests/ndm/doc_examples_fortran.f90
tests_ndm_doc_examples_fortran_LDADD = libloadstone_fortran.la libloadstone.la
tests/ndm/doc_examples_fortran.$(OBJEXT): loadstone.mod
endif
