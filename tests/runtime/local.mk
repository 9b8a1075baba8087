# SPDX-License-Identifier: BSD-3-Clause
# tests/runtime: the preloaded runtime on whole programs
check_PROGRAMS += tests/runtime/domain_victim tests/runtime/rt_victim tests/runtime/spool_lines
tests_runtime_domain_victim_CPPFLAGS = -I$(top_srcdir)/include
tests_runtime_domain_victim_LDADD = libloadstone.la
tests_runtime_rt_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_runtime_rt_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread -Wno-deprecated-declarations -Wno-unknown-warning-option -Wno-use-after-free
tests_runtime_rt_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_runtime_spool_lines_LDADD = libspoolread.la
tests/runtime/test_preload_starts.log: bench/overhead_starts$(EXEEXT) bench/overhead_nothing$(EXEEXT)

unit_programs += tests/runtime/unit
tests_runtime_unit_SOURCES = \
    runtime/core/rt_memory_sigsafe.c \
    tests/runtime/test_rt_alloc.c \
    tests/runtime/test_rt_alloc_limit.c \
    tests/runtime/test_rt_memory.c \
    tests/runtime/test_rt_python_code.c \
    tests/runtime/test_rt_tags.c
tests_runtime_unit_CPPFLAGS = $(unit_cppflags)
tests_runtime_unit_CFLAGS = $(unit_cflags) -O2
tests_runtime_unit_LDADD = librtalloc.la $(unit_libs)
if HAVE_UNWIND
# not where sanitizers add frames to the counted ones
if !SANITIZERS
tests_runtime_unit_SOURCES += tests/runtime/test_rt_unwind.c
endif
endif
