/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_host.h"

#include "patterns/source/pat_source.h"
#include "patterns/source/pat_trace_writer.h"
#include "smrtree/smr_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Existing names to list when the requested name does not exist. */
enum { TRC_LABELS_LISTED = 12, TRC_LABELS_BYTES = 400 };

struct trc_only_state {
    pat_source *source;
    pat_trace_writer *writer;
    smr_live *live;
    bool *is_wanted; /* by home */
    bool keeps_all;
    size_t homes_len;
    struct pat_access *kept;
    size_t room;
    uint64_t kept_len;
};

static bool trc_is_label(const char *label, const char *wanted)
{
    const size_t len = strlen(wanted);
    if (!label || strncmp(label, wanted, len) != 0) return false;
    return label[len] == '\0' || strncmp(label + len, " #", 2) == 0 || strncmp(label + len, " (", 2) == 0;
}

/* Mark the homes of a label. */
static bool trc_want_label(struct trc_only_state *o, const struct pat_tables *t, const char *label)
{
    bool is_found = false;
    for (size_t i = 0; i < o->homes_len; i++) {
        if (!trc_is_label(t->homes[i].label, label)) continue;
        o->is_wanted[i] = is_found = true;
    }
    return is_found;
}

/* List names to choose from, the program's own names first: "val, x, y". */
static void trc_list_labels(const struct pat_tables *t, char *out, size_t room)
{
    static const uint8_t kinds[] = {PAT_HOME_REGISTERED, PAT_HOME_HEAP, PAT_HOME_STACK};
    size_t used = 0, listed = 0;
    out[0] = '\0';
    for (size_t k = 0; k < sizeof(kinds); k++)
        for (size_t i = 0; i < t->homes_len && listed < TRC_LABELS_LISTED && used < room; i++) {
            if (t->homes[i].kind != kinds[k] || !t->homes[i].label) continue;
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", t->homes[i].label);
            listed++;
        }
}

static ls_err trc_fail_label(const struct pat_tables *t, const char *label)
{
    char others[TRC_LABELS_BYTES];
    trc_list_labels(t, others, sizeof(others));
    return ls_fail(
        LS_ERR_NOT_FOUND,
        "--node %s: the program has no data of that name; it has the variables of its symbols, and %s", label,
        *others ? others : "nothing else with a name");
}

static bool trc_has_variable(sym_files *files, sym_file *file, const char *label)
{
    const size_t len = sym_file_variables_len(files, file);
    for (uint32_t i = 0; i < len; i++) {
        const struct sym_thing v = sym_file_variable(file, i);
        if (!v.is_tls && trc_is_label(v.name, label)) return true;
    }
    return *sym_file_problem(file); /* unknown */
}

ls_err trc_only_check_static(const char *path, const struct trc_only_wanted *wanted)
{
    static const char stack[] = "stack of ";
    sym_files *files;
    sym_file *file;
    LS_TRY(sym_files_new((struct sym_limits){0}, &files));
    ls_err err = sym_files_get(files, path, &file);
    for (size_t i = 0; err == LS_OK && i < wanted->labels_len; i++) {
        const char *const label = wanted->labels[i];
        if (strncmp(label, stack, strlen(stack)) == 0 || trc_has_variable(files, file, label)) continue;
        err = ls_fail(
            LS_ERR_NOT_FOUND,
            "--node %s: %s has no variable of that name, and because it is statically linked, only its "
            "variables and stacks have names; it was not run",
            label, path);
    }
    sym_files_free(files);
    return err;
}

static ls_err trc_want(struct trc_only_state *o, const struct pat_tables *t, const struct trc_only_wanted *w)
{
    size_t found = 0;
    o->homes_len = t->homes_len;
    o->is_wanted = calloc(o->homes_len + 1, sizeof(*o->is_wanted));
    if (!o->is_wanted) return ls_nomem("%zu homes", o->homes_len);
    for (size_t i = 0; i < w->labels_len; i++) {
        const bool is_found = trc_want_label(o, t, w->labels[i]);
        found += is_found;
        if (!is_found && !w->are_guesses) return trc_fail_label(t, w->labels[i]);
    }
    o->keeps_all = found == 0;
    return LS_OK;
}

