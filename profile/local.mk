# SPDX-License-Identifier: BSD-3-Clause
# profile: run.h5 (schema, writer, reader) and resolve (spool to run.h5)
noinst_LTLIBRARIES += libprofile.la libprofread.la libprofcost.la
libprofcost_la_SOURCES = profile/prof_cost.c profile/prof_cost.h
libprofcost_la_LIBADD = -lm
libprofread_la_SOURCES = \
    profile/prof_atlas.h profile/prof_atlas_names.c profile/prof_atlas_read.c \
    profile/prof_file.h \
    profile/prof_h5_get.c profile/prof_h5_get.h \
    profile/prof_h5.c profile/prof_h5.h \
    profile/prof_h5_open.c profile/prof_h5_open.h \
    profile/prof_reader.c profile/prof_reader.h \
    profile/prof_reader_check.c profile/prof_reader_check.h \
    profile/prof_schema.h \
    profile/prof_tables.c profile/prof_tables.h
libprofread_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libprofread_la_LIBADD = libndm.la libcommon.la $(HDF5_LIBS)

libprofile_la_SOURCES = \
    profile/prof_atlas_plan.c profile/prof_atlas_plan.h \
    profile/prof_atlas_write.c \
    profile/prof_domains.c profile/prof_domains.h \
    profile/prof_fields.c profile/prof_fields.h \
    profile/prof_spots.c profile/prof_spots.h \
    profile/prof_steps.c profile/prof_steps.h \
    profile/prof_allocators.c profile/prof_allocators.h \
    profile/prof_site_frames.c profile/prof_site_frames.h \
    profile/prof_site_names.c profile/prof_site_names.h \
    profile/prof_source_label.c profile/prof_source_label.h \
    profile/prof_source_text.c profile/prof_source_text.h \
    profile/prof_callbacks.c profile/prof_callbacks.h \
    profile/prof_calls.c profile/prof_calls.h \
    profile/prof_events.c profile/prof_events.h \
    profile/prof_frame_homes.c profile/prof_frame_homes.h \
    profile/prof_frames.c profile/prof_frames.h \
    profile/prof_heap.c profile/prof_heap.h \
    profile/prof_paths.c profile/prof_paths.h \
    profile/prof_sites.c profile/prof_sites.h \
    profile/prof_functions.c profile/prof_functions.h \
    profile/prof_jit.c profile/prof_jit.h \
    profile/prof_kernel.c profile/prof_kernel.h \
    profile/prof_lines.c profile/prof_lines.h \
    profile/prof_maps.c profile/prof_maps.h \
    profile/prof_merge.c profile/prof_merge.h \
    profile/prof_merge_atlas.c \
    profile/prof_merge_nodes.c \
    profile/prof_merge_parts.h \
    profile/prof_merge_run.c \
    profile/prof_merge_tables.c \
    profile/prof_modules.c profile/prof_modules.h \
    profile/prof_nameless.c profile/prof_nameless.h \
    profile/prof_names.c profile/prof_names.h \
    profile/prof_dump.c profile/prof_dump.h \
    profile/prof_forks.c profile/prof_forks.h \
    profile/prof_latency.c profile/prof_latency.h \
    profile/prof_account.c profile/prof_account.h \
    profile/prof_pages.c profile/prof_pages.h \
    profile/prof_phases.c profile/prof_phases.h \
    profile/prof_place.h \
    profile/prof_processes.c profile/prof_processes.h \
    profile/prof_replay.c profile/prof_replay.h profile/prof_replay_state.h \
    profile/prof_sampled.c profile/prof_sampled.h \
    profile/prof_resolve.c profile/prof_resolve.h \
    profile/prof_series.c profile/prof_series.h \
    profile/prof_session.c profile/prof_session.h \
    profile/prof_snapshot.c profile/prof_snapshot.h \
    profile/prof_sources.c profile/prof_sources.h \
    profile/prof_stacks.c profile/prof_stacks.h \
    profile/prof_space.c profile/prof_space.h \
    profile/prof_statics.c profile/prof_statics.h \
    profile/prof_survey.c profile/prof_survey.h \
    profile/prof_tls.c profile/prof_tls.h \
    profile/prof_tree.c profile/prof_tree.h \
    profile/prof_writer.c profile/prof_writer.h
libprofile_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libprofile_la_LIBADD = libprofread.la libprofcost.la libspoolread.la libsmrtree.la libsymbols.la libmachine.la libcommon.la $(HDF5_LIBS)
