# SPDX-License-Identifier: BSD-3-Clause
# runtime: the object preloaded into programs. It needs nothing but the C library.
if HAVE_UNWIND
rt_unwind_flag = -DRT_HAVE_UNWIND=1
else
rt_unwind_flag = -DRT_HAVE_UNWIND=0
endif
include runtime/bursts/local.mk
include runtime/step/local.mk
include runtime/perf_events/local.mk
include runtime/translate/local.mk
include runtime/attach/local.mk

# Sources that do not depend on the process are separate, so that unit tests can link them.
noinst_LTLIBRARIES += librtalloc.la
librtalloc_la_SOURCES = \
    runtime/core/rt_alloc_limit_sigsafe.c runtime/core/rt_alloc_limit_sigsafe.h \
    runtime/core/rt_blocks_sigsafe.c runtime/core/rt_blocks_sigsafe.h \
    runtime/core/rt_cfi_sigsafe.c runtime/core/rt_cfi_sigsafe.h \
    runtime/core/rt_paths_sigsafe.c runtime/core/rt_paths_sigsafe.h \
    runtime/core/rt_poisson_sigsafe.c runtime/core/rt_poisson_sigsafe.h \
    runtime/core/rt_python_code.c runtime/core/rt_python_code.h \
    runtime/core/rt_tags_sigsafe.c runtime/core/rt_tags_sigsafe.h \
    runtime/core/rt_unwind_sigsafe.h
librtalloc_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librtalloc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
if HAVE_UNWIND
librtalloc_la_SOURCES += runtime/core/rt_unwind_x86_64_sigsafe.c
endif
EXTRA_DIST += runtime/core/rt_unwind_x86_64_sigsafe.c

pkglib_LTLIBRARIES += libloadstone-preload.la
libloadstone_preload_la_SOURCES = \
    runtime/core/rt_alloc_note.c runtime/core/rt_alloc_note.h \
    runtime/core/rt_attach.h \
    runtime/core/rt_bell_sigsafe.c runtime/core/rt_bell_sigsafe.h \
    runtime/core/rt_budget_sigsafe.c \
    runtime/core/rt_calls.c runtime/core/rt_calls.h \
    runtime/core/rt_child_env.c runtime/core/rt_child_env.h \
    runtime/core/rt_collector.c runtime/core/rt_collector.h \
    runtime/core/rt_control_sigsafe.c runtime/core/rt_control_sigsafe.h \
    runtime/core/rt_device_list.h runtime/core/rt_devices.h \
    runtime/core/rt_domains.c \
    runtime/core/rt_ended_sigsafe.c runtime/core/rt_ended_sigsafe.h \
    runtime/core/rt_fds_sigsafe.c runtime/core/rt_fds_sigsafe.h \
    runtime/core/rt_fork.c runtime/core/rt_fork.h \
    runtime/core/rt_hook_list.h \
    runtime/core/rt_image_sigsafe.c runtime/core/rt_image_sigsafe.h \
    runtime/core/rt_init.c runtime/core/rt_init.h \
    runtime/core/rt_maps_sigsafe.c runtime/core/rt_maps_sigsafe.h \
    runtime/core/rt_marker_sigsafe.h \
    runtime/core/rt_memory_sigsafe.c \
    runtime/core/rt_modules.c runtime/core/rt_modules.h \
    runtime/core/rt_process.c runtime/core/rt_process.h \
    runtime/core/rt_python.c runtime/core/rt_python.h \
    runtime/core/rt_real.c runtime/core/rt_real.h \
    runtime/core/rt_registry.c runtime/core/rt_registry.h \
    runtime/core/rt_resources_sigsafe.c runtime/core/rt_resources_sigsafe.h \
    runtime/core/rt_sampler.c runtime/core/rt_sampler.h \
    runtime/core/rt_setting.c runtime/core/rt_setting.h \
    runtime/core/rt_spool_sigsafe.h \
    runtime/core/rt_state.c runtime/core/rt_state.h \
    runtime/core/rt_stream_sigsafe.c \
    runtime/core/rt_tap_sigsafe.c runtime/core/rt_tap_sigsafe.h \
    runtime/core/rt_text_sigsafe.h \
    runtime/core/rt_thread.h \
    runtime/core/rt_thread_life.c runtime/core/rt_thread_life.h \
    runtime/core/rt_timed.c runtime/core/rt_timed.h \
    runtime/core/rt_tls_blocks_sigsafe.c runtime/core/rt_tls_blocks_sigsafe.h \
    runtime/hooks/rt_hooks_alloc.c \
    runtime/hooks/rt_hooks_device.c \
    runtime/hooks/rt_hooks_dl.c \
    runtime/hooks/rt_hooks_exec.c \
    runtime/hooks/rt_hooks_fd.c \
    runtime/hooks/rt_hooks_fork.c \
    runtime/hooks/rt_hooks_io.c \
    runtime/hooks/rt_hooks_map.c runtime/hooks/rt_hooks_number.h \
    runtime/hooks/rt_hooks_mpi.c \
    runtime/hooks/rt_hooks_process.c \
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
libloadstone_preload_la_CPPFLAGS += -DRT_HAVE_STEP=1
libloadstone_preload_la_LIBADD += librtstep.la $(rt_attach_lib) librttr.la librtbursts.la librthooks.la
else
libloadstone_preload_la_CPPFLAGS += -DRT_HAVE_STEP=0
endif
libloadstone_preload_la_CPPFLAGS += $(rt_unwind_flag) $(rt_attach_flag)
EXTRA_libloadstone_preload_la_DEPENDENCIES = runtime/preload.map
EXTRA_DIST += runtime/preload.map
