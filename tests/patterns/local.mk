# SPDX-License-Identifier: BSD-3-Clause
# tests/patterns: the pattern format against the published examples
EXTRA_DIST += tests/data/spatter-suite/README.md \
    tests/data/spatter-suite/amg.json tests/data/spatter-suite/amg_gpu.json \
    tests/data/spatter-suite/cpu-stream.json tests/data/spatter-suite/cpu-ustride.json \
    tests/data/spatter-suite/gpu-stream.json tests/data/spatter-suite/gpu-ustride.json \
    tests/data/spatter-suite/lulesh.json tests/data/spatter-suite/lulesh_gpu.json \
    tests/data/spatter-suite/nekbone.json tests/data/spatter-suite/nekbone_gpu.json \
    tests/data/spatter-suite/pattern-size-test.json \
    tests/data/spatter-suite/pennant.json tests/data/spatter-suite/pennant_gpu.json
if HAVE_CMOCKA
PATTERN_TESTS = tests/patterns/test_pat_describe tests/patterns/test_pat_extent tests/patterns/test_pat_generate tests/patterns/test_pat_run_h5 tests/patterns/test_pat_sources tests/patterns/test_pat_trace
tests_patterns_test_pat_describe_SOURCES = tests/patterns/test_pat_describe.c
tests_patterns_test_pat_describe_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_describe_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_extent_SOURCES = tests/patterns/test_pat_extent.c
tests_patterns_test_pat_extent_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_extent_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_generate_SOURCES = tests/patterns/test_pat_generate.c
tests_patterns_test_pat_generate_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_generate_LDADD = libpatterns.la $(CMOCKA_LIBS)
tests_patterns_test_pat_run_h5_SOURCES = tests/patterns/test_pat_run_h5.c
tests_patterns_test_pat_run_h5_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_run_h5_LDADD = libpatterns.la libprofile.la $(CMOCKA_LIBS) -lm
tests_patterns_test_pat_sources_SOURCES = tests/patterns/test_pat_sources.c
tests_patterns_test_pat_sources_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_sources_LDADD = libpatterns.la $(CMOCKA_LIBS) $(ZLIB_LIBS)
tests_patterns_test_pat_trace_SOURCES = tests/patterns/test_pat_trace.c
tests_patterns_test_pat_trace_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_patterns_test_pat_trace_LDADD = libpatterns.la $(CMOCKA_LIBS)
if HAVE_YAJL
PATTERN_TESTS += tests/patterns/test_pat_json
tests_patterns_test_pat_json_SOURCES = tests/patterns/test_pat_json.c
tests_patterns_test_pat_json_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(ZLIB_CFLAGS)
tests_patterns_test_pat_json_LDADD = libpatterns.la $(CMOCKA_LIBS) $(ZLIB_LIBS)
endif
check_PROGRAMS += $(PATTERN_TESTS)
TESTS += $(PATTERN_TESTS)
endif
include tests/patterns/write.mk
