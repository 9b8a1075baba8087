# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz: any sequence through compaction
check_PROGRAMS += tests/fuzz/fuzz_compact
TESTS += tests/fuzz/test_fuzz_compact.sh
EXTRA_DIST += tests/fuzz/test_fuzz_compact.sh \
    tests/fuzz/corpus-compact/bursts tests/fuzz/corpus-compact/empty tests/fuzz/corpus-compact/part \
    tests/fuzz/corpus-compact/ragged tests/fuzz/corpus-compact/random tests/fuzz/corpus-compact/rows \
    tests/fuzz/corpus-compact/stream tests/fuzz/corpus-compact/wild
tests_fuzz_fuzz_compact_SOURCES = tests/fuzz/fuzz_compact.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_compact_LDADD = libpatcompact.la -lm
