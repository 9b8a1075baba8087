# SPDX-License-Identifier: BSD-3-Clause
# tests/kernels
unit_programs += tests/kernels/unit
tests_kernels_unit_SOURCES = \
    tests/kernels/busy.h tests/kernels/test_kn_chain.c \
    tests/kernels/test_kn_choices.c \
    tests/kernels/test_kn_gpu.c \
    tests/kernels/test_kn_kernel.c \
    tests/kernels/test_kn_memory.c \
    tests/kernels/test_kn_ranks.c \
    tests/kernels/test_kn_replay.c \
    tests/kernels/test_kn_rows.c \
    tests/kernels/test_kn_stream.c \
    tests/kernels/test_kn_team.c \
    tests/kernels/test_kn_time.c \
    tests/kernels/test_kn_together.c
tests_kernels_unit_CPPFLAGS = $(unit_cppflags)
tests_kernels_unit_CFLAGS = $(unit_cflags)
tests_kernels_unit_LDADD = libkernels.la $(OPENMP_CFLAGS) $(unit_libs)

# A library of ranks with made-up other ranks.
check_LTLIBRARIES += tests/kernels/fake_ranks.la
tests_kernels_fake_ranks_la_SOURCES = tests/kernels/fake_ranks.c
tests_kernels_fake_ranks_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
