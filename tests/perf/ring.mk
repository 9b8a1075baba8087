# SPDX-License-Identifier: BSD-3-Clause
# tests/perf: rings, records and decoders; the whole path on a kernel of ours
check_PROGRAMS += tests/perf/fake_kernel tests/perf/hw_victim
tests_perf_fake_kernel_SOURCES = tests/perf/fake_kernel.c tests/perf/fake_kernel.h tests/perf/fake_event.h \
    tests/perf/fake_memory.c tests/perf/fake_memory.h tests/perf/fake_play.c
tests_perf_fake_kernel_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_hw_victim_SOURCES = tests/perf/hw_victim.c tests/perf/fake_kernel.h tests/perf/own_descriptors.h
tests_perf_hw_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_hw_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_perf_hw_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_perf_hw_victim_LDADD = libloadstone.la
TESTS += tests/perf/test_fake_kernel.sh
dist_check_SCRIPTS += tests/perf/test_fake_kernel.sh
check_PROGRAMS += tests/perf/soak_ring
tests_perf_soak_ring_SOURCES = tests/perf/soak_ring.c
tests_perf_soak_ring_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_soak_ring_CFLAGS = $(AM_CFLAGS) -O2 -pthread
tests_perf_soak_ring_LDFLAGS = -pthread
tests_perf_soak_ring_LDADD = libperfring.la libcommon.la
TESTS += tests/perf/test_soak_ring.sh
dist_check_SCRIPTS += tests/perf/test_soak_ring.sh
.PHONY: check-soak
check-soak: tests/perf/soak_ring
	for seed in 1 2; do tests/perf/soak_ring$(EXEEXT) 1e9 $$seed || exit 1; done
# each errno at each call
.PHONY: check-errnos
check-errnos: tests/perf/fake_kernel tests/perf/hw_victim
	LS_LONG=1 top_srcdir=$(top_srcdir) top_builddir=$(top_builddir) $(SHELL) $(top_srcdir)/tests/perf/test_fake_kernel.sh
check-long: check-soak check-errnos
if HAVE_CMOCKA
check_PROGRAMS += tests/perf/test_pe_aux tests/perf/test_pe_decode
TESTS += tests/perf/test_pe_aux tests/perf/test_pe_decode
tests_perf_test_pe_aux_SOURCES = tests/perf/test_pe_aux.c runtime/perf_events/rt_perf_pace.c
tests_perf_test_pe_aux_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_perf_test_pe_aux_LDADD = libperfring.la libcommon.la $(CMOCKA_LIBS)
tests_perf_test_pe_decode_SOURCES = tests/perf/test_pe_decode.c
tests_perf_test_pe_decode_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
tests_perf_test_pe_decode_LDADD = libperfring.la libcommon.la $(CMOCKA_LIBS)
endif
