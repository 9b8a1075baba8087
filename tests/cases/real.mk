# SPDX-License-Identifier: BSD-3-Clause
# Real programs of the distribution do the same under the profiler.
if HAVE_STEP
TESTS += tests/cases/real-programs.sh
endif
EXTRA_DIST += tests/cases/real-programs.sh tests/cases/programs.inc tests/cases/many-programs.sh
.PHONY: check-programs
check-programs: all
	top_srcdir='$(top_srcdir)' top_builddir='$(top_builddir)' $(srcdir)/tests/cases/many-programs.sh
check-long: check-programs
