# SPDX-License-Identifier: BSD-3-Clause
# The tracer: its ring, its markers, and traces of whole programs.
check_PROGRAMS += tests/tracer/trace_lines
tests_tracer_trace_lines_SOURCES = tests/tracer/trace_lines.c
tests_tracer_trace_lines_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_lines_LDADD = libpatterns.la libsmrtree.la libcommon.la
