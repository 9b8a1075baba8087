/* SPDX-License-Identifier: BSD-3-Clause */
/* A line for each node that stalls much: how it is walked, and what would help. Inferred. */
#include "analyse/an_advice.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REP_ADVICE_STALL 0.1 /* of all stall */
enum { REP_ADVICE_MAX = 3 };

static const char *const rep_hints[] = {
    [AN_ACCESS_UNKNOWN] = "too few consecutive accesses to tell how it is walked",
    [AN_ACCESS_REPEATED] =
        "one place is read again and again: keep it in a register, or look for threads that share its line",
    [AN_ACCESS_SEQUENTIAL] =
        "it is walked in order: bandwidth counts; reuse it while it is in cache (block or fuse loops)",
    [AN_ACCESS_STRIDED] =
        "each access touches another line: interchange or block the loops, or store it in the order of use",
    [AN_ACCESS_IRREGULAR] = "addresses follow no stride: sort or pack what is used together, or prefetch",
};

/* Where the instruction is: "file:line" or "function"; the process is the sample's. */
static void rep_place(const struct rep_view *v, const struct an_finding *f, char *out, size_t room)
{
    const uint32_t thread = v->in.samples.thread[f->sample];
    const uint32_t process = an_tables_process(&v->tables, thread);
    const uint32_t row = an_tables_line(&v->tables, process, f->ip);
    const struct prof_line *l = row == UINT32_MAX ? NULL : &v->tables.lines[row];
    const char *slash = l ? strrchr(l->file, '/') : NULL;
    if (l && *l->file)
        snprintf(out, room, "%s:%u", slash ? slash + 1 : l->file, l->line);
    else if (l && (*l->function || *l->symbol))
        snprintf(out, room, "%s", *l->function ? l->function : l->symbol);
    else
        snprintf(out, room, "0x%llx", (unsigned long long)f->ip);
}

static void rep_print_finding(const struct rep_view *v, uint32_t group, const struct an_finding *f, FILE *out)
{
    char place[256], stride[96] = "";
    rep_place(v, f, place, sizeof(place));
    if (f->access == AN_ACCESS_STRIDED || f->access == AN_ACCESS_SEQUENTIAL)
        snprintf(stride, sizeof(stride), ", stride %lld bytes", (long long)f->stride_bytes);
    char text[AN_LABEL_BYTES + 512], dram[64] = "";
    if (isfinite(f->dram_part))
        snprintf(dram, sizeof(dram), ", %.0f %% of its loads from DRAM", f->dram_part * 100);
    snprintf(text, sizeof(text), "  %s: %.0f %% of its stall at %s%s%s; %s", rep_label(v, group),
             f->stall_part * 100, place, stride, dram, rep_hints[f->access]);
    cli_print_folded(text, 4, cli_term_width(), out);
}

/* The costliest groups by their own samples. */
static uint32_t rep_next_leaf(const struct rep_view *v, const uint32_t *done, size_t done_len)
{
    uint32_t best = AN_NO_GROUP;
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        const double stall = an_table_self(v->table, g)->stall_ns;
        const uint32_t node = rep_node_of(v, g);
        bool taken = node == UINT32_MAX || stall < REP_ADVICE_STALL * v->costs.stall_total_ns || stall <= 0 ||
                     !rep_is_below(v, node, v->root);
        for (size_t i = 0; i < done_len; i++)
            taken = taken || done[i] == g;
        if (!taken && (best == AN_NO_GROUP || stall > an_table_self(v->table, best)->stall_ns)) best = g;
    }
    return best;
}

ls_err rep_print_advice(const struct rep_view *v, FILE *out)
{
    uint32_t done[REP_ADVICE_MAX];
    if (!rep_is_by_node(v) || an_bootstrap_bursts(v->bootstrap, AN_STALL) < AN_BURSTS_MIN) return LS_OK;
    uint8_t *in_group = malloc(v->in.samples.len + 1);
    if (!in_group) return ls_fail(LS_ERR_NOMEM, "no memory for advice");
    ls_err err = LS_OK;
    for (size_t i = 0; i < REP_ADVICE_MAX && err == LS_OK; i++) {
        struct an_finding f;
        done[i] = rep_next_leaf(v, done, i);
        if (done[i] == AN_NO_GROUP) break;
        for (uint64_t s = 0; s < v->in.samples.len; s++)
            in_group[s] = v->groups.group_of_sample[s] == done[i];
        err = an_finding_init(&f, &v->in, &v->costs, in_group);
        if (err != LS_OK) break;
        if (i == 0) fprintf(out, "\nWhat stalls most (inferred from the samples):\n");
        rep_print_finding(v, done[i], &f, out);
    }
    free(in_group);
    return err;
}
