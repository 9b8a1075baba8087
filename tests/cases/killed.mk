# SPDX-License-Identifier: BSD-3-Clause
# Programs that end before they can say good-bye.
check_PROGRAMS += tests/cases/killed_victim
tests_cases_killed_victim_SOURCES = tests/cases/killed_victim.c
TESTS += tests/cases/test_killed.sh
EXTRA_DIST += tests/cases/test_killed.sh
