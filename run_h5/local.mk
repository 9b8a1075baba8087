# SPDX-License-Identifier: BSD-3-Clause
# run_h5: the profile file run.h5: its schema, writer, reader, merge
noinst_LTLIBRARIES += librunh5.la
librunh5_la_SOURCES = \
    run_h5/prof_atlas.h \
    run_h5/prof_atlas_read.c \
    run_h5/prof_atlas_write.c \
    run_h5/prof_cost.c run_h5/prof_cost.h \
    run_h5/prof_cost_walks.c \
    run_h5/prof_file.h \
    run_h5/prof_h5.c run_h5/prof_h5.h \
    run_h5/prof_h5_get.c \
    run_h5/prof_h5_objects.c \
    run_h5/prof_h5_open.c \
    run_h5/prof_h5_rows.c \
    run_h5/prof_memaxes.c run_h5/prof_memaxes.h \
    run_h5/prof_merge.c run_h5/prof_merge.h \
    run_h5/prof_merge_atlas.c \
    run_h5/prof_merge_nodes.c \
    run_h5/prof_merge_parts.h \
    run_h5/prof_merge_run.c \
    run_h5/prof_merge_tables.c \
    run_h5/prof_names.c run_h5/prof_names.h \
    run_h5/prof_reader.c run_h5/prof_reader.h \
    run_h5/prof_reader_check.c \
    run_h5/prof_reuse.c run_h5/prof_reuse.h \
    run_h5/prof_reuse_gaps.c \
    run_h5/prof_reuse_loops.c \
    run_h5/prof_reuse_nodes.c \
    run_h5/prof_reuse_parts.h \
    run_h5/prof_reuse_sweeps.c \
    run_h5/prof_schema.h \
    run_h5/prof_tables.c run_h5/prof_tables.h \
    run_h5/prof_tree.c run_h5/prof_tree.h \
    run_h5/prof_writer.c run_h5/prof_writer.h
librunh5_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS) $(ZLIB_CFLAGS)
librunh5_la_LIBADD = libndm.la libcommon.la $(HDF5_LIBS) $(ZLIB_LIBS) -lm
