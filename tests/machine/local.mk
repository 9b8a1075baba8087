# SPDX-License-Identifier: BSD-3-Clause
# tests/machine: calibration, its cache file, topology, privilege, the latency probe
unit_programs += tests/machine/unit
tests_machine_unit_SOURCES = \
    tests/machine/test_mach_cache.c \
    tests/machine/test_mach_level.c \
    tests/machine/test_mach_prefetch.c \
    tests/machine/test_mach_privilege.c tests/perf/machine_root.c tests/perf/machine_root.h \
    tests/machine/test_mach_topology.c
tests_machine_unit_CPPFLAGS = $(unit_cppflags)
tests_machine_unit_CFLAGS = $(unit_cflags) $(HWLOC_CFLAGS)
tests_machine_unit_LDADD = libmachine.la libmachpriv.la $(unit_libs)
if HAVE_STEP
tests_machine_unit_SOURCES += tests/machine/test_mach_probe.c
tests_machine_unit_LDADD += libmachprobe.la
endif
