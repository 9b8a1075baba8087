# SPDX-License-Identifier: BSD-3-Clause
# loadstone export: each format is read back in its own ecosystem and compared with run.h5.
check_PROGRAMS += tests/viz-export/make_domains
tests_viz_export_make_domains_SOURCES = tests/viz-export/make_domains.c tests/profile/prof_write_fixture.c tests/profile/prof_write_fixture.h
tests_viz_export_make_domains_LDADD = libprofile.la libndm.la libcommon.la -lm
export_test_scripts = tests/viz-export/test_export.sh tests/viz-export/test_export_manners.sh
TESTS += $(export_test_scripts)
if HAVE_STEP
TESTS += tests/cases/test_export_run.sh
endif
EXTRA_DIST += tests/cases/test_export_run.sh
EXTRA_DIST += $(export_test_scripts) tests/viz-export/export_readers.py tests/viz-export/read_back.py tests/viz-export/read_run.py \
    tests/data/memaxes/README.md tests/data/memaxes/lulesh-slice.csv

# ParaView itself: minutes, and a large package.
dist_check_SCRIPTS += tests/viz-export/check_render.sh
EXTRA_DIST += tests/viz-export/render.py
.PHONY: check-render
check-render: all tests/viz-export/make_domains
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/viz-export/check_render.sh; \
	    status=$$?; [ $$status -eq 77 ] || exit $$status
check-long: check-render
