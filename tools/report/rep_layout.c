/* SPDX-License-Identifier: BSD-3-Clause */
/* report --layout: the members of a type and how they are accessed. */
#include "config.h"

#include "common/ls_put.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"
#include "tools/report/rep_view.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    REP_MEMBER_WIDTH = 40,
    REP_LAYOUT_LINE_BYTES = 64,
    REP_PAIRS_SHOWN = 5,
    REP_PARTS_SHOWN = 8,
    REP_NAMES_SHOWN = 6,
    REP_LAYOUT_TEXT_BYTES = 2048,
    REP_VISITS_MIN = 20, /* visits for statements about members that are used together */
    REP_RUN_LONG = 32    /* objects of a run that count as a sweep without an end */
};
#define REP_RUNS_PART 0.9 /* share of the visits that describes all of them */
#define REP_LINES_ARE                                                                                       \
    "outside of runs these are lower bounds of the gain: bursts are short, and miss later uses of a line; " \
    "objects that stay in a near cache gain less time than lines"

struct rep_layout {
    struct rep_view v;
    struct an_layout *l; /* large */
    an_table *table;
    uint32_t *parents; /* by row */
};

/* --- which type --- */

struct rep_type_choice {
    uint32_t type;
    uint64_t samples;
};

static int rep_compare_choices(const void *a, const void *b)
{
    const struct rep_type_choice *x = a, *y = b;
    if (x->samples != y->samples) return x->samples < y->samples ? 1 : -1;
    return (x->type > y->type) - (x->type < y->type);
}

/* The types that were accessed, most accesses first; the caller frees *out. */
static ls_err rep_types_seen(const struct rep_view *v, struct rep_type_choice **out, size_t *out_len)
{
    const struct an_tables *t = &v->tables;
    struct rep_type_choice *all = calloc(t->types_len + 1, sizeof(*all));
    if (!all) return ls_nomem("%zu types", t->types_len);
    for (uint32_t i = 0; i < t->types_len; i++)
        all[i].type = i;
    for (uint64_t i = 0; i < v->in.samples.len; i++) {
        const uint32_t member = v->in.samples.member[i];
        if (member < t->members_len && (!v->keep.samples || v->keep.samples[i]))
            all[t->members[member].type].samples++;
    }
    qsort(all, t->types_len, sizeof(*all), rep_compare_choices);
    *out_len = 0;
    while (*out_len < t->types_len && all[*out_len].samples > 0)
        (*out_len)++;
    *out = all;
    return LS_OK;
}

/* Names of some of the types, for a message. */
static const char *rep_type_names(const struct rep_view *v, const struct rep_type_choice *all, size_t len,
                                  char out[REP_LAYOUT_TEXT_BYTES])
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < len && i < REP_NAMES_SHOWN && at < REP_LAYOUT_TEXT_BYTES; i++)
        at += (size_t)snprintf(out + at, REP_LAYOUT_TEXT_BYTES - at, "%s%.200s", i ? ", " : "",
                               v->tables.types[all[i].type].name);
    return out;
}

/* A name matches as a whole, after its last ::, or as a pattern. */
static bool rep_type_matches(const char *name, const char *wanted)
{
    const size_t len = strlen(name), wanted_len = strlen(wanted);
    if (strcmp(name, wanted) == 0 || fnmatch(wanted, name, 0) == 0) return true;
    return len > wanted_len + 2 && strcmp(name + len - wanted_len, wanted) == 0 &&
           strncmp(name + len - wanted_len - 2, "::", 2) == 0;
}

static ls_err rep_choose_type(const struct rep_view *v, const char *wanted, uint32_t *out)
{
    struct rep_type_choice *all = NULL, *found;
    size_t all_len = 0, len = 0;
    char names[REP_LAYOUT_TEXT_BYTES];
    LS_TRY(rep_types_seen(v, &all, &all_len));
    found = calloc(all_len + 1, sizeof(*found));
    ls_err e = found ? LS_OK : ls_nomem("%zu types", all_len);
    for (int exact = 1; found && exact >= 0 && len == 0; exact--)
        for (size_t i = 0; i < all_len; i++) {
            const char *name = v->tables.types[all[i].type].name;
            const bool is_found = exact ? strcmp(name, wanted) == 0 : rep_type_matches(name, wanted);
            /* layouts of one name in several files: the one with most accesses */
            if (is_found && (len == 0 || strcmp(v->tables.types[found[len - 1].type].name, name) != 0))
                found[len++] = all[i];
        }
    if (e == LS_OK && all_len == 0)
        e = ls_fail(LS_ERR_USAGE,
                    "%s: no access has a type: build the program with -g, and see loadstone report --how",
                    v->options.path);
    else if (e == LS_OK && len == 0)
        e = ls_fail(LS_ERR_USAGE,
                    "no accessed type is called '%s'; types are %s (loadstone report --by type)", wanted,
                    rep_type_names(v, all, all_len, names));
    else if (e == LS_OK && len > 1)
        e = ls_fail(LS_ERR_USAGE, "'%s' is several types: %s", wanted, rep_type_names(v, found, len, names));
    if (e == LS_OK) *out = found[0].type;
    free(all);
    free(found);
    return e;
}

