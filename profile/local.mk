# profile: run.h5 (schema, writer, reader) and resolve
noinst_LTLIBRARIES += libprofile.la
libprofile_la_SOURCES = \
    profile/prof_h5.c profile/prof_h5.h \
    profile/prof_reader.c profile/prof_reader.h \
    profile/prof_reader_check.c profile/prof_reader_check.h \
    profile/prof_resolve.h \
    profile/prof_schema.h \
    profile/prof_tables.c profile/prof_tables.h \
    profile/prof_writer.c profile/prof_writer.h
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libprofile_la_LIBADD = libspoolread.la libcommon.la $(HDF5_LIBS)
