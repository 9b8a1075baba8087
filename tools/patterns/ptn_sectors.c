/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns sectors: prints where the sectors go that the warps of a GPU move. */
#include "common/ls_json.h"
#include "common/ls_put.h"
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

static double use_of(uint64_t needed_bytes, uint64_t sectors)
{
    return ratio(needed_bytes, sectors * PAT_SECTOR_BYTES);
}

static const char *kind_of(const struct pat_sector_row *r)
{
    return r->is_atomic ? "atomic" : r->is_store ? "store" : "load";
}

static const char *class_name(const struct pat_sector_row *r)
{
    return r->sums.sectors ? class_names[pat_sector_class(&r->sums)] : "";
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

static void print_row(const struct pat_sector_row *r, FILE *out)
{
    const struct pat_sector_sums *s = &r->sums;
    char where[WHERE_WIDTH + 32], warps[CLI_CELL_BYTES], moved[CLI_CELL_BYTES], sectors[32], use[32],
        passes[32];
    put_where(r, where, sizeof(where));
    fprintf(out, "%-*s %-16s %-7s %8s %5.1f %5u %7s %10s %6s %7s  %s\n", WHERE_WIDTH, where,
            *r->opcode ? r->opcode : kind_of(r), space_names[r->space],
            cli_format_count(warps, (double)s->warps), (double)s->lanes / (double)s->warps, r->size_bytes,
            put_number(s->sectors ? ratio(s->sectors, s->warps) : NAN, "", sectors, sizeof(sectors)),
            s->sectors ? cli_format_bytes(moved, (double)(s->sectors * PAT_SECTOR_BYTES)) : "-",
            put_number(100 * use_of(s->needed_bytes, s->sectors), " %", use, sizeof(use)),
            put_number(ratio(s->passes, s->passes_least), "", passes, sizeof(passes)), class_name(r));
}

static void print_text(const struct pat_sectors *s, size_t top, FILE *out)
{
    char warps[CLI_CELL_BYTES], moved[CLI_CELL_BYTES], needed[CLI_CELL_BYTES], use[32];
    fprintf(out,
            "warps      %s accesses, %.1f active lanes each; %" PRIu64 " with inactive lanes; %" PRIu64
            " records skipped\n",
            cli_format_grouped(warps, s->all.warps), ratio(s->all.lanes, s->all.warps), s->partial,
            s->skipped);
    fprintf(out, "sectors    %s moved for %s needed: %s\n",
            cli_format_bytes(moved, (double)(s->all.sectors * PAT_SECTOR_BYTES)),
            cli_format_bytes(needed, (double)s->all.needed_bytes),
            put_number(100 * use_of(s->all.needed_bytes, s->all.sectors), " %", use, sizeof(use)));
    fprintf(out, "\n%-*s %-16s %-7s %8s %5s %5s %7s %10s %6s %7s  %s\n", WHERE_WIDTH, "instruction",
            "operation", "memory", "warps", "lanes", "bytes", "sectors", "moved", "needed", "passes",
            "lanes lie");
    for (size_t i = 0; i < s->len && i < top; i++)
        print_row(&s->rows[i], out);
    if (s->len > top) fprintf(out, "%zu more; --top shows them\n", s->len - top);
    fprintf(out, "\n%-40s %10s %10s %10s %6s\n", "memory region", "size", "moved", "needed", "");
    for (size_t i = 0; i < s->regions_len; i++) {
        const struct pat_sector_region *r = &s->regions[i];
        char span[48], size[CLI_CELL_BYTES];
        snprintf(span, sizeof(span), "0x%" PRIx64 "-0x%" PRIx64, r->start, r->end);
        fprintf(out, "%-40s %10s %10s %10s %6s\n", span, cli_format_bytes(size, (double)(r->end - r->start)),
                cli_format_bytes(moved, (double)(r->sectors * PAT_SECTOR_BYTES)),
                cli_format_bytes(needed, (double)r->needed_bytes),
                put_number(100 * use_of(r->needed_bytes, r->sectors), " %", use, sizeof(use)));
    }
}

/* ---- for programs ---- */

static void json_sums(struct ls_json *j, const struct pat_sector_sums *s)
{
    ls_json_u64(j, "warps", s->warps);
    ls_json_u64(j, "lanes", s->lanes);
    ls_json_u64(j, "sectors", s->sectors);
    ls_json_u64(j, "moved_bytes", s->sectors * PAT_SECTOR_BYTES);
    ls_json_u64(j, "needed_bytes", s->needed_bytes);
    ls_json_double(j, "needed_share", use_of(s->needed_bytes, s->sectors));
    ls_json_u64(j, "bank_passes", s->passes);
    ls_json_u64(j, "bank_passes_least", s->passes_least);
    ls_json_open(j, "lanes_lie", '{');
    for (int c = 0; c < PAT_LANES_COUNT; c++)
        ls_json_u64(j, class_names[c], s->classes[c]);
    ls_json_close(j, '}');
}

static void print_json(const struct pat_sectors *s, FILE *out)
{
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
        ls_json_text(&j, "class", class_name(r));
        json_sums(&j, &r->sums);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
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

static void print_csv(const struct pat_sectors *s, FILE *out)
{
    fputs(
        "ip,line,operation,kind,memory,bytes,warps,lanes,sectors,moved_bytes,needed_bytes,bank_passes,bank_passes_least,class\n",
        out);
    for (size_t i = 0; i < s->len; i++) {
        const struct pat_sector_row *r = &s->rows[i];
        fprintf(out, "%" PRIu64 ",", r->ip);
        ls_put_csv(out, r->line);
        fputc(',', out);
        ls_put_csv(out, r->opcode);
        fprintf(out,
                ",%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%s\n",
                kind_of(r), space_names[r->space], r->size_bytes, r->sums.warps, r->sums.lanes,
                r->sums.sectors, r->sums.sectors * PAT_SECTOR_BYTES, r->sums.needed_bytes, r->sums.passes,
                r->sums.passes_least, class_name(r));
    }
}

/* ---- the action ---- */

static int sectors_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    struct pat_sectors s;
    (void)operands_len;
    const ls_err err = pat_sectors_read(operands[0], &s);
    if (err == LS_OK && v[PTN_JSON].given)
        print_json(&s, stdout);
    else if (err == LS_OK && v[PTN_CSV].given)
        print_csv(&s, stdout);
    else if (err == LS_OK)
        print_text(&s, v[PTN_TOP].given ? v[PTN_TOP].number : TOP_DEFAULT, stdout);
    pat_sectors_fini(&s);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_sectors = {
    .about =
        {.name = "sectors",
         .operands = "FILE",
         .description =
             "sectors reads a trace of GS Patterns' NVBit tool, and prints for each instruction of a GPU the sectors of 32 bytes that its "
             "warps move against the bytes that they need, the active lanes, how they lie, and the passes that local memory takes for "
             "a warp because of bank conflicts (1: none); then the same by region of memory.",
         .examples =
             "loadstone patterns sectors trace.nvbit --top 5   the five instructions that move the most in vain\n",
         .options = PTN_BIT(PTN_TOP) | PTN_BIT(PTN_JSON) | PTN_BIT(PTN_CSV)},
    .operands_min = 1,
    .operands_max = 1,
    .run = sectors_run,
};
