# SPDX-License-Identifier: BSD-3-Clause
# tests/smrtree
unit_programs += tests/smrtree/unit
tests_smrtree_unit_SOURCES = \
    tests/smrtree/test_smr_live.c \
    tests/smrtree/test_smr_random.c \
    tests/smrtree/test_smr_tree.c
tests_smrtree_unit_CPPFLAGS = $(unit_cppflags)
tests_smrtree_unit_CFLAGS = $(unit_cflags)
tests_smrtree_unit_LDADD = libsmrtree.la $(unit_libs)
# Live ranges again with -O3 after the user's CFLAGS, to find a compiler that gets these files wrong.
unit_programs += tests/smrtree/unit_o3
tests_smrtree_unit_o3_SOURCES = \
    tests/smrtree/test_smr_live.c \
    smrtree/smr_array.c smrtree/smr_avl.c smrtree/smr_index.c smrtree/smr_live.c
tests_smrtree_unit_o3_CPPFLAGS = $(unit_cppflags)
tests_smrtree_unit_o3_LDADD = libcommon.la $(unit_libs)
$(tests_smrtree_unit_o3_OBJECTS): CFLAGS += -O3

# An instrumented program's view: the installed headers and libloadstone, in both language standards.
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
