# SPDX-License-Identifier: BSD-3-Clause
# tests: unit tests are one program per folder, tests/FOLDER/unit, whose sources are listed in tests/FOLDER/local.mk. Whole-program tests,
# tests/FOLDER/test_*.sh, are found by name (TEST_SCRIPTS, configure.ac), and so is everything that they read.
unit_cppflags = $(AM_CPPFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS) $(HDF5_CFLAGS)
unit_cflags = $(AM_CFLAGS) -g -pthread
unit_libs = libunit.la $(CMOCKA_LIBS) -lm
unit_programs =
# Run a script of make check-long, which takes minutes, and check its status; 77 is no failure.
run_script = top_srcdir='$(top_srcdir)' top_builddir='$(top_builddir)'
skip_is_success = status=$$?; [ $$status -eq 77 ] || exit $$status
if HAVE_CMOCKA
check_LTLIBRARIES += libunit.la
libunit_la_SOURCES = tests/unit.c tests/unit.h tests/xorshift.h
libunit_la_CPPFLAGS = $(unit_cppflags)
endif

include tests/analyse/local.mk
include tests/bed/local.mk
include tests/calls/local.mk
include tests/cases/local.mk
include tests/common/local.mk
include tests/fuzz/local.mk
include tests/kernel/local.mk
include tests/kernels/local.mk
include tests/lint/local.mk
include tests/machine/local.mk
include tests/ndm/local.mk
include tests/packaging/local.mk
include tests/patterns/local.mk
include tests/perf/local.mk
include tests/resolve/local.mk
include tests/run_h5/local.mk
include tests/runtime/local.mk
include tests/smrtree/local.mk
include tests/spool/local.mk
include tests/step/local.mk
include tests/symbols/local.mk
include tests/tools/local.mk
include tests/tracer/local.mk
include tests/traffic/local.mk
include tests/translate/local.mk
include tests/viz-export/local.mk

if HAVE_CMOCKA
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs)
endif
TESTS += $(TEST_SCRIPTS)
# Tests that record no program: their results depend on the files of the tarball, not on the machine.
portable_tests = $(unit_programs) $(filter $(foreach folder,kernels lint machine ndm packaging patterns perf run_h5 viz-export,tests/$(folder)/%),$(TEST_SCRIPTS))
.PHONY: list-portable-tests
list-portable-tests:
	@echo $(portable_tests)
EXTRA_DIST += $(patsubst $(srcdir)/%,%,$(wildcard $(addprefix $(srcdir)/tests/,*/*.sh */*.inc */*.py */*.mjs */*.txt fuzz/corpus-* needs.inc data)))

# Unit tests and the corpora of the fuzz targets once more, with ASan and UBSan, in a separate build folder; then the commands that read
# profiles, on sound ones and on 1,000 changed ones. libhdf5 leaks memory for damaged files.
reader_tests = $(addprefix tests/,tools/test_report.sh tools/test_heatmap.sh tools/test_diff.sh tools/test_merge.sh \
    viz-export/test_view.sh viz-export/test_view_format.sh viz-export/test_export.sh viz-export/test_export_manners.sh)
.PHONY: check-sanitized
check-sanitized:
	rm -rf sanitized && mkdir sanitized
	cd sanitized && case '$(srcdir)' in /*) top='$(srcdir)' ;; *) top='../$(srcdir)' ;; esac && \
	    $$top/configure --enable-sanitizers CC='$(CC)' CXX='$(CXX)' >configure.log && $(MAKE) check TESTS='$(filter-out %.sh,$(TESTS))'
	cd sanitized && ASAN_OPTIONS=detect_leaks=0 $(MAKE) check TESTS='$(reader_tests)'
	top_srcdir='$(top_srcdir)' top_builddir=sanitized $(srcdir)/tests/fuzz/check_profiles.sh; $(skip_is_success)
check-long: check-sanitized
