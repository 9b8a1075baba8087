# SPDX-License-Identifier: BSD-3-Clause
# tests/viz-export: the page of loadstone view, in a browser without a window
check_PROGRAMS += tests/viz-export/make_view
tests_viz_export_make_view_SOURCES = tests/viz-export/make_view.c tests/profile/prof_write_fixture.c tests/profile/prof_write_fixture.h
tests_viz_export_make_view_LDADD = libprofile.la libcommon.la -lm
dist_check_SCRIPTS += tests/viz-export/test_view.sh tests/viz-export/test_view_format.sh tests/viz-export/test_view_patterns.sh
TESTS += tests/viz-export/test_view.sh tests/viz-export/test_view_format.sh tests/viz-export/test_view_patterns.sh
EXTRA_DIST += tests/viz-export/view_tools.sh tests/viz-export/browser.mjs tests/viz-export/test_view.mjs
EXTRA_DIST += tests/viz-export/test_view_patterns.mjs
EXTRA_DIST += tests/viz-export/test_view_large.sh tests/viz-export/test_view_large.mjs
.PHONY: check-view-large
check-view-large: all bench/resolve
	top_srcdir='$(top_srcdir)' top_builddir='$(top_builddir)' $(srcdir)/tests/viz-export/test_view_large.sh; status=$$?; [ $$status -eq 77 ] || exit $$status
check-long: check-view-large
if HAVE_CMOCKA
check_PROGRAMS += tests/analyse/test_an_tiles tests/viz-export/test_vx_pack
TESTS += tests/analyse/test_an_tiles tests/viz-export/test_vx_pack
tests_analyse_test_an_tiles_SOURCES = tests/analyse/test_an_tiles.c
tests_analyse_test_an_tiles_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_analyse_test_an_tiles_LDADD = libanalyse.la libprofread.la $(CMOCKA_LIBS) -lm
tests_viz_export_test_vx_pack_SOURCES = tests/viz-export/test_vx_pack.c
tests_viz_export_test_vx_pack_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_viz_export_test_vx_pack_LDADD = libvizexport.la $(CMOCKA_LIBS) -lm
endif
