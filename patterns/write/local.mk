# SPDX-License-Identifier: BSD-3-Clause
# patterns that were found, as files: one file a format
libpatterns_la_SOURCES += \
    patterns/write/pat_whole.c \
    patterns/write/pat_write.c patterns/write/pat_write.h \
    patterns/write/pat_write_gem5.c \
    patterns/write/pat_write_gs.c \
    patterns/write/pat_write_json.c \
    patterns/write/pat_write_trace.c \
    patterns/write/pat_writers.h
