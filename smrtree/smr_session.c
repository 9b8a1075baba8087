/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program says about itself: sampling on and off, phases. Without a sink nobody listens. */
#include "loadstone/loadstone.h"
#include "common/ls_clock.h"
#include "smrtree/smr_node.h"

static const struct smr_sink *sink_now(void)
{
    return __atomic_load_n(&smr_state.sink, __ATOMIC_ACQUIRE);
}

static void tell_control(bool start)
{
    const struct smr_sink *k = sink_now();
    if (k && k->control) k->control(k->user, start);
}

static void tell_phase(const char *name, bool begin)
{
    const struct smr_sink *k = sink_now();
    if (name && k && k->phase) k->phase(k->user, ls_clock_mono_ns(), name, begin);
}

void loadstone_start(void)
{
    tell_control(true);
}

void loadstone_stop(void)
{
    tell_control(false);
}

void loadstone_phase_begin(const char *name)
{
    tell_phase(name, true);
}

void loadstone_phase_end(const char *name)
{
    tell_phase(name, false);
}
