/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns sectors: prints the sectors that the warps of a GPU move, by instruction and by region. */
#include "common/ls_json.h"
#include "common/ls_put.h"
#include "common/ls_sorted.h"
#include "patterns/source/pat_sectors.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "tools/patterns/ptn_actions.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SECTORS_SCHEMA = 1, TOP_DEFAULT = 20, WHERE_WIDTH = 34 };

static const char *const class_names[] = {
#define NAME(id, name) name,
    PAT_LANES_LIST(NAME)
#undef NAME
};
static const char *const space_names[] = {
#define NAME(id, name) name,
    PAT_WARP_SPACE_LIST(NAME)
#undef NAME
};

/* NAN for none. */
static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* A table, and the names of its arrays, which are not there without --arrays. */
struct sectors_view {
    struct pat_sectors s;
    struct pat_arrays arrays;
};

static const char *array_name(const struct sectors_view *v, uint32_t array)
{
    return array < v->arrays.names_len ? v->arrays.names[array] : "(no array)";
}

/* The uses of one instruction; the first one moved most. */
static const struct pat_sector_use *uses_of(const struct sectors_view *v, uint32_t id, size_t *out_len)
{
    size_t from, to;
    LS_COUNT_FIRST(from, v->s.uses_len, i, v->s.uses[i].id < id);
    for (to = from; to < v->s.uses_len && v->s.uses[to].id == id; to++)
        ;
    *out_len = to - from;
    return v->s.uses + from;
}

static const char *kind_of(const struct pat_sector_row *r)
{
    return r->is_atomic ? "atomic" : r->is_store ? "store" : "load";
}

static const char *class_name(const struct pat_sector_sums *s)
{
    const enum pat_lanes most = pat_sector_class(s);
    return s->sectors && s->classes[most] ? class_names[most] : "";
}

/* ---- text ---- */

static void put_where(const struct pat_sector_row *r, char *out, size_t room)
{
    const size_t len = strlen(r->line);
    if (!len)
        snprintf(out, room, "at 0x%" PRIx64, r->ip);
    else
        snprintf(out, room, "%s%s", len > WHERE_WIDTH ? ".." : "",
                 r->line + (len > WHERE_WIDTH ? len - WHERE_WIDTH + 2 : 0));
}

static const char *put_number(double number, const char *unit, char *out, size_t room)
{
    snprintf(out, room, isfinite(number) ? "%.1f%s" : "-", number, unit);
    return out;
}

/* lanes, sectors of a warp, moved bytes, and the needed part of them */
static void print_sums(const struct pat_sector_sums *s, unsigned size_bytes, FILE *out)
{
    char lanes[32], warps[CLI_CELL_BYTES], size[16] = "", moved[CLI_CELL_BYTES], sectors[32], use[32];
    if (size_bytes) snprintf(size, sizeof(size), "%u", size_bytes);
    fprintf(out, "%8s %5s %5s %7s %10s %6s", cli_format_count(warps, (double)s->warps),
            put_number(s->lanes ? ratio(s->lanes, s->warps) : NAN, "", lanes, sizeof(lanes)), size,
            put_number(s->sectors ? ratio(s->sectors, s->warps) : NAN, "", sectors, sizeof(sectors)),
            s->sectors ? cli_format_bytes(moved, (double)s->moved_bytes) : "-",
            put_number(100 * ratio(s->needed_bytes, s->moved_bytes), " %", use, sizeof(use)));
}

static void print_row(const struct sectors_view *v, const struct pat_sector_row *r, FILE *out)
{
    const struct pat_sector_sums *s = &r->sums;
    char where[WHERE_WIDTH + 32], passes[32];
    size_t uses_len;
    const struct pat_sector_use *uses = uses_of(v, r->id, &uses_len);
    put_where(r, where, sizeof(where));
    fprintf(out, "%-*s %-16s %-7s ", WHERE_WIDTH, where, *r->opcode ? r->opcode : kind_of(r),
            space_names[r->space]);
    print_sums(s, r->size_bytes, out);
    fprintf(out, " %7s  %-10s", put_number(ratio(s->passes, s->passes_least), "", passes, sizeof(passes)),
            class_name(s));
    if (uses_len > 0) fprintf(out, " %.60s", array_name(v, uses[0].array));
    if (uses_len > 1) fprintf(out, " and %zu more", uses_len - 1);
    fputc('\n', out);
}

