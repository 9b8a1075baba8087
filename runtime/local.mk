# SPDX-License-Identifier: BSD-3-Clause
# runtime: the object preloaded into programs. It needs nothing but the C library.
include runtime/bursts/local.mk
include runtime/step/local.mk
include runtime/perf_events/local.mk

# Apart, so that unit tests can have it: what knows nothing of the process.
noinst_LTLIBRARIES += librtalloc.la
librtalloc_la_SOURCES = \
    runtime/core/rt_alloc_limit_sigsafe.c runtime/core/rt_alloc_limit_sigsafe.h \
    runtime/core/rt_blocks_sigsafe.c runtime/core/rt_blocks_sigsafe.h \
    runtime/core/rt_cfi_sigsafe.c runtime/core/rt_cfi_sigsafe.h \
    runtime/core/rt_paths_sigsafe.c runtime/core/rt_paths_sigsafe.h \
    runtime/core/rt_poisson_sigsafe.c runtime/core/rt_poisson_sigsafe.h \
    runtime/core/rt_unwind_sigsafe.h
librtalloc_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librtalloc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
if HAVE_UNWIND
librtalloc_la_SOURCES += runtime/core/rt_unwind_x86_64_sigsafe.c
else
librtalloc_la_SOURCES += runtime/core/rt_unwind_none_sigsafe.c
endif
EXTRA_DIST += runtime/core/rt_unwind_x86_64_sigsafe.c runtime/core/rt_unwind_none_sigsafe.c

pkglib_LTLIBRARIES += libloadstone-preload.la
libloadstone_preload_la_SOURCES = \
    ndm/ndm_untold_keep.c \
    runtime/core/rt_alloc_note.c runtime/core/rt_alloc_note.h \
    runtime/core/rt_arena.c runtime/core/rt_arena.h \
    runtime/core/rt_bell_sigsafe.c runtime/core/rt_bell_sigsafe.h \
    runtime/core/rt_budget_sigsafe.c \
    runtime/core/rt_call_marker.c runtime/core/rt_call_marker.h \
    runtime/core/rt_calls.c runtime/core/rt_calls.h \
    runtime/core/rt_child_env.c runtime/core/rt_child_env.h \
    runtime/core/rt_collector.c runtime/core/rt_collector.h \
    runtime/core/rt_config.c runtime/core/rt_config.h \
    runtime/core/rt_control_sigsafe.c runtime/core/rt_control_sigsafe.h \
    runtime/core/rt_ended_sigsafe.c runtime/core/rt_ended_sigsafe.h \
    runtime/core/rt_debug_sigsafe.c runtime/core/rt_debug_sigsafe.h \
    runtime/core/rt_domains.c runtime/core/rt_domains.h \
    runtime/core/rt_exit_status.c runtime/core/rt_exit_status.h \
    runtime/core/rt_fds_sigsafe.c runtime/core/rt_fds_sigsafe.h \
    runtime/core/rt_fork.c runtime/core/rt_fork.h \
    runtime/core/rt_futex_sigsafe.h \
    runtime/core/rt_grown.h \
    runtime/core/rt_image_sigsafe.c runtime/core/rt_image_sigsafe.h \
    runtime/core/rt_init.c \
    runtime/core/rt_lonely.c runtime/core/rt_lonely.h \
    runtime/core/rt_maps_sigsafe.c runtime/core/rt_maps_sigsafe.h \
    runtime/core/rt_marker_sigsafe.h \
    runtime/core/rt_modules.c runtime/core/rt_modules.h \
    runtime/core/rt_order.h \
    runtime/core/rt_parent.c runtime/core/rt_parent.h \
    runtime/core/rt_process.c runtime/core/rt_process.h \
    runtime/core/rt_real.c runtime/core/rt_real.h \
    runtime/core/rt_registry.c runtime/core/rt_registry.h \
    runtime/core/rt_resources_sigsafe.c runtime/core/rt_resources_sigsafe.h \
    runtime/core/rt_sampler.h runtime/core/rt_sampler_null.c runtime/core/rt_sampler_table.c \
    runtime/core/rt_spool_dir.c runtime/core/rt_spool_dir.h \
    runtime/core/rt_spool_sigsafe.c runtime/core/rt_spool_sigsafe.h \
    runtime/core/rt_state.c runtime/core/rt_state.h \
    runtime/core/rt_tap_sigsafe.c runtime/core/rt_tap_sigsafe.h \
    runtime/core/rt_text_sigsafe.h \
    runtime/core/rt_thread.c runtime/core/rt_thread.h \
    runtime/core/rt_timed.c runtime/core/rt_timed.h \
    runtime/core/rt_tls_blocks_sigsafe.c runtime/core/rt_tls_blocks_sigsafe.h \
    runtime/core/rt_vdso_sigsafe.c runtime/core/rt_vdso_sigsafe.h \
    runtime/core/rt_hook_list.h \
    runtime/hooks/rt_hooks_alloc.c \
    runtime/hooks/rt_hooks_dl.c \
    runtime/hooks/rt_hooks_exec.c \
    runtime/hooks/rt_hooks_fd.c \
    runtime/hooks/rt_hooks_fork.c \
    runtime/hooks/rt_hooks_io.c \
    runtime/hooks/rt_hooks_map.c \
    runtime/hooks/rt_hooks_process.c \
    runtime/hooks/rt_hooks_sanitizer.c \
    runtime/hooks/rt_hooks_spawn.c \
    runtime/hooks/rt_hooks_thread.c \
    runtime/hooks/rt_hooks_wait.c
libloadstone_preload_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
# without the builtins of the functions it interposes, the compiler would turn our own calloc into a call to itself
libloadstone_preload_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -fno-builtin-malloc -fno-builtin-calloc \
    -fno-builtin-realloc -fno-builtin-free
libloadstone_preload_la_LDFLAGS = -module -avoid-version -shared -no-undefined \
    -Wl,--version-script=$(top_srcdir)/runtime/preload.map -Wl,-z,now -Wl,-z,nodelete
libloadstone_preload_la_LIBADD = librtperf.la librtalloc.la libndmlive.la libndm.la libsmrtree.la libspoolwrite.la
if HAVE_STEP
libloadstone_preload_la_LIBADD += librtstep.la librtbursts.la librthooks.la
else
libloadstone_preload_la_SOURCES += runtime/core/rt_step_none.c
endif
EXTRA_libloadstone_preload_la_DEPENDENCIES = runtime/preload.map
EXTRA_DIST += runtime/preload.map runtime/core/rt_step_none.c
