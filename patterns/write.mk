# SPDX-License-Identifier: BSD-3-Clause
# patterns that were found, as files: one file a format
libpatterns_la_SOURCES += \
    patterns/pat_unroll.c patterns/pat_unroll.h \
    patterns/pat_write.c patterns/pat_write.h \
    patterns/pat_write_gem5.c \
    patterns/pat_write_gs.c \
    patterns/pat_write_json.c \
    patterns/pat_writers.h
