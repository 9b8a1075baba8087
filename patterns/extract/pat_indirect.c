/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_indirect.h"
#include "patterns/extract/pat_backward.h"
#include "patterns/extract/pat_code.h"

#include <stdlib.h>

/* A vector of indices feeds up to 16 lanes, and loops end early: counts that are further apart do not agree.
 * Few accesses agree with anything. */
enum { INDIRECT_LANES = 32, INDIRECT_SLACK = 2, INDIRECT_FEW = 16, INDIRECT_KNOWN_BYTES = 1024 };

struct indirect_ip {
    uint64_t ip;
    uint32_t module, site;
};
struct indirect {
    const struct pat_tables *t;
    const uint64_t *accesses;
    struct indirect_ip *ips; /* all sites by module, in the order of their instructions */
    pat_code **codes;        /* by module; NULL: not opened yet, or not to be read */
    bool *was_opened;
};

static int indirect_by_ip(const void *a, const void *b)
{
    const struct indirect_ip *x = a, *y = b;
    if (x->module != y->module) return x->module < y->module ? -1 : 1;
    if (x->ip != y->ip) return x->ip < y->ip ? -1 : 1;
    return (x->site > y->site) - (x->site < y->site);
}

/* The first of the module's sites at or behind ip. Another module may have had the same addresses. */
static size_t indirect_find(const struct indirect *w, uint32_t module, uint64_t ip)
{
    size_t from = 0, to = w->t->sites_len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct indirect_ip *at = &w->ips[middle];
        if (at->module < module || (at->module == module && at->ip < ip))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static pat_code *indirect_code(struct indirect *w, uint32_t module)
{
    if (!w->was_opened[module]) {
        w->was_opened[module] = true;
        if (w->t->modules[module].path) w->codes[module] = pat_code_open(w->t->modules[module].path);
    }
    return w->codes[module];
}

static bool indirect_agrees(const struct indirect *w, uint32_t index, uint32_t site)
{
    const uint64_t n = w->accesses[index], m = w->accesses[site];
    if (n < INDIRECT_FEW && m < INDIRECT_FEW) return n > 0;
    return n / INDIRECT_SLACK <= m && m / INDIRECT_LANES <= n;
}

/* The load at ip whose count agrees. */
static uint32_t indirect_load_at(const struct indirect *w, uint64_t ip, uint32_t site)
{
    const uint32_t module = w->t->sites[site].module;
    for (size_t i = indirect_find(w, module, ip); i < w->t->sites_len; i++) {
        if (w->ips[i].module != module || w->ips[i].ip != ip) break;
        const uint32_t load = w->ips[i].site;
        if (w->t->sites[load].op == PAT_OP_LOAD && indirect_agrees(w, load, site)) return load;
    }
    return PAT_NONE;
}

static uint32_t indirect_site(struct indirect *w, uint32_t site)
{
    const struct pat_site *s = &w->t->sites[site];
    if (s->module >= w->t->modules_len) return PAT_NONE;
    pat_code *code = indirect_code(w, s->module);
    if (!code) return PAT_NONE;
    const uint64_t bias = w->t->modules[s->module].bias;
    const uint64_t near = s->ip < INDIRECT_KNOWN_BYTES ? 0 : s->ip - INDIRECT_KNOWN_BYTES;
    uint64_t start, known = w->ips[indirect_find(w, s->module, near)].ip;
    uint8_t *bytes = NULL;
    size_t at;
    const size_t len_bytes = pat_code_function(code, s->ip - bias, known - bias, &start, &bytes);
    const bool found = len_bytes && pat_backward(bytes, len_bytes, s->ip - bias - start, &at);
    free(bytes);
    return found ? indirect_load_at(w, start + at + bias, site) : PAT_NONE;
}

static ls_err indirect_init(struct indirect *w)
{
    w->ips = malloc((w->t->sites_len + 1) * sizeof(*w->ips));
    w->codes = calloc(w->t->modules_len + 1, sizeof(pat_code *));
    w->was_opened = calloc(w->t->modules_len + 1, sizeof(*w->was_opened));
    if (!w->ips || !w->codes || !w->was_opened) return ls_nomem("%zu sites", w->t->sites_len);
    for (size_t i = 0; i < w->t->sites_len; i++)
        w->ips[i] = (struct indirect_ip){w->t->sites[i].ip, w->t->sites[i].module, (uint32_t)i};
    qsort(w->ips, w->t->sites_len, sizeof(*w->ips), indirect_by_ip);
    return LS_OK;
}

static void indirect_fini(struct indirect *w)
{
    for (size_t i = 0; w->codes && i < w->t->modules_len; i++)
        pat_code_free(w->codes[i]);
    free(w->ips);
    free(w->codes);
    free(w->was_opened);
}

ls_err pat_indirect(const struct pat_tables *t, const uint64_t *accesses, struct pat_sequence *rows,
                    size_t len)
{
    struct indirect w = {.t = t, .accesses = accesses};
    const ls_err err = indirect_init(&w);
    for (size_t i = 0; err == LS_OK && i < len; i++)
        rows[i].index_site = indirect_site(&w, rows[i].site);
    indirect_fini(&w);
    return err;
}
