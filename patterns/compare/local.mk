# SPDX-License-Identifier: BSD-3-Clause
# patterns: distances between patterns, matching, groups
libpatterns_la_SOURCES += \
    patterns/compare/pat_cluster.c patterns/compare/pat_cluster.h \
    patterns/compare/pat_compare.c patterns/compare/pat_compare.h \
    patterns/compare/pat_compare_assign.c patterns/compare/pat_compare_assign.h \
    patterns/compare/pat_compare_block.c patterns/compare/pat_compare_block.h \
    patterns/compare/pat_compare_found.c patterns/compare/pat_compare_found.h \
    patterns/compare/pat_compare_item.c patterns/compare/pat_compare_item.h \
    patterns/compare/pat_compare_match.c patterns/compare/pat_compare_match.h \
    patterns/compare/pat_compare_resample.c patterns/compare/pat_compare_resample.h \
    patterns/compare/pat_compare_walk.c patterns/compare/pat_compare_walk.h
libpatterns_la_LIBADD += -lm
