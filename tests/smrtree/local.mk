# SPDX-License-Identifier: BSD-3-Clause
# tests/smrtree
if HAVE_CMOCKA
smrtree_test_programs = \
    tests/smrtree/test_smr_live \
    tests/smrtree/test_smr_live_o3 \
    tests/smrtree/test_smr_random \
    tests/smrtree/test_smr_tree
check_PROGRAMS += $(smrtree_test_programs)
TESTS += $(smrtree_test_programs)

tests_smrtree_test_smr_live_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_live_LDADD = libsmrtree.la $(CMOCKA_LIBS)
# The same with -O3 behind the user's CFLAGS: a compiler that gets these files wrong says so here.
tests_smrtree_test_smr_live_o3_SOURCES = \
    tests/smrtree/test_smr_live.c \
    smrtree/smr_array.c smrtree/smr_avl.c smrtree/smr_index.c smrtree/smr_live.c
tests_smrtree_test_smr_live_o3_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_live_o3_LDADD = libcommon.la $(CMOCKA_LIBS)
$(tests_smrtree_test_smr_live_o3_OBJECTS): CFLAGS += -O3

tests_smrtree_test_smr_random_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_random_LDADD = libsmrtree.la $(CMOCKA_LIBS) -lpthread
tests_smrtree_test_smr_tree_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_smrtree_test_smr_tree_LDADD = libsmrtree.la $(CMOCKA_LIBS) -lpthread
endif

# What an instrumented program sees: the installed headers and libloadstone, in both language standards.
smrtree_api_programs = \
    tests/smrtree/smrtree_cxx11 \
    tests/smrtree/smrtree_cxx20
check_PROGRAMS += $(smrtree_api_programs)
TESTS += $(smrtree_api_programs)
tests_smrtree_smrtree_cxx11_SOURCES = tests/smrtree/smrtree_cxx.cc
tests_smrtree_smrtree_cxx11_CPPFLAGS = -I$(top_srcdir)/include
tests_smrtree_smrtree_cxx11_CXXFLAGS = -std=c++11 $(LS_WARN_CFLAGS)
tests_smrtree_smrtree_cxx11_LDADD = libloadstone.la
tests_smrtree_smrtree_cxx20_SOURCES = tests/smrtree/smrtree_cxx.cc
tests_smrtree_smrtree_cxx20_CPPFLAGS = -I$(top_srcdir)/include
tests_smrtree_smrtree_cxx20_CXXFLAGS = -std=c++20 $(LS_WARN_CFLAGS)
tests_smrtree_smrtree_cxx20_LDADD = libloadstone.la

EXTRA_DIST += tests/smrtree/no_fortran.sh
if HAVE_FC
check_PROGRAMS += tests/smrtree/smrtree_fortran
TESTS += tests/smrtree/smrtree_fortran
tests_smrtree_smrtree_fortran_SOURCES = tests/smrtree/smrtree_fortran.f90
tests_smrtree_smrtree_fortran_LDADD = libloadstone_fortran.la libloadstone.la
tests/smrtree/smrtree_fortran.$(OBJEXT): loadstone.mod
CLEANFILES += natural_domain.mod
else
TESTS += tests/smrtree/no_fortran.sh
endif