static void print_regions(const struct pat_sectors *s, FILE *out)
{
    char moved[CLI_CELL_BYTES], needed[CLI_CELL_BYTES], use[32];
    fprintf(out, "\n%-40s %10s %10s %10s %6s\n", "memory region", "size", "moved", "needed", "");
    for (size_t i = 0; i < s->regions_len; i++) {
        const struct pat_sector_region *r = &s->regions[i];
        char span[48], size[CLI_CELL_BYTES];
        snprintf(span, sizeof(span), "0x%" PRIx64 "-0x%" PRIx64, r->start, r->end);
        fprintf(
            out, "%-40s %10s %10s %10s %6s\n", span, cli_format_bytes(size, (double)(r->end - r->start)),
            cli_format_bytes(moved, (double)(r->sectors * PAT_SECTOR_BYTES)),
            cli_format_bytes(needed, (double)r->needed_bytes),
            put_number(100 * ratio(r->needed_bytes, r->sectors * PAT_SECTOR_BYTES), " %", use, sizeof(use)));
    }
}

static void print_arrays(const struct sectors_view *v, FILE *out)
{
    fprintf(out, "\n%-*s %8s %5s %5s %7s %10s %6s  %s\n", WHERE_WIDTH, "array", "warps", "lanes", "",
            "sectors", "moved", "needed", "lanes lie");
    for (uint32_t i = 0; i < v->s.arrays_len; i++) {
        if (v->s.arrays[i].warps == 0) continue;
        fprintf(out, "%-*.*s ", WHERE_WIDTH, WHERE_WIDTH, array_name(v, i));
        print_sums(&v->s.arrays[i], 0, out);
        fprintf(out, "  %s\n", class_name(&v->s.arrays[i]));
    }
}

static void print_text(const struct sectors_view *v, size_t top, FILE *out)
{
    const struct pat_sectors *s = &v->s;
    char warps[CLI_CELL_BYTES], moved[CLI_CELL_BYTES], needed[CLI_CELL_BYTES], use[32];
    fprintf(out, "warps      %s accesses", cli_format_grouped(warps, s->all.warps));
    if (s->all.lanes)
        fprintf(out, ", %.1f active lanes each; %" PRIu64 " with inactive lanes; %" PRIu64 " records skipped",
                ratio(s->all.lanes, s->all.warps), s->partial, s->skipped);
    fprintf(out, "\nsectors    %s moved for %s needed: %s\n",
            cli_format_bytes(moved, (double)s->all.moved_bytes),
            cli_format_bytes(needed, (double)s->all.needed_bytes),
            put_number(100 * ratio(s->all.needed_bytes, s->all.moved_bytes), " %", use, sizeof(use)));
    fprintf(out, "\n%-*s %-16s %-7s %8s %5s %5s %7s %10s %6s %7s  %-10s%s\n", WHERE_WIDTH, "instruction",
            "operation", "memory", "warps", "lanes", "bytes", "sectors", "moved", "needed", "passes",
            "lanes lie", s->arrays ? " array" : "");
    for (size_t i = 0; i < s->len && i < top; i++)
        print_row(v, &s->rows[i], out);
    if (s->len > top) fprintf(out, "%zu more; --top shows them\n", s->len - top);
    if (s->arrays)
        print_arrays(v, out);
    else if (s->regions_len)
        print_regions(s, out);
}

/* ---- for programs ---- */

static void json_sums(struct ls_json *j, const struct pat_sector_sums *s)
{
    ls_json_u64(j, "warps", s->warps);
    ls_json_u64(j, "lanes", s->lanes);
    ls_json_u64(j, "sectors", s->sectors);
    ls_json_u64(j, "moved_bytes", s->moved_bytes);
    ls_json_u64(j, "needed_bytes", s->needed_bytes);
    ls_json_double(j, "needed_share", ratio(s->needed_bytes, s->moved_bytes));
    ls_json_u64(j, "bank_passes", s->passes);
    ls_json_u64(j, "bank_passes_least", s->passes_least);
    ls_json_open(j, "lanes_lie", '{');
    for (int c = 0; c < PAT_LANES_COUNT; c++)
        ls_json_u64(j, class_names[c], s->classes[c]);
    ls_json_close(j, '}');
}

static void json_array(const struct sectors_view *v, uint32_t array, const struct pat_sector_sums *s,
                       struct ls_json *j)
{
    if (s->warps == 0) return;
    ls_json_open(j, NULL, '{');
    if (array < v->arrays.names_len) ls_json_text(j, "array", v->arrays.names[array]);
    ls_json_text(j, "class", class_name(s));
    json_sums(j, s);
    ls_json_close(j, '}');
}

