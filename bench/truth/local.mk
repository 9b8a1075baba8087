# SPDX-License-Identifier: BSD-3-Clause
# make bench-truth: programs that time their own work, under the recorder; writes doc/truth.md of the source
# tree. make check records some of them.
check_PROGRAMS += bench/truth/mix bench/truth/processes bench/truth/threads
truth_programs = bench/truth/calls bench/truth/chase bench/truth/kernel bench/truth/tables bench/truth/waiting
truth_common = bench/truth/truth.c bench/truth/truth.h
bench_ring = bench/bench_ring.c bench/bench_ring.h
bench_truth_calls_SOURCES = bench/truth/calls.cc bench/truth/calls_plugin.h $(truth_common)
bench_truth_calls_LDADD = bench/truth/libtruthcalls.la
bench_truth_calls_LDFLAGS = -no-install
bench_truth_chase_SOURCES = bench/truth/chase.c $(bench_ring)
bench_truth_chase_LDADD = libloadstone.la
bench_truth_chase_LDFLAGS = -no-install
bench_truth_kernel_SOURCES = bench/truth/kernel.c $(truth_common)
bench_truth_mix_SOURCES = bench/truth/mix.c bench/truth/work.c bench/truth/work.h $(bench_ring) $(truth_common)
bench_truth_mix_LDADD = libloadstone.la
bench_truth_mix_LDFLAGS = -no-install
bench_truth_processes_SOURCES = bench/truth/processes.c $(truth_common)
bench_truth_tables_SOURCES = bench/truth/tables.cc $(truth_common)
bench_truth_threads_SOURCES = bench/truth/threads.c $(truth_common)
bench_truth_threads_CFLAGS = $(AM_CFLAGS) -pthread -fno-builtin-malloc -fno-builtin-free
bench_truth_threads_LDFLAGS = -pthread
bench_truth_waiting_SOURCES = bench/truth/waiting.c $(bench_ring) $(truth_common)
bench_truth_waiting_LDADD = libloadstone.la
bench_truth_waiting_LDFLAGS = -no-install
EXTRA_LTLIBRARIES += bench/truth/libtruthcalls.la
bench_truth_libtruthcalls_la_SOURCES = bench/truth/calls_plugin.c bench/truth/calls_plugin.h
bench_truth_libtruthcalls_la_LDFLAGS = -avoid-version -shared -rpath /nowhere
if HAVE_OPENMP
truth_programs += bench/truth/openmp
endif
bench_truth_openmp_SOURCES = bench/truth/openmp.c $(truth_common)
bench_truth_openmp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
bench_truth_openmp_LDFLAGS = $(OPENMP_CFLAGS)
if HAVE_FC
truth_programs += bench/truth/fortran
bench_truth_fortran_SOURCES = bench/truth/fortran.f90 $(truth_common)
CLEANFILES += truth_fortran_work.mod
endif
EXTRA_PROGRAMS += $(truth_programs)
CLEANFILES += $(truth_programs) bench/truth/libtruthcalls.la
.PHONY: bench-truth
bench-truth: all $(truth_programs) bench/truth/mix bench/truth/processes bench/truth/threads bench/machine
	$(bench_python3) -B $(srcdir)/bench/truth/truth.py --loadstone tools/loadstone --programs bench/truth --machine "$$(bench/machine)" \
	    --write $(srcdir)/doc/truth.md $(or $(BENCH_ARGS),--coverage 50)
