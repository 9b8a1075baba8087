# SPDX-License-Identifier: BSD-3-Clause
# tests/tools: the command line, record's refusals and manners, reports against goldens
EXTRA_DIST += tests/tools/golden/diff.txt tests/tools/golden/diff-narrow.txt tests/tools/golden/diff.json
EXTRA_DIST += tests/tools/merged.py tests/tools/check.sh tests/tools/golden/report.txt tests/tools/golden/report-narrow.txt \
    tests/tools/golden/report-annotate.txt tests/tools/golden/report-annotate-ip.txt \
    tests/tools/golden/report.csv tests/tools/golden/report-tree.txt tests/tools/golden/report-tree-narrow.txt tests/tools/golden/report-plain.txt tests/tools/golden/report-by-line.txt tests/tools/golden/report-by-node-line.txt tests/tools/golden/report.json $(tools_test_scripts)
tools_test_scripts = \
    tests/tools/test_diff.sh \
    tests/tools/test_merge.sh \
    tests/tools/test_documents.sh \
    tests/tools/test_doctor.sh \
    tests/tools/test_options.sh \
    tests/tools/test_record_manners.sh tests/tools/test_record_limits.sh tests/tools/test_record_preload.sh tests/tools/test_record_race.sh \
    tests/tools/test_record_refusals.sh tests/tools/test_record_hardware.sh \
    tests/tools/test_report.sh tests/tools/test_report_time.sh
TESTS += $(tools_test_scripts)
check_PROGRAMS += tests/tools/make_profile
tests_tools_make_profile_SOURCES = tests/tools/make_profile.c tests/profile/prof_write_fixture.c tests/profile/prof_write_fixture.h
tests_tools_make_profile_LDADD = libprofile.la libcommon.la -lm
check_PROGRAMS += tests/tools/make_time
tests_tools_make_time_SOURCES = tests/tools/make_time.c tests/profile/prof_write_fixture.c tests/profile/prof_write_fixture.h
tests_tools_make_time_LDADD = libprofile.la libcommon.la -lm
EXTRA_DIST += tests/tools/time_rows.py tests/tools/golden/report-time.txt tests/tools/golden/report-time-function.txt \
    tests/tools/golden/report-how.txt
if HAVE_CMOCKA
check_PROGRAMS += tests/tools/test_cli_parse tests/tools/test_rec_target
TESTS += tests/tools/test_cli_parse tests/tools/test_rec_target
if HAVE_STEP
check_PROGRAMS += tests/tools/test_rep_disassemble
TESTS += tests/tools/test_rep_disassemble
tests_tools_test_rep_disassemble_SOURCES = tests/tools/test_rep_disassemble.c tools/report/rep_disassemble_zydis.c
tests_tools_test_rep_disassemble_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_rep_disassemble_LDADD = libsymbols.la libcommon.la $(CMOCKA_LIBS) -lZydis
endif
tests_tools_test_cli_parse_SOURCES = tests/tools/test_cli_parse.c tools/cli/cli_parse.c tools/cli/cli_limits.c tools/cli/cli_nearest.c tools/cli/cli_signal.c
tests_tools_test_cli_parse_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_cli_parse_LDADD = libcommon.la $(CMOCKA_LIBS)
tests_tools_test_rec_target_SOURCES = tests/tools/test_rec_target.c tools/record/rec_target.c
tests_tools_test_rec_target_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_tools_test_rec_target_LDADD = libcommon.la $(CMOCKA_LIBS)
endif

# replay
EXTRA_DIST += tests/tools/golden/replay-spatter.txt tests/tools/golden/patterns-show-amg.txt tests/tools/test_replay.sh tests/tools/test_replay_pictures.sh tests/tools/test_replay_suite.sh
if HAVE_YAJL
TESTS += tests/tools/test_replay.sh tests/tools/test_replay_pictures.sh tests/tools/test_replay_suite.sh
endif
include tests/tools/heatmap.mk
include tests/tools/patterns.mk
TESTS += tests/tools/test_import.sh tests/tools/test_import_script.sh
EXTRA_DIST += tests/tools/test_import.sh tests/data/memaxes/lulesh-samples.csv
EXTRA_DIST += tests/tools/test_import_script.sh tests/data/perf-script/chains.txt tests/data/perf-script/faults.txt
