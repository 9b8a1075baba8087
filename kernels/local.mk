# SPDX-License-Identifier: BSD-3-Clause
# kernels: gather/scatter and STREAM kernels, their variants and backends, the measurement, studies
# Which instructions a method uses is decided here: each has its own flags, the rest of the library none. Scalar moves are
# not to be vectorised behind our back; -O3 unrolls what says so.
# No loop becomes a call of memcpy; what clang cannot vectorise (volatile) it need not tell.
KN_LOOP_CFLAGS = $(AM_CFLAGS) -O3 $(KERNEL_CFLAGS)
KN_SCALAR_CFLAGS = $(KN_LOOP_CFLAGS) -fno-tree-vectorize -fno-tree-slp-vectorize
noinst_LTLIBRARIES += libknscalar.la libkernels.la
libknscalar_la_SOURCES = kernels/kn_var_scalar.c kernels/kn_var_unrolled.c kernels/kn_var_operations.c kernels/kn_operation.inc.h kernels/kn_access.inc.h kernels/kn_access_end.inc.h \
    kernels/kn_piece.c kernels/kn_piece.h kernels/kn_piece.inc.h kernels/kn_var_paired.c kernels/kn_paired.inc.h kernels/kn_lane_scalar.c kernels/kn_lane_unrolled.c
libknscalar_la_CFLAGS = $(KN_SCALAR_CFLAGS)
libkernels_la_LIBADD = libknscalar.la
if HOST_X86_64
noinst_LTLIBRARIES += libknavx2.la libknavx512.la
libknscalar_la_SOURCES += kernels/kn_var_nontemporal_x86_64.c
libknavx2_la_SOURCES = kernels/kn_var_avx2.c kernels/kn_lane_avx2.c kernels/kn_lane_nontemporal_avx2.c
libknavx2_la_CFLAGS = $(KN_LOOP_CFLAGS) -fopenmp-simd -mavx2 -mfma
libknavx512_la_SOURCES = kernels/kn_var_avx512.c kernels/kn_lane_avx512.c kernels/kn_lane_nontemporal_avx512.c
libknavx512_la_CFLAGS = $(KN_LOOP_CFLAGS) -fopenmp-simd -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512
libkernels_la_LIBADD += libknavx2.la libknavx512.la
else
libknscalar_la_SOURCES += kernels/kn_var_nontemporal_none.c kernels/kn_var_avx2_none.c kernels/kn_var_avx512_none.c \
    kernels/kn_lane_none.c
endif
if HOST_AARCH64
libknscalar_la_SOURCES += kernels/kn_var_neon.c
else
libknscalar_la_SOURCES += kernels/kn_var_neon_none.c
endif

libkernels_la_SOURCES = \
    kernels/kn_advice.c kernels/kn_advice.h \
    kernels/kn_arena.c kernels/kn_arena.h \
    kernels/kn_backend.c kernels/kn_backend.h \
    kernels/kn_caches.c kernels/kn_caches.h \
    kernels/kn_chain.c kernels/kn_chain.h \
    kernels/kn_commons.c kernels/kn_commons.h \
    kernels/kn_cursor.c kernels/kn_cursor.h \
    kernels/kn_family.inc.h \
    kernels/kn_fold.c kernels/kn_fold.h \
    kernels/kn_glue.h \
    kernels/kn_isa.c kernels/kn_isa.h \
    kernels/kn_job.h \
    kernels/kn_kernel.c kernels/kn_kernel.h \
    kernels/kn_lane.c kernels/kn_lane.h kernels/kn_lane_rows.h \
    kernels/kn_lane.inc.h kernels/kn_lane_family.inc.h kernels/kn_lane_nontemporal.inc.h kernels/kn_lane_stream.inc.h \
    kernels/kn_measure.c kernels/kn_measure.h \
    kernels/kn_memory.c kernels/kn_memory.h \
    kernels/kn_move.inc.h \
    kernels/kn_options.c kernels/kn_options.h \
    kernels/kn_pin.c kernels/kn_pin.h \
    kernels/kn_plan.c kernels/kn_plan.h \
    kernels/kn_proof.c kernels/kn_proof.h \
    kernels/kn_replay.c kernels/kn_replay.h \
    kernels/kn_result.c kernels/kn_result.h \
    kernels/kn_room.c kernels/kn_room.h \
    kernels/kn_run.c kernels/kn_run.h \
    kernels/kn_sequence.c kernels/kn_sequence.h \
    kernels/kn_session.c kernels/kn_session.h \
    kernels/kn_share_time.h \
    kernels/kn_stats.c kernels/kn_stats.h \
    kernels/kn_stream.c kernels/kn_stream.h \
    kernels/kn_study.c kernels/kn_study.h \
    kernels/kn_together.c kernels/kn_together.h \
    kernels/kn_trial.c kernels/kn_trial.h \
    kernels/kn_validate.c kernels/kn_validate.h \
    kernels/kn_values.h \
    kernels/kn_variant.c kernels/kn_variant.h kernels/kn_variant_rows.h \
    kernels/kn_vector.inc.h
libkernels_la_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS) $(OPENMP_CFLAGS)
libkernels_la_LIBADD += libpatterns.la libperfcount.la libcommon.la $(HWLOC_LIBS) -lm
libkernels_la_LDFLAGS = $(OPENMP_CFLAGS)
if HAVE_OPENMP
libkernels_la_SOURCES += kernels/kn_backend_openmp.c
else
libkernels_la_SOURCES += kernels/kn_backend_openmp_none.c
endif
if HOST_X86_64
libkernels_la_SOURCES += kernels/kn_isa_x86_64.c
else
if HOST_AARCH64
libkernels_la_SOURCES += kernels/kn_isa_aarch64.c
else
libkernels_la_SOURCES += kernels/kn_isa_none.c
endif
endif
