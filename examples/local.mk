# SPDX-License-Identifier: BSD-3-Clause
# examples: instrumented programs and the case studies of doc/cases.md, built here and installed as sources
example_programs = examples/matmul_naive examples/matmul_blocked examples/matmul_transposed \
    examples/matmul_naive_cxx examples/matmul_blocked_cxx \
    examples/sedov_separate examples/sedov_fused examples/spmv examples/stencil_naive examples/stencil_tiled \
    examples/particles_whole examples/particles_split
example_sources = examples/example.h examples/matmul.h examples/matmul_naive.c examples/matmul_blocked.c \
    examples/matmul_transposed.c examples/matmul_naive_cxx.cc examples/matmul_blocked_cxx.cc \
    examples/sedov.h examples/sedov_element.h examples/sedov_main.c examples/sedov_mesh.c examples/sedov_names.c \
    examples/sedov_gas.c examples/sedov_separate.c examples/sedov_fused.c \
    examples/spmv.h examples/spmv.c examples/spmv_matrix.c examples/spmv_order.c \
    examples/stencil.h examples/stencil_naive.c examples/stencil_tiled.c \
    examples/particles.h examples/particles_whole.c examples/particles_split.c \
    examples/fft3d.c examples/numpy_stencil.py examples/rust_names.rs
if HAVE_FFT3D
example_programs += examples/fft3d
endif
noinst_PROGRAMS += $(example_programs)
sedov_shared = examples/example.h examples/sedov.h examples/sedov_element.h examples/sedov_main.c examples/sedov_mesh.c \
    examples/sedov_names.c examples/sedov_gas.c
examples_matmul_naive_SOURCES = examples/matmul_naive.c examples/matmul.h examples/example.h
examples_matmul_blocked_SOURCES = examples/matmul_blocked.c examples/matmul.h examples/example.h
examples_matmul_transposed_SOURCES = examples/matmul_transposed.c examples/matmul.h examples/example.h
examples_matmul_naive_cxx_SOURCES = examples/matmul_naive_cxx.cc
examples_matmul_blocked_cxx_SOURCES = examples/matmul_blocked_cxx.cc
examples_sedov_separate_SOURCES = examples/sedov_separate.c $(sedov_shared)
examples_sedov_fused_SOURCES = examples/sedov_fused.c $(sedov_shared)
examples_spmv_SOURCES = examples/spmv.c examples/spmv.h examples/spmv_matrix.c examples/spmv_order.c examples/example.h
examples_stencil_naive_SOURCES = examples/stencil_naive.c examples/stencil.h examples/example.h
examples_stencil_tiled_SOURCES = examples/stencil_tiled.c examples/stencil.h examples/example.h
examples_particles_whole_SOURCES = examples/particles_whole.c examples/particles.h examples/example.h
examples_particles_split_SOURCES = examples/particles_split.c examples/particles.h examples/example.h
examples_fft3d_SOURCES = examples/fft3d.c examples/example.h
examples_fft3d_CFLAGS = $(AM_CFLAGS) $(FFT3D_CFLAGS)
examples_sedov_separate_CFLAGS = $(AM_CFLAGS) -Wno-unknown-pragmas $(OPENMP_CFLAGS)
examples_sedov_fused_CFLAGS = $(AM_CFLAGS) -Wno-unknown-pragmas $(OPENMP_CFLAGS)
examples_matmul_naive_LDADD = libloadstone.la
examples_matmul_blocked_LDADD = libloadstone.la
examples_matmul_transposed_LDADD = libloadstone.la
examples_matmul_naive_cxx_LDADD = libloadstone.la
examples_matmul_blocked_cxx_LDADD = libloadstone.la
examples_sedov_separate_LDADD = libloadstone.la -lm
examples_sedov_fused_LDADD = libloadstone.la -lm
examples_spmv_LDADD = libloadstone.la -lm
examples_stencil_naive_LDADD = libloadstone.la -lm
examples_stencil_tiled_LDADD = libloadstone.la -lm
examples_particles_whole_LDADD = libloadstone.la -lm
examples_particles_split_LDADD = libloadstone.la -lm
examples_fft3d_LDADD = libloadstone.la $(FFT3D_LIBS) -lm
examples_matmul_naive_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_matmul_blocked_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_matmul_transposed_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_matmul_naive_cxx_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_matmul_blocked_cxx_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_sedov_separate_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_sedov_fused_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_spmv_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_stencil_naive_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_particles_whole_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_particles_split_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_fft3d_LDFLAGS = $(AM_LDFLAGS) -no-install
examples_stencil_tiled_LDFLAGS = $(AM_LDFLAGS) -no-install
examplesdir = $(docdir)/examples
dist_examples_DATA = $(example_sources)

.PHONY: examples
examples: $(example_programs)

# make cases: the case studies all over again; figures and pictures land in doc/ of the source tree.
EXTRA_DIST += examples/cases.py examples/panel.mjs
cases: all bench/machine tests/tracer/trace_lines
	$(bench_python3) $(srcdir)/examples/cases.py --loadstone tools/loadstone --programs examples --machine "$$(bench/machine)" \
	    --trace-lines tests/tracer/trace_lines --modules viz-export/view/web/modules --doc $(srcdir)/doc $(CASES_ARGS)
.PHONY: cases
