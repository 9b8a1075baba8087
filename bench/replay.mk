# SPDX-License-Identifier: BSD-3-Clause
# make bench-replay: writes doc/replay-speed.md of the source tree. On a machine that others use too: BENCH_ARGS=--cpu. Waiting threads sleep,
# for the plain loops and ours alike, so that they keep no processor from another.
EXTRA_PROGRAMS += bench/replay
EXTRA_LTLIBRARIES = libbenchplain.la
libbenchplain_la_SOURCES = bench/replay_plain.c bench/replay_plain.h
libbenchplain_la_CFLAGS = -std=gnu11 $(LS_WARN_CFLAGS) -O3 -march=native $(OPENMP_CFLAGS)
bench_replay_SOURCES = bench/replay.c bench/replay_plain.h
bench_replay_LDADD = libbenchplain.la libkernels.la $(OPENMP_CFLAGS) -lm
CLEANFILES += bench/replay libbenchplain.la
BENCH_REPLAY_FILES = amg cpu-stream cpu-ustride lulesh nekbone pennant
bench-replay: bench/replay bench/machine
	OMP_WAIT_POLICY=passive bench/replay$(EXEEXT) --machine "$$(bench/machine)" $(BENCH_ARGS) \
	    $$(for f in $(BENCH_REPLAY_FILES); do echo $(srcdir)/tests/data/spatter-suite/$$f.json; done) > replay-speed.tmp
	cp replay-speed.tmp $(srcdir)/doc/replay-speed.md && rm replay-speed.tmp
.PHONY: bench-replay
