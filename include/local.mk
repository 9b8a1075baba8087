# SPDX-License-Identifier: BSD-3-Clause
# include: the public API
loadstoneincludedir = $(includedir)/loadstone
loadstoneinclude_HEADERS = include/loadstone/error.h include/loadstone/loadstone.h include/loadstone/ndm.h include/loadstone/smr.h
include_HEADERS = include/SMRTree.h

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = loadstone.pc

# The Fortran module: its source is installed always; smrtree/local.mk builds it where there is a compiler.
loadstone_fdir = $(includedir)
dist_loadstone_f_DATA = include/loadstone.f90
