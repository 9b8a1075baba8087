# SPDX-License-Identifier: BSD-3-Clause
# examples: instrumented programs, built here and installed as sources
example_programs = examples/matmul_naive examples/matmul_blocked examples/matmul_naive_cxx examples/matmul_blocked_cxx
noinst_PROGRAMS += $(example_programs)
examples_matmul_naive_SOURCES = examples/matmul_naive.c
examples_matmul_blocked_SOURCES = examples/matmul_blocked.c
examples_matmul_naive_cxx_SOURCES = examples/matmul_naive_cxx.cc
examples_matmul_blocked_cxx_SOURCES = examples/matmul_blocked_cxx.cc
examples_matmul_naive_LDADD = libloadstone.la
examples_matmul_blocked_LDADD = libloadstone.la
examples_matmul_naive_cxx_LDADD = libloadstone.la
examples_matmul_blocked_cxx_LDADD = libloadstone.la
examples_matmul_naive_LDFLAGS = -no-install
examples_matmul_blocked_LDFLAGS = -no-install
examples_matmul_naive_cxx_LDFLAGS = -no-install
examples_matmul_blocked_cxx_LDFLAGS = -no-install
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/matmul_naive.c examples/matmul_blocked.c examples/matmul_naive_cxx.cc examples/matmul_blocked_cxx.cc
