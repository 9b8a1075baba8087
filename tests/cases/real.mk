# SPDX-License-Identifier: BSD-3-Clause
# Real programs of the distribution do the same under the profiler.
if HAVE_STEP
TESTS += tests/cases/real-programs.sh
endif
EXTRA_DIST += tests/cases/real-programs.sh
