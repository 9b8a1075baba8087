# SPDX-License-Identifier: BSD-3-Clause
# make bench-trace: what a traced access costs
EXTRA_PROGRAMS += bench/trace_loops
bench_trace_loops_SOURCES = bench/trace_loops.c
bench_trace_loops_CFLAGS = $(AM_CFLAGS) -O2 -g
EXTRA_LTLIBRARIES += bench/trace_minimal.la
bench_trace_minimal_la_SOURCES = bench/trace_minimal.c
bench_trace_minimal_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
EXTRA_DIST += bench/trace.py
CLEANFILES += bench/trace_loops bench/trace_minimal.la
.PHONY: bench-trace
bench-trace: all bench/trace_loops bench/trace_minimal.la
	$(srcdir)/bench/trace.py --loadstone tools/loadstone --program bench/trace_loops \
	    --minimal $(abs_top_builddir)/bench/.libs/trace_minimal.so $(BENCH_ARGS)
