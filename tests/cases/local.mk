# SPDX-License-Identifier: BSD-3-Clause
# tests/cases: whole programs with known truth
victim_gnu = $(AM_CPPFLAGS) -D_GNU_SOURCE
victim_threads = $(AM_LDFLAGS) -no-install -pthread

# page faults, watched elements, atomic accesses, signals
check_PROGRAMS += tests/cases/faults_victim tests/cases/watch_victim tests/cases/locked_victim tests/cases/signals_victim
tests_cases_faults_victim_SOURCES = tests/cases/faults_victim.c tests/perf/own_descriptors.h
tests_cases_faults_victim_CPPFLAGS = $(victim_gnu)
tests_cases_faults_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_faults_victim_LDFLAGS = $(victim_threads)
tests_cases_faults_victim_LDADD = libloadstone.la
tests_cases_watch_victim_CPPFLAGS = $(victim_gnu)
tests_cases_watch_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_watch_victim_LDFLAGS = $(victim_threads)
tests_cases_watch_victim_LDADD = libloadstone.la
tests_cases_locked_victim_CFLAGS = $(AM_CFLAGS) -O1 -g
tests_cases_locked_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_cases_signals_victim_CPPFLAGS = $(victim_gnu)
tests_cases_signals_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_signals_victim_LDFLAGS = $(victim_threads)

# recordings of running programs
check_PROGRAMS += tests/cases/attach_victim
tests_cases_attach_victim_CPPFLAGS = $(victim_gnu)
tests_cases_attach_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_attach_victim_LDFLAGS = $(victim_threads)

# process trees, phases, switches, ranks; programs that are killed
check_PROGRAMS += tests/cases/proc_victim tests/cases/killed_victim
tests_cases_proc_victim_CFLAGS = $(AM_CFLAGS) -O1 -pthread -Wno-deprecated-declarations
tests_cases_proc_victim_LDADD = libloadstone.la
tests_cases_proc_victim_LDFLAGS = $(victim_threads)
EXTRA_DIST += tests/cases/mpi_ring.c
# a thousand kills, and 200 programs of the distribution: minutes
.PHONY: check-kills check-programs
check-kills: all tests/cases/killed_victim
	p=$(bench_python3); "$${p:-python3}" $(srcdir)/tests/cases/many-kills.py tools/loadstone tests/cases/killed_victim 1000; $(skip_is_success)
check-programs: all
	$(run_script) $(srcdir)/tests/cases/many-programs.sh
check-long: check-kills check-programs

# allocation sites
check_PROGRAMS += tests/cases/sites_victim tests/cases/sites_victim_nopie tests/cases/sites_victim_cxx
sites_cflags = $(AM_CFLAGS) -g -O1 -pthread -Wno-deprecated-declarations
tests_cases_sites_victim_CPPFLAGS = $(victim_gnu)
tests_cases_sites_victim_CFLAGS = $(sites_cflags) -fPIE -fno-builtin-malloc -fno-builtin-free
tests_cases_sites_victim_LDFLAGS = $(victim_threads) -pie
tests_cases_sites_victim_nopie_SOURCES = tests/cases/sites_victim.c
tests_cases_sites_victim_nopie_CPPFLAGS = $(victim_gnu)
tests_cases_sites_victim_nopie_CFLAGS = $(sites_cflags) -fno-pie -fno-builtin-malloc -fno-builtin-free
tests_cases_sites_victim_nopie_LDFLAGS = $(victim_threads) -no-pie
tests_cases_sites_victim_cxx_SOURCES = tests/cases/sites_victim_cxx.cc
tests_cases_sites_victim_cxx_CXXFLAGS = $(AM_CXXFLAGS) -g -O1
tests_cases_sites_victim_cxx_LDFLAGS = $(AM_LDFLAGS) -no-install
check_LTLIBRARIES += tests/cases/sites_plugin.la
tests_cases_sites_plugin_la_CFLAGS = $(AM_CFLAGS) -g -O1
tests_cases_sites_plugin_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere

# sorted keys
check_PROGRAMS += tests/cases/sorted_victim
tests_cases_sorted_victim_CFLAGS = $(AM_CFLAGS) -O1 -g
tests_cases_sorted_victim_LDFLAGS = $(AM_LDFLAGS) -no-install

# programs that only allocate
tests/cases/test_malloc_bound.log: bench/alloc_pairs$(EXEEXT)

# site tags of small blocks
check_PROGRAMS += tests/cases/tags_victim
tests_cases_tags_victim_SOURCES = tests/cases/tags_victim.cc
tests_cases_tags_victim_CXXFLAGS = $(AM_CXXFLAGS) -std=gnu++17 -g -O1 -fno-optimize-sibling-calls -pthread
tests_cases_tags_victim_LDFLAGS = $(victim_threads)

# names of allocations: the test compiles these, in several ways
EXTRA_DIST += tests/cases/idioms.c tests/cases/idioms.cc tests/cases/idioms.f90
EXTRA_DIST += tests/cases/idioms.py tests/cases/idioms_numpy.py

