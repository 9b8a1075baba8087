# SPDX-License-Identifier: BSD-3-Clause
# ndm: natural domains. libndm.la is plain data: what resolve and the exporters need.
noinst_LTLIBRARIES += libndm.la
libndm_la_SOURCES = \
    ndm/ndm_check.c ndm/ndm_check.h \
    ndm/ndm_curve.c ndm/ndm_curve.h \
    ndm/ndm_field.c ndm/ndm_field.h \
    ndm/ndm_finder.c ndm/ndm_finder.h \
    ndm/ndm_gather.c ndm/ndm_gather.h \
    ndm/ndm_layout.c ndm/ndm_layout.h \
    ndm/ndm_make.c ndm/ndm_make.h \
    ndm/ndm_map.c ndm/ndm_map.h \
    ndm/ndm_shape.c ndm/ndm_shape.h \
    ndm/ndm_wire.c ndm/ndm_wire.h
libndm_la_LIBADD = libcommon.la
EXTRA_DIST += ndm/ndm_registry.h
