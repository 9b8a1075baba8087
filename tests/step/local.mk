# SPDX-License-Identifier: BSD-3-Clause
# tests/step: the step engine and its hooks
if HAVE_STEP
if HAVE_CMOCKA
step_unit_tests = tests/step/test_step_decisions tests/step/test_step_decode tests/step/test_step_devices \
    tests/step/test_step_governor tests/step/test_step_stack
check_PROGRAMS += $(step_unit_tests)
TESTS += $(step_unit_tests)
step_unit_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
step_unit_cppflags = $(AM_CPPFLAGS) -D_GNU_SOURCE
step_unit_ldadd = librtstep.la librtbursts.la libmachprobe.la $(CMOCKA_LIBS)
tests_step_test_step_decisions_CPPFLAGS = $(step_unit_cppflags)
tests_step_test_step_decisions_CFLAGS = $(step_unit_cflags)
tests_step_test_step_decisions_LDADD = $(step_unit_ldadd) -lZydis
tests_step_test_step_decode_CPPFLAGS = $(step_unit_cppflags)
tests_step_test_step_decode_CFLAGS = $(step_unit_cflags)
tests_step_test_step_decode_LDADD = $(step_unit_ldadd) -lZydis
tests_step_test_step_devices_CPPFLAGS = $(step_unit_cppflags)
tests_step_test_step_devices_CFLAGS = $(step_unit_cflags)
tests_step_test_step_devices_LDADD = $(step_unit_ldadd)
tests_step_test_step_governor_SOURCES = tests/step/test_step_governor.c runtime/core/rt_poisson_sigsafe.c
tests_step_test_step_governor_CPPFLAGS = $(step_unit_cppflags)
tests_step_test_step_governor_CFLAGS = $(step_unit_cflags)
tests_step_test_step_governor_LDADD = $(step_unit_ldadd) -lm
tests_step_test_step_stack_CPPFLAGS = $(step_unit_cppflags)
tests_step_test_step_stack_CFLAGS = $(step_unit_cflags)
tests_step_test_step_stack_LDADD = $(step_unit_ldadd) libspoolwrite.la
endif

# Whole programs under the engine.
check_PROGRAMS += tests/step/step_victim tests/step/step_check tests/step/step_no_perf tests/step/step_timed
tests_step_step_no_perf_SOURCES = tests/step/step_no_perf.c
tests_step_step_no_perf_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_step_step_victim_SOURCES = tests/step/step_victim.c tests/step/step_victim.h tests/step/step_guards.c tests/step/step_known.c \
    tests/step/step_results.c
tests_step_step_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_step_step_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread
tests_step_step_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_step_step_timed_SOURCES = tests/step/step_timed.cc
tests_step_step_timed_CXXFLAGS = $(AM_CXXFLAGS) -O2
tests_step_step_timed_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_step_step_check_SOURCES = tests/step/step_check.c
tests_step_step_check_LDADD = libspoolread.la
dist_check_SCRIPTS += tests/step/step_timed.sh tests/step/step_traps_perf.sh tests/step/step_traps_timer.sh tests/step/step_unprivileged.sh
TESTS += tests/step/step_timed.sh tests/step/step_traps_perf.sh tests/step/step_traps_timer.sh tests/step/step_unprivileged.sh
EXTRA_DIST += tests/step/ahead.inc tests/step/step_traps.inc
endif
