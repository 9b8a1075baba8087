# SPDX-License-Identifier: BSD-3-Clause
# tests/lint: rules that the compiler does not know; the main function of unit tests
if HAVE_CMOCKA
check_PROGRAMS += tests/lint/unit_groups
tests_lint_unit_groups_CPPFLAGS = $(unit_cppflags)
tests_lint_unit_groups_LDADD = $(unit_libs)
endif
