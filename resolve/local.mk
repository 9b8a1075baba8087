# SPDX-License-Identifier: BSD-3-Clause
# resolve: from the spool to run.h5
noinst_LTLIBRARIES += libresolve.la
libresolve_la_SOURCES = \
    resolve/prof_account.c \
    resolve/prof_atlas_plan.c \
    resolve/prof_calls.c resolve/prof_calls.h \
    resolve/prof_counters.c \
    resolve/prof_devices.c resolve/prof_devices.h \
    resolve/prof_domains.c resolve/prof_domains.h \
    resolve/prof_dump.c \
    resolve/prof_events.c \
    resolve/prof_fields.c resolve/prof_fields.h \
    resolve/prof_forks.c resolve/prof_forks.h \
    resolve/prof_frames.c resolve/prof_frames.h \
    resolve/prof_functions.c resolve/prof_functions.h \
    resolve/prof_heap.c \
    resolve/prof_kernel.c resolve/prof_kernel.h \
    resolve/prof_latency.c \
    resolve/prof_lines.c resolve/prof_lines.h \
    resolve/prof_maps.c resolve/prof_maps.h \
    resolve/prof_members.c \
    resolve/prof_modules.c resolve/prof_modules.h \
    resolve/prof_phases.c resolve/prof_phases.h \
    resolve/prof_processes.c \
    resolve/prof_python_label.c \
    resolve/prof_replay.c resolve/prof_replay.h \
    resolve/prof_resolve.c resolve/prof_resolve.h \
    resolve/prof_rust_label.c \
    resolve/prof_sampled.c \
    resolve/prof_scripts.c resolve/prof_scripts.h \
    resolve/prof_site_frames.c \
    resolve/prof_site_names.c resolve/prof_site_names.h \
    resolve/prof_sites.c resolve/prof_sites.h \
    resolve/prof_source_file.c resolve/prof_source_file.h \
    resolve/prof_source_clues.c \
    resolve/prof_source_label.c \
    resolve/prof_source_tokens.c resolve/prof_source_tokens.h \
    resolve/prof_source_wrapper.c \
    resolve/prof_space.c resolve/prof_space.h \
    resolve/prof_statics.c \
    resolve/prof_steps.c \
    resolve/prof_survey.c resolve/prof_survey.h \
    resolve/prof_tls.c \
    resolve/prof_types.c resolve/prof_types.h
libresolve_la_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
libresolve_la_LIBADD = librunh5.la libspoolread.la libsmrtree.la libsymbols.la libmachine.la libcommon.la $(HDF5_LIBS)
