# include: the public API
loadstoneincludedir = $(includedir)/loadstone
loadstoneinclude_HEADERS = include/loadstone/error.h include/loadstone/loadstone.h include/loadstone/smr.h
include_HEADERS = include/SMRTree.h

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = loadstone.pc

# The Fortran module: its source is installed always, library and compiled module where there is a compiler (the
# compiled module fits that compiler only).
loadstone_fdir = $(includedir)
dist_loadstone_f_DATA = include/loadstone.f90
if HAVE_FC
lib_LTLIBRARIES += libloadstone_fortran.la
libloadstone_fortran_la_SOURCES = include/loadstone.f90
libloadstone_fortran_la_LIBADD = libloadstone.la
libloadstone_fortran_la_LDFLAGS = -version-info 0:0:0
fmoddir = $(libdir)/loadstone/fortran
nodist_fmod_DATA = loadstone.mod
loadstone.mod: libloadstone_fortran.la
CLEANFILES += loadstone.mod
endif
