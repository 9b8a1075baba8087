# SPDX-License-Identifier: BSD-3-Clause
# patterns: extraction of what each site did on each home
libpatterns_la_SOURCES += \
    patterns/pat_extract.c \
    patterns/pat_ext_budget.h \
    patterns/pat_ext_cost.c patterns/pat_ext_cost.h \
    patterns/pat_ext_engine.c patterns/pat_ext_engine.h \
    patterns/pat_ext_finish.c patterns/pat_ext_finish.h \
    patterns/pat_ext_hash.h \
    patterns/pat_ext_pages.c patterns/pat_ext_pages.h \
    patterns/pat_ext_published.c patterns/pat_ext_published.h \
    patterns/pat_ext_ranges.c patterns/pat_ext_ranges.h \
    patterns/pat_ext_row.h \
    patterns/pat_ext_rows.c patterns/pat_ext_rows.h \
    patterns/pat_ext_stream.c patterns/pat_ext_stream.h \
    patterns/pat_ext_tally.c patterns/pat_ext_tally.h
libpatterns_la_LIBADD += libsmrtree.la

# the load that gives the index of another: read from the machine code
if HAVE_STEP
libpatterns_la_SOURCES += \
    patterns/pat_backward.h patterns/pat_backward_zydis.c \
    patterns/pat_code.c patterns/pat_code.h \
    patterns/pat_indirect.c
libpatterns_la_LIBADD += -lZydis
else
libpatterns_la_SOURCES += patterns/pat_indirect_none.c
endif
libpatterns_la_SOURCES += patterns/pat_indirect.h
EXTRA_DIST += patterns/pat_backward.h patterns/pat_backward_zydis.c patterns/pat_code.c patterns/pat_code.h \
    patterns/pat_indirect.c patterns/pat_indirect_none.c