/* --- rows --- */

static const struct prof_member *rep_member(const struct rep_layout *r, uint32_t row)
{
    return &r->v.tables.members[r->l->first + row];
}

/* Find how the members of the type are accessed, and sum them up. */
static ls_err rep_layout_find(struct rep_layout *r, uint32_t type)
{
    struct rep_view *v = &r->v;
    r->l = calloc(1, sizeof(*r->l));
    if (!r->l) return ls_nomem("a layout");
    LS_TRY(an_layout_init(r->l, &v->in, &v->tables, type, v->keep.samples));
    r->parents = malloc((r->l->len + 1u) * sizeof(*r->parents));
    if (!r->parents) return ls_nomem("%u members", r->l->len);
    for (uint32_t i = 0; i < r->l->len; i++)
        r->parents[i] = i == 0 ? AN_NO_GROUP : rep_member(r, i)->parent - r->l->first;
    const struct an_grouping by = {
        .group_of_sample = r->l->row_of_sample, .parent = r->parents, .groups_len = r->l->len};
    return an_table_new(&v->in, &v->costs, &by, &r->table);
}

static void rep_layout_end(struct rep_layout *r)
{
    an_table_free(r->table);
    if (r->l) an_layout_fini(r->l);
    free(r->l);
    free(r->parents);
}

/* The last part of the member's path, or the kind of a row without a name. */
static const char *rep_member_name(const struct prof_member *m, char out[AN_LABEL_BYTES])
{
    const char *dot = strrchr(m->path, '.');
    const char *name = dot ? dot + 1 : m->path;
    if (m->kind == PROF_MEMBER_BASE)
        snprintf(out, AN_LABEL_BYTES, "base %.400s", m->type_name);
    else if (m->kind == PROF_MEMBER_ANONYMOUS)
        snprintf(out, AN_LABEL_BYTES, "%.400s", m->type_name);
    else if (m->kind == PROF_MEMBER_WHOLE || m->kind == PROF_MEMBER_BITS)
        snprintf(out, AN_LABEL_BYTES, "%.300s%s", m->kind == PROF_MEMBER_BITS ? name : m->type_name,
                 m->kind == PROF_MEMBER_BITS ? " (bit fields)" : "");
    else if (m->elem_len_bytes > 0) /* long x[3] */
        snprintf(out, AN_LABEL_BYTES, "%.*s %.*s[%" PRIu64 "]", (int)strcspn(m->type_name, "["), m->type_name,
                 (int)strcspn(name, "["), name, m->len_bytes / m->elem_len_bytes);
    else if (m->bits_len)
        snprintf(out, AN_LABEL_BYTES, "%.300s %.100s : %u", m->type_name, name, m->bits_len);
    else
        snprintf(out, AN_LABEL_BYTES, "%.300s %.100s", m->type_name, name);
    return out;
}

/* Loads or stores of the row and all below it. */
static uint64_t rep_sum_below(const struct rep_layout *r, const uint64_t *counts, uint32_t row)
{
    uint64_t sum = 0;
    for (uint32_t i = row; i < r->l->len; i++) {
        uint32_t at = i;
        while (at > row)
            at = r->parents[at];
        if (at == row) sum += counts[i];
    }
    return sum;
}

static double rep_per_visit(const struct an_layout *l, double per_access)
{
    return l->whole_visits ? per_access * (double)l->whole_accesses / (double)l->whole_visits : 0;
}

/* --- as text --- */

