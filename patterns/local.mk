# patterns: gather/scatter configurations, their generators and file formats
noinst_LTLIBRARIES += libpatterns.la
libpatterns_la_SOURCES = \
    patterns/pat_config.c patterns/pat_config.h \
    patterns/pat_extent.c patterns/pat_extent.h
libpatterns_la_LIBADD = libcommon.la
