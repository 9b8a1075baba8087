# SPDX-License-Identifier: BSD-3-Clause
# patterns: distances between patterns, matching, groups
libpatterns_la_SOURCES += \
    patterns/compare/pat_cluster.c \
    patterns/compare/pat_compare.c patterns/compare/pat_compare.h \
    patterns/compare/pat_compare_item.c \
    patterns/compare/pat_compare_match.c \
    patterns/compare/pat_compare_resample.c
libpatterns_la_LIBADD += -lm
