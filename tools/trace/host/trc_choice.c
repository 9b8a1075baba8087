/* SPDX-License-Identifier: BSD-3-Clause */

#include "tools/cli/cli_message.h"
#include "tools/trace/host/trc_host.h"
#include "analyse/an_cost.h"
#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "run_h5/prof_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- choosing code by a recording ---- */

enum { TRC_HOT_BURSTS_MIN = 50 }; /* a share of 10 % is then known to +-8 points */
#define TRC_HOT_SHARE 0.9
/* The share of data is larger than that of code, because an array of indices costs little, but a gather
 * cannot be replayed without it. */
#define TRC_HOT_NODES_SHARE 0.99
/* Choose data by name only if named data has at least this share of the time, in all functions together and
 * in each chosen one. */
#define TRC_HOT_NAMED_MIN 0.5
#define TRC_HOT_NONE UINT32_MAX

struct trc_weight {
    const char *module, *name; /* module: "" for data. name: "" for unnamed code of module */
    double time_ns;
    double named_ns; /* for a chosen function: its time on labelled data */
    bool is_chosen, is_looked_at;
};
struct trc_ranking {
    LS_VECTOR(struct trc_weight) list;
    double time_ns; /* including samples without a row in the list */
};

/* The parts of the profile that are used. */
struct trc_hot_run {
    struct prof_samples samples;
    const struct prof_burst *bursts;
    const struct prof_line *lines;
    const struct prof_thread *threads;
    const struct prof_node *nodes;
    size_t bursts_len, lines_len, threads_len, nodes_len;
    struct an_costs costs;
    bool are_weighted;
    uint32_t *function_of; /* by line: row of functions, TRC_HOT_NONE */
    uint32_t *label_of;    /* by node: row of labels, TRC_HOT_NONE */
    struct trc_ranking functions, labels;
};

static ls_err trc_ranking_row(struct trc_ranking *r, const char *module, const char *name, uint32_t *out)
{
    for (size_t i = 0; i < r->list.len; i++) {
        const struct trc_weight *w = &r->list.rows[i];
        if (strcmp(w->name, name) != 0 || strcmp(w->module, module) != 0) continue;
        *out = (uint32_t)i;
        return LS_OK;
    }
    LS_TRY(LS_VECTOR_ROOM(&r->list));
    *out = (uint32_t)r->list.len;
    r->list.rows[r->list.len++] = (struct trc_weight){.module = module, .name = name};
    return LS_OK;
}

static void trc_ranking_add(struct trc_ranking *r, uint32_t row, double time_ns)
{
    r->time_ns += time_ns;
    if (row != TRC_HOT_NONE) r->list.rows[row].time_ns += time_ns;
}

/* Return the next row, the heaviest first.  NULL: no more rows. */
static struct trc_weight *trc_ranking_next(struct trc_ranking *r)
{
    struct trc_weight *best = NULL;
    for (size_t i = 0; i < r->list.len; i++) {
        struct trc_weight *w = &r->list.rows[i];
        if (!w->is_looked_at && w->time_ns > 0 && (!best || w->time_ns > best->time_ns)) best = w;
    }
    if (best) best->is_looked_at = true;
    return best;
}

/* --- rows of lines and nodes --- */

/* Return the label that a trace has for the node, too; NULL: none. */
static const char *trc_label_of_node(const struct trc_hot_run *run, size_t node)
{
    for (size_t at = node, before = SIZE_MAX; at < before && at < run->nodes_len;) {
        const struct prof_node *n = &run->nodes[at];
        switch ((enum prof_node_kind)n->kind) {
        case PROF_NODE_RANGE:
        case PROF_NODE_SITE:
        case PROF_NODE_SYMBOL:
        case PROF_NODE_STACK:
            return n->label;
        case PROF_NODE_BLOCK:
        case PROF_NODE_FRAME:
            before = at;
            at = n->parent;
            break;
        default:
            return NULL;
        }
    }
    return NULL;
}

static ls_err trc_hot_rows(struct trc_hot_run *run)
{
    run->function_of = malloc((run->lines_len + 1) * sizeof(*run->function_of));
    run->label_of = malloc((run->nodes_len + 1) * sizeof(*run->label_of));
    if (!run->function_of || !run->label_of) return ls_nomem("%zu lines of a profile", run->lines_len);
    for (size_t i = 0; i < run->lines_len; i++) {
        const struct prof_line *l = &run->lines[i];
        run->function_of[i] = TRC_HOT_NONE;
        if (l->module[0] == '/')
            LS_TRY(trc_ranking_row(&run->functions, l->module, l->symbol, &run->function_of[i]));
    }
    for (size_t i = 0; i < run->nodes_len; i++) {
        const char *label = trc_label_of_node(run, i);
        run->label_of[i] = TRC_HOT_NONE;
        if (label && *label) LS_TRY(trc_ranking_row(&run->labels, "", label, &run->label_of[i]));
    }
    return LS_OK;
}

