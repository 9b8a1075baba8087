/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_memaxes.h"

#include "common/ls_access.h"
#include "common/ls_put.h"
#include "common/ls_text.h"

#include <inttypes.h>
#include <string.h>

const char prof_memaxes_head[] =
    "variable,source,line,time,iter,latency,dataSource,cpu,node,index,map3D,xidx,yidx,zidx\n";

/* Data sources as PEBS encodes them (Intel SDM 3B, "Data Source Encoding for Load Latency Record"; the same
 * table tools/import/imp_memaxes.c reads): where only the level is known L1 hit, L2 hit, L3 hit without
 * snoop, local memory. 0 is an unknown source. */
static const unsigned prof_pebs_of_level[PROF_LEVEL_COUNT] = {0x1, 0x3, 0x4, 0xa};

/* Numbers of the column snoop (run_h5/prof_schema.h). */
enum {
    PROF_MEMAXES_SNOOP_NONE,
    PROF_MEMAXES_SNOOP_HIT,
    PROF_MEMAXES_SNOOP_HITM,
    PROF_MEMAXES_SNOOP_MISS,
    PROF_MEMAXES_SNOOPS
};

/* PEBS codes by the data source that the hardware reported and the snoop result; last column: snoop result
 * unknown. 0: no code for the combination. */
static const unsigned char prof_pebs_of_source[LS_SOURCE_COUNT][PROF_MEMAXES_SNOOPS + 1] = {
    [LS_SOURCE_L1] = {0x1, 0x1, 0x1, 0x1, 0x1},           [LS_SOURCE_LFB] = {0x2, 0x2, 0x2, 0x2, 0x2},
    [LS_SOURCE_L2] = {0x3, 0x3, 0x3, 0x3, 0x3},           [LS_SOURCE_L3] = {0x4, 0x6, 0x7, 0x5, 0x4},
    [LS_SOURCE_L4] = {0x4, 0x6, 0x7, 0x5, 0x4},           [LS_SOURCE_PEER_CACHE] = {0x6, 0x6, 0x7, 0x5, 0x6},
    [LS_SOURCE_REMOTE_CACHE] = {0x8, 0x8, 0x9, 0x8, 0x8}, [LS_SOURCE_DRAM] = {0xc, 0xa, 0xa, 0xa, 0xa},
    [LS_SOURCE_REMOTE_DRAM] = {0xd, 0xb, 0xb, 0xb, 0xd},  [LS_SOURCE_PMEM] = {0xa, 0xa, 0xa, 0xa, 0xa},
    [LS_SOURCE_CXL] = {0xa, 0xa, 0xa, 0xa, 0xa},          [LS_SOURCE_IO] = {0xe, 0xe, 0xe, 0xe, 0xe},
    [LS_SOURCE_UNCACHED] = {0xf, 0xf, 0xf, 0xf, 0xf},
};

static unsigned prof_pebs_code(const struct prof_samples *s, uint64_t i)
{
    const unsigned snoop = s->snoop[i] < PROF_MEMAXES_SNOOPS ? s->snoop[i] : PROF_MEMAXES_SNOOPS;
    if (s->source[i] < LS_SOURCE_COUNT) return prof_pebs_of_source[s->source[i]][snoop];
    return s->level[i] < PROF_LEVEL_COUNT ? prof_pebs_of_level[s->level[i]] : 0;
}

bool prof_memaxes_has(const struct prof_samples *s, uint64_t i)
{
    return s->op[i] == 0 && s->latency_valid[i] == 1 && s->latency_cycles[i] != INT32_MIN &&
           s->cpu[i] != UINT32_MAX;
}

static void put_name(FILE *out, const char *text, const char *otherwise)
{
    text += strspn(text, ",;\" \t\r\n");
    if (!*text) text = otherwise;
    if (ls_is_formula(text)) fputc('\'', out);
    for (; *text; text++)
        fputc(strchr(",;\"", *text) || (unsigned char)*text < ' ' ? ' ' : *text, out);
}

void prof_memaxes_put(const struct prof_memaxes_row *r, const struct prof_samples *s, uint64_t i, FILE *out)
{
    put_name(out, r->variable, "??");
    fputc(',', out);
    put_name(out, r->line ? ls_base_name(r->line->file) : "", "??");
    fprintf(out, ",%" PRIu32 ",%" PRIx64 ",%" PRIu32 ",%" PRId32 ",%x,%" PRIu32 ",%u,%" PRIu64,
            r->line ? r->line->line : 0, s->time_ns[i], s->phase[i] == UINT32_MAX ? 0 : s->phase[i] + 1,
            s->latency_cycles[i], prof_pebs_code(s, i), s->cpu[i], s->numa[i] == UINT8_MAX ? 0u : s->numa[i],
            s->element[i] == UINT64_MAX ? 0 : s->element[i]);
    fputs(r->cell ? ",1" : ",0", out);
    for (int axis = 0; axis < 3; axis++)
        fprintf(out, ",%" PRIu64, r->cell ? r->cell[axis] : 0);
    fputc('\n', out);
}
