# SPDX-License-Identifier: BSD-3-Clause
# Natural-domain functions in whole programs.
if HAVE_STEP
check_PROGRAMS += tests/cases/callbacks_victim
tests_cases_callbacks_victim_SOURCES = tests/cases/callbacks_victim.c
tests_cases_callbacks_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_callbacks_victim_LDADD = libloadstone.la
tests_cases_callbacks_victim_LDFLAGS = -no-install -pthread
TESTS += tests/cases/test_callbacks.sh
endif
EXTRA_DIST += tests/cases/test_callbacks.sh tests/cases/callbacks_compare.py
