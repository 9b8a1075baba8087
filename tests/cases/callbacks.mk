# SPDX-License-Identifier: BSD-3-Clause
# Natural-domain functions in whole programs.
if HAVE_STEP
check_PROGRAMS += tests/cases/callbacks_victim
tests_cases_callbacks_victim_SOURCES = tests/cases/callbacks_victim.c
tests_cases_callbacks_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_callbacks_victim_LDADD = libloadstone.la
tests_cases_callbacks_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
check_LTLIBRARIES += tests/cases/callbacks_plugin.la tests/cases/callbacks_threadless.la
tests_cases_callbacks_plugin_la_SOURCES = tests/cases/callbacks_plugin.c
tests_cases_callbacks_plugin_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_cases_callbacks_threadless_la_SOURCES = tests/cases/callbacks_threadless.c
tests_cases_callbacks_threadless_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
TESTS += tests/cases/test_callbacks.sh
endif
EXTRA_DIST += tests/cases/test_callbacks.sh tests/cases/callbacks_compare.py