static void rep_layout_cells(const struct rep_layout *r, uint32_t row, FILE *out)
{
    const struct an_row *n = an_table_total(r->table, row);
    const struct an_interval time = an_bootstrap_share(r->v.bootstrap, r->table, row, AN_TIME),
                             stall = rep_stall_share(&r->v, r->table, row);
    char cell[CLI_CELL_BYTES];
    fprintf(out, " %6s", n->samples ? cli_format_percent(cell, time.share) : "");
    fprintf(out, " %6s", n->samples && isfinite(stall.share) ? cli_format_percent(cell, stall.share) : "");
    const uint64_t loads = rep_sum_below(r, r->l->loads, row), stores = rep_sum_below(r, r->l->stores, row);
    fprintf(out, " %6s", loads ? cli_format_count(cell, (double)loads) : "");
    fprintf(out, " %6s", stores ? cli_format_count(cell, (double)stores) : "");
    fprintf(out, " %6s", n->measured ? cli_format_cycles(cell, n->median_cycles) : "");
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(out, " %4s",
                n->measured && prof_level_heading(r->v.run, (enum prof_level)l)
                    ? rep_format_level(n, (enum prof_level)l, cell)
                    : "");
}

static void rep_layout_row(const struct rep_layout *r, uint32_t row, FILE *out)
{
    const struct prof_member *m = rep_member(r, row);
    char name[AN_LABEL_BYTES], text[AN_LABEL_BYTES + 64];
    const int depth = (int)an_layout_depth(r->l, &r->v.tables, row);
    snprintf(text, sizeof(text), "%*s%s", 2 * (depth < 8 ? depth : 8), "", rep_member_name(m, name));
    fprintf(out, "%7" PRIu64 " %6" PRIu64 "  ", m->offset_bytes, m->len_bytes);
    cli_print_cut(text, REP_MEMBER_WIDTH, out);
    rep_layout_cells(r, row, out);
    if (r->l->is_cold[row] && depth == 1 && r->l->accesses > 0) fputs("  cold", out);
    fputc('\n', out);
}

static void rep_layout_hole(uint64_t from, uint64_t to, const char *what, FILE *out)
{
    if (to > from) fprintf(out, "%7" PRIu64 " %6" PRIu64 "    (%s)\n", from, to - from, what);
}

/* The end of the members below parent that come before row. */
static uint64_t rep_end_before(const struct rep_layout *r, uint32_t row)
{
    const uint32_t parent = r->parents[row];
    uint64_t end = rep_member(r, parent)->offset_bytes;
    for (uint32_t i = parent + 1; i < row; i++) {
        const struct prof_member *m = rep_member(r, i);
        if (r->parents[i] == parent && m->offset_bytes + m->len_bytes > end)
            end = m->offset_bytes + m->len_bytes;
    }
    return end;
}

/* Members, holes between them, and the lines of an object that begins with one. */
static void rep_layout_members(const struct rep_layout *r, FILE *out)
{
    const bool is_union = r->v.tables.types[r->l->type].kind == PROF_TYPE_UNION;
    uint64_t line = 1, end = 0;
    for (uint32_t row = 0; row < r->l->len; row++) {
        const struct prof_member *m = rep_member(r, row);
        const bool is_direct = row > 0 && r->parents[row] == 0;
        if (is_direct && !is_union) rep_layout_hole(rep_end_before(r, row), m->offset_bytes, "hole", out);
        for (; is_direct && m->offset_bytes >= line * REP_LAYOUT_LINE_BYTES; line++)
            if (m->offset_bytes < (line + 1) * REP_LAYOUT_LINE_BYTES)
                fprintf(out, "%7" PRIu64 " ------  line %" PRIu64 " ----------------------------------\n",
                        line * REP_LAYOUT_LINE_BYTES, line);
        rep_layout_row(r, row, out);
        if (is_direct && m->offset_bytes + m->len_bytes > end) end = m->offset_bytes + m->len_bytes;
    }
    if (r->l->len > 1) rep_layout_hole(end, rep_member(r, 0)->len_bytes, "padding", out);
}

