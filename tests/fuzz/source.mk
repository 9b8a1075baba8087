# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz: every source of accesses, the same target for each format
FUZZ_SOURCE_FILES = tests/fuzz/fuzz_source.c tests/fuzz/fuzz_check_source.c tests/fuzz/fuzz_check_source.h \
    tests/fuzz/fuzz_replay.c
SOURCE_FUZZERS = \
    tests/fuzz/fuzz_h5_file \
    tests/fuzz/fuzz_run_h5 \
    tests/fuzz/fuzz_source_drmemtrace \
    tests/fuzz/fuzz_source_gem5 \
    tests/fuzz/fuzz_source_lackey \
    tests/fuzz/fuzz_source_memtrace \
    tests/fuzz/fuzz_source_nvbit \
    tests/fuzz/fuzz_source_trace \
    tests/fuzz/fuzz_source_perf_script
check_PROGRAMS += $(SOURCE_FUZZERS)
TESTS += tests/fuzz/test_fuzz_sources.sh
EXTRA_DIST += tests/fuzz/test_fuzz_sources.sh \
    tests/fuzz/corpus-drmemtrace/empty tests/fuzz/corpus-drmemtrace/example.gz tests/fuzz/corpus-drmemtrace/example.lz4 tests/fuzz/corpus-drmemtrace/example.raw tests/fuzz/corpus-drmemtrace/example.zip tests/fuzz/corpus-drmemtrace/example.zst \
    tests/fuzz/corpus-gem5/empty tests/fuzz/corpus-gem5/exec tests/fuzz/corpus-gem5/packets \
    tests/fuzz/corpus-lackey/empty tests/fuzz/corpus-lackey/example tests/fuzz/corpus-lackey/odd \
    tests/fuzz/corpus-memtrace/empty tests/fuzz/corpus-memtrace/example \
    tests/fuzz/corpus-nvbit/empty tests/fuzz/corpus-nvbit/example \
    tests/fuzz/corpus-run-h5/bytes tests/fuzz/corpus-run-h5/empty tests/fuzz/corpus-run-h5/values tests/fuzz/corpus-run-h5/references \
    tests/fuzz/corpus-trace/empty tests/fuzz/corpus-trace/packed tests/fuzz/corpus-trace/plain

tests_fuzz_fuzz_source_drmemtrace_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_drmemtrace_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"drmemtrace"'
tests_fuzz_fuzz_source_drmemtrace_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_gem5_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_gem5_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"gem5"'
tests_fuzz_fuzz_source_gem5_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_lackey_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_lackey_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"lackey"'
tests_fuzz_fuzz_source_lackey_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_memtrace_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_memtrace_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"memtrace"'
tests_fuzz_fuzz_source_memtrace_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_nvbit_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_nvbit_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"nvbit"'
tests_fuzz_fuzz_source_nvbit_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_trace_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_trace_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"trace"'
tests_fuzz_fuzz_source_trace_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_source_perf_script_SOURCES = $(FUZZ_SOURCE_FILES)
tests_fuzz_fuzz_source_perf_script_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DFUZZ_FORMAT='"perf-script"'
tests_fuzz_fuzz_source_perf_script_LDADD = libpatterns.la $(ZLIB_LIBS)
tests_fuzz_fuzz_run_h5_SOURCES = tests/fuzz/fuzz_run_h5.c tests/fuzz/fuzz_check_source.c tests/fuzz/fuzz_check_source.h \
    tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_run_h5_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(HDF5_CFLAGS)
tests_fuzz_fuzz_run_h5_LDADD = libpatterns.la libprofile.la
tests_fuzz_fuzz_h5_file_SOURCES = tests/fuzz/fuzz_h5_file.c tests/fuzz/fuzz_check_source.c tests/fuzz/fuzz_check_source.h \
    tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_h5_file_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(HDF5_CFLAGS)
tests_fuzz_fuzz_h5_file_LDADD = libpatterns.la libprofile.la
