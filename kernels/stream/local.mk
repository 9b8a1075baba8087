# SPDX-License-Identifier: BSD-3-Clause
# kernels/stream: STREAM and RaiderSTREAM
libkernels_la_SOURCES += \
    kernels/stream/kn_lane.c kernels/stream/kn_lane.h \
    kernels/stream/kn_lane.inc.h \
    kernels/stream/kn_lane_family.inc.h \
    kernels/stream/kn_lane_nontemporal.inc.h \
    kernels/stream/kn_lane_stream.inc.h \
    kernels/stream/kn_room.c kernels/stream/kn_room.h \
    kernels/stream/kn_stream.c kernels/stream/kn_stream.h
libknscalar_la_SOURCES += kernels/stream/kn_lane_scalar.c
if HOST_X86_64
libknavx2_la_SOURCES += kernels/stream/kn_lane_avx2.c
libknavx512_la_SOURCES += kernels/stream/kn_lane_avx512.c
endif
