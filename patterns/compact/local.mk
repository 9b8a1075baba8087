# SPDX-License-Identifier: BSD-3-Clause
# patterns: from sequences to patterns; a separate library, because names need the symbols. libpatterns describes patterns of files
# as well
noinst_LTLIBRARIES += libpatcompact.la
libpatcompact_la_SOURCES = \
    patterns/compact/pat_compact.c patterns/compact/pat_compact.h patterns/compact/pat_compact_parts.h \
    patterns/compact/pat_form.c \
    patterns/compact/pat_join.c \
    patterns/compact/pat_names.c \
    patterns/compact/pat_parallel.c \
    patterns/compact/pat_synthetic.c
libpatcompact_la_LIBADD = libpatterns.la libsymbols.la -lm
libpatterns_la_SOURCES += \
    patterns/compact/pat_class.c patterns/compact/pat_class.h \
    patterns/compact/pat_found.c patterns/compact/pat_found.h \
    patterns/compact/pat_measure.c patterns/compact/pat_measure.h \
    patterns/compact/pat_measure_fenwick.h \
    patterns/compact/pat_measure_map.c patterns/compact/pat_measure_map.h \
    patterns/compact/pat_measure_reuse.c \
    patterns/compact/pat_period.c patterns/compact/pat_period.h \
    patterns/compact/pat_row_lengths.c patterns/compact/pat_row_lengths.h
