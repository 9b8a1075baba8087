# SPDX-License-Identifier: BSD-3-Clause
# resolve: from the spool to run.h5
noinst_LTLIBRARIES += libresolve.la
libresolve_la_SOURCES = \
    resolve/prof_account.c resolve/prof_account.h \
    resolve/prof_allocators.c resolve/prof_allocators.h \
    resolve/prof_atlas_plan.c resolve/prof_atlas_plan.h \
    resolve/prof_callbacks.c resolve/prof_callbacks.h \
    resolve/prof_calls.c resolve/prof_calls.h \
    resolve/prof_domains.c resolve/prof_domains.h \
    resolve/prof_dump.c resolve/prof_dump.h \
    resolve/prof_events.c resolve/prof_events.h \
    resolve/prof_fields.c resolve/prof_fields.h \
    resolve/prof_forks.c resolve/prof_forks.h \
    resolve/prof_frame_homes.c resolve/prof_frame_homes.h \
    resolve/prof_frames.c resolve/prof_frames.h \
    resolve/prof_functions.c resolve/prof_functions.h \
    resolve/prof_heap.c resolve/prof_heap.h \
    resolve/prof_jit.c resolve/prof_jit.h \
    resolve/prof_kernel.c resolve/prof_kernel.h \
    resolve/prof_latency.c resolve/prof_latency.h \
    resolve/prof_lines.c resolve/prof_lines.h \
    resolve/prof_maps.c resolve/prof_maps.h \
    resolve/prof_modules.c resolve/prof_modules.h \
    resolve/prof_nameless.c resolve/prof_nameless.h \
    resolve/prof_pages.c resolve/prof_pages.h \
    resolve/prof_paths.c resolve/prof_paths.h \
    resolve/prof_phases.c resolve/prof_phases.h \
    resolve/prof_place.h \
    resolve/prof_processes.c resolve/prof_processes.h \
    resolve/prof_replay.c resolve/prof_replay.h \
    resolve/prof_replay_state.h \
    resolve/prof_resolve.c resolve/prof_resolve.h \
    resolve/prof_sampled.c resolve/prof_sampled.h \
    resolve/prof_series.c resolve/prof_series.h \
    resolve/prof_session.c resolve/prof_session.h \
    resolve/prof_site_frames.c resolve/prof_site_frames.h \
    resolve/prof_site_names.c resolve/prof_site_names.h \
    resolve/prof_sites.c resolve/prof_sites.h \
    resolve/prof_snapshot.c resolve/prof_snapshot.h \
    resolve/prof_source_label.c resolve/prof_source_label.h \
    resolve/prof_source_text.c resolve/prof_source_text.h \
    resolve/prof_sources.c resolve/prof_sources.h \
    resolve/prof_space.c resolve/prof_space.h \
    resolve/prof_spots.c resolve/prof_spots.h \
    resolve/prof_stacks.c resolve/prof_stacks.h \
    resolve/prof_statics.c resolve/prof_statics.h \
    resolve/prof_steps.c resolve/prof_steps.h \
    resolve/prof_survey.c resolve/prof_survey.h \
    resolve/prof_tls.c resolve/prof_tls.h
libresolve_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libresolve_la_LIBADD = librunh5.la libspoolread.la libsmrtree.la libsymbols.la libmachine.la libcommon.la $(HDF5_LIBS)
