# SPDX-License-Identifier: BSD-3-Clause
# spool: the format, the signal-safe writer (in the program), the reader (outside it)
noinst_LTLIBRARIES += libspoolwrite.la
libspoolwrite_la_SOURCES = \
    spool/spool_format.h \
    spool/spool_pack.h \
    spool/spool_packer_sigsafe.c spool/spool_packer_sigsafe.h \
    spool/spool_path.h \
    spool/spool_put_domains_sigsafe.h \
    spool/spool_put_sigsafe.c spool/spool_put_sigsafe.h \
    spool/spool_writer_sigsafe.c spool/spool_writer_sigsafe.h

noinst_LTLIBRARIES += libspoolread.la
libspoolread_la_SOURCES = \
    spool/spool_dir.c spool/spool_dir.h \
    spool/spool_late.c spool/spool_late.h \
    spool/spool_merge.c spool/spool_merge.h \
    spool/spool_reader.c spool/spool_reader.h \
    spool/spool_record.c spool/spool_record.h \
    spool/spool_series.c spool/spool_series.h \
    spool/spool_source.c spool/spool_source.h \
    spool/spool_stream.c spool/spool_stream.h \
    spool/spool_unpack.c spool/spool_unpack.h
libspoolread_la_LIBADD = libcommon.la
