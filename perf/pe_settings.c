/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_settings.h"

#include "common/ls_env.h"
#include "common/ls_quantity.h"

#include <string.h>

static ls_err pe_read_copy(const char *text, char *out, size_t out_bytes)
{
    const size_t len = strlen(text);
    if (len >= out_bytes) return LS_ERR_RANGE;
    memcpy(out, text, len + 1);
    return LS_OK;
}

static ls_err pe_read_event(const char *text, struct pe_settings *s)
{
    return pe_read_copy(text, s->event, sizeof(s->event));
}

static ls_err pe_read_root(const char *text, struct pe_settings *s)
{
    return pe_read_copy(text, s->sysfs_root, sizeof(s->sysfs_root));
}

static ls_err pe_read_period(const char *text, struct pe_settings *s)
{
    return ls_parse_u64(text, &s->request.period_events);
}

static ls_err pe_read_freq(const char *text, struct pe_settings *s)
{
    return ls_parse_u64(text, &s->request.freq_hz);
}

static ls_err pe_read_ldlat(const char *text, struct pe_settings *s)
{
    uint64_t cycles = 0;
    LS_TRY(ls_parse_u64(text, &cycles));
    if (cycles > UINT32_MAX) return LS_ERR_RANGE;
    s->request.ldlat_cycles = (uint32_t)cycles;
    return LS_OK;
}

static ls_err pe_read_stores(const char *text, struct pe_settings *s)
{
    static const struct {
        const char *word;
        bool loads, stores;
    } words[] = {{"no", true, false}, {"also", true, true}, {"only", false, true}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i].word) != 0) continue;
        s->request.loads = words[i].loads;
        s->request.stores = words[i].stores;
        return LS_OK;
    }
    return LS_ERR_ARG;
}

static const struct pe_settings_row {
    enum ls_env_id id;
    ls_err (*read)(const char *text, struct pe_settings *s);
} pe_settings_rows[] = {
    {LS_ENV_EVENT, pe_read_event}, {LS_ENV_HW_PERIOD, pe_read_period}, {LS_ENV_HW_FREQ, pe_read_freq},
    {LS_ENV_LDLAT, pe_read_ldlat}, {LS_ENV_STORES, pe_read_stores},    {LS_ENV_SYSFS, pe_read_root},
};

const char *pe_settings_read(struct pe_settings *out, char *(*get)(const char *name))
{
    const char *bad = NULL;
    memset(out, 0, sizeof(*out));
    out->request.user_only = true;
    for (size_t i = 0; i < sizeof(pe_settings_rows) / sizeof(pe_settings_rows[0]); i++) {
        const struct pe_settings_row *row = &pe_settings_rows[i];
        const struct ls_env_row *env = &ls_env_rows[row->id];
        if (*env->default_value) row->read(env->default_value, out);
        const char *text = get(env->variable);
        if (text && *text && row->read(text, out) != LS_OK) bad = env->variable;
    }
    out->request.event = out->event;
    out->request.sysfs_root = out->sysfs_root;
    return bad;
}
