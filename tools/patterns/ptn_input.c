/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptn_input.h"
#include "patterns/pat_json.h"
#include "tools/cli/cli_message.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTN_NAME_BYTES = 32, PTN_PEEK_BYTES = 256 };

static void ptn_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

/* Name unnamed items "config 3", so that they are distinguished. */
static ls_err ptn_name_items(struct pat_items *items)
{
    for (size_t i = 0; i < items->len; i++) {
        char name[PTN_NAME_BYTES];
        if (*items->rows[i].name) continue;
        snprintf(name, sizeof(name), "config %zu", i);
        free(items->rows[i].name);
        items->rows[i].name = strdup(name);
        if (!items->rows[i].name) return ls_nomem("the names of patterns");
    }
    return LS_OK;
}

ls_err ptn_is_pattern_file(const char *path, bool *out)
{
    char bytes[PTN_PEEK_BYTES];
    pat_input *in;
    size_t len = 0, i = 0;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_input_read(in, bytes, sizeof(bytes), &len);
    while (i < len && isspace((unsigned char)bytes[i]))
        i++;
    *out = err == LS_OK && i < len && bytes[i] == '[';
    pat_input_free(in);
    return err;
}

static ls_err ptn_read_patterns(const char *path, struct ptn_input *out)
{
    const struct pat_json_options o = {.note = ptn_note};
    LS_TRY(pat_json_read_file(path, &o, &out->suite));
    LS_TRY(pat_items_of_suite(&out->suite, &out->items));
    return ptn_name_items(&out->items);
}

static ls_err ptn_found_walk(const struct pat_found *f, const struct pat_sequences *s, struct pat_walk *out)
{
    const enum pat_side side = f->op == PAT_OP_LOAD ? PAT_SIDE_GATHER : PAT_SIDE_SCATTER;
    if (f->sequence >= s->len || s->rows[f->sequence].indices.len == 0)
        return pat_walk_config(&f->config, side, out);
    const struct pat_sequence *const q = &s->rows[f->sequence];
    *out = pat_walk_list(&q->indices, q->breaks, q->breaks_len);
    return LS_OK;
}

/* Use the recorded accesses of a single instruction, but the configuration of joined instructions. */
static ls_err ptn_found_walks(const struct pat_found *f, const struct pat_sequences *s, struct pat_item *item)
{
    if (f->members_len > 0) return pat_item_set_config(item, &f->config);
    item->kind = f->op == PAT_OP_LOAD ? PAT_KIND_READS : PAT_KIND_WRITES;
    item->walks_len = 1;
    return ptn_found_walk(f, s, &item->walks[0]);
}

static ls_err ptn_add_found(const struct pat_found *f, const struct pat_sequences *s, struct pat_items *items)
{
    char name[PAT_FOUND_KEY_BYTES], key[PAT_FOUND_KEY_BYTES];
    struct pat_item *item;
    pat_found_label(f, name);
    pat_found_key(f, key);
    LS_TRY(pat_items_add(items, name, key, &item));
    item->threads = f->threads;
    item->share = f->cost_share;
    free(item->thread);
    item->thread = strdup(f->thread ? f->thread : "");
    if (!item->thread) return ls_nomem("the names of patterns");
    return ptn_found_walks(f, s, item);
}

/* Append an item for each row of f, with its recorded sequence and breaks, or with its configuration if no
 * index was kept. The key is operation, data and function, without addresses or lines. f and s must outlive
 * the items. */
static ls_err ptn_add_findings(const struct pat_findings *f, const struct pat_sequences *s,
                               struct pat_items *items)
{
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(ptn_add_found(&f->rows[i], s, items));
    return LS_OK;
}

static ls_err ptn_extract_patterns(const char *path, const struct ptn_settings *s, struct ptn_input *out)
{
    struct ptn_settings all = *s;
    all.extract.fold_min = 0; /* distances between patterns are made of every access */
    LS_TRY(ptn_read(path, &all, &out->found));
    return ptn_add_findings(&out->found.findings, &out->found.sequences, &out->items);
}

ls_err ptn_input_read(const char *path, const struct ptn_settings *s, struct ptn_input *out)
{
    bool is_pattern_file;
    *out = (struct ptn_input){.path = path};
    LS_TRY(ptn_is_pattern_file(path, &is_pattern_file));
    LS_TRY(is_pattern_file ? ptn_read_patterns(path, out) : ptn_extract_patterns(path, s, out));
    if (out->items.len > 0) return LS_OK;
    return ls_fail(LS_ERR_FORMAT,
                   "%s: no pattern passed the filters; --trivial and --min-accesses 1 keep more", path);
}

void ptn_input_fini(struct ptn_input *in)
{
    pat_items_fini(&in->items);
    pat_suite_fini(&in->suite);
    ptn_found_fini(&in->found);
}
