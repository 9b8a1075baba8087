# SPDX-License-Identifier: BSD-3-Clause
# Programs of the distribution under the profiler, many and long: make check-long runs them, make bed-page also writes doc/test-bed.md.
# BED_ARGS: names of programs (only these), --overhead 3%, --keep DIRECTORY.
EXTRA_DIST += tests/bed/page-head.md tests/bed/programs tests/bed/inputs
bed_run = /usr/bin/env python3 $(srcdir)/tests/bed/bed.py --loadstone tools/loadstone

.PHONY: check-long check-bed bed-page
check-bed: all
	$(bed_run) $(BED_ARGS); $(skip_is_success)
check-long: check-bed

bed-page: all bench/machine
	$(bed_run) --machine "$$(bench/machine)" --write $(srcdir)/doc/test-bed.md $(BED_ARGS)
