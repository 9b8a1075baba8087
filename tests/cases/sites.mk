# SPDX-License-Identifier: BSD-3-Clause
# Allocation sites of whole programs.
check_PROGRAMS += tests/cases/sites_victim tests/cases/sites_victim_nopie tests/cases/sites_victim_cxx
sites_cflags = $(AM_CFLAGS) -g -O1 -pthread -Wno-deprecated-declarations
tests_cases_sites_victim_SOURCES = tests/cases/sites_victim.c
tests_cases_sites_victim_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_cases_sites_victim_CFLAGS = $(sites_cflags) -fPIE -fno-builtin-malloc -fno-builtin-free
tests_cases_sites_victim_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread -pie
tests_cases_sites_victim_nopie_SOURCES = tests/cases/sites_victim.c
tests_cases_sites_victim_nopie_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_cases_sites_victim_nopie_CFLAGS = $(sites_cflags) -fno-pie -fno-builtin-malloc -fno-builtin-free
tests_cases_sites_victim_nopie_LDFLAGS = $(AM_LDFLAGS) -no-install -pthread -no-pie
tests_cases_sites_victim_cxx_SOURCES = tests/cases/sites_victim_cxx.cc
tests_cases_sites_victim_cxx_CXXFLAGS = $(AM_CXXFLAGS) -g -O1
tests_cases_sites_victim_cxx_LDFLAGS = $(AM_LDFLAGS) -no-install
check_LTLIBRARIES += tests/cases/sites_plugin.la
tests_cases_sites_plugin_la_SOURCES = tests/cases/sites_plugin.c
tests_cases_sites_plugin_la_CFLAGS = $(AM_CFLAGS) -g -O1
tests_cases_sites_plugin_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
TESTS += tests/cases/test_sites.sh
EXTRA_DIST += tests/cases/test_sites.sh tests/cases/sites_lines.py
