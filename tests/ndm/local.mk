# SPDX-License-Identifier: BSD-3-Clause
# tests/ndm
unit_programs += tests/ndm/unit
tests_ndm_unit_SOURCES = \
    tests/ndm/test_ndm_layout.c \
    tests/ndm/test_ndm_live.c \
    tests/ndm/test_ndm_plain.c
tests_ndm_unit_CPPFLAGS = $(unit_cppflags)
tests_ndm_unit_CFLAGS = $(unit_cflags)
tests_ndm_unit_LDADD = libndmlive.la libndm.la libsmrtree.la libcommon.la $(unit_libs)

check_PROGRAMS += tests/ndm/ndm_functions
TESTS += tests/ndm/ndm_functions
tests_ndm_ndm_functions_SOURCES = tests/ndm/ndm_functions.cc
tests_ndm_ndm_functions_LDADD = libndmlive.la libndm.la libsmrtree.la -lpthread

# The examples of doc/natural-domain.md, as programs see them: headers and libraries as they are installed.
check_PROGRAMS += tests/ndm/doc_examples tests/ndm/doc_examples_cxx
TESTS += tests/ndm/doc_examples tests/ndm/doc_examples_cxx
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
