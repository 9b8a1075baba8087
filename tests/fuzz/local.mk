# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz: decoders against arbitrary bytes. Each target is a program; alone it replays its corpus, whole, cut and flipped.
EXTRA_DIST += tests/fuzz/README.md
check_LTLIBRARIES += libfuzz.la
libfuzz_la_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz_replay.c tests/fuzz/fuzz_check_source.c tests/fuzz/fuzz_check_source.h \
    tests/fuzz/fuzz_file.c tests/fuzz/fuzz_file.h tests/fuzz/fuzz_profile.h
fuzz_programs = \
    tests/fuzz/fuzz_compact \
    tests/fuzz/fuzz_domain \
    tests/fuzz/fuzz_elf \
    tests/fuzz/fuzz_elf_worker \
    tests/fuzz/fuzz_h5_file \
    tests/fuzz/fuzz_h5_values \
    tests/fuzz/fuzz_pe_event \
    tests/fuzz/fuzz_pe_record \
    tests/fuzz/fuzz_pe_spe \
    tests/fuzz/fuzz_pe_words \
    tests/fuzz/fuzz_perf_data \
    tests/fuzz/fuzz_perf_script \
    tests/fuzz/fuzz_perfmap \
    tests/fuzz/fuzz_resolve \
    tests/fuzz/fuzz_run_h5 \
    tests/fuzz/fuzz_sectors \
    tests/fuzz/fuzz_source_drmemtrace \
    tests/fuzz/fuzz_source_gem5 \
    tests/fuzz/fuzz_source_lackey \
    tests/fuzz/fuzz_source_memtrace \
    tests/fuzz/fuzz_source_nvbit \
    tests/fuzz/fuzz_source_perf_script \
    tests/fuzz/fuzz_source_trace \
    tests/fuzz/fuzz_spool_reader \
    tests/fuzz/fuzz_unwind
if HAVE_YAJL
fuzz_programs += tests/fuzz/fuzz_pattern_file
endif
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
fuzz_cppflags = $(AM_CPPFLAGS) -D_GNU_SOURCE

.PHONY: check-fuzz-rates
check-long: check-fuzz-rates
check-fuzz-rates: $(fuzz_programs)
	top_srcdir='$(top_srcdir)' top_builddir=. $(srcdir)/tests/fuzz/check_rates.sh

tests_fuzz_fuzz_compact_LDADD = libfuzz.la libpatcompact.la -lm
tests_fuzz_fuzz_domain_LDADD = libfuzz.la libndm.la libcommon.la
tests_fuzz_fuzz_elf_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_WORKER=0
tests_fuzz_fuzz_elf_LDADD = libfuzz.la libsymbols.la libcommon.la
tests_fuzz_fuzz_elf_worker_SOURCES = tests/fuzz/fuzz_elf.c
tests_fuzz_fuzz_elf_worker_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_WORKER=1
tests_fuzz_fuzz_elf_worker_LDADD = libfuzz.la libsymbols.la libcommon.la
tests_fuzz_fuzz_h5_file_CPPFLAGS = $(fuzz_cppflags) $(HDF5_CFLAGS)
tests_fuzz_fuzz_h5_file_LDADD = libfuzz.la libpatterns.la libresolve.la
tests_fuzz_fuzz_h5_values_CPPFLAGS = $(fuzz_cppflags) $(HDF5_CFLAGS)
tests_fuzz_fuzz_h5_values_LDADD = libfuzz.la librunh5.la libcommon.la $(HDF5_LIBS)
tests_fuzz_fuzz_pattern_file_LDADD = libfuzz.la libpatterns.la
tests_fuzz_fuzz_pe_event_SOURCES = tests/fuzz/fuzz_pe_event.c $(machine_root)
tests_fuzz_fuzz_pe_event_LDADD = libfuzz.la libperfenc.la
tests_fuzz_fuzz_pe_record_LDADD = libfuzz.la libperfring.la libcommon.la
tests_fuzz_fuzz_pe_spe_LDADD = libfuzz.la libperfring.la libcommon.la
tests_fuzz_fuzz_pe_words_LDADD = libfuzz.la libperfring.la libcommon.la
tests_fuzz_fuzz_perf_data_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_perf_data_LDADD = libfuzz.la libperffile.la libcommon.la
tests_fuzz_fuzz_perf_script_SOURCES = tests/fuzz/fuzz_perf_script.c patterns/source/pat_script_line.c
tests_fuzz_fuzz_perf_script_LDADD = libfuzz.la
tests_fuzz_fuzz_perfmap_LDADD = libfuzz.la libsymbols.la
tests_fuzz_fuzz_resolve_CPPFLAGS = $(fuzz_cppflags) $(HDF5_CFLAGS)
tests_fuzz_fuzz_resolve_LDADD = libfuzz.la libresolve.la
tests_fuzz_fuzz_run_h5_CPPFLAGS = $(fuzz_cppflags) $(HDF5_CFLAGS)
tests_fuzz_fuzz_run_h5_LDADD = libfuzz.la libpatterns.la libresolve.la
tests_fuzz_fuzz_sectors_CPPFLAGS = $(fuzz_cppflags)
tests_fuzz_fuzz_sectors_LDADD = libfuzz.la libpatterns.la
tests_fuzz_fuzz_spool_reader_LDADD = libfuzz.la libspoolread.la libcommon.la
tests_fuzz_fuzz_unwind_LDADD = libfuzz.la libsymbols.la

# every source of accesses, the same target for each format
fuzz_source_libs = libfuzz.la libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_drmemtrace_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_drmemtrace_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"drmemtrace"'
tests_fuzz_fuzz_source_drmemtrace_LDADD = $(fuzz_source_libs)
tests_fuzz_fuzz_source_gem5_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_gem5_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"gem5"'
tests_fuzz_fuzz_source_gem5_LDADD = $(fuzz_source_libs)
tests_fuzz_fuzz_source_lackey_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_lackey_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"lackey"'
tests_fuzz_fuzz_source_lackey_LDADD = $(fuzz_source_libs)
tests_fuzz_fuzz_source_memtrace_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_memtrace_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"memtrace"'
tests_fuzz_fuzz_source_memtrace_LDADD = $(fuzz_source_libs)
tests_fuzz_fuzz_source_nvbit_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_nvbit_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"nvbit"'
tests_fuzz_fuzz_source_nvbit_LDADD = $(fuzz_source_libs)
tests_fuzz_fuzz_source_perf_script_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_perf_script_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"perf-script"'
tests_fuzz_fuzz_source_perf_script_LDADD = $(fuzz_source_libs)
tests_fuzz_fuzz_source_trace_SOURCES = tests/fuzz/fuzz_source.c
tests_fuzz_fuzz_source_trace_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_FORMAT='"trace"'
tests_fuzz_fuzz_source_trace_LDADD = $(fuzz_source_libs)
