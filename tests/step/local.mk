# SPDX-License-Identifier: BSD-3-Clause
# tests/step: the step engine and its hooks
if HAVE_STEP
unit_programs += tests/step/unit
tests_step_unit_SOURCES = \
    runtime/core/rt_poisson_sigsafe.c \
    tests/step/test_step_cpu.c \
    tests/step/test_step_decisions.c \
    tests/step/test_step_decode.c \
    tests/step/test_step_devices.c \
    tests/step/test_step_governor.c \
    tests/step/test_step_length.c \
    tests/step/test_step_stack.c
tests_step_unit_CPPFLAGS = $(unit_cppflags)
tests_step_unit_CFLAGS = $(unit_cflags)
tests_step_unit_LDADD = librtstep.la librtbursts.la librtalloc.la libmachprobe.la libspoolwrite.la -lZydis $(unit_libs)

# Whole programs under the engine.
check_PROGRAMS += tests/step/step_victim tests/step/step_check tests/step/step_no_perf tests/step/step_timed
tests_step_step_no_perf_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_step_step_victim_SOURCES = tests/step/step_victim.c tests/step/step_victim.h tests/step/step_guards.c tests/step/step_known.c \
    tests/step/step_results.c
tests_step_step_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_step_step_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread
tests_step_step_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_step_step_timed_SOURCES = tests/step/step_timed.cc
tests_step_step_timed_CXXFLAGS = $(AM_CXXFLAGS) -O2
tests_step_step_timed_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_step_step_check_LDADD = libspoolread.la
endif
