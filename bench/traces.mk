# SPDX-License-Identifier: BSD-3-Clause
# make bench-traces: bytes an access and speed of traces of several programs; the table of doc/traces.md
EXTRA_PROGRAMS += bench/traces
bench_traces_SOURCES = bench/traces.c
bench_traces_LDADD = libpatterns.la libcommon.la
CLEANFILES += bench/traces
EXTRA_DIST += bench/traces.sh
bench-traces: all bench/traces
	bash $(srcdir)/bench/traces.sh tools/loadstone$(EXEEXT) bench/traces$(EXEEXT) examples
.PHONY: bench-traces
