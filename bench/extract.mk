# SPDX-License-Identifier: BSD-3-Clause
# make bench-extract: what extraction of patterns costs an access; BENCH_ARGS=1e9 for the longest
EXTRA_PROGRAMS += bench/extract
bench_extract_SOURCES = bench/extract.c
bench_extract_LDADD = libpatterns.la
CLEANFILES += bench/extract
.PHONY: bench-extract
bench-extract: bench/extract
	bench/extract$(EXEEXT) $(BENCH_ARGS)
