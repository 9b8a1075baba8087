# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks, built on request. Some of them write a page in doc/ of the source tree.
bench_programs = \
    bench/alloc_pairs \
    bench/compact \
    bench/extract \
    bench/fidelity \
    bench/overhead_matmul bench/overhead_nothing bench/overhead_starts bench/overhead_stream \
    bench/patterns \
    bench/peers_plain \
    bench/perf_rate \
    bench/replay \
    bench/resolve \
    bench/smrtree_lookup \
    bench/symbols \
    bench/trace_loops \
    bench/traces
bench_libraries = libbenchplain.la libbenchpublished.la bench/trace_minimal.la
EXTRA_PROGRAMS += $(bench_programs)
EXTRA_LTLIBRARIES = $(bench_libraries)
CLEANFILES += $(bench_programs) $(bench_libraries) bench/alloc_jump.so bench/symbols.d/big.so
EXTRA_DIST += $(patsubst $(srcdir)/%,%,$(wildcard $(addprefix $(srcdir)/bench/,*.py *.sh truth/*.py))) bench/alloc_jump.c
check_PROGRAMS += bench/machine
bench_machine_LDADD = libmachine.la

# A Python that has h5py: where several are installed, the system's often has it.
bench_python3 = $$(for p in python3 /usr/bin/python3; do $$p -c 'import h5py' 2>/dev/null && { echo $$p; break; }; done)

# cost of malloc under the runtime, and under heaptrack where it is installed; writes doc/alloc.md
bench_alloc_pairs_CFLAGS = $(AM_CFLAGS) -O2 -fno-builtin-malloc -fno-builtin-free -pthread
bench_alloc_pairs_LDFLAGS = -no-install -pthread
bench/alloc_jump.so: bench/alloc_jump.c
	$(AM_V_CC)$(CC) -D_GNU_SOURCE -O2 -fno-builtin-malloc -fno-builtin-free -shared -fPIC -o $@ $(srcdir)/bench/alloc_jump.c
.PHONY: bench-alloc
bench-alloc: all bench/alloc_pairs bench/alloc_jump.so bench/machine
	python3 $(srcdir)/bench/alloc.py --preload .libs/libloadstone-preload.so --programs bench --machine "$$(bench/machine)" \
	    --write $(srcdir)/doc/alloc.md $(BENCH_ARGS)

# programs under loadstone run that nobody records
.PHONY: bench-idle
bench-idle: all bench/alloc_pairs bench/overhead_stream bench/machine
	python3 $(srcdir)/bench/idle.py --loadstone tools/loadstone --programs bench --machine "$$(bench/machine)" \
	    --write $(srcdir)/doc/idle.md $(BENCH_ARGS)

# how fast sequences become patterns, and 10,000 instructions of a large library names
bench_compact_LDADD = libpatcompact.la -lm
.PHONY: bench-compact
bench-compact: bench/compact
	test -f bench/symbols.d/big.so || python3 $(srcdir)/bench/symbols_make.py bench/symbols.d 100 "$(CC)"
	bench/compact$(EXEEXT) bench/symbols.d/big.so $(BENCH_ARGS)

# cost of extracting patterns per access; up to 10^9 accesses where that takes less than 40 s; BENCH_ARGS='1e8
# stream' selects others
bench_extract_LDADD = libpatterns.la
.PHONY: bench-extract
bench-extract: bench/extract
	bench/extract$(EXEEXT) $(BENCH_ARGS)

# merge, report and view made-up ranks; writes a table of doc/scale.md; BENCH_ARGS='--ranks 100000' measures more of them
.PHONY: bench-ranks
bench-ranks: all tests/tools/make_ranks bench/machine
	python3 $(srcdir)/bench/ranks.py --loadstone tools/loadstone --make-ranks tests/tools/make_ranks \
	    --machine "$$(bench/machine)" --write $(srcdir)/doc/scale.md $(BENCH_ARGS)

# two ranks beside two threads; SPATTER=FILE, RAIDER_MPI=FILE and RAIDER_SHMEM=FILE name peers; writes two tables of doc/scale.md. RaiderSTREAM
# must run each kernel RS_REPEAT times and print the best time but the first
.PHONY: bench-rank-rates
bench-rank-rates: all bench/machine
	python3 $(srcdir)/bench/rank_rates.py --loadstone tools/loadstone --machine "$$(bench/machine)" --write $(srcdir)/doc/scale.md \
	    $(if $(SPATTER),--spatter $(SPATTER)) $(if $(RAIDER_MPI),--raider-mpi $(RAIDER_MPI)) \
	    $(if $(RAIDER_SHMEM),--raider-shmem $(RAIDER_SHMEM)) $(BENCH_ARGS) \
	    $(foreach f,amg nekbone lulesh,$(srcdir)/tests/data/spatter-suite/$(f).json)

# loops against replays of the patterns that were extracted from them; writes doc/fidelity.md
bench_fidelity_SOURCES = bench/fidelity.c tests/cases/truth_loops.c tests/cases/truth_loops.h
bench_fidelity_LDADD = libcommon.la libloadstone.la -lm
bench_fidelity_LDFLAGS = -no-install
.PHONY: bench-fidelity
bench-fidelity: all bench/fidelity bench/machine tests/cases/truth_programs
	python3 $(srcdir)/bench/fidelity.py --loadstone tools/loadstone --fidelity bench/fidelity --programs tests/cases/truth_programs \
	    --machine "$$(bench/machine)" --write $(srcdir)/doc/fidelity.md $(BENCH_ARGS)

# cost of recording; writes doc/overhead.md
bench_overhead_matmul_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
bench_overhead_starts_CFLAGS = $(AM_CFLAGS) -pthread
.PHONY: bench-overhead
bench-overhead: all bench/overhead_matmul bench/overhead_nothing bench/overhead_starts bench/overhead_stream bench/machine
	python3 $(srcdir)/bench/overhead.py --preload .libs/libloadstone-preload.so --loadstone tools/loadstone --programs bench \
	    --machine "$$(bench/machine)" --write $(srcdir)/doc/overhead.md $(BENCH_ARGS)

# the traffic that bursts estimate, beside the model's; PROGRAMS=FILE names programs and their commands instead of the kernels
.PHONY: bench-traffic
bench-traffic: all
	python3 $(srcdir)/bench/traffic.py --loadstone tools/loadstone $(BENCH_ARGS) $(PROGRAMS)

# the pace that bursts measure, beside that of whole programs, which callgrind counts; PROGRAMS=FILE names them and their commands
.PHONY: bench-pace
bench-pace: all
	$(bench_python3) $(srcdir)/bench/pace.py --loadstone tools/loadstone $(BENCH_ARGS) $(PROGRAMS)

# the cost of record --series; BENCH_ARGS='--series net,power' selects others
.PHONY: bench-series
bench-series: all bench/overhead_matmul
	$(bench_python3) $(srcdir)/bench/series.py --loadstone tools/loadstone --programs bench $(BENCH_ARGS)

# how fast, and in how much memory, a pattern file of 260 MB is read
bench_patterns_LDADD = libpatterns.la libcommon.la
.PHONY: bench-patterns
bench-patterns: bench/patterns
	bench/patterns$(EXEEXT) $(BENCH_ARGS)

# replay beside Spatter's published method, and beside Spatter itself: SPATTER=FILE; writes doc/replay-peers.md. Takes hours; a quick
# look: BENCH_ARGS='--pairs 5 --max-count 20000'
libbenchpublished_la_SOURCES = bench/replay_plain.c bench/replay_plain.h
libbenchpublished_la_CFLAGS = -std=gnu11 $(LS_WARN_CFLAGS) -O3 $(OPENMP_CFLAGS)
bench_peers_plain_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
bench_peers_plain_LDADD = libbenchpublished.la libpatterns.la libcommon.la $(OPENMP_CFLAGS) -lm
.PHONY: bench-peers
bench-peers: all bench/peers_plain bench/machine
	python3 $(srcdir)/bench/peers.py --loadstone tools/loadstone --plain bench/peers_plain $(if $(SPATTER),--spatter $(SPATTER)) \
	    --machine "$$(bench/machine)" --write $(srcdir)/doc/replay-peers.md $(BENCH_ARGS) \
	    $(foreach f,$(BENCH_REPLAY_FILES),$(srcdir)/tests/data/spatter-suite/$(f).json)

# samples of perf_event at 10,000 a second and thread, all threads and the reader on one core; received and
# lost samples
bench_perf_rate_SOURCES = bench/perf_rate.c runtime/perf_events/rt_perf_pace.c
bench_perf_rate_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
bench_perf_rate_CFLAGS = $(AM_CFLAGS) -pthread
bench_perf_rate_LDFLAGS = -pthread
bench_perf_rate_LDADD = libperfring.la libcommon.la
.PHONY: bench-perf
bench-perf: bench/perf_rate
	for threads in 1 2 8; do bench/perf_rate$(EXEEXT) 5 $$threads || exit 1; done

# writes doc/replay-speed.md. On a machine that others use too: BENCH_ARGS=--cpu. Waiting threads sleep, for the plain loops and ours
# alike, so that they keep no processor from another.
libbenchplain_la_SOURCES = bench/replay_plain.c bench/replay_plain.h
libbenchplain_la_CFLAGS = -std=gnu11 $(LS_WARN_CFLAGS) -O3 -march=native $(OPENMP_CFLAGS)
bench_replay_LDADD = libbenchplain.la libkernels.la $(OPENMP_CFLAGS) -lm
BENCH_REPLAY_FILES = amg cpu-stream cpu-ustride lulesh nekbone pennant
.PHONY: bench-replay
bench-replay: bench/replay bench/machine
	OMP_WAIT_POLICY=passive bench/replay$(EXEEXT) --machine "$$(bench/machine)" $(BENCH_ARGS) \
	    $$(for f in $(BENCH_REPLAY_FILES); do echo $(srcdir)/tests/data/spatter-suite/$$f.json; done) > replay-speed.tmp
	cp replay-speed.tmp $(srcdir)/doc/replay-speed.md && rm replay-speed.tmp

# a run.h5 of as many samples as are asked for, resolved and read
bench_resolve_LDADD = libresolve.la libspoolwrite.la -lm

# the table of doc/smrtree.md
bench_smrtree_lookup_LDADD = libsmrtree.la
.PHONY: bench-smrtree
bench-smrtree: bench/smrtree_lookup
	bench/smrtree_lookup$(EXEEXT)

# 100,000 distinct addresses of a library with 100 MB of debugging information, which it makes first
bench_symbols_LDADD = libsymbols.la
.PHONY: bench-symbols
bench-symbols: bench/symbols
	test -f bench/symbols.d/big.so || python3 $(srcdir)/bench/symbols_make.py bench/symbols.d 100 "$(CC)"
	bench/symbols$(EXEEXT) bench/symbols.d/big.so

# cost of a traced access
bench_trace_loops_CFLAGS = $(AM_CFLAGS) -O2 -g
bench_trace_minimal_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
.PHONY: bench-trace
bench-trace: all bench/trace_loops bench/trace_minimal.la
	$(srcdir)/bench/trace.py --loadstone tools/loadstone --program bench/trace_loops \
	    --minimal $(abs_top_builddir)/bench/.libs/trace_minimal.so $(BENCH_ARGS)

# bytes an access and speed of traces of several programs; the table of doc/traces.md
bench_traces_LDADD = libpatterns.la libcommon.la
.PHONY: bench-traces
bench-traces: all bench/traces
	bash $(srcdir)/bench/traces.sh tools/loadstone$(EXEEXT) bench/traces$(EXEEXT) examples

include bench/truth/local.mk