static void rep_layout_head(const struct rep_layout *r, FILE *out)
{
    const struct prof_type_row *type = &r->v.tables.types[r->l->type];
    static const char *const kinds[PROF_TYPE_KIND_COUNT] = {"struct", "class", "union", "plain type"};
    const struct an_interval time = an_bootstrap_share(r->v.bootstrap, r->table, 0, AN_TIME),
                             stall = rep_stall_share(&r->v, r->table, 0);
    char share[CLI_CELL_BYTES], n[CLI_CELL_BYTES];
    fprintf(out, "%s%s %s%s: %" PRIu64 " bytes, %s %% of the time", cli_colour_begin(STDOUT_FILENO, CLI_BOLD),
            kinds[type->kind < PROF_TYPE_KIND_COUNT ? type->kind : PROF_TYPE_SCALAR], type->name,
            cli_colour_end(STDOUT_FILENO), type->len_bytes, rep_format_share(&time, share));
    if (isfinite(stall.share)) fprintf(out, ", %s %% of the stall", rep_format_share(&stall, share));
    fprintf(out, ", %s samples\n", cli_format_grouped(n, r->l->samples));
    if (type->lost) fprintf(out, "%u members are left out.\n", type->lost);
    fprintf(out, "\n%s%7s %6s  %-*s %6s %6s %6s %6s %6s %4s %4s %4s %4s%s\n",
            cli_colour_begin(STDOUT_FILENO, CLI_BOLD), "offset", "size", REP_MEMBER_WIDTH, "member", "time %",
            "stall%", "loads", "stores", "median", rep_level_head(&r->v, "L1"), rep_level_head(&r->v, "L2"),
            "L3", "DRAM", cli_colour_end(STDOUT_FILENO));
}

static const char *rep_path_of(const struct rep_layout *r, uint32_t row)
{
    const struct prof_member *m = rep_member(r, row);
    return *m->path ? m->path : m->kind == PROF_MEMBER_WHOLE ? "(no member)" : m->type_name;
}

/* A pair of fields, by the visits that accessed both. */
struct rep_pair {
    uint32_t a, b;
    uint64_t visits;
};

static int rep_compare_pairs(const void *a, const void *b)
{
    const struct rep_pair *x = a, *y = b;
    if (x->visits != y->visits) return x->visits < y->visits ? 1 : -1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static size_t rep_pairs(const struct an_layout *l,
                        struct rep_pair out[AN_LAYOUT_FIELDS_MAX * AN_LAYOUT_FIELDS_MAX])
{
    size_t len = 0;
    for (uint32_t a = 0; a < l->fields_len; a++)
        for (uint32_t b = a + 1; b < l->fields_len; b++)
            if (l->together[a][b] > 0) out[len++] = (struct rep_pair){a, b, l->together[a][b]};
    qsort(out, len, sizeof(*out), rep_compare_pairs);
    return len;
}

static void rep_layout_together(const struct rep_layout *r, FILE *out)
{
    static struct rep_pair pairs[AN_LAYOUT_FIELDS_MAX * AN_LAYOUT_FIELDS_MAX]; /* large */
    const struct an_layout *l = r->l;
    const size_t len = rep_pairs(l, pairs);
    for (size_t i = 0; i < len && i < REP_PAIRS_SHOWN; i++) {
        const uint64_t either =
            l->together[pairs[i].a][pairs[i].a] + l->together[pairs[i].b][pairs[i].b] - pairs[i].visits;
        rep_key(out, i == 0 ? "together" : "");
        fprintf(out,
                "%.60s and %.60s: in %.0f %% of the visits to one of them (%" PRIu64 " of %" PRIu64 ")\n",
                rep_path_of(r, l->fields[pairs[i].a]), rep_path_of(r, l->fields[pairs[i].b]),
                100.0 * (double)pairs[i].visits / (double)either, pairs[i].visits, either);
    }
}

/* Print which visits are in runs of neighbours, and so how their lines are counted. */
static void rep_layout_runs(const struct rep_layout *r, FILE *out)
{
    const struct an_layout *l = r->l;
    const double part = l->whole_visits ? (double)l->in_runs / (double)l->whole_visits : 0;
    char text[512], run[64];
    if (l->run_len > REP_RUN_LONG)
        snprintf(run, sizeof(run), "many");
    else
        snprintf(run, sizeof(run), "some %.0f", l->run_len);
    if (part >= REP_RUNS_PART)
        snprintf(
            text, sizeof(text),
            "visits     a sweep: %.0f %% of the visits go to runs of %s neighbouring objects, where a line counts "
            "once for all objects in it",
            100 * part, run);
    else if (part > 1 - REP_RUNS_PART)
        snprintf(
            text, sizeof(text),
            "visits     %.0f %% go to runs of %s neighbouring objects, where a line counts once for all objects "
            "in it; the others to objects in random order, where it counts once a burst",
            100 * part, run);
    else
        snprintf(text, sizeof(text), "visits     to objects in random order: a line counts once a burst");
    cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
}

static void rep_layout_lines(const struct rep_layout *r, FILE *out)
{
    const struct an_layout *l = r->l;
    rep_layout_runs(r, out);
    rep_key(out, "lines");
    fprintf(out, "%.2f lines of %d bytes per access, %.2f per visit; %.1f bytes of each are used\n", l->lines,
            REP_LAYOUT_LINE_BYTES, rep_per_visit(l, l->lines), l->bytes_used);
    for (uint32_t i = 0; i < AN_LAYOUT_LINES_MAX && i < REP_PARTS_SHOWN; i++) {
        if (l->parts[i].visits == 0 || rep_member(r, 0)->len_bytes <= REP_LAYOUT_LINE_BYTES) continue;
        rep_key(out, "");
        fprintf(out, "bytes %u to %u of the object: in %.0f %% of the visits, %.1f bytes used\n",
                i * REP_LAYOUT_LINE_BYTES, (i + 1) * REP_LAYOUT_LINE_BYTES - 1,
                100.0 * (double)l->parts[i].visits / (double)l->visits,
                (double)l->parts[i].bytes / (double)l->parts[i].visits);
    }
}

static const char *rep_order_text(const struct rep_layout *r, const struct an_order *o, uint32_t from,
                                  uint32_t to, char out[REP_LAYOUT_TEXT_BYTES])
{
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t i = from; i < to && at < REP_LAYOUT_TEXT_BYTES - 1; i++)
        at += (size_t)snprintf(out + at, REP_LAYOUT_TEXT_BYTES - at, "%s%.80s", i > from ? ", " : "",
                               rep_path_of(r, o->members[i]));
    return out;
}