# types without end, and a million of them
EXTRA_DIST += tests/cases/many_types.py
.PHONY: check-types
check-types: all
	LOADSTONE_TYPES=1000000 $(run_script) $(srcdir)/tests/cases/test_types_many.sh; $(skip_is_success)
check-long: check-types

# a program with the structures of CPython 3.11, also damaged ones
check_PROGRAMS += tests/cases/python_fake tests/cases/python_fake_312
tests_cases_python_fake_CPPFLAGS = $(victim_gnu) -DFAKE_VERSION=0x030b02f0
tests_cases_python_fake_CFLAGS = $(AM_CFLAGS) -g -O1 -fno-builtin-malloc
tests_cases_python_fake_LDFLAGS = $(victim_threads) -Wl,--export-dynamic
tests_cases_python_fake_312_SOURCES = tests/cases/python_fake.c
tests_cases_python_fake_312_CPPFLAGS = $(victim_gnu) -DFAKE_VERSION=0x030c00f0
tests_cases_python_fake_312_CFLAGS = $(tests_cases_python_fake_CFLAGS)
tests_cases_python_fake_312_LDFLAGS = $(tests_cases_python_fake_LDFLAGS)
EXTRA_DIST += tests/cases/python_layout.c

# types and members: the test compiles it, in several ways
EXTRA_DIST += tests/cases/layout_victim.cc

# variables and lines: the test compiles these, in several ways
EXTRA_DIST += tests/cases/sym_victim.h tests/cases/sym_victim.c tests/cases/sym_plugin.c tests/cases/sym_inlined.cc tests/cases/sym_common.f90
EXTRA_DIST += tests/cases/sym_openmp.c

# names that would control a terminal or a spreadsheet
check_PROGRAMS += tests/cases/names_victim
tests_cases_names_victim_CPPFLAGS = $(victim_gnu)
tests_cases_names_victim_CFLAGS = $(AM_CFLAGS) -O1 -g
tests_cases_names_victim_LDADD = libloadstone.la
tests_cases_names_victim_LDFLAGS = $(AM_LDFLAGS) -no-install

# patterns of loops, compared with their algorithms
check_PROGRAMS += tests/cases/truth_programs tests/cases/truth_slices
tests_cases_truth_slices_SOURCES = tests/cases/truth_slices.c $(truth_common)
tests_cases_truth_slices_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_cases_truth_programs_SOURCES = tests/cases/truth_programs.c tests/cases/truth_loops.c tests/cases/truth_loops.h
tests_cases_truth_programs_CFLAGS = $(AM_CFLAGS) -g
tests_cases_truth_programs_LDADD = libloadstone.la
tests_cases_truth_programs_LDFLAGS = $(AM_LDFLAGS) -no-install

if HAVE_STEP
# natural domains: functions, arrays, from the map to the picture
check_PROGRAMS += tests/cases/callbacks_victim tests/cases/fields_victim tests/cases/ndm_victim
tests_cases_callbacks_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_callbacks_victim_LDADD = libloadstone.la
tests_cases_callbacks_victim_LDFLAGS = $(victim_threads)
check_LTLIBRARIES += tests/cases/callbacks_plugin.la tests/cases/callbacks_threadless.la
tests_cases_callbacks_plugin_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_cases_callbacks_threadless_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_cases_fields_victim_CFLAGS = $(AM_CFLAGS) -O1 -g
tests_cases_fields_victim_LDADD = libloadstone.la
tests_cases_fields_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_cases_ndm_victim_CPPFLAGS = -I$(top_srcdir)/include
tests_cases_ndm_victim_LDADD = libloadstone.la

# instructions that few processors have
check_PROGRAMS += tests/cases/processor_victim
tests_cases_processor_victim_CPPFLAGS = $(victim_gnu)
tests_cases_processor_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_processor_victim_LDFLAGS = $(victim_threads)

# shared cache lines
check_PROGRAMS += tests/cases/sharing_victim
tests_cases_sharing_victim_CFLAGS = $(AM_CFLAGS) -O1 -g -pthread
tests_cases_sharing_victim_LDFLAGS = -pthread
endif

# memory of devices
check_PROGRAMS += tests/cases/devices_victim tests/cases/opencl_victim
check_LTLIBRARIES += tests/cases/libfake_devices.la
tests_cases_libfake_devices_la_SOURCES = tests/cases/fake_devices.c
tests_cases_libfake_devices_la_CFLAGS = $(AM_CFLAGS) -g -O1
tests_cases_libfake_devices_la_LDFLAGS = -avoid-version -shared -rpath /nowhere
tests_cases_devices_victim_CPPFLAGS = $(victim_gnu)
tests_cases_devices_victim_CFLAGS = $(AM_CFLAGS) -g -O1
tests_cases_devices_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_cases_devices_victim_LDADD = tests/cases/libfake_devices.la
tests_cases_opencl_victim_CPPFLAGS = $(victim_gnu)
tests_cases_opencl_victim_CFLAGS = $(AM_CFLAGS) -g -O1
tests_cases_opencl_victim_LDFLAGS = $(AM_LDFLAGS) -no-install
