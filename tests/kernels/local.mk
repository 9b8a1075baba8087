# SPDX-License-Identifier: BSD-3-Clause
# tests/kernels
if HAVE_CMOCKA
KERNELS_TESTS = tests/kernels/test_kn_kernel tests/kernels/test_kn_chain tests/kernels/test_kn_replay tests/kernels/test_kn_stream tests/kernels/test_kn_together
check_PROGRAMS += $(KERNELS_TESTS)
TESTS += $(KERNELS_TESTS)
kernels_test_libs = libkernels.la $(CMOCKA_LIBS) $(OPENMP_CFLAGS) -lm
tests_kernels_test_kn_kernel_SOURCES = tests/kernels/test_kn_kernel.c
tests_kernels_test_kn_kernel_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_kernel_LDADD = $(kernels_test_libs)
tests_kernels_test_kn_chain_SOURCES = tests/kernels/test_kn_chain.c
tests_kernels_test_kn_chain_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_chain_LDADD = $(kernels_test_libs)
tests_kernels_test_kn_replay_SOURCES = tests/kernels/test_kn_replay.c
tests_kernels_test_kn_replay_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_replay_LDADD = $(kernels_test_libs)
tests_kernels_test_kn_stream_SOURCES = tests/kernels/test_kn_stream.c
tests_kernels_test_kn_stream_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_stream_LDADD = $(kernels_test_libs)
tests_kernels_test_kn_together_SOURCES = tests/kernels/test_kn_together.c
tests_kernels_test_kn_together_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_kernels_test_kn_together_LDADD = $(kernels_test_libs)
endif

# The baseline's machine code, and the command that runs STREAM's kernels.
kernels_test_scripts = tests/kernels/test_kn_scalar.sh tests/tools/test_stream.sh tests/tools/test_study.sh
TESTS += $(kernels_test_scripts)
EXTRA_DIST += $(kernels_test_scripts) tests/tools/golden/stream-table.txt
