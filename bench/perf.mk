# SPDX-License-Identifier: BSD-3-Clause
# make bench-perf: samples of perf_event at 10,000 a second and thread, all threads and the reader on one core; what comes, what is lost
EXTRA_PROGRAMS += bench/perf_rate
bench_perf_rate_SOURCES = bench/perf_rate.c runtime/perf_events/rt_perf_pace.c
bench_perf_rate_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
bench_perf_rate_CFLAGS = $(AM_CFLAGS) -pthread
bench_perf_rate_LDFLAGS = -pthread
bench_perf_rate_LDADD = libperfring.la libcommon.la
CLEANFILES += bench/perf_rate
.PHONY: bench-perf
bench-perf: bench/perf_rate
	for threads in 1 2 8; do bench/perf_rate$(EXEEXT) 5 $$threads || exit 1; done
