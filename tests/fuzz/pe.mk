# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz: records, packets and words of perf_event
PE_FUZZERS = tests/fuzz/fuzz_pe_record tests/fuzz/fuzz_pe_spe tests/fuzz/fuzz_pe_words
check_PROGRAMS += $(PE_FUZZERS)
TESTS += tests/fuzz/test_fuzz_pe_record.sh tests/fuzz/test_fuzz_pe_spe.sh tests/fuzz/test_fuzz_pe_words.sh
EXTRA_DIST += tests/fuzz/test_fuzz_pe_record.sh tests/fuzz/test_fuzz_pe_spe.sh tests/fuzz/test_fuzz_pe_words.sh \
    tests/fuzz/corpus-pe-record tests/fuzz/corpus-pe-spe tests/fuzz/corpus-pe-words
tests_fuzz_fuzz_pe_record_SOURCES = tests/fuzz/fuzz_pe_record.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_pe_record_LDADD = libperfring.la libcommon.la
tests_fuzz_fuzz_pe_spe_SOURCES = tests/fuzz/fuzz_pe_spe.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_pe_spe_LDADD = libperfring.la libcommon.la
tests_fuzz_fuzz_pe_words_SOURCES = tests/fuzz/fuzz_pe_words.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_pe_words_LDADD = libperfring.la libcommon.la
