# include: the public API
loadstoneincludedir = $(includedir)/loadstone
loadstoneinclude_HEADERS = include/loadstone/error.h include/loadstone/loadstone.h include/loadstone/smr.h

# The Fortran module: compiled for those who use the same compiler, shipped as source for the others.
loadstone_fdir = $(includedir)
dist_loadstone_f_DATA = include/loadstone.f90
if HAVE_FC
lib_LTLIBRARIES += libloadstone_fortran.la
libloadstone_fortran_la_SOURCES = include/loadstone.f90
libloadstone_fortran_la_LDFLAGS = -version-info 0:0:0
libloadstone_fortran_la_LIBADD = libloadstone.la
nodist_loadstone_f_DATA = loadstone.mod
loadstone.mod: include/loadstone.lo
CLEANFILES += loadstone.mod
endif
