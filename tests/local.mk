# SPDX-License-Identifier: BSD-3-Clause
# tests: unit tests stand beside what they specify (tests/<folder>/local.mk), whole programs in tests/cases
include tests/step/local.mk
include tests/machine/local.mk
include tests/perf/encode.mk
include tests/perf/count.mk
include tests/kernels/local.mk
include tests/analyse/local.mk
include tests/tools/local.mk
include tests/smrtree/local.mk
include tests/ndm/local.mk
include tests/spool/local.mk
include tests/profile/local.mk
include tests/symbols/local.mk
include tests/fuzz/local.mk
include tests/runtime/local.mk
include tests/patterns/local.mk
include tests/viz-export/local.mk
include tests/calls/local.mk
include tests/lint/local.mk
include tests/cases/killed.mk
include tests/cases/proc.mk
include tests/cases/real.mk
include tests/cases/sym.mk
include tests/cases/sites.mk
include tests/bed/local.mk
include tests/cases/report.mk
include tests/cases/examples.mk
