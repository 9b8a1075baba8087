# SPDX-License-Identifier: BSD-3-Clause
# report --heatmap against goldens
check_PROGRAMS += tests/tools/make_atlas
tests_tools_make_atlas_SOURCES = tests/tools/make_atlas.c
tests_tools_make_atlas_LDADD = libprofile.la libcommon.la -lm
TESTS += tests/tools/test_heatmap.sh
EXTRA_DIST += tests/tools/test_heatmap.sh \
    tests/tools/golden/heatmap-matrix.txt \
    tests/tools/golden/heatmap-colour.txt \
    tests/tools/golden/heatmap-box.txt \
    tests/tools/golden/heatmap-rod.txt \
    tests/tools/golden/heatmap-ring.txt \
    tests/tools/golden/heatmap-box.json