static void rep_layout_split(const struct rep_layout *r, FILE *out)
{
    const struct an_layout *l = r->l;
    char hot[REP_LAYOUT_TEXT_BYTES], cold[REP_LAYOUT_TEXT_BYTES], text[3 * REP_LAYOUT_TEXT_BYTES];
    snprintf(text, sizeof(text),
             "split      keep %s (%" PRIu64 " bytes%s), move %s (%" PRIu64
             " bytes) to %s: %.2f lines per access instead of %.2f, %.2f per visit instead of %.2f",
             rep_order_text(r, &l->split, 0, l->split.hot_len, hot), l->split.len_bytes,
             l->split.has_pointer ? " with a pointer" : "",
             rep_order_text(r, &l->split, l->split.hot_len, l->split.len, cold), l->split.cold_bytes,
             l->split.has_pointer ? "separate objects" : "another array, with the same index", l->split.lines,
             l->lines, rep_per_visit(l, l->split.lines), rep_per_visit(l, l->lines));
    cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
}

static void rep_layout_orders(const struct rep_layout *r, FILE *out)
{
    const struct an_layout *l = r->l;
    char members[REP_LAYOUT_TEXT_BYTES], text[3 * REP_LAYOUT_TEXT_BYTES];
    if (!l->is_movable) return;
    if (l->order.is_better) {
        snprintf(text, sizeof(text),
                 "order      %s: %.2f lines per access instead of %.2f, %.2f per visit instead of %.2f",
                 rep_order_text(r, &l->order, 0, l->order.len, members), l->order.lines, l->lines,
                 rep_per_visit(l, l->order.lines), rep_per_visit(l, l->lines));
        cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
    }
    if (l->split.is_better) rep_layout_split(r, out);
    if (!l->order.is_better && !l->split.is_better) {
        rep_key(out, "order");
        fputs("no other order, and no split, touches a tenth fewer lines\n", out);
        return;
    }
    snprintf(text, sizeof(text), "           %s", REP_LINES_ARE);
    cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
}

static void rep_layout_text(const struct rep_layout *r, FILE *out)
{
    const struct an_layout *l = r->l;
    char text[512], accesses[CLI_CELL_BYTES], visits[CLI_CELL_BYTES];
    rep_layout_head(r, out);
    rep_layout_members(r, out);
    fputc('\n', out);
    snprintf(
        text, sizeof(text),
        "basis      loads and stores, and all below, are the %s accesses that were seen one after the other, in "
        "%s visits (accesses to one object within one burst); time and latency are of all samples",
        cli_format_grouped(accesses, l->accesses), cli_format_grouped(visits, l->visits));
    cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
    if (l->visits < REP_VISITS_MIN) {
        rep_key(out, "order");
        fputs("too few visits to say which members are accessed together\n", out);
        return;
    }
    rep_layout_together(r, out);
    rep_layout_lines(r, out);
    rep_layout_orders(r, out);
}