/* --- time --- */

static uint32_t trc_function_at(const struct trc_hot_run *run, uint32_t process, uint64_t ip)
{
    size_t from;
    LS_COUNT_FIRST(from, run->lines_len, i,
                   run->lines[i].process < process ||
                       (run->lines[i].process == process && run->lines[i].ip < ip));
    const bool is_found =
        from < run->lines_len && run->lines[from].process == process && run->lines[from].ip == ip;
    return is_found ? run->function_of[from] : TRC_HOT_NONE;
}

/* Check whether weights are meaningful. On a busy machine most bursts end before their measurements, and
 * later bursts get their weight; then every burst counts the same. */
static bool trc_are_weighted(const struct trc_hot_run *run)
{
    size_t with = 0, without = 0;
    for (size_t i = 0; i < run->bursts_len; i++)
        if (run->bursts[i].samples_len > 0)
            (*(an_weight_ns(&run->costs, &run->bursts[i]) > 0 ? &with : &without))++;
    return with > without;
}

static double trc_time_of(const struct trc_hot_run *run, const struct prof_burst *b, uint64_t sample)
{
    return run->are_weighted ? (double)run->costs.time_ns[sample] : 1.0 / (double)b->samples_len;
}

static void trc_add_function(struct trc_hot_run *run, uint32_t function, uint64_t sample, double time_ns)
{
    (void)sample;
    trc_ranking_add(&run->functions, function, time_ns);
}

/* Add the time of a sample to the label of its data if its function is chosen. */
static void trc_add_label(struct trc_hot_run *run, uint32_t function, uint64_t sample, double time_ns)
{
    const uint32_t node = run->samples.node[sample];
    struct trc_weight *w = function == TRC_HOT_NONE ? NULL : &run->functions.list.rows[function];
    if (!w || !w->is_chosen) return;
    const uint32_t label = node < run->nodes_len ? run->label_of[node] : TRC_HOT_NONE;
    if (label != TRC_HOT_NONE) w->named_ns += time_ns;
    trc_ranking_add(&run->labels, label, time_ns);
}

static void trc_each_sample(struct trc_hot_run *run, void (*add)(struct trc_hot_run *run, uint32_t function,
                                                                 uint64_t sample, double time_ns))
{
    for (size_t i = 0; i < run->bursts_len; i++) {
        const struct prof_burst *b = &run->bursts[i];
        if (b->thread >= run->threads_len) continue;
        for (uint64_t k = b->first_sample; k < b->first_sample + b->samples_len && k < run->samples.len; k++)
            add(run, trc_function_at(run, run->threads[b->thread].process, run->samples.ip[k]), k,
                trc_time_of(run, b, k));
    }
}

/* --- choice --- */

/* "a, b" */
static void trc_hot_name(char *names, size_t room, const char *name)
{
    const size_t at = strlen(names);
    snprintf(names + at, room - at, "%s%s", at ? ", " : "", name);
}

/* Write the ranges of the function and its variants for other processors, because QEMU emulates a processor
 * that differs from this one. If the file lacks the symbol (stripped, other symbols), write all its code. */
static ls_err trc_hot_stretches(const struct trc_weight *w, FILE *out, const char **name)
{
    *name = w->name;
    if (*w->name && trc_code_kin(w->module, w->name, out) == LS_OK) return LS_OK;
    *name = ls_base_name(w->module);
    return trc_code_all(w->module, out);
}

static void trc_choose_functions(struct trc_hot_run *run, FILE *out, struct trc_hot *found)
{
    struct trc_weight *w;
    double sum = 0;
    while (sum < TRC_HOT_SHARE * run->functions.time_ns && (w = trc_ranking_next(&run->functions)) != NULL) {
        const char *name;
        if (trc_hot_stretches(w, out, &name) != LS_OK) continue; /* file is not on this machine */
        w->is_chosen = true;
        sum += w->time_ns;
        trc_hot_name(found->names, sizeof(found->names), name);
        found->functions++;
    }
    found->share = run->functions.time_ns > 0 ? sum / run->functions.time_ns : 0;
}

/* Drop the number of "a #2": the calls on a line may be numbered differently in the trace. */
static ls_err trc_hot_label(struct trc_hot *found, const char *label)
{
    const char *number = strstr(label, " #");
    const size_t len = number ? (size_t)(number - label) : strlen(label);
    for (size_t i = 0; i < found->labels_len; i++)
        if (strlen(found->labels[i]) == len && memcmp(found->labels[i], label, len) == 0) return LS_OK;
    LS_TRY(LS_GROW(found->labels, found->labels_room, found->labels_len + 1));
    char *copy = strndup(label, len);
    if (!copy) return ls_nomem("names of data");
    found->labels[found->labels_len++] = copy;
    trc_hot_name(found->label_names, sizeof(found->label_names), copy);
    return LS_OK;
}

