# SPDX-License-Identifier: BSD-3-Clause
# bench

EXTRA_PROGRAMS += bench/resolve
bench_resolve_SOURCES = bench/resolve.c
bench_resolve_LDADD = libprofile.la libspoolwrite.la -lm

# make bench-smrtree: prints the table of doc/smrtree.md
EXTRA_PROGRAMS += bench/smrtree_lookup
bench_smrtree_lookup_SOURCES = bench/smrtree_lookup.c
bench_smrtree_lookup_LDADD = libsmrtree.la
.PHONY: bench-smrtree
bench-smrtree: bench/smrtree_lookup
	bench/smrtree_lookup$(EXEEXT)

# make bench-overhead: what recording costs. The page lands in doc/ of the source tree.
bench_overhead_all = bench/overhead_stream bench/overhead_matmul bench/overhead_nothing bench/overhead_starts
EXTRA_PROGRAMS += $(bench_overhead_all) bench/machine
bench_overhead_stream_SOURCES = bench/overhead_stream.c
bench_overhead_matmul_SOURCES = bench/overhead_matmul.c
bench_overhead_matmul_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
bench_overhead_nothing_SOURCES = bench/overhead_nothing.c
bench_overhead_starts_SOURCES = bench/overhead_starts.c
bench_overhead_starts_CFLAGS = $(AM_CFLAGS) -pthread
bench_machine_SOURCES = bench/machine.c
bench_machine_LDADD = libmachine.la
EXTRA_DIST += bench/overhead.py
CLEANFILES += $(bench_overhead_all) bench/machine

# A Python that has h5py: where several are installed, the system's often has it.
bench_python3 = $$(for p in python3 /usr/bin/python3; do $$p -c 'import h5py' 2>/dev/null && { echo $$p; break; }; done)

bench-overhead: all $(bench_overhead_all) bench/machine
	python3 $(srcdir)/bench/overhead.py --preload .libs/libloadstone-preload.so --loadstone tools/loadstone --programs bench \
	    --machine "$$(bench/machine)" --write $(srcdir)/doc/overhead.md $(BENCH_ARGS)

.PHONY: bench-overhead

# make bench-patterns: how fast, and in how much memory, a pattern file of 260 MB is read
EXTRA_PROGRAMS += bench/patterns
bench_patterns_SOURCES = bench/patterns.c
bench_patterns_LDADD = libpatterns.la libcommon.la
CLEANFILES += bench/patterns
.PHONY: bench-patterns
bench-patterns: bench/patterns
	bench/patterns$(EXEEXT) $(BENCH_ARGS)
include bench/perf.mk
include bench/replay.mk
include bench/compact.mk
include bench/extract.mk
include bench/fidelity.mk
include bench/trace.mk
include bench/traces.mk
include bench/truth.mk


# make bench-alloc: what a malloc costs under the runtime, and against heaptrack where it is installed; writes doc/alloc.md.
EXTRA_PROGRAMS += bench/alloc_pairs
bench_alloc_pairs_SOURCES = bench/alloc_pairs.c
bench_alloc_pairs_CFLAGS = $(AM_CFLAGS) -O2 -fno-builtin-malloc -fno-builtin-free -pthread
bench_alloc_pairs_LDFLAGS = -no-install -pthread
EXTRA_DIST += bench/alloc.py bench/alloc_jump.c
CLEANFILES += bench/alloc_pairs bench/alloc_jump.so
bench/alloc_jump.so: bench/alloc_jump.c
	$(AM_V_CC)$(CC) -D_GNU_SOURCE -O2 -fno-builtin-malloc -fno-builtin-free -shared -fPIC -o $@ $(srcdir)/bench/alloc_jump.c
bench-alloc: all bench/alloc_pairs bench/alloc_jump.so bench/machine
	python3 $(srcdir)/bench/alloc.py --preload .libs/libloadstone-preload.so --programs bench --machine "$$(bench/machine)" \
	    --write $(srcdir)/doc/alloc.md $(BENCH_ARGS)
.PHONY: bench-alloc

# make bench-symbols: 100,000 distinct addresses of a library with 100 MB of debugging information, which it makes first
EXTRA_PROGRAMS += bench/symbols
bench_symbols_SOURCES = bench/symbols.c
bench_symbols_LDADD = libsymbols.la
CLEANFILES += bench/symbols bench/symbols.d/big.so
EXTRA_DIST += bench/symbols_make.py
bench-symbols: bench/symbols
	test -f bench/symbols.d/big.so || python3 $(srcdir)/bench/symbols_make.py bench/symbols.d 100 "$(CC)"
	bench/symbols$(EXEEXT) bench/symbols.d/big.so
.PHONY: bench-symbols