/* --- as JSON --- */

static void rep_json_member(const struct rep_layout *r, uint32_t row, struct ls_json *j)
{
    const struct prof_member *m = rep_member(r, row);
    const struct an_interval time = an_bootstrap_share(r->v.bootstrap, r->table, row, AN_TIME),
                             stall = rep_stall_share(&r->v, r->table, row);
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "path", m->path);
    ls_json_text(j, "type", m->type_name);
    ls_json_u64(j, "depth", an_layout_depth(r->l, &r->v.tables, row));
    ls_json_u64(j, "offset_bytes", m->offset_bytes);
    ls_json_u64(j, "len_bytes", m->len_bytes);
    ls_json_u64(j, "elem_len_bytes", m->elem_len_bytes);
    if (m->bits_len) {
        ls_json_u64(j, "first_bit", m->first_bit);
        ls_json_u64(j, "bits", m->bits_len);
    }
    ls_json_u64(j, "seen_loads", rep_sum_below(r, r->l->loads, row));
    ls_json_u64(j, "seen_stores", rep_sum_below(r, r->l->stores, row));
    ls_json_bool(j, "is_cold", r->l->is_cold[row]);
    rep_json_numbers(an_table_total(r->table, row), &time, &stall, j);
    ls_json_close(j, '}');
}

static void rep_json_order(const struct rep_layout *r, const char *key, const struct an_order *o,
                           struct ls_json *j)
{
    ls_json_open(j, key, '{');
    ls_json_open(j, "members", '[');
    for (uint32_t i = 0; i < o->hot_len; i++)
        ls_json_text(j, NULL, rep_path_of(r, o->members[i]));
    ls_json_close(j, ']');
    ls_json_open(j, "moved", '[');
    for (uint32_t i = o->hot_len; i < o->len; i++)
        ls_json_text(j, NULL, rep_path_of(r, o->members[i]));
    ls_json_close(j, ']');
    ls_json_u64(j, "len_bytes", o->len_bytes);
    ls_json_u64(j, "moved_bytes", o->cold_bytes);
    ls_json_bool(j, "has_pointer", o->has_pointer);
    ls_json_double(j, "lines_per_access", o->lines);
    ls_json_double(j, "lines_per_visit", rep_per_visit(r->l, o->lines));
    ls_json_bool(j, "is_better", o->is_better);
    ls_json_close(j, '}');
}

static void rep_json_layout(const struct rep_layout *r, struct ls_json *j)
{
    static struct rep_pair pairs[AN_LAYOUT_FIELDS_MAX * AN_LAYOUT_FIELDS_MAX]; /* large */
    const struct an_layout *l = r->l;
    const size_t pairs_len = rep_pairs(l, pairs);
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "schema", REP_JSON_SCHEMA);
    ls_json_text(j, "file", r->v.options.path);
    ls_json_text(j, "type", r->v.tables.types[l->type].name);
    ls_json_u64(j, "len_bytes", r->v.tables.types[l->type].len_bytes);
    ls_json_u64(j, "members_left_out", r->v.tables.types[l->type].lost);
    ls_json_u64(j, "seen_accesses", l->accesses);
    ls_json_u64(j, "visits", l->visits);
    ls_json_u64(j, "whole_visits", l->whole_visits);
    ls_json_u64(j, "visits_in_runs", l->in_runs);
    ls_json_double(j, "objects_per_run", l->run_len > REP_RUN_LONG ? INFINITY : l->run_len);
    ls_json_bool(j, "is_array", l->is_array);
    ls_json_double(j, "lines_per_access", l->lines);
    ls_json_double(j, "lines_per_visit", rep_per_visit(l, l->lines));
    ls_json_double(j, "bytes_used_per_line", l->bytes_used);
    ls_json_text(j, "lines_are", REP_LINES_ARE);
    ls_json_open(j, "members", '[');
    for (uint32_t row = 0; row < l->len; row++)
        rep_json_member(r, row, j);
    ls_json_close(j, ']');
    ls_json_open(j, "together", '[');
    for (size_t i = 0; i < pairs_len; i++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "a", rep_path_of(r, l->fields[pairs[i].a]));
        ls_json_text(j, "b", rep_path_of(r, l->fields[pairs[i].b]));
        ls_json_u64(j, "visits", pairs[i].visits);
        ls_json_u64(j, "visits_a", l->together[pairs[i].a][pairs[i].a]);
        ls_json_u64(j, "visits_b", l->together[pairs[i].b][pairs[i].b]);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    if (l->is_movable) {
        rep_json_order(r, "order", &l->order, j);
        rep_json_order(r, "split", &l->split, j);
    }
    ls_json_close(j, '}');
}