/* Do not choose by data if it is unnamed: small blocks have no names in a recording, so a function that uses
 * them would be chosen without its data. */
static bool trc_has_nameless_function(const struct trc_hot_run *run)
{
    for (size_t i = 0; i < run->functions.list.len; i++) {
        const struct trc_weight *w = &run->functions.list.rows[i];
        if (w->is_chosen && w->named_ns < TRC_HOT_NAMED_MIN * w->time_ns) return true;
    }
    return false;
}

static ls_err trc_choose_labels(struct trc_hot_run *run, struct trc_hot *found)
{
    const struct trc_ranking *r = &run->labels;
    struct trc_weight *w;
    double named = 0, sum = 0;
    for (size_t i = 0; i < r->list.len; i++)
        named += r->list.rows[i].time_ns;
    if (named < TRC_HOT_NAMED_MIN * r->time_ns || trc_has_nameless_function(run)) return LS_OK;
    while (sum < TRC_HOT_NODES_SHARE * named && (w = trc_ranking_next(&run->labels)) != NULL) {
        LS_TRY(trc_hot_label(found, w->name));
        sum += w->time_ns;
    }
    found->labels_share = r->time_ns > 0 ? sum / r->time_ns : 0;
    return LS_OK;
}

static ls_err trc_hot_choose(struct trc_hot_run *run, FILE *out, struct trc_hot *found)
{
    run->are_weighted = trc_are_weighted(run);
    LS_TRY(trc_hot_rows(run));
    trc_each_sample(run, trc_add_function);
    trc_choose_functions(run, out, found);
    trc_each_sample(run, trc_add_label);
    return trc_choose_labels(run, found);
}

/* Return whether there were enough bursts to choose by. */
static bool trc_hot_can_choose(const struct trc_hot *found)
{
    return found->bursts >= TRC_HOT_BURSTS_MIN;
}

static ls_err trc_hot_of(prof_profile *p, FILE *out, struct trc_hot *found)
{
    struct trc_hot_run run = {0};
    struct an_input in;
    run.bursts = prof_bursts(p, &run.bursts_len);
    run.lines = prof_lines(p, &run.lines_len);
    run.threads = prof_threads(p, &run.threads_len);
    run.nodes = prof_nodes(p, &run.nodes_len);
    found->bursts = run.bursts_len;
    if (!trc_hot_can_choose(found)) return LS_OK;
    LS_TRY(prof_load_samples(p, AN_COST_COLUMNS | PROF_MASK(ip), &run.samples));
    an_input_init(&in, prof_run_of(p), run.bursts, run.bursts_len);
    in.samples = run.samples;
    ls_err err = an_costs_init(&run.costs, &in);
    if (err == LS_OK) err = trc_hot_choose(&run, out, found);
    an_costs_fini(&run.costs);
    free(run.function_of);
    free(run.label_of);
    free(run.functions.list.rows);
    free(run.labels.list.rows);
    return err;
}

/* Append to out the address ranges of the functions that have 90 % of the time of the profile at path. They
 * include variants for other processors ("sin_fma", "sin_sse2"). A function without a symbol in its file is
 * replaced by all code of the file. functions is 0 if there are too few bursts or the code is not on this
 * machine.
 * Owns:   the caller ends found with trc_hot_fini, also after a failure.
 * Errors: as prof_open and prof_load_samples; LS_ERR_NOMEM. */
static ls_err trc_hot_code(const char *path, FILE *out, struct trc_hot *found)
{
    prof_profile *p;
    memset(found, 0, sizeof(*found));
    LS_TRY(prof_open(path, &p));
    const ls_err err = trc_hot_of(p, out, found);
    prof_close(p);
    return err;
}

void trc_hot_fini(struct trc_hot *found)
{
    for (size_t i = 0; i < found->labels_len; i++)
        free(found->labels[i]);
    free(found->labels);
    found->labels = NULL;
    found->labels_len = 0;
}

/* Record the program to the profile at path, with /dev/null as its input and output.
 * Errors: LS_ERR_IO when it cannot be started or recorded, or was interrupted. */
