# SPDX-License-Identifier: BSD-3-Clause
# patterns: extraction of what each site did on each home
libpatterns_la_SOURCES += \
    patterns/extract/pat_extract.c \
    patterns/extract/pat_ext_arena.c patterns/extract/pat_ext_arena.h \
    patterns/extract/pat_ext_budget.h \
    patterns/extract/pat_ext_choose.c patterns/extract/pat_ext_choose.h \
    patterns/extract/pat_ext_cost.c patterns/extract/pat_ext_cost.h \
    patterns/extract/pat_ext_divisor.c patterns/extract/pat_ext_divisor.h \
    patterns/extract/pat_ext_echo.c patterns/extract/pat_ext_echo.h \
    patterns/extract/pat_ext_engine.c patterns/extract/pat_ext_engine.h \
    patterns/extract/pat_ext_finish.c patterns/extract/pat_ext_finish.h \
    patterns/extract/pat_ext_follow.c patterns/extract/pat_ext_follow.h \
    patterns/extract/pat_ext_hash.h \
    patterns/extract/pat_ext_home_pages.c patterns/extract/pat_ext_home_pages.h \
    patterns/extract/pat_ext_lines.c patterns/extract/pat_ext_lines.h \
    patterns/extract/pat_ext_marks.c patterns/extract/pat_ext_marks.h \
    patterns/extract/pat_ext_pages.c patterns/extract/pat_ext_pages.h \
    patterns/extract/pat_ext_pending.c patterns/extract/pat_ext_pending.h \
    patterns/extract/pat_ext_published.c patterns/extract/pat_ext_published.h \
    patterns/extract/pat_ext_ranges.c patterns/extract/pat_ext_ranges.h \
    patterns/extract/pat_ext_round.c patterns/extract/pat_ext_round.h \
    patterns/extract/pat_ext_row.h \
    patterns/extract/pat_ext_rows.c patterns/extract/pat_ext_rows.h \
    patterns/extract/pat_ext_run.h \
    patterns/extract/pat_ext_stream.c patterns/extract/pat_ext_stream.h \
    patterns/extract/pat_ext_tally.c patterns/extract/pat_ext_tally.h \
    patterns/extract/pat_ext_turns.c patterns/extract/pat_ext_turns.h \
    patterns/extract/pat_ext_ways.c patterns/extract/pat_ext_ways.h \
    patterns/extract/pat_fold.c patterns/extract/pat_fold.h
libpatterns_la_LIBADD += libsmrtree.la

# the load that gives the index of another: read from the machine code
if HAVE_STEP
libpatterns_la_SOURCES += \
    patterns/extract/pat_backward.h patterns/extract/pat_backward_zydis.c \
    patterns/extract/pat_code.c patterns/extract/pat_code.h \
    patterns/extract/pat_indirect.c
libpatterns_la_LIBADD += -lZydis
else
libpatterns_la_SOURCES += patterns/extract/pat_indirect_none.c
endif
libpatterns_la_SOURCES += patterns/extract/pat_indirect.h
EXTRA_DIST += patterns/extract/pat_backward.h patterns/extract/pat_backward_zydis.c patterns/extract/pat_code.c patterns/extract/pat_code.h \
    patterns/extract/pat_indirect.c patterns/extract/pat_indirect_none.c
