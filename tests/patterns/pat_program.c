/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/patterns/pat_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

void pat_program_init(struct pat_program *p)
{
    memset(p, 0, sizeof(*p));
    p->homes[0] = (struct pat_home){"x", 8, PAT_HOME_HEAP};
    p->homes[1] = (struct pat_home){"col", 4, PAT_HOME_HEAP};
    p->homes[2] = (struct pat_home){NULL, 8, PAT_HOME_UNKNOWN};
    p->threads[0].label = "4711";
    p->tables = (struct pat_tables){.sites = p->sites,
                                    .modules = p->modules,
                                    .homes = p->homes,
                                    .threads = p->threads,
                                    .sites_len = PAT_PROGRAM_SITES,
                                    .homes_len = 3,
                                    .threads_len = 1};
    for (int i = 0; i < PAT_PROGRAM_SITES; i++)
        p->sites[i] = (struct pat_site){0x401000 + 16 * (uint64_t)i, PAT_NONE, 8, 0, PAT_OP_LOAD};
    p->all.rows = p->rows;
}

struct pat_sequence *pat_program_sequence(struct pat_program *p)
{
    struct pat_sequence *s = &p->rows[p->all.len];
    *s = (struct pat_sequence){.site = (uint32_t)p->all.len++,
                               .threads = 1,
                               .elem_size_bytes = 8,
                               .is_whole = true,
                               .index_site = PAT_NONE,
                               .index_home = PAT_NONE};
    s->indices.data = malloc(PAT_PROGRAM_ROOM * sizeof(int64_t));
    return s;
}

void pat_program_put(struct pat_sequence *s, int64_t index)
{
    assert_true(s->indices.len < PAT_PROGRAM_ROOM);
    s->indices.data[s->indices.len++] = index;
    s->accesses++;
}

void pat_program_break(struct pat_sequence *s)
{
    s->breaks = realloc(s->breaks, (s->breaks_len + 1) * sizeof(*s->breaks));
    s->breaks[s->breaks_len++] = s->indices.len;
}

const struct pat_found *pat_program_compact(struct pat_program *p, const struct pat_compact_options *o)
{
    p->all.accesses = p->all.cost = 0;
    for (size_t i = 0; i < p->all.len; i++) {
        p->all.accesses += p->rows[i].accesses;
        p->all.cost += p->rows[i].cost;
    }
    assert_int_equal(pat_compact(&p->all, &p->tables, o, &p->found), LS_OK);
    assert_int_equal(p->found.len, p->all.len);
    for (size_t i = 0; i < p->found.len; i++)
        if (p->found.rows[i].sequence == 0) return &p->found.rows[i];
    fail();
    return NULL;
}

void pat_program_fini(struct pat_program *p)
{
    for (size_t i = 0; i < p->all.len; i++) {
        free(p->rows[i].indices.data);
        free(p->rows[i].breaks);
        free(p->rows[i].distances);
    }
    pat_findings_fini(&p->found);
}
