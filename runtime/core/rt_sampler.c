/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_sampler.h"

#include "runtime/core/rt_text_sigsafe.h"

#include <string.h>

/* Hooks only, to measure the cost of recording without sampling. */
static bool null_probe(char *why, size_t why_len)
{
    (void)why;
    (void)why_len;
    return true;
}

static int null_process_start(struct rt_engine_facts *facts)
{
    (void)facts;
    return 0;
}

const struct rt_sampler rt_sampler_null = {
    .name = "null",
    .probe = null_probe,
    .process_start = null_process_start,
};

/* Best first; null is the last that is taken by itself. */
static const struct row {
    const char *name;
    const struct rt_sampler *engine; /* NULL: not built */
    const char *why_not_built;
} rows[] = {
    {"hw", &rt_sampler_hw, NULL},
    {"translate", RT_HAVE_STEP ? &rt_sampler_translate : NULL,
     "not built: it needs an x86-64 processor and Zydis (Debian: libzydis-dev) at configure time"},
    {"step", RT_HAVE_STEP ? &rt_sampler_step : NULL,
     "not built: it needs an x86-64 processor and Zydis (Debian: libzydis-dev) at configure time"},
    {"null", &rt_sampler_null, NULL},
    {"faults", &rt_sampler_faults, NULL},
    {"watch", &rt_sampler_watch, NULL},
};

static bool try_engine(const struct row *row, struct rt_engine_facts *facts, char *why, size_t why_len)
{
    struct rt_text text = rt_text_in(why, why_len);
    why[0] = '\0';
    if (!row->engine) {
        rt_text_add(&text, row->why_not_built);
        return false;
    }
    if (!row->engine->probe(why, why_len)) return false;
    const int err = row->engine->process_start(facts);
    if (err != 0 && why[0] == '\0') {
        rt_text_add(&text, "cannot start: ");
        rt_text_add(&text, strerror(err));
    }
    return err == 0;
}

static void note_why(struct rt_engine_facts *facts, const char *name, const char *why)
{
    struct rt_text all = {facts->why, sizeof(facts->why), strlen(facts->why)};
    rt_text_add(&all, all.len_bytes ? "; " : "");
    rt_text_add(&all, name);
    rt_text_add(&all, ": ");
    rt_text_add(&all, *why ? why : "does not work here");
}

void rt_sampler_choose(const char *name, struct rt_engine_facts *facts)
{
    const bool any = strcmp(name, "auto") == 0;
    bool known = false;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char why[RT_WHY_BYTES / 2];
        if (!any && strcmp(rows[i].name, name) != 0) continue;
        known = true;
        if (try_engine(&rows[i], facts, why, sizeof(why))) {
            rt_state.engine = rows[i].engine;
            return;
        }
        note_why(facts, rows[i].name, why);
    }
    if (!known) note_why(facts, name, "no such engine");
    rt_state.engine = &rt_sampler_null;
}
