# SPDX-License-Identifier: BSD-3-Clause
# tests/runtime: the preloaded runtime on whole programs
check_PROGRAMS += tests/runtime/rt_victim tests/runtime/spool_lines
tests_runtime_rt_victim_SOURCES = tests/runtime/rt_victim.c
tests_runtime_rt_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_runtime_rt_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread -Wno-deprecated-declarations -Wno-unknown-warning-option -Wno-use-after-free
tests_runtime_rt_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_runtime_spool_lines_SOURCES = tests/runtime/spool_lines.c
tests_runtime_spool_lines_LDADD = libspoolread.la
runtime_tests = tests/runtime/test_hook_list.sh tests/runtime/test_preload.sh tests/runtime/test_preload_guests.sh tests/runtime/test_preload_programs.sh \
    tests/runtime/test_preload_sampled.sh tests/runtime/test_preload_spool.sh
dist_check_SCRIPTS += $(runtime_tests)
TESTS += $(runtime_tests)
EXTRA_DIST += tests/runtime/preload.inc
if HAVE_CMOCKA
runtime_unit_tests = tests/runtime/test_rt_alloc tests/runtime/test_rt_alloc_limit
if HAVE_UNWIND
runtime_unit_tests += tests/runtime/test_rt_unwind
endif
check_PROGRAMS += $(runtime_unit_tests)
TESTS += $(runtime_unit_tests)
tests_runtime_test_rt_alloc_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_runtime_test_rt_alloc_CFLAGS = $(AM_CFLAGS) -pthread
tests_runtime_test_rt_alloc_LDADD = librtalloc.la $(CMOCKA_LIBS) -lm
tests_runtime_test_rt_alloc_limit_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_runtime_test_rt_alloc_limit_LDADD = librtalloc.la $(CMOCKA_LIBS) -lm
tests_runtime_test_rt_unwind_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_runtime_test_rt_unwind_CFLAGS = $(AM_CFLAGS) -O2 -pthread
tests_runtime_test_rt_unwind_LDADD = librtalloc.la $(CMOCKA_LIBS)
endif
