# SPDX-License-Identifier: BSD-3-Clause
# loadstone export: each format is read back in its own ecosystem and compared with run.h5.
check_PROGRAMS += tests/viz-export/make_atlas
tests_viz_export_make_atlas_SOURCES = tests/viz-export/make_atlas.c
tests_viz_export_make_atlas_LDADD = libprofile.la libndm.la libcommon.la -lm
export_test_scripts = tests/viz-export/test_export.sh tests/viz-export/test_export_manners.sh
TESTS += $(export_test_scripts)
EXTRA_DIST += $(export_test_scripts) tests/viz-export/read_back.py \
    tests/data/memaxes/README.md tests/data/memaxes/lulesh-slice.csv
