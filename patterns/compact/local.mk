# SPDX-License-Identifier: BSD-3-Clause
# patterns: from sequences to patterns; a library of its own, because names need the symbols. What describes patterns of files, too, is in libpatterns
noinst_LTLIBRARIES += libpatcompact.la
libpatcompact_la_SOURCES = \
    patterns/compact/pat_compact.c patterns/compact/pat_compact.h \
    patterns/compact/pat_feeds.c patterns/compact/pat_feeds.h \
    patterns/compact/pat_form.c patterns/compact/pat_form.h \
    patterns/compact/pat_join.c patterns/compact/pat_join.h \
    patterns/compact/pat_names.c patterns/compact/pat_names.h \
    patterns/compact/pat_parallel.c patterns/compact/pat_parallel.h \
    patterns/compact/pat_synthetic.c patterns/compact/pat_synthetic.h
libpatcompact_la_LIBADD = libpatterns.la libsymbols.la -lm
libpatterns_la_SOURCES += \
    patterns/compact/pat_class.c patterns/compact/pat_class.h \
    patterns/compact/pat_measure.c patterns/compact/pat_measure.h \
    patterns/compact/pat_measure_fenwick.h \
    patterns/compact/pat_measure_last.c patterns/compact/pat_measure_last.h \
    patterns/compact/pat_measure_lines.c patterns/compact/pat_measure_lines.h \
    patterns/compact/pat_measure_map.c patterns/compact/pat_measure_map.h \
    patterns/compact/pat_measure_moved.c patterns/compact/pat_measure_moved.h \
    patterns/compact/pat_measure_reuse.c patterns/compact/pat_measure_reuse.h \
    patterns/compact/pat_period.c patterns/compact/pat_period.h \
    patterns/compact/pat_period_pieces.c patterns/compact/pat_period_pieces.h
