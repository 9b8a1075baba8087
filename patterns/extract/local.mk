# SPDX-License-Identifier: BSD-3-Clause
# patterns: extraction of the accesses of each site to each home
libpatterns_la_SOURCES += \
    patterns/extract/pat_ext.h \
    patterns/extract/pat_ext_arena.c \
    patterns/extract/pat_ext_buffer.c \
    patterns/extract/pat_ext_counts.c patterns/extract/pat_ext_counts.h \
    patterns/extract/pat_ext_engine.c patterns/extract/pat_ext_engine.h \
    patterns/extract/pat_ext_filter.c patterns/extract/pat_ext_filter.h \
    patterns/extract/pat_ext_finish.c \
    patterns/extract/pat_ext_follow.c \
    patterns/extract/pat_ext_marks.c \
    patterns/extract/pat_ext_ranges.c patterns/extract/pat_ext_ranges.h \
    patterns/extract/pat_ext_repetition.c \
    patterns/extract/pat_ext_row.h \
    patterns/extract/pat_ext_rows.c \
    patterns/extract/pat_ext_stream.c patterns/extract/pat_ext_stream.h \
    patterns/extract/pat_extract.c patterns/extract/pat_extract.h \
    patterns/extract/pat_fold.c patterns/extract/pat_fold.h \
    patterns/extract/pat_indirect.h
libpatterns_la_LIBADD += libsmrtree.la
# the load that gives the index of another: read from the machine code
if HAVE_STEP
libpatterns_la_SOURCES += patterns/extract/pat_indirect.c
libpatterns_la_LIBADD += -lZydis
endif
