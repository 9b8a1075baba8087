# SPDX-License-Identifier: BSD-3-Clause
# smrtree: ranges with life-times, AVL interval tree, frozen look-up index, semantic tree, registry.
# libsmrtree.la is linked by libloadstone.so and by the preloaded runtime: one API, the preload's wins.
noinst_LTLIBRARIES += libsmrtree.la
libsmrtree_la_SOURCES = \
    smrtree/smr_access.c \
    smrtree/smr_array.c smrtree/smr_array.h \
    smrtree/smr_avl.c smrtree/smr_avl.h \
    smrtree/smr_contain.c \
    smrtree/smr_index.c smrtree/smr_index.h \
    smrtree/smr_live.c smrtree/smr_live.h \
    smrtree/smr_node.h \
    smrtree/smr_registry.c smrtree/smr_registry.h \
    smrtree/smr_session.c \
    smrtree/smr_tree.c
libsmrtree_la_LIBADD = libcommon.la

lib_LTLIBRARIES += libloadstone.la
libloadstone_la_SOURCES =
nodist_EXTRA_libloadstone_la_SOURCES = dummy.c
libloadstone_la_LIBADD = libndmlive.la libndm.la libsmrtree.la -lpthread
libloadstone_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
    -export-symbols-regex '^(smr_tree_|smr_node_(add|binding|born|died|dims|elem|end$$|first|id$$|index|is_|label|next|parent|remove|resize|set_|start|user)|loadstone_|ndm_(domain_(new_|free$$|label$$|refresh_at)|map_(grid$$|mesh$$|indirect$$|callback$$)|shape_points$$|unmap$$)|ls_err_(name|text)$$|ls_last_error$$)'

# After libloadstone.la, which it is linked with at installation. The compiled module fits this compiler only.
if HAVE_FC
lib_LTLIBRARIES += libloadstone_fortran.la
libloadstone_fortran_la_SOURCES = include/loadstone.f90
libloadstone_fortran_la_LIBADD = libloadstone.la
libloadstone_fortran_la_LDFLAGS = -version-info 0:0:0
fmoddir = $(libdir)/loadstone/fortran
nodist_fmod_DATA = loadstone.mod
nodist_pkgconfig_DATA += loadstone_fortran.pc
loadstone.mod: libloadstone_fortran.la
CLEANFILES += loadstone.mod
endif
