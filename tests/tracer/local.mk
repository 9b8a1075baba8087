# SPDX-License-Identifier: BSD-3-Clause
# tests/tracer: the tracer, its ring, its markers, and traces of whole programs
unit_programs += tests/tracer/unit
tests_tracer_unit_SOURCES = \
    tests/tracer/test_trc_lives.c tools/trace/host/trc_lives.c tools/trace/host/trc_lives.h \
    tests/tracer/test_trc_ring.c tools/trace/host/trc_reader.c tools/trace/host/trc_reader.h tools/trace/plugin/trc_slot.c tools/trace/plugin/trc_slot.h
tests_tracer_unit_CPPFLAGS = $(unit_cppflags)
tests_tracer_unit_CFLAGS = $(unit_cflags)
tests_tracer_unit_LDADD = libpatterns.la libcommon.la $(unit_libs)

check_PROGRAMS += tests/tracer/gate_fixed tests/tracer/gate_victim tests/tracer/trace_handlers tests/tracer/trace_lines tests/tracer/trace_victim
tests_tracer_gate_fixed_SOURCES = tests/tracer/gate_fixed.S
tests_tracer_gate_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_gate_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_tracer_gate_victim_LDFLAGS = $(AM_LDFLAGS) -pthread
tests_tracer_trace_handlers_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_handlers_CFLAGS = $(AM_CFLAGS) -O1 -g -fno-builtin-malloc
tests_tracer_trace_handlers_LDADD = libloadstone.la
tests_tracer_trace_handlers_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_tracer_trace_lines_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_lines_LDADD = libpatterns.la libsmrtree.la libcommon.la
tests_tracer_trace_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_tracer_trace_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread -fno-builtin-malloc
tests_tracer_trace_victim_LDADD = libloadstone.la
tests_tracer_trace_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
EXTRA_DIST += tests/tracer/trace_counted.S tests/tracer/layout_loops.c

# Programs of the distribution, in full: a minute.
.PHONY: check-trace-programs
check-trace-programs: all
	$(run_script) $(srcdir)/tests/tracer/check_trace_programs.sh; $(skip_is_success)
check-long: check-trace-programs
