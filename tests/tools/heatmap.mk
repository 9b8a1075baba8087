# SPDX-License-Identifier: BSD-3-Clause
# report --heatmap against goldens
check_PROGRAMS += tests/tools/make_heat
tests_tools_make_heat_SOURCES = tests/tools/make_heat.c tests/profile/prof_write_fixture.c tests/profile/prof_write_fixture.h
tests_tools_make_heat_LDADD = libprofile.la libcommon.la -lm
TESTS += tests/tools/test_heatmap.sh
EXTRA_DIST += tests/tools/test_heatmap.sh \
    tests/tools/golden/heatmap-matrix.txt \
    tests/tools/golden/heatmap-colour.txt \
    tests/tools/golden/heatmap-box.txt \
    tests/tools/golden/heatmap-rod.txt \
    tests/tools/golden/heatmap-ring.txt \
    tests/tools/golden/heatmap-box.json
