# SPDX-License-Identifier: BSD-3-Clause
# patterns: distances between patterns, matching, groups
libpatterns_la_SOURCES += \
    patterns/pat_cluster.c patterns/pat_cluster.h \
    patterns/pat_compare.c patterns/pat_compare.h \
    patterns/pat_compare_assign.c patterns/pat_compare_assign.h \
    patterns/pat_compare_block.c patterns/pat_compare_block.h \
    patterns/pat_compare_found.c patterns/pat_compare_found.h \
    patterns/pat_compare_item.c patterns/pat_compare_item.h \
    patterns/pat_compare_match.c patterns/pat_compare_match.h \
    patterns/pat_compare_random.h \
    patterns/pat_compare_resample.c patterns/pat_compare_resample.h \
    patterns/pat_compare_walk.c patterns/pat_compare_walk.h
libpatterns_la_LIBADD += -lm
