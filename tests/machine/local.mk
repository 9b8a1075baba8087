# SPDX-License-Identifier: BSD-3-Clause
# tests/machine: calibration, its cache file, topology, privilege, the latency probe
if HAVE_CMOCKA
MACHINE_TESTS = tests/machine/test_mach_level tests/machine/test_mach_cache tests/machine/test_mach_topology \
    tests/machine/test_mach_privilege
if HAVE_STEP
MACHINE_TESTS += tests/machine/test_mach_probe
endif
check_PROGRAMS += $(MACHINE_TESTS)
TESTS += $(MACHINE_TESTS)
tests_machine_test_mach_level_SOURCES = tests/machine/test_mach_level.c
tests_machine_test_mach_level_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_machine_test_mach_level_LDADD = libmachine.la $(CMOCKA_LIBS) -lm
tests_machine_test_mach_cache_SOURCES = tests/machine/test_mach_cache.c
tests_machine_test_mach_cache_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_machine_test_mach_cache_LDADD = libmachine.la $(CMOCKA_LIBS) -lm
tests_machine_test_mach_topology_SOURCES = tests/machine/test_mach_topology.c
tests_machine_test_mach_topology_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_machine_test_mach_topology_LDADD = libmachine.la $(CMOCKA_LIBS)
tests_machine_test_mach_privilege_SOURCES = tests/machine/test_mach_privilege.c tests/perf/machine_root.c tests/perf/machine_root.h
tests_machine_test_mach_privilege_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_machine_test_mach_privilege_LDADD = libmachpriv.la $(CMOCKA_LIBS)
tests_machine_test_mach_probe_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_machine_test_mach_probe_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_machine_test_mach_probe_LDADD = libmachprobe.la $(CMOCKA_LIBS)
endif
