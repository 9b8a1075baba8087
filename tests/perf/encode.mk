# SPDX-License-Identifier: BSD-3-Clause
# tests/perf: encodings on recorded and written machines, what errors mean
check_PROGRAMS += tests/perf/show_encodings
tests_perf_show_encodings_SOURCES = tests/perf/show_encodings.c tests/perf/machine_root.c tests/perf/machine_root.h
tests_perf_show_encodings_LDADD = libperfenc.la
TESTS += tests/perf/test_encodings.sh
dist_check_SCRIPTS += tests/perf/test_encodings.sh
EXTRA_DIST += tests/perf/machines
if HAVE_CMOCKA
PERF_TESTS = tests/perf/test_pe_advice tests/perf/test_pe_format tests/perf/test_pe_pfm tests/perf/test_pe_try tests/perf/test_pe_open_plan
check_PROGRAMS += $(PERF_TESTS)
TESTS += $(PERF_TESTS)
tests_perf_test_pe_advice_SOURCES = tests/perf/test_pe_advice.c
tests_perf_test_pe_advice_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_advice_LDADD = libperfenc.la $(CMOCKA_LIBS)
tests_perf_test_pe_format_SOURCES = tests/perf/test_pe_format.c
tests_perf_test_pe_format_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_format_LDADD = libperfenc.la $(CMOCKA_LIBS)
tests_perf_test_pe_pfm_SOURCES = tests/perf/test_pe_pfm.c
tests_perf_test_pe_pfm_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_pfm_LDADD = libperfpfm.la $(CMOCKA_LIBS)
tests_perf_test_pe_open_plan_SOURCES = tests/perf/test_pe_open_plan.c tests/perf/machine_root.c tests/perf/machine_root.h
tests_perf_test_pe_open_plan_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_open_plan_LDADD = libperfenc.la libperfring.la $(CMOCKA_LIBS)
tests_perf_test_pe_try_SOURCES = tests/perf/test_pe_try.c
tests_perf_test_pe_try_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_test_pe_try_LDADD = libperfenc.la $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/fuzz/fuzz_pe_event
TESTS += tests/fuzz/test_fuzz_event.sh
EXTRA_DIST += tests/fuzz/test_fuzz_event.sh \
    tests/fuzz/corpus-event/empty tests/fuzz/corpus-event/group tests/fuzz/corpus-event/name \
    tests/fuzz/corpus-event/raw tests/fuzz/corpus-event/terms
tests_fuzz_fuzz_pe_event_SOURCES = tests/fuzz/fuzz_pe_event.c tests/fuzz/fuzz_replay.c tests/perf/machine_root.c \
    tests/perf/machine_root.h
tests_fuzz_fuzz_pe_event_LDADD = libperfenc.la
