# SPDX-License-Identifier: BSD-3-Clause
# Patterns of loops whose algorithms say what they are.
check_PROGRAMS += tests/cases/truth_programs
tests_cases_truth_programs_SOURCES = tests/cases/truth_programs.c tests/cases/truth_loops.c tests/cases/truth_loops.h
tests_cases_truth_programs_CFLAGS = $(AM_CFLAGS) -g
tests_cases_truth_programs_LDADD = libloadstone.la
tests_cases_truth_programs_LDFLAGS = $(AM_LDFLAGS) -no-install
EXTRA_DIST += tests/cases/truth_expected.py tests/cases/truth_sedov.py tests/cases/test_truth_sedov.sh tests/cases/test_truth_threads.sh
EXTRA_DIST += tests/cases/truth_check.py tests/cases/test_truth_exact.sh tests/cases/truth_near.py tests/cases/test_truth_sampled.sh
if HAVE_YAJL
TESTS += tests/cases/test_truth_exact.sh tests/cases/test_truth_sedov.sh tests/cases/test_truth_threads.sh
if HAVE_STEP
TESTS += tests/cases/test_truth_sampled.sh
endif
endif
if HAVE_STEP
TESTS += tests/cases/test_truth_time.sh
endif
EXTRA_DIST += tests/cases/test_truth_time.sh
