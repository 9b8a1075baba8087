# SPDX-License-Identifier: BSD-3-Clause
# tests/viz-export: the page of loadstone view, in a browser without a window
check_PROGRAMS += tests/viz-export/make_view
tests_viz_export_make_view_SOURCES = tests/viz-export/make_view.c
tests_viz_export_make_view_LDADD = libprofile.la libcommon.la -lm
dist_check_SCRIPTS += tests/viz-export/test_view.sh tests/viz-export/test_view_format.sh
TESTS += tests/viz-export/test_view.sh tests/viz-export/test_view_format.sh
EXTRA_DIST += tests/viz-export/view_tools.sh tests/viz-export/browser.mjs tests/viz-export/test_view.mjs
