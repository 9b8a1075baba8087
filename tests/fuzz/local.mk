# tests/fuzz: decoders against arbitrary bytes; the corpora are replayed here
check_PROGRAMS += tests/fuzz/fuzz_spool_reader
TESTS += tests/fuzz/test_fuzz_spool.sh
EXTRA_DIST += tests/fuzz/test_fuzz_spool.sh \
    tests/fuzz/corpus-spool/empty \
    tests/fuzz/corpus-spool/example-main \
    tests/fuzz/corpus-spool/example-worker \
    tests/fuzz/corpus-spool/huge-length \
    tests/fuzz/corpus-spool/text-outside

tests_fuzz_fuzz_spool_reader_SOURCES = tests/fuzz/fuzz_spool_reader.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_spool_reader_LDADD = libspoolread.la libcommon.la
