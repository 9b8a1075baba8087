# SPDX-License-Identifier: BSD-3-Clause
# The tracer: its ring, its markers, and traces of whole programs.
check_PROGRAMS += tests/tracer/trace_lines
tests_tracer_trace_lines_SOURCES = tests/tracer/trace_lines.c
tests_tracer_trace_lines_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_lines_LDADD = libpatterns.la libsmrtree.la libcommon.la
check_PROGRAMS += tests/tracer/trace_victim
tests_tracer_trace_victim_SOURCES = tests/tracer/trace_victim.c
tests_tracer_trace_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread -fno-builtin-malloc
tests_tracer_trace_victim_LDADD = libloadstone.la
tests_tracer_trace_victim_LDFLAGS = -no-install -pthread
TESTS += tests/tracer/test_trace.sh
EXTRA_DIST += tests/tracer/test_trace.sh
