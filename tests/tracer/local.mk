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
tests_tracer_trace_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
check_PROGRAMS += tests/tracer/trace_handlers
tests_tracer_trace_handlers_SOURCES = tests/tracer/trace_handlers.c
tests_tracer_trace_handlers_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_handlers_CFLAGS = $(AM_CFLAGS) -O1 -g -fno-builtin-malloc
tests_tracer_trace_handlers_LDADD = libloadstone.la
tests_tracer_trace_handlers_LDFLAGS = $(AM_LDFLAGS) -no-install
TESTS += tests/tracer/test_trace.sh tests/tracer/test_trace_choice.sh tests/tracer/test_trace_cut.sh tests/tracer/test_trace_online.sh \
    tests/tracer/test_trace_refused.sh tests/tracer/test_trace_names.sh
EXTRA_DIST += tests/tracer/trace.inc tests/tracer/test_trace.sh tests/tracer/test_trace_choice.sh tests/tracer/test_trace_cut.sh \
    tests/tracer/test_trace_programs.sh \
    tests/tracer/test_trace_online.sh tests/tracer/test_trace_refused.sh tests/tracer/test_trace_names.sh tests/tracer/trace_counted.S
# programs of the distribution, in full: a minute
.PHONY: check-trace-programs
check-trace-programs: all
	top_srcdir=$(top_srcdir) top_builddir=$(top_builddir) $(SHELL) $(top_srcdir)/tests/tracer/test_trace_programs.sh; \
	    status=$$?; [ $$status -eq 77 ] || exit $$status
check-long: check-trace-programs
if HAVE_CMOCKA
check_PROGRAMS += tests/tracer/test_trc_lives
TESTS += tests/tracer/test_trc_lives
tests_tracer_test_trc_lives_SOURCES = tests/tracer/test_trc_lives.c tools/trace/trc_lives.c tools/trace/trc_lives.h
tests_tracer_test_trc_lives_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_tracer_test_trc_lives_LDADD = libpatterns.la libcommon.la $(CMOCKA_LIBS)
check_PROGRAMS += tests/tracer/test_trc_ring
TESTS += tests/tracer/test_trc_ring
tests_tracer_test_trc_ring_SOURCES = tests/tracer/test_trc_ring.c \
    tools/trace/trc_reader.c tools/trace/trc_reader.h tools/tracer/trc_lane.c tools/tracer/trc_lane.h
tests_tracer_test_trc_ring_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_test_trc_ring_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) -pthread
tests_tracer_test_trc_ring_LDADD = libcommon.la $(CMOCKA_LIBS)
tests_tracer_test_trc_ring_LDFLAGS = -pthread
endif
