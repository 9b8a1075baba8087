# SPDX-License-Identifier: BSD-3-Clause
# kernels/stream: STREAM and RaiderSTREAM
libkernels_la_SOURCES += \
    kernels/stream/kn_loop.c kernels/stream/kn_loop.h \
    kernels/stream/kn_loop.inc.h \
    kernels/stream/kn_loop_family.inc.h \
    kernels/stream/kn_loop_nontemporal.inc.h \
    kernels/stream/kn_loop_stream.inc.h \
    kernels/stream/kn_reach.c kernels/stream/kn_reach.h \
    kernels/stream/kn_stream_arrays.c kernels/stream/kn_stream_arrays.h \
    kernels/stream/kn_stream.c kernels/stream/kn_stream.h \
    kernels/stream/kn_stream_gpu.c kernels/stream/kn_stream_gpu.h
libknscalar_la_SOURCES += kernels/stream/kn_loop_scalar.c
if HOST_X86_64
libknavx2_la_SOURCES += kernels/stream/kn_loop_avx2.c
libknavx512_la_SOURCES += kernels/stream/kn_loop_avx512.c
endif
