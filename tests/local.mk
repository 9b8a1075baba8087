# SPDX-License-Identifier: BSD-3-Clause
# tests: unit tests stand beside what they specify (tests/<folder>/local.mk), whole programs in tests/cases
include tests/common/local.mk
include tests/step/local.mk
include tests/machine/local.mk
include tests/perf/encode.mk
include tests/perf/count.mk
include tests/kernels/local.mk
include tests/analyse/local.mk
include tests/tools/local.mk
include tests/tools/compare.mk
include tests/smrtree/local.mk
include tests/ndm/local.mk
include tests/spool/local.mk
include tests/profile/local.mk
include tests/symbols/local.mk
include tests/fuzz/local.mk
include tests/fuzz/compact.mk
include tests/fuzz/source.mk
include tests/runtime/local.mk
include tests/patterns/local.mk
include tests/tracer/local.mk
include tests/patterns/compact.mk
include tests/patterns/extract.mk
include tests/patterns/compare.mk
include tests/viz-export/local.mk
include tests/calls/local.mk
include tests/kernel/local.mk
include tests/lint/local.mk
include tests/cases/callbacks.mk
include tests/cases/fields.mk
include tests/cases/killed.mk
include tests/cases/ndm.mk
include tests/cases/proc.mk
include tests/cases/real.mk
include tests/cases/sym.mk
include tests/cases/sites.mk
include tests/bed/local.mk
include tests/cases/report.mk
include tests/cases/truth.mk
include tests/cases/examples.mk
include tests/cases/perf.mk
include tests/perf/ring.mk
include tests/fuzz/pe.mk

# Unit tests and the corpora of the fuzz targets once more, with ASan and UBSan, in a build folder of their own.
# Not those that count this process's own page faults and frames, which the sanitizers add to.
SANITIZED_TESTS = $(filter-out %.sh %.py tests/perf/test_pe_count tests/runtime/test_rt_unwind,$(TESTS)) $(filter tests/fuzz/%,$(TESTS))
.PHONY: check-sanitized
check-sanitized:
	rm -rf sanitized && mkdir sanitized
	cd sanitized && case '$(srcdir)' in /*) top='$(srcdir)' ;; *) top='../$(srcdir)' ;; esac && \
	    $$top/configure --enable-sanitizers CC='$(CC)' CXX='$(CXX)' >configure.log && $(MAKE) check TESTS='$(SANITIZED_TESTS)'
check-long: check-sanitized
