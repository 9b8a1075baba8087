/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_sampler.h"

#include <string.h>

const struct rt_sampler *const rt_sampler_table[] = {
    &rt_sampler_hw,     &rt_sampler_step,  &rt_sampler_null, /* the last that is taken by itself */
    &rt_sampler_faults, &rt_sampler_watch, NULL,
};

static bool rt_sampler_try(const struct rt_sampler *s, struct rt_engine_facts *facts, char *why,
                           size_t why_len)
{
    why[0] = '\0';
    if (!s->probe(why, why_len)) return false;
    const int err = s->process_start(facts);
    if (err != 0 && why[0] == '\0') {
        struct rt_text text = rt_text_in(why, why_len);
        rt_text_add(&text, "cannot start: ");
        rt_text_add(&text, strerror(err));
    }
    return err == 0;
}

static void rt_sampler_note_why(struct rt_engine_facts *facts, const char *name, const char *why)
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
    for (size_t i = 0; rt_sampler_table[i]; i++) {
        const struct rt_sampler *s = rt_sampler_table[i];
        char why[RT_WHY_BYTES / 2];
        if (!any && strcmp(s->name, name) != 0) continue;
        known = true;
        if (rt_sampler_try(s, facts, why, sizeof(why))) {
            rt_state.engine = s;
            return;
        }
        rt_sampler_note_why(facts, s->name, why);
    }
    if (!known) rt_sampler_note_why(facts, name, "no such engine");
    rt_state.engine = &rt_sampler_null;
}
