# SPDX-License-Identifier: BSD-3-Clause
# patterns: from sequences to patterns; a library of its own, because names need the symbols
noinst_LTLIBRARIES += libpatcompact.la
libpatcompact_la_SOURCES = \
    patterns/pat_class.c patterns/pat_class.h \
    patterns/pat_compact.c patterns/pat_compact.h \
    patterns/pat_form.c patterns/pat_form.h \
    patterns/pat_measure.c patterns/pat_measure.h \
    patterns/pat_measure_fenwick.h \
    patterns/pat_measure_map.c patterns/pat_measure_map.h \
    patterns/pat_measure_reuse.c patterns/pat_measure_reuse.h \
    patterns/pat_names.c patterns/pat_names.h \
    patterns/pat_period.c patterns/pat_period.h \
    patterns/pat_period_pieces.c patterns/pat_period_pieces.h \
    patterns/pat_synthetic.c patterns/pat_synthetic.h
libpatcompact_la_LIBADD = libpatterns.la libsymbols.la -lm
