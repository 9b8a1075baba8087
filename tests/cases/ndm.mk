# SPDX-License-Identifier: BSD-3-Clause
# A whole program whose arrays have a natural domain.
EXTRA_DIST += tests/cases/test_natural_domain.sh
if HAVE_STEP
check_PROGRAMS += tests/cases/ndm_victim
tests_cases_ndm_victim_SOURCES = tests/cases/ndm_victim.c
tests_cases_ndm_victim_CPPFLAGS = -I$(top_srcdir)/include
tests_cases_ndm_victim_LDADD = libloadstone.la
TESTS += tests/cases/test_natural_domain.sh
endif
