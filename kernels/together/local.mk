# SPDX-License-Identifier: BSD-3-Clause
# kernels/together: several configurations in turn
libkernels_la_SOURCES += \
    kernels/together/kn_cursor.c kernels/together/kn_cursor.h \
    kernels/together/kn_rows.c kernels/together/kn_rows.h \
    kernels/together/kn_together.c kernels/together/kn_together.h
libknscalar_la_SOURCES += \
    kernels/together/kn_cursor.h \
    kernels/together/kn_rows.h \
    kernels/together/kn_piece.c \
    kernels/together/kn_piece.inc.h