/* Read the trace once for the labels of allocations, which are at its end. */
static ls_err trc_find_homes(const char *path, const struct trc_only_wanted *w, struct trc_only_state *o)
{
    const struct pat_source_options options = {0};
    struct pat_batch b;
    pat_source *s;
    ls_err err;
    LS_TRY(pat_source_open(path, &options, &s));
    do
        err = pat_source_next(s, &b);
    while (err == LS_OK && (b.accesses_len > 0 || b.events_len > 0));
    if (err == LS_OK) err = trc_want(o, pat_source_tables(s), w);
    pat_source_close(s);
    return err;
}

static bool trc_is_kept(const struct trc_only_state *o, const struct pat_access *a,
                        const struct pat_tables *t)
{
    uint32_t range;
    if (o->keeps_all) return true;
    if (!smr_live_find(o->live, a->addr, &range)) return false;
    return t->ranges[range].home < o->homes_len && o->is_wanted[t->ranges[range].home];
}

static ls_err trc_follow(struct trc_only_state *o, const struct pat_event *e, const struct pat_tables *t)
{
    if (e->kind != PAT_EVENT_RANGE_BORN && e->kind != PAT_EVENT_RANGE_DIED) return LS_OK;
    const struct pat_range *r = &t->ranges[e->what];
    if (e->kind == PAT_EVENT_RANGE_DIED) {
        smr_live_remove(o->live, r->start, e->what); /* it may have been evicted */
        return LS_OK;
    }
    if (smr_live_insert(o->live, r->start, r->end, e->what) == LS_OK) return LS_OK;
    LS_TRY(smr_live_evict(o->live, r->start, r->end));
    return smr_live_insert(o->live, r->start, r->end, e->what);
}

static ls_err trc_keep(struct trc_only_state *o, const struct pat_batch *b, const struct pat_tables *t)
{
    struct pat_batch kept = {.events = b->events, .events_len = b->events_len};
    if (b->accesses_len > o->room) {
        free(o->kept);
        o->room = b->accesses_len;
        o->kept = malloc(o->room * sizeof(*o->kept));
        if (!o->kept) return ls_nomem("%zu accesses", o->room);
    }
    for (size_t i = 0; i < b->events_len; i++)
        LS_TRY(trc_follow(o, &b->events[i], t));
    for (size_t i = 0; i < b->accesses_len; i++)
        if (trc_is_kept(o, &b->accesses[i], t)) o->kept[kept.accesses_len++] = b->accesses[i];
    kept.accesses = o->kept;
    o->kept_len += kept.accesses_len;
    return pat_trace_writer_put(o->writer, &kept, t);
}

static ls_err trc_copy(struct trc_only_state *o, const char *path, const char *out_path)
{
    const struct pat_source_options options = {0};
    const struct pat_trace_about about = {.scale = 1};
    struct pat_batch b;
    LS_TRY(pat_source_open(path, &options, &o->source));
    LS_TRY(pat_trace_writer_new(out_path, &about, &o->writer));
    do {
        LS_TRY(pat_source_next(o->source, &b));
        LS_TRY(trc_keep(o, &b, pat_source_tables(o->source)));
    } while (b.accesses_len > 0 || b.events_len > 0);
    pat_trace_writer *w = o->writer;
    o->writer = NULL;
    return pat_trace_writer_finish(w, pat_source_tables(o->source), 0, 0);
}

ls_err trc_only(const char *path, const struct trc_only_wanted *wanted, const char *out_path, uint64_t *kept)
{
    struct trc_only_state o = {.live = smr_live_new()};
    ls_err err = o.live ? trc_find_homes(path, wanted, &o) : ls_nomem("ranges");
    if (err == LS_OK) err = trc_copy(&o, path, out_path);
    if (err == LS_OK && o.kept_len == 0)
        err = ls_fail(LS_ERR_NOT_FOUND, "--node %s: the program did not access it", wanted->labels[0]);
    *kept = o.kept_len;
    if (o.source) pat_source_close(o.source);
    pat_trace_writer_free(o.writer);
    smr_live_free(o.live);
    free(o.is_wanted);
    free(o.kept);
    return err;
}
