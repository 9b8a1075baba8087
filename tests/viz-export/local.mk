# SPDX-License-Identifier: BSD-3-Clause
# tests/viz-export: axes, files of results; loadstone export, read back by each format's own ecosystem and compared with run.h5; the page
# of loadstone view in a browser without a window. Pictures are looked at in tests/tools/test_replay_pictures.sh.
unit_programs += tests/viz-export/unit
tests_viz_export_unit_SOURCES = \
    tests/viz-export/test_vx_axis.c \
    tests/viz-export/test_vx_pack.c \
    tests/viz-export/test_vx_results.c \
    tests/viz-export/test_vx_merge.c \
    tests/viz-export/test_vx_squares.c
tests_viz_export_unit_CPPFLAGS = $(unit_cppflags)
tests_viz_export_unit_CFLAGS = $(unit_cflags)
tests_viz_export_unit_LDADD = libvizexport.la $(HDF5_LIBS) $(unit_libs)

check_PROGRAMS += tests/viz-export/make_domains tests/viz-export/make_view
tests_viz_export_make_domains_SOURCES = tests/viz-export/make_domains.c $(prof_write_fixture)
tests_viz_export_make_domains_LDADD = libresolve.la libndm.la libcommon.la -lm
tests_viz_export_make_view_SOURCES = tests/viz-export/make_view.c $(prof_write_fixture)
tests_viz_export_make_view_LDADD = libresolve.la libcommon.la -lm

# ParaView itself: minutes, and a large package. The page of five million samples.
.PHONY: check-render check-view-large
check-render: all tests/viz-export/make_domains
	$(run_script) $(srcdir)/tests/viz-export/check_render.sh; $(skip_is_success)
check-view-large: all bench/resolve
	$(run_script) $(srcdir)/tests/viz-export/check_view_large.sh; $(skip_is_success)
check-long: check-render check-view-large
