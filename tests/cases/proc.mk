# SPDX-License-Identifier: BSD-3-Clause
# Process trees, phases, switches, ranks: whole programs with what is true known.
check_PROGRAMS += tests/cases/proc_victim
tests_cases_proc_victim_SOURCES = tests/cases/proc_victim.c
tests_cases_proc_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread -Wno-deprecated-declarations
tests_cases_proc_victim_LDADD = libloadstone.la
tests_cases_proc_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread
proc_tests = \
    tests/cases/test_control.sh \
    tests/cases/test_mpi.sh \
    tests/cases/test_phases.sh \
    tests/cases/test_process_tree.sh
TESTS += $(proc_tests)
EXTRA_DIST += $(proc_tests) tests/cases/proc.inc tests/cases/h5_lines.py tests/cases/mpi_ring.c
