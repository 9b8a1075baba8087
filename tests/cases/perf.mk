# SPDX-License-Identifier: BSD-3-Clause
# Whole programs sampled through perf_event.
check_PROGRAMS += tests/cases/faults_victim
tests_cases_faults_victim_SOURCES = tests/cases/faults_victim.c tests/perf/own_descriptors.h
tests_cases_faults_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_cases_faults_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_faults_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_cases_faults_victim_LDADD = libloadstone.la
TESTS += tests/cases/test_faults.sh tests/cases/test_hw_engine.sh
EXTRA_DIST += tests/cases/test_faults.sh tests/cases/test_hw_engine.sh
check_PROGRAMS += tests/cases/watch_victim
tests_cases_watch_victim_SOURCES = tests/cases/watch_victim.c
tests_cases_watch_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_cases_watch_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_watch_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_cases_watch_victim_LDADD = libloadstone.la
TESTS += tests/cases/test_watch.sh
EXTRA_DIST += tests/cases/test_watch.sh
check_PROGRAMS += tests/cases/locked_victim
tests_cases_locked_victim_SOURCES = tests/cases/locked_victim.c
tests_cases_locked_victim_CFLAGS = $(AM_CFLAGS) -O1 -g
tests_cases_locked_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += tests/cases/test_locked.sh
EXTRA_DIST += tests/cases/test_locked.sh
