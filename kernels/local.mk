# SPDX-License-Identifier: BSD-3-Clause
# kernels: gather/scatter and STREAM kernels, their variants and backends, the measurement
# Which instructions a method uses is decided here: each has its own flags, the rest of the library none. The compiler must not
# vectorise scalar moves; -O3 unrolls loops that request it. No loop becomes a call of memcpy; what clang cannot vectorise (volatile) it need not tell.
KN_LOOP_CFLAGS = $(AM_CFLAGS) -O3 $(KERNEL_CFLAGS)
KN_SCALAR_CFLAGS = $(KN_LOOP_CFLAGS) -fno-tree-vectorize -fno-tree-slp-vectorize
noinst_LTLIBRARIES += libknscalar.la libkernels.la
libknscalar_la_SOURCES =
libknscalar_la_CFLAGS = $(KN_SCALAR_CFLAGS)
libkernels_la_SOURCES = \
    kernels/kn_backend.c kernels/kn_backend.h \
    kernels/kn_kernel.c kernels/kn_kernel.h \
    kernels/kn_memory.c kernels/kn_memory.h \
    kernels/kn_options.c kernels/kn_options.h \
    kernels/kn_ranks.c kernels/kn_ranks.h \
    kernels/kn_ranks_module.h \
    kernels/kn_result.c kernels/kn_result.h \
    kernels/kn_share_time.h \
    kernels/kn_team.c kernels/kn_team.h \
    kernels/kn_values.h
libkernels_la_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS) $(OPENMP_CFLAGS)
libkernels_la_LIBADD = libknscalar.la
if HOST_X86_64
noinst_LTLIBRARIES += libknavx2.la libknavx512.la
libknavx2_la_SOURCES =
libknavx2_la_CFLAGS = $(KN_LOOP_CFLAGS) -fopenmp-simd -mavx2 -mfma
libknavx512_la_SOURCES =
libknavx512_la_CFLAGS = $(KN_LOOP_CFLAGS) -fopenmp-simd -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512
libkernels_la_LIBADD += libknavx2.la libknavx512.la
endif
libkernels_la_LIBADD += libpatterns.la libperfcount.la libmachine.la libcommon.la $(HWLOC_LIBS) -lm -ldl
libkernels_la_LDFLAGS = $(OPENMP_CFLAGS)
# Ranks of parallel jobs: a module for each library, which the program loads and does not link.
KN_MODULE_LDFLAGS = -module -avoid-version -shared -export-symbols-regex '^kn_ranks_table$$'
if HAVE_OPENMPI
pkglib_LTLIBRARIES += loadstone-mpi-openmpi.la
loadstone_mpi_openmpi_la_SOURCES = kernels/kn_ranks_mpi.c kernels/kn_ranks_module.h
loadstone_mpi_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CPPFLAGS)
loadstone_mpi_openmpi_la_CFLAGS = $(AM_CFLAGS)
loadstone_mpi_openmpi_la_LDFLAGS = $(AM_LDFLAGS) $(KN_MODULE_LDFLAGS)
loadstone_mpi_openmpi_la_LIBADD = $(OPENMPI_LIBS)
endif
if HAVE_MPICH
pkglib_LTLIBRARIES += loadstone-mpi-mpich.la
loadstone_mpi_mpich_la_SOURCES = kernels/kn_ranks_mpi.c kernels/kn_ranks_module.h
loadstone_mpi_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS)
loadstone_mpi_mpich_la_CFLAGS = $(AM_CFLAGS)
loadstone_mpi_mpich_la_LDFLAGS = $(AM_LDFLAGS) $(KN_MODULE_LDFLAGS)
loadstone_mpi_mpich_la_LIBADD = $(MPICH_LIBS)
endif
if HAVE_SHMEM
pkglib_LTLIBRARIES += loadstone-shmem.la
loadstone_shmem_la_SOURCES = kernels/kn_ranks_shmem.c kernels/kn_ranks_module.h
loadstone_shmem_la_CPPFLAGS = $(AM_CPPFLAGS) $(SHMEM_CPPFLAGS)
loadstone_shmem_la_CFLAGS = $(AM_CFLAGS)
loadstone_shmem_la_LDFLAGS = $(AM_LDFLAGS) $(KN_MODULE_LDFLAGS)
loadstone_shmem_la_LIBADD = $(SHMEM_LIBS)
endif
EXTRA_DIST += kernels/kn_ranks_mpi.c kernels/kn_ranks_shmem.c
include kernels/gpu/local.mk
include kernels/replay/local.mk
include kernels/stream/local.mk
include kernels/together/local.mk
