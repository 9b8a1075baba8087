# spool: the format, the signal-safe writer (in the program), the reader (outside it)
noinst_LTLIBRARIES += libspoolwrite.la
libspoolwrite_la_SOURCES = \
    spool/spool_format.h \
    spool/spool_put_sigsafe.c spool/spool_put_sigsafe.h \
    spool/spool_writer_sigsafe.c spool/spool_writer_sigsafe.h