static void rep_layout_json(const struct rep_layout *r, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    rep_json_layout(r, &j);
}

ls_err rep_json_layouts(const struct rep_view *v, size_t most, struct ls_json *j)
{
    struct rep_type_choice *all = NULL;
    size_t len = 0, shown = 0;
    ls_err err = v->in.samples.member ? rep_types_seen(v, &all, &len) : LS_OK;
    ls_json_open(j, NULL, '[');
    for (size_t i = 0; err == LS_OK && i < len && shown < most; i++) {
        struct rep_layout r = {.v = *v};
        uint32_t first = 0;
        while (first < v->tables.members_len && v->tables.members[first].type != all[i].type)
            first++;
        if (!rep_has_members(v, all[i].type, first)) continue;
        err = rep_layout_find(&r, all[i].type);
        if (err == LS_OK && r.l->visits >= REP_VISITS_MIN) {
            rep_json_layout(&r, j);
            shown++;
        }
        rep_layout_end(&r);
    }
    ls_json_close(j, ']');
    free(all);
    return err;
}

/* --- as comma-separated values --- */

/* The place of the row in the proposed split: "keep", "move", or "" without one. */
static const char *rep_split_word(const struct rep_layout *r, uint32_t row)
{
    const struct an_order *split = &r->l->split;
    for (uint32_t i = 0; split->is_better && i < split->len; i++)
        for (uint32_t at = row; at != AN_NO_GROUP; at = r->parents[at])
            if (split->members[i] == at) return i < split->hot_len ? "keep" : "move";
    return "";
}

static void rep_layout_csv(const struct rep_layout *r, FILE *out)
{
    fputs("path,type,offset_bytes,len_bytes,samples,loads,stores,seen_loads,seen_stores,time_ns,stall_ns,"
          "latency_median_cycles",
          out);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(out, ",%s", prof_level_names[l]);
    fputs(",split\n", out);
    for (uint32_t row = 0; row < r->l->len; row++) {
        const struct prof_member *m = rep_member(r, row);
        const struct an_row *n = an_table_total(r->table, row);
        ls_put_csv(out, m->path);
        fputc(',', out);
        ls_put_csv(out, m->type_name);
        const uint64_t counts[] = {m->offset_bytes,
                                   m->len_bytes,
                                   n->samples,
                                   n->loads,
                                   n->stores,
                                   rep_sum_below(r, r->l->loads, row),
                                   rep_sum_below(r, r->l->stores, row)};
        for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
            fprintf(out, ",%" PRIu64, counts[i]);
        fprintf(out, ",%.9g,%.9g,", n->time_ns, n->stall_ns);
        if (isfinite(n->median_cycles)) fprintf(out, "%.9g", n->median_cycles);
        for (int l = 0; l < PROF_LEVEL_COUNT; l++)
            fprintf(out, ",%" PRIu64, n->levels[l]);
        fprintf(out, ",%s\n", rep_split_word(r, row));
    }
}

ls_err rep_layout(const struct rep_options *o, const char *type, enum rep_layout_form form, FILE *out)
{
    static void (*const print[])(const struct rep_layout *r,
                                 FILE *out) = {[REP_LAYOUT_TEXT] = rep_layout_text,
                                               [REP_LAYOUT_JSON] = rep_layout_json,
                                               [REP_LAYOUT_CSV] = rep_layout_csv};
    struct rep_options flat = *o;
    struct rep_layout r = {.l = NULL};
    uint32_t number;
    flat.by = "type";
    flat.columns = AN_LAYOUT_COLUMNS;
    ls_err err = rep_view_init(&r.v, &flat);
    if (err == LS_OK) err = rep_choose_type(&r.v, type, &number);
    if (err == LS_OK) err = rep_layout_find(&r, number);
    if (err == LS_OK) print[form](&r, out);
    rep_layout_end(&r);
    rep_view_fini(&r.v);
    return err;
}
