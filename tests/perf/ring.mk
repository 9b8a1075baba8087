# SPDX-License-Identifier: BSD-3-Clause
# tests/perf: rings, records and decoders; the whole path on a kernel of ours
check_PROGRAMS += tests/perf/fake_kernel tests/perf/hw_victim
tests_perf_fake_kernel_SOURCES = tests/perf/fake_kernel.c tests/perf/fake_kernel.h
tests_perf_fake_kernel_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_hw_victim_SOURCES = tests/perf/hw_victim.c tests/perf/fake_kernel.h
tests_perf_hw_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_hw_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_perf_hw_victim_LDFLAGS = -no-install -pthread
tests_perf_hw_victim_LDADD = libloadstone.la
TESTS += tests/perf/test_fake_kernel.sh
dist_check_SCRIPTS += tests/perf/test_fake_kernel.sh
if HAVE_CMOCKA
check_PROGRAMS += tests/perf/test_pe_decode
TESTS += tests/perf/test_pe_decode
tests_perf_test_pe_decode_SOURCES = tests/perf/test_pe_decode.c
tests_perf_test_pe_decode_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_perf_test_pe_decode_LDADD = libperfring.la libcommon.la $(CMOCKA_LIBS)
endif