static void print_json(const struct sectors_view *v, FILE *out)
{
    const struct pat_sectors *s = &v->s;
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", SECTORS_SCHEMA);
    ls_json_u64(&j, "partial_warps", s->partial);
    ls_json_u64(&j, "skipped", s->skipped);
    json_sums(&j, &s->all);
    ls_json_open(&j, "instructions", '[');
    for (size_t i = 0; i < s->len; i++) {
        const struct pat_sector_row *r = &s->rows[i];
        ls_json_open(&j, NULL, '{');
        ls_json_u64(&j, "ip", r->ip);
        ls_json_text(&j, "line", r->line);
        ls_json_text(&j, "operation", r->opcode);
        ls_json_text(&j, "kind", kind_of(r));
        ls_json_text(&j, "memory", space_names[r->space]);
        ls_json_u64(&j, "bytes", r->size_bytes);
        if (*r->kernel) ls_json_text(&j, "kernel", r->kernel);
        ls_json_text(&j, "class", class_name(&r->sums));
        json_sums(&j, &r->sums);
        if (s->arrays) {
            size_t uses_len;
            const struct pat_sector_use *uses = uses_of(v, r->id, &uses_len);
            ls_json_open(&j, "arrays", '[');
            for (size_t u = 0; u < uses_len; u++)
                json_array(v, uses[u].array, &uses[u].sums, &j);
            ls_json_close(&j, ']');
        }
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    if (s->arrays) {
        ls_json_open(&j, "arrays", '[');
        for (uint32_t i = 0; i < s->arrays_len; i++)
            json_array(v, i, &s->arrays[i], &j);
        ls_json_close(&j, ']');
    }
    ls_json_open(&j, "regions", '[');
    for (size_t i = 0; i < s->regions_len; i++) {
        const struct pat_sector_region *r = &s->regions[i];
        ls_json_open(&j, NULL, '{');
        ls_json_u64(&j, "start", r->start);
        ls_json_u64(&j, "end", r->end);
        ls_json_u64(&j, "moved_bytes", r->sectors * PAT_SECTOR_BYTES);
        ls_json_u64(&j, "needed_bytes", r->needed_bytes);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

static void print_csv(const struct sectors_view *v, FILE *out)
{
    const struct pat_sectors *s = &v->s;
    fputs(
        "ip,line,operation,kind,memory,bytes,warps,lanes,sectors,moved_bytes,needed_bytes,bank_passes,bank_passes_least,class,kernel,array\n",
        out);
    for (size_t i = 0; i < s->len; i++) {
        const struct pat_sector_row *r = &s->rows[i];
        fprintf(out, "%" PRIu64 ",", r->ip);
        ls_put_csv(out, r->line);
        fputc(',', out);
        ls_put_csv(out, r->opcode);
        fprintf(out,
                ",%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%s,",
                kind_of(r), space_names[r->space], r->size_bytes, r->sums.warps, r->sums.lanes,
                r->sums.sectors, r->sums.moved_bytes, r->sums.needed_bytes, r->sums.passes,
                r->sums.passes_least, class_name(&r->sums));
        ls_put_csv(out, r->kernel);
        fputc(',', out);
        size_t uses_len;
        const struct pat_sector_use *uses = uses_of(v, r->id, &uses_len);
        ls_put_csv(out, uses_len && uses[0].array < v->arrays.names_len ? array_name(v, uses[0].array) : "");
        fputc('\n', out);
    }
}

/* ---- the action ---- */

static int sectors_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    struct sectors_view view = {.s.len = 0};
    (void)operands_len;
    ls_err err = v[PTN_ARRAYS].given ? pat_arrays_read(v[PTN_ARRAYS].text, &view.arrays) : LS_OK;
    if (err == LS_OK) err = pat_sectors_read(operands[0], v[PTN_ARRAYS].given ? &view.arrays : NULL, &view.s);
    if (err == LS_OK && v[PTN_JSON].given)
        print_json(&view, stdout);
    else if (err == LS_OK && v[PTN_CSV].given)
        print_csv(&view, stdout);
    else if (err == LS_OK)
        print_text(&view, v[PTN_TOP].given ? v[PTN_TOP].number : TOP_DEFAULT, stdout);
    pat_sectors_fini(&view.s);
    pat_arrays_fini(&view.arrays);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_sectors = {
    .about =
        {.name = "sectors",
         .operands = "FILE",
         .description =
             "sectors reads a trace of GS Patterns' NVBit tool, or the analysis of AMD's omniprobe as JSON, and prints for each instruction of a GPU the sectors of 32 bytes that its "
             "warps move and the bytes that they need, the active lanes and their arrangement, and the passes that local memory takes "
             "for a warp because of bank conflicts (1: no conflicts); then the same by region of memory, or by array where --arrays names them.",
         .examples =
             "loadstone patterns sectors trace.nvbit --top 5   the five instructions that move the most unneeded bytes\n",
         .options = PTN_BIT(PTN_ARRAYS) | PTN_BIT(PTN_TOP) | PTN_BIT(PTN_JSON) | PTN_BIT(PTN_CSV)},
    .operands_min = 1,
    .operands_max = 1,
    .run = sectors_run,
};
