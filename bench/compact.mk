# SPDX-License-Identifier: BSD-3-Clause
# make bench-compact: how fast sequences become patterns, and 10,000 instructions of a large library names
EXTRA_PROGRAMS += bench/compact
bench_compact_SOURCES = bench/compact.c
bench_compact_LDADD = libpatcompact.la -lm
CLEANFILES += bench/compact
.PHONY: bench-compact
bench-compact: bench/compact
	test -f bench/symbols.d/big.so || python3 $(srcdir)/bench/symbols_make.py bench/symbols.d 100 "$(CC)"
	bench/compact$(EXEEXT) bench/symbols.d/big.so $(BENCH_ARGS)
