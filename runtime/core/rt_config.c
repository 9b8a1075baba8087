/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_config.h"

#include "common/ls_quantity.h"

#include <stddef.h>
#include <string.h>

enum rt_kind { RT_TEXT, RT_BYTES, RT_NS, RT_SHARE, RT_NUMBER, RT_FLAG, RT_SIGNAL };

struct rt_config_row {
    enum ls_env_id id;
    enum rt_kind kind;
    size_t offset;
};

#define ROW(id, kind, field)                                      \
    {                                                             \
        LS_ENV_##id, RT_##kind, offsetof(struct rt_config, field) \
    }
static const struct rt_config_row rt_config_rows[] = {
    ROW(ENGINE, TEXT, engine),
    ROW(TRIGGER, TEXT, trigger),
    ROW(CALLSTACK, TEXT, callstack),
    ROW(OVERHEAD, SHARE, overhead_share),
    ROW(PERIOD, NS, period_ns),
    ROW(BURST, NUMBER, burst_instructions),
    ROW(SEED, NUMBER, seed),
    ROW(ALLOC_MIN, BYTES, alloc_min_bytes),
    ROW(SPOOL_MAX, BYTES, spool_max_bytes),
    ROW(DELAY, NS, delay_ns),
    ROW(DURATION, NS, duration_ns),
    ROW(START, NUMBER, start_ns),
    ROW(CONTROL, SIGNAL, control_signal),
    ROW(PAUSED, FLAG, paused),
    ROW(CHILDREN, FLAG, children),
    ROW(DEBUG, FLAG, debug),
    ROW(TRACED, FLAG, traced),
};
#undef ROW

enum { RT_CONFIG_ROWS = sizeof(rt_config_rows) / sizeof(rt_config_rows[0]), RT_SIGNAL_MAX = 64 };

static ls_err rt_read_text(const char *text, char out[16])
{
    const size_t len = strlen(text);
    if (len >= 16) return LS_ERR_RANGE;
    memcpy(out, text, len + 1);
    return LS_OK;
}

static ls_err rt_read_flag(const char *text, bool *out)
{
    uint64_t number = 0;
    LS_TRY(ls_parse_u64(text, &number));
    *out = number != 0;
    return LS_OK;
}

static ls_err rt_read_signal(const char *text, int *out)
{
    uint64_t number = 0;
    LS_TRY(ls_parse_u64(text, &number));
    if (number == 0 || number > RT_SIGNAL_MAX) return LS_ERR_RANGE;
    *out = (int)number;
    return LS_OK;
}

static ls_err rt_read_value(const struct rt_config_row *row, const char *text, struct rt_config *c)
{
    void *at = (char *)c + row->offset;
    switch (row->kind) {
    case RT_TEXT:
        return rt_read_text(text, at);
    case RT_BYTES:
        return ls_parse_bytes(text, at);
    case RT_NS:
        return ls_parse_duration(text, at);
    case RT_SHARE:
        return ls_parse_percent(text, at);
    case RT_NUMBER:
        return ls_parse_u64(text, at);
    case RT_FLAG:
        return rt_read_flag(text, at);
    case RT_SIGNAL:
        return rt_read_signal(text, at);
    }
    return LS_ERR_ARG;
}

const char *rt_config_read(struct rt_config *c, char *(*get)(const char *name))
{
    const char *bad = NULL;
    memset(c, 0, sizeof(*c));
    for (size_t i = 0; i < RT_CONFIG_ROWS; i++) {
        const struct rt_config_row *row = &rt_config_rows[i];
        const struct ls_env_row *env = &ls_env_rows[row->id];
        if (*env->default_value) rt_read_value(row, env->default_value, c);
        const char *text = get(env->variable);
        if (!text || !*text) continue;
        if (rt_read_value(row, text, c) != LS_OK)
            bad = env->variable;
        else if (row->id == LS_ENV_SEED)
            c->has_seed = true;
    }
    if (c->alloc_min_bytes == 0) c->alloc_min_bytes = 1;
    return bad;
}
