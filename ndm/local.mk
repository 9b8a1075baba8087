# SPDX-License-Identifier: BSD-3-Clause
# ndm: natural domains. libndm.la is plain data, for resolve and the exporters.
noinst_LTLIBRARIES += libndm.la
libndm_la_SOURCES = \
    ndm/ndm_field.c ndm/ndm_field.h \
    ndm/ndm_finder.c \
    ndm/ndm_gather.c ndm/ndm_gather.h \
    ndm/ndm_layout.c \
    ndm/ndm_make.c \
    ndm/ndm_map.c ndm/ndm_map.h \
    ndm/ndm_mix.c ndm/ndm_mix.h \
    ndm/ndm_shape.c ndm/ndm_shape.h \
    ndm/ndm_wire.c ndm/ndm_wire.h
# no LIBADD: shared objects contain all of it, together with other libraries that contain libcommon.la

# The registry of the running program, linked by libloadstone.so and by the preloaded runtime.
noinst_LTLIBRARIES += libndmlive.la
libndmlive_la_SOURCES = \
    ndm/ndm_attach.c \
    ndm/ndm_domain.c \
    ndm/ndm_live.h \
    ndm/ndm_registry.c ndm/ndm_registry.h
