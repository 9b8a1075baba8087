# tests/fortran: the Fortran module against the real library
if HAVE_FC
check_PROGRAMS += test_loadstone_fortran
TESTS += test_loadstone_fortran
test_loadstone_fortran_SOURCES = tests/fortran/test_loadstone.f90
test_loadstone_fortran_LDADD = libloadstone_fortran.la libloadstone.la
tests/fortran/test_loadstone.$(OBJEXT): loadstone.mod
endif
