# SPDX-License-Identifier: BSD-3-Clause
# tests/patterns: the pattern format against the published examples; sources of accesses; extraction against a naive model; compaction,
# classes and measures against their definitions; distances, matching and groups; patterns that were found, written and read back
found_fixture = tests/patterns/found_fixture.c tests/patterns/found_fixture.h
unit_programs += tests/patterns/unit
tests_patterns_unit_SOURCES = $(found_fixture) \
    tests/patterns/memory_source.c tests/patterns/memory_source.h \
    tests/patterns/naive_extract.c tests/patterns/naive_extract.h \
    tests/patterns/pat_program.c tests/patterns/pat_program.h \
    tests/patterns/pat_zoo.c tests/patterns/pat_zoo.h \
    tests/patterns/test_pat_cluster.c \
    tests/patterns/test_pat_compact.c \
    tests/patterns/test_pat_compact_parts.c \
    tests/patterns/test_pat_compare.c \
    tests/patterns/test_pat_compare_resample.c \
    tests/patterns/test_pat_describe.c \
    tests/patterns/test_pat_ext_arena.c \
    tests/patterns/test_pat_ext_buffer.c \
    tests/patterns/test_pat_ext_cost.c \
    tests/patterns/test_pat_ext_home_pages.c \
    tests/patterns/test_pat_ext_repetition.c \
    tests/patterns/test_pat_ext_rows.c \
    tests/patterns/test_pat_ext_tables.c \
    tests/patterns/test_pat_extent.c \
    tests/patterns/test_pat_extract.c \
    tests/patterns/test_pat_extract_defects.c \
    tests/patterns/test_pat_feeds.c \
    tests/patterns/test_pat_fold.c \
    tests/patterns/test_pat_generate.c \
    tests/patterns/test_pat_measure.c \
    tests/patterns/test_pat_names.c \
    tests/patterns/test_pat_parallel.c \
    tests/patterns/test_pat_period.c \
    tests/patterns/test_pat_row_lengths.c \
    tests/patterns/test_pat_run_h5.c \
    tests/patterns/test_pat_sources.c \
    tests/patterns/test_pat_trace.c
tests_patterns_unit_CPPFLAGS = $(unit_cppflags)
tests_patterns_unit_CFLAGS = $(unit_cflags)
tests_patterns_unit_LDADD = libpatcompact.la libpatterns.la libresolve.la libcommon.la $(ZLIB_LIBS) $(unit_libs)
if HAVE_STEP
tests_patterns_unit_SOURCES += tests/patterns/test_pat_indirect.c
endif
if HAVE_YAJL
tests_patterns_unit_SOURCES += tests/patterns/test_pat_json.c tests/patterns/test_pat_write.c
endif

check_PROGRAMS += tests/patterns/make_patterns
tests_patterns_make_patterns_SOURCES = tests/patterns/make_patterns.c $(found_fixture)
tests_patterns_make_patterns_LDADD = libpatterns.la libcommon.la
