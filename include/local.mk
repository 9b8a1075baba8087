# include: the public API
loadstoneincludedir = $(includedir)/loadstone
loadstoneinclude_HEADERS = include/loadstone/error.h include/loadstone/loadstone.h include/loadstone/smr.h

# The Fortran module: shipped as source, since compiled modules fit one compiler only.
loadstone_fdir = $(includedir)
dist_loadstone_f_DATA = include/loadstone.f90
