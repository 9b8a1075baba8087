# SPDX-License-Identifier: BSD-3-Clause
# tests/perf: counting, perf.data
if HAVE_CMOCKA
check_PROGRAMS += tests/perf/test_pe_count
TESTS += tests/perf/test_pe_count
tests_perf_test_pe_count_SOURCES = tests/perf/test_pe_count.c
tests_perf_test_pe_count_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_count_LDADD = libperfcount.la $(CMOCKA_LIBS) -lm
endif

# perf.data
perf_data_scripts = tests/tools/test_import_perf.sh tests/tools/test_import_spe.sh tests/fuzz/test_fuzz_perf_data.sh
check_PROGRAMS += tests/fuzz/fuzz_perf_data
TESTS += $(perf_data_scripts)
EXTRA_DIST += $(perf_data_scripts) tests/data/perf/README.md tests/data/perf/compressed.data tests/data/perf/cut.data \
    tests/data/perf/pipe.data tests/data/perf/spe.data tests/tools/make_spe.py
tests_fuzz_fuzz_perf_data_SOURCES = tests/fuzz/fuzz_perf_data.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_perf_data_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_fuzz_fuzz_perf_data_LDADD = libperffile.la libcommon.la
