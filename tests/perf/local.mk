# SPDX-License-Identifier: BSD-3-Clause
# tests/perf: encodings on recorded and written machines, meanings of errors; rings, records and decoders;
# counting; the whole path on a fake kernel
machine_root = tests/perf/machine_root.c tests/perf/machine_root.h
unit_programs += tests/perf/unit
tests_perf_unit_SOURCES = $(machine_root) \
    tests/perf/test_pe_advice.c \
    tests/perf/test_pe_aux.c runtime/perf_events/rt_perf_pace.c \
    tests/perf/test_pe_decode.c \
    tests/perf/test_pe_format.c \
    tests/perf/test_pe_open_plan.c \
    tests/perf/test_pe_pfm.c \
    tests/perf/test_pe_try.c
tests_perf_unit_CPPFLAGS = $(unit_cppflags)
tests_perf_unit_CFLAGS = $(unit_cflags)
tests_perf_unit_LDADD = libperfcount.la libperfpfm.la libperfenc.la libperfring.la libcommon.la $(unit_libs)
# not where sanitizers add page faults to the counted ones
if !SANITIZERS
tests_perf_unit_SOURCES += tests/perf/test_pe_count.c
endif

check_PROGRAMS += tests/perf/fake_kernel tests/perf/hw_victim tests/perf/show_encodings tests/perf/soak_ring
tests_perf_fake_kernel_SOURCES = tests/perf/fake_kernel.c tests/perf/fake_kernel.h tests/perf/fake_event.h \
    tests/perf/fake_memory.c tests/perf/fake_memory.h tests/perf/fake_play.c
tests_perf_fake_kernel_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_hw_victim_SOURCES = tests/perf/hw_victim.c tests/perf/fake_kernel.h tests/perf/own_descriptors.h
tests_perf_hw_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_hw_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_perf_hw_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
tests_perf_hw_victim_LDADD = libloadstone.la
tests_perf_show_encodings_SOURCES = tests/perf/show_encodings.c $(machine_root)
tests_perf_show_encodings_LDADD = libperfenc.la
tests_perf_soak_ring_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_perf_soak_ring_CFLAGS = $(AM_CFLAGS) -O2 -pthread
tests_perf_soak_ring_LDFLAGS = -pthread
tests_perf_soak_ring_LDADD = libperfring.la libcommon.la
EXTRA_DIST += tests/perf/machines

# Two billion bytes through a ring; each errno at each call.
.PHONY: check-soak check-errnos
check-soak: tests/perf/soak_ring
	for seed in 1 2; do tests/perf/soak_ring$(EXEEXT) 1e9 $$seed || exit 1; done
check-errnos: tests/perf/fake_kernel tests/perf/hw_victim
	LS_LONG=1 $(run_script) $(srcdir)/tests/perf/test_fake_kernel.sh
check-long: check-soak check-errnos
