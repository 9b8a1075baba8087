# SPDX-License-Identifier: BSD-3-Clause
# tests/viz-export: axes, files of results; pictures are looked at in tests/tools/test_replay_pictures.sh
if HAVE_CMOCKA
VIZ_TESTS = tests/viz-export/test_vx_axis tests/viz-export/test_vx_results tests/viz-export/test_vx_squares
check_PROGRAMS += $(VIZ_TESTS)
TESTS += $(VIZ_TESTS)
tests_viz_export_test_vx_axis_SOURCES = tests/viz-export/test_vx_axis.c
tests_viz_export_test_vx_axis_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_viz_export_test_vx_axis_LDADD = libvizexport.la $(CMOCKA_LIBS) -lm
tests_viz_export_test_vx_squares_SOURCES = tests/viz-export/test_vx_squares.c
tests_viz_export_test_vx_squares_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_viz_export_test_vx_squares_LDADD = libvizexport.la $(CMOCKA_LIBS) -lm
tests_viz_export_test_vx_results_SOURCES = tests/viz-export/test_vx_results.c
tests_viz_export_test_vx_results_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(HDF5_CFLAGS)
tests_viz_export_test_vx_results_LDADD = libvizexport.la $(CMOCKA_LIBS) $(HDF5_LIBS) -lm
endif
include tests/viz-export/view.mk
include tests/viz-export/export.mk
