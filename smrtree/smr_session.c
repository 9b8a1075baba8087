/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that control sampling, mark phases and store settings. Without a sink they do nothing. */
#include "loadstone/loadstone.h"
#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "smrtree/smr_node.h"

#include <stdio.h>

static const struct smr_sink *sink_now(void)
{
    return __atomic_load_n(&smr_state.sink, __ATOMIC_ACQUIRE);
}

static void report_control(bool start)
{
    const struct smr_sink *k = sink_now();
    if (k && k->control) k->control(k->user, start);
}

static void report_phase(const char *name, bool begin)
{
    const struct smr_sink *k = sink_now();
    const struct smr_watch *w = __atomic_load_n(&smr_state.watch, __ATOMIC_ACQUIRE);
    if (!name || !k || !k->phase) return;
    if (begin && w) w->phase_begin();
    k->phase(k->user, ls_clock_mono_ns(), name, begin);
}

LS_EXPORT void loadstone_start(void)
{
    report_control(true);
}

LS_EXPORT void loadstone_stop(void)
{
    report_control(false);
}

LS_EXPORT void loadstone_phase_begin(const char *name)
{
    report_phase(name, true);
}

LS_EXPORT void loadstone_phase_end(const char *name)
{
    report_phase(name, false);
}

LS_EXPORT void loadstone_dump_samples(const char *path, uint32_t nx, uint32_t ny, uint32_t nz)
{
    const struct smr_sink *k = sink_now();
    const uint32_t extents[3] = {nx, ny, nz};
    if (path && *path && k && k->dump) k->dump(k->user, path, extents);
}

LS_EXPORT void loadstone_set(const char *name, const char *value)
{
    const struct smr_sink *k = sink_now();
    char text[512];
    if (!name || !value || !k || !k->setting) return;
    snprintf(text, sizeof(text), "%s=%s", name, value);
    k->setting(k->user, text);
}
