# SPDX-License-Identifier: BSD-3-Clause
# make bench-fidelity: loops against replays of the patterns that were extracted from them; writes doc/fidelity.md of the source tree.
EXTRA_PROGRAMS += bench/fidelity
bench_fidelity_SOURCES = bench/fidelity.c tests/cases/truth_loops.c tests/cases/truth_loops.h
bench_fidelity_LDADD = libcommon.la libloadstone.la -lm
bench_fidelity_LDFLAGS = -no-install
CLEANFILES += bench/fidelity
EXTRA_DIST += bench/fidelity.py
bench-fidelity: all bench/fidelity bench/machine tests/cases/truth_programs
	python3 $(srcdir)/bench/fidelity.py --loadstone tools/loadstone --fidelity bench/fidelity --programs tests/cases/truth_programs \
	    --machine "$$(bench/machine)" --write $(srcdir)/doc/fidelity.md $(BENCH_ARGS)
.PHONY: bench-fidelity
