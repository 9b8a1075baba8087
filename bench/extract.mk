# SPDX-License-Identifier: BSD-3-Clause
# make bench-extract: what extraction of patterns costs an access; up to 10^9 accesses where that takes less than 40 s; BENCH_ARGS='1e8 stream' for others
EXTRA_PROGRAMS += bench/extract
bench_extract_SOURCES = bench/extract.c
bench_extract_LDADD = libpatterns.la
CLEANFILES += bench/extract
.PHONY: bench-extract
bench-extract: bench/extract
	bench/extract$(EXEEXT) $(BENCH_ARGS)
