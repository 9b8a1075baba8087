# SPDX-License-Identifier: BSD-3-Clause
# tests/fuzz: decoders against arbitrary bytes; the corpora are replayed here
check_PROGRAMS += tests/fuzz/fuzz_spool_reader
TESTS += tests/fuzz/test_fuzz_spool.sh
EXTRA_DIST += tests/fuzz/README.md tests/fuzz/test_fuzz_spool.sh \
    tests/fuzz/corpus-spool/empty \
    tests/fuzz/corpus-spool/example-main \
    tests/fuzz/corpus-spool/example-worker \
    tests/fuzz/corpus-spool/huge-length \
    tests/fuzz/corpus-spool/text-outside \
    tests/fuzz/corpus-spool/threads

tests_fuzz_fuzz_spool_reader_SOURCES = tests/fuzz/fuzz_spool_reader.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_spool_reader_LDADD = libspoolread.la libcommon.la

check_PROGRAMS += tests/fuzz/fuzz_resolve
TESTS += tests/fuzz/test_fuzz_resolve.sh
EXTRA_DIST += tests/fuzz/test_fuzz_resolve.sh
tests_fuzz_fuzz_resolve_SOURCES = tests/fuzz/fuzz_resolve.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_resolve_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(HDF5_CFLAGS)
tests_fuzz_fuzz_resolve_LDADD = libprofile.la

if HAVE_YAJL
check_PROGRAMS += tests/fuzz/fuzz_pattern_file
TESTS += tests/fuzz/test_fuzz_patterns.sh
endif
EXTRA_DIST += tests/fuzz/test_fuzz_patterns.sh \
    tests/fuzz/corpus-patterns/empty \
    tests/fuzz/corpus-patterns/generators.json \
    tests/fuzz/corpus-patterns/huge.json \
    tests/fuzz/corpus-patterns/multi.json \
    tests/fuzz/corpus-patterns/nested.json \
    tests/fuzz/corpus-patterns/plain.json \
    tests/fuzz/corpus-patterns/raw.sbin

tests_fuzz_fuzz_pattern_file_SOURCES = tests/fuzz/fuzz_pattern_file.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_pattern_file_LDADD = libpatterns.la

check_PROGRAMS += tests/fuzz/fuzz_perfmap tests/fuzz/fuzz_unwind
TESTS += tests/fuzz/test_fuzz_perfmap.sh tests/fuzz/test_fuzz_unwind.sh
EXTRA_DIST += tests/fuzz/test_fuzz_perfmap.sh tests/fuzz/test_fuzz_unwind.sh \
    tests/fuzz/corpus-perfmap/empty tests/fuzz/corpus-perfmap/node tests/fuzz/corpus-perfmap/odd \
    tests/fuzz/corpus-unwind/chain tests/fuzz/corpus-unwind/empty tests/fuzz/corpus-unwind/outside \
    tests/fuzz/corpus-unwind/registers tests/fuzz/corpus-unwind/top
tests_fuzz_fuzz_perfmap_SOURCES = tests/fuzz/fuzz_perfmap.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_perfmap_LDADD = libsymbols.la
tests_fuzz_fuzz_unwind_SOURCES = tests/fuzz/fuzz_unwind.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_unwind_LDADD = libsymbols.la

check_PROGRAMS += tests/fuzz/fuzz_elf
TESTS += tests/fuzz/test_fuzz_elf.sh
EXTRA_DIST += tests/fuzz/test_fuzz_elf.sh \
    tests/fuzz/corpus-elf/empty \
    tests/fuzz/corpus-elf/tiny-clang \
    tests/fuzz/corpus-elf/tiny-compressed \
    tests/fuzz/corpus-elf/tiny-dwarf \
    tests/fuzz/corpus-elf/tiny-stripped
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_elf_LDADD = libsymbols.la libcommon.la

check_PROGRAMS += tests/fuzz/fuzz_domain
TESTS += tests/fuzz/test_fuzz_domain.sh
EXTRA_DIST += tests/fuzz/test_fuzz_domain.sh \
    tests/fuzz/corpus-domain/callback tests/fuzz/corpus-domain/empty tests/fuzz/corpus-domain/hilbert \
    tests/fuzz/corpus-domain/morton tests/fuzz/corpus-domain/points tests/fuzz/corpus-domain/strided \
    tests/fuzz/corpus-domain/targets tests/fuzz/corpus-domain/tiled
tests_fuzz_fuzz_domain_SOURCES = tests/fuzz/fuzz_domain.c tests/fuzz/fuzz_replay.c
tests_fuzz_fuzz_domain_LDADD = libndm.la libcommon.la

check_PROGRAMS += tests/fuzz/fuzz_perf_script
TESTS += tests/fuzz/test_fuzz_perf_script.sh
EXTRA_DIST += tests/fuzz/test_fuzz_perf_script.sh tests/fuzz/corpus-perf-script/empty \
    tests/fuzz/corpus-perf-script/faults tests/fuzz/corpus-perf-script/loads
tests_fuzz_fuzz_perf_script_SOURCES = tests/fuzz/fuzz_perf_script.c tests/fuzz/fuzz_replay.c patterns/source/pat_script_line.c
