# SPDX-License-Identifier: BSD-3-Clause
# Natural domains in whole programs, from the map to the picture.
if HAVE_STEP
check_PROGRAMS += tests/cases/fields_victim
tests_cases_fields_victim_SOURCES = tests/cases/fields_victim.c
tests_cases_fields_victim_CFLAGS = $(AM_CFLAGS) -O1 -g
tests_cases_fields_victim_LDADD = libloadstone.la
tests_cases_fields_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += tests/cases/test_fields.sh
endif
EXTRA_DIST += tests/cases/test_fields.sh tests/cases/fields_check.py
