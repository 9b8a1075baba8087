# symbols: names and source lines of addresses, by elfutils
noinst_LTLIBRARIES += libsymbols.la
libsymbols_la_SOURCES = \
    symbols/sym_code.c symbols/sym_code.h \
    symbols/sym_session.c symbols/sym_session.h \
    symbols/sym_units.c symbols/sym_units.h \
    symbols/sym_unwind.c symbols/sym_unwind.h
libsymbols_la_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS)
libsymbols_la_LIBADD = libcommon.la $(DW_LIBS) -lelf
