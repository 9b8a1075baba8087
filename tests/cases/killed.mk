# SPDX-License-Identifier: BSD-3-Clause
# Programs that end before they can say good-bye.
check_PROGRAMS += tests/cases/killed_victim
tests_cases_killed_victim_SOURCES = tests/cases/killed_victim.c
TESTS += tests/cases/test_killed.sh
EXTRA_DIST += tests/cases/test_killed.sh
EXTRA_DIST += tests/cases/many-kills.py
.PHONY: check-kills
check-kills: all tests/cases/killed_victim
	/usr/bin/env python3 $(srcdir)/tests/cases/many-kills.py tools/loadstone tests/cases/killed_victim 1000; status=$$?; [ $$status -eq 77 ] || exit $$status
check-long: check-kills