static ls_err trc_hot_record(const struct trc_choice *c, const char *path, struct trc_hot *hot)
{
    /* more than a recording usually takes: it is for a choice, not for latencies */
    char *first[] = {(char *)"loadstone",  (char *)"record",
                     (char *)"-q",         (char *)"-f",
                     (char *)"--overhead", (char *)"50%",
                     (char *)"--period",   (char *)"1ms",
                     (char *)"--spool",    (char *)(uintptr_t)c->folder,
                     (char *)"-o",         (char *)(uintptr_t)path,
                     (char *)"--"};
    enum { TRC_FIRST = sizeof(first) / sizeof(first[0]) };
    struct rec_outcome *const o = &hot->recording;
    size_t len = 0;
    while (c->program[len])
        len++;
    char **words = calloc(TRC_FIRST + len + 1, sizeof(*words));
    if (!words) return ls_nomem("the command line");
    memcpy(words, first, sizeof(first));
    memcpy(words + TRC_FIRST, c->program, len * sizeof(*c->program));
    const ls_err err = rec_launch_silently("/proc/self/exe", words, o);
    free(words);
    if (err != LS_OK) return err;
    hot->is_interrupted = o->is_interrupted && (o->exit_signal || o->exit_code);
    if (hot->is_interrupted)
        return ls_fail(LS_ERR_IO, "--auto: a signal ended the recording, so nothing was traced");
    if (access(path, R_OK) == 0) return LS_OK;
    return ls_fail(LS_ERR_IO, "--auto: loadstone record -- %s made no profile", c->program[0]);
}

/* ---- choosing code by options ---- */

static ls_err trc_choice_record(const struct trc_choice *c, FILE *out, struct trc_hot *hot)
{
    char profile[TRC_CHOICE_BYTES];
    if (!c->target->is_native || c->target->is_static)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "--auto: %s cannot be recorded (only dynamically linked programs of this machine can): "
            "choose by --function or --lines",
            c->program[0]);
    snprintf(profile, sizeof(profile), "%s/hot.h5", c->folder);
    cli_note("recording %s, to choose the code and data to trace", c->program[0]);
    ls_err err = trc_hot_record(c, profile, hot);
    if (err == LS_OK) err = trc_hot_code(profile, out, hot);
    unlink(profile);
    return err;
}

static void trc_choice_say(const struct trc_hot *h)
{
    if (!trc_hot_can_choose(h))
        cli_note("%zu bursts are too few to choose code by: the whole program is traced", h->bursts);
    else if (h->functions == 0)
        cli_note("none of the code of %zu bursts is in a file of this machine: the whole program is traced",
                 h->bursts);
    else
        cli_note("traced: %zu function%s with %.0f %% of the time: %s", h->functions,
                 h->functions == 1 ? "" : "s", h->share * 100, h->names);
    if (h->labels_len > 0)
        cli_note("on data with %.0f %% of their time: %s", h->labels_share * 100, h->label_names);
    else if (h->functions > 0)
        cli_note("on all data: most of it, or of the data of one function, has no name");
}

static ls_err trc_choice_hot(const struct trc_choice *c, FILE *out, struct trc_hot *hot)
{
    LS_TRY(c->profile ? trc_hot_code(c->profile, out, hot) : trc_choice_record(c, out, hot));
    trc_choice_say(hot);
    return LS_OK;
}

static ls_err trc_choice_put(const struct trc_choice *c, FILE *out, struct trc_hot *hot)
{
    const bool is_hot = c->profile || c->is_auto;
    char module[PATH_MAX];
    if (c->module && !c->function && !c->lines && is_hot)
        return ls_fail(LS_ERR_USAGE, "--module chooses code, and so do --auto and --hot: give one of them");
    if (!realpath(c->module ? c->module : c->target->path, module))
        return ls_fail_errno(errno, "cannot find %s", c->module ? c->module : c->target->path);
    if (c->function) LS_TRY(trc_code_function(module, c->function, out));
    if (c->lines) LS_TRY(trc_code_lines(module, c->lines, out));
    if (is_hot) return trc_choice_hot(c, out, hot);
    return c->function || c->lines ? LS_OK : trc_code_all(module, out);
}

ls_err trc_choice_write(const struct trc_choice *c, struct trc_hot *hot, char region[TRC_CHOICE_BYTES])
{
    const bool is_hot = c->profile || c->is_auto;
    region[0] = '\0';
    if (!c->function && !c->lines && !c->module && !is_hot) return LS_OK;
    snprintf(region, TRC_CHOICE_BYTES, "%s/region", c->folder);
    FILE *out = fopen(region, "we");
    if (!out) return ls_fail_errno(errno, "cannot write %s", region);
    const ls_err err = trc_choice_put(c, out, hot);
    if (fclose(out) != 0 && err == LS_OK) return ls_fail_errno(errno, "cannot write %s", region);
    if (err == LS_OK && is_hot && hot->functions == 0)
        region[0] = '\0'; /* the recording does not suffice for a choice */
    return err;
}
