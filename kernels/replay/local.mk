# SPDX-License-Identifier: BSD-3-Clause
# kernels/replay: gather/scatter configurations
libkernels_la_SOURCES += \
    kernels/replay/kn_arrays.c kernels/replay/kn_arrays.h \
    kernels/replay/kn_choices.c kernels/replay/kn_choices.h \
    kernels/replay/kn_family.inc.h \
    kernels/replay/kn_job.c kernels/replay/kn_job.h \
    kernels/replay/kn_move.inc.h \
    kernels/replay/kn_replay.c kernels/replay/kn_replay.h \
    kernels/replay/kn_gpu_model.c kernels/replay/kn_gpu_model.h kernels/replay/kn_replay_gpu.c kernels/replay/kn_replay_gpu.h \
    kernels/replay/kn_split.c \
    kernels/replay/kn_session.c kernels/replay/kn_session.h \
    kernels/replay/kn_trial.c kernels/replay/kn_trial.h \
    kernels/replay/kn_validate.c \
    kernels/replay/kn_variant.c kernels/replay/kn_variant.h \
    kernels/replay/kn_vector.inc.h
libknscalar_la_SOURCES += \
    kernels/replay/kn_access.inc.h \
    kernels/replay/kn_access_end.inc.h \
    kernels/replay/kn_operation.inc.h \
    kernels/replay/kn_paired.inc.h \
    kernels/replay/kn_var_operations.c \
    kernels/replay/kn_var_paired.c \
    kernels/replay/kn_var_scalar.c
if HOST_X86_64
libknscalar_la_SOURCES += kernels/replay/kn_var_nontemporal_x86_64.c
libknavx2_la_SOURCES += kernels/replay/kn_var_avx2.c
libknavx512_la_SOURCES += kernels/replay/kn_var_avx512.c
endif
if HOST_AARCH64
libknscalar_la_SOURCES += kernels/replay/kn_var_neon.c
endif
