# smrtree: ranges with life-times, AVL interval tree, frozen look-up index
noinst_LTLIBRARIES += libsmrtree.la
libsmrtree_la_SOURCES = \
    smrtree/smr_avl.c smrtree/smr_avl.h \
    smrtree/smr_index.c smrtree/smr_index.h \
    smrtree/smr_live.c smrtree/smr_live.h
libsmrtree_la_LIBADD = libcommon.la
