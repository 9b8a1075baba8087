# SPDX-License-Identifier: BSD-3-Clause
# What reports say about whole programs whose truth is known.
if HAVE_STEP
check_PROGRAMS += tests/cases/sharing_victim
tests_cases_sharing_victim_SOURCES = tests/cases/sharing_victim.c
tests_cases_sharing_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_sharing_victim_LDFLAGS = -pthread
TESTS += tests/cases/test_annotate.sh tests/cases/test_sharing.sh
endif
EXTRA_DIST += tests/cases/test_annotate.sh tests/cases/test_sharing.sh
