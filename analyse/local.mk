# SPDX-License-Identifier: BSD-3-Clause
# analyse: pure functions on the arrays of a profile
noinst_LTLIBRARIES += libanalyse.la
libanalyse_la_SOURCES = \
    analyse/an_advice.c analyse/an_advice.h \
    analyse/an_annotate.c analyse/an_annotate.h \
    analyse/an_bootstrap.c analyse/an_bootstrap.h \
    analyse/an_calls.c analyse/an_calls.h \
    analyse/an_combine.c analyse/an_combine.h \
    analyse/an_cost.c analyse/an_cost.h \
    analyse/an_diff.c analyse/an_diff.h \
    analyse/an_dimension.c analyse/an_dimension.h \
    analyse/an_filter.c analyse/an_filter.h \
    analyse/an_function.c analyse/an_function.h \
    analyse/an_identity.c \
    analyse/an_kernel.c analyse/an_kernel.h \
    analyse/an_keys.c analyse/an_keys.h \
    analyse/an_layout.c analyse/an_layout.h \
    analyse/an_layout_lines.c analyse/an_layout_lines.h \
    analyse/an_ranks.c analyse/an_ranks.h \
    analyse/an_select.c analyse/an_select.h \
    analyse/an_series.c analyse/an_series.h \
    analyse/an_sharing.c analyse/an_sharing.h \
    analyse/an_stacks.c \
    analyse/an_table.c analyse/an_table.h \
    analyse/an_traffic.c analyse/an_traffic.h \
    analyse/an_tables.c analyse/an_tables.h \
    analyse/an_tiles.c analyse/an_tiles.h \
    analyse/an_tiles_fold.c
libanalyse_la_LIBADD = librunh5.la libcommon.la -lm
