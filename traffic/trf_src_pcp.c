/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of Performance Co-Pilot, fetched from a running pmcd (PMAPI(3), pmFetch(3)): values that its agents
 * read with more privilege than the user has. Or of an archive, replayed at the pace at which it was written.
 * The library is loaded when it is needed. */
#include "config.h"

#include "traffic/trf_source.h"

#ifdef HAVE_PCP
#include "common/ls_clock.h"

#include <dlfcn.h>
#include <math.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PCP_ERROR_BYTES = PM_MAXERRMSGLEN };
#define PCP_RETRY_NS LS_NS_PER_S
#define PCP_FIXED_POINT 1024.0 /* resolution for counters that are not integers */

#define PCP_CALLS(X)      \
    X(pmNewContext)       \
    X(pmReconnectContext) \
    X(pmDestroyContext)   \
    X(pmUseContext)       \
    X(pmGetArchiveLabel)  \
    X(pmSetMode)          \
    X(pmTraversePMNS_r)   \
    X(pmLookupName)       \
    X(pmLookupDesc)       \
    X(pmGetInDom)         \
    X(pmGetInDomArchive)  \
    X(pmFetch)            \
    X(pmFreeResult)       \
    X(pmExtractValue)     \
    X(pmUnitsStr_r)       \
    X(pmErrStr_r)

struct pcp_calls {
#define PCP_MEMBER(name) __typeof__(&name) name;
    PCP_CALLS(PCP_MEMBER)
};
static const struct {
    const char *name;
    size_t offset;
} pcp_names[] = {
#define PCP_NAME(name) {#name, offsetof(struct pcp_calls, name)},
    PCP_CALLS(PCP_NAME)};

struct pcp_counter {
    size_t metric; /* row of ids */
    int instance;
    bool is_whole; /* an integer */
};

struct pcp_state {
    void *library;
    struct pcp_calls calls;
    int context; /* negative: none */
    LS_VECTOR(pmID) ids;
    LS_VECTOR(pmDesc) descs;
    LS_VECTOR(struct pcp_counter) counters;
    uint64_t retry_ns; /* when to connect again; 0: connected */
    bool is_archive;
    struct timeval archive_begin; /* its first moment is when the source was opened */
    uint64_t opened_ns;
};

static const char *pcp_error(const struct pcp_state *s, int error, char out[PCP_ERROR_BYTES])
{
    return s->calls.pmErrStr_r(error, out, PCP_ERROR_BYTES);
}

static ls_err pcp_load(struct pcp_state *s)
{
    /* a hanging daemon must not stop the other series for the library's timeout of 10 s */
    setenv("PMCD_CONNECT_TIMEOUT", "2", 0);
    setenv("PMCD_REQUEST_TIMEOUT", "2", 0);
    s->library = dlopen("libpcp.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!s->library)
        return ls_fail(LS_ERR_UNSUPPORTED, "libpcp.so.3 is not here: install the package libpcp3");
    for (size_t i = 0; i < sizeof(pcp_names) / sizeof(pcp_names[0]); i++) {
        void *call = dlsym(s->library, pcp_names[i].name);
        if (!call) return ls_fail(LS_ERR_UNSUPPORTED, "libpcp.so.3 has no %s", pcp_names[i].name);
        memcpy((char *)&s->calls + pcp_names[i].offset, &call, sizeof(call));
    }
    return LS_OK;
}

static ls_err pcp_open_archive(const char *path, struct pcp_state *s)
{
    char text[PCP_ERROR_BYTES];
    pmLogLabel label;
    s->is_archive = true;
    s->context = s->calls.pmNewContext(PM_CONTEXT_ARCHIVE, path);
    const int result = s->context < 0 ? s->context : s->calls.pmGetArchiveLabel(&label);
    if (result < 0)
        return ls_fail(LS_ERR_IO, "%s is no archive that libpcp reads: %s", path, pcp_error(s, result, text));
    s->archive_begin = label.ll_start;
    s->opened_ns = ls_clock_mono_ns();
    return LS_OK;
}

static ls_err pcp_connect(const struct trf_machine *m, struct pcp_state *s)
{
    const char *host = m->pcp_host ? m->pcp_host : "local:";
    char text[PCP_ERROR_BYTES];
    if (m->pcp_archive) return pcp_open_archive(m->pcp_archive, s);
    s->context = s->calls.pmNewContext(PM_CONTEXT_HOST, host);
    if (s->context >= 0) return LS_OK;
    return ls_fail(LS_ERR_IO, "pmcd of %s does not answer (%s): systemctl start pmcd", host,
                   pcp_error(s, s->context, text));
}

/* Units as bytes and seconds, where they are sizes and times; otherwise as the library prints them. */
static void pcp_units(const struct pcp_state *s, const pmUnits *u, struct trf_counter *c)
{
    static const double seconds[] = {1e-9, 1e-6, 1e-3, 1, 60, 3600};
    c->scale = 1;
    if (u->dimSpace == 1 && u->dimTime == 0 && u->dimCount == 0) {
        strcpy(c->unit, "B");
        c->scale = ldexp(1, 10 * (int)u->scaleSpace);
    } else if (u->dimSpace == 0 && u->dimTime == 1 && u->dimCount == 0 &&
               u->scaleTime < sizeof(seconds) / sizeof(seconds[0])) {
        strcpy(c->unit, "s");
        c->scale = seconds[u->scaleTime];
    } else {
        char text[64];
        snprintf(c->unit, sizeof(c->unit), "%.15s", s->calls.pmUnitsStr_r(u, text, sizeof(text)));
    }
}

/* Bytes that a memory controller read or wrote, by the names of POWER9's events (Linux, nest_mba*_imc), such as
 * perfevent.hwcounters.nest_mba0_imc.PM_MBA0_READ_BYTES.value. The agent gives them no unit. */
static void pcp_find_kind(const char *metric, const pmUnits *u, struct trf_counter *c)
{
    const bool is_read = strstr(metric, "_READ_BYTES.value"), is_write = strstr(metric, "_WRITE_BYTES.value");
    if (!is_read && !is_write) return;
    c->kind = is_read ? LS_COUNTER_READ : LS_COUNTER_WRITTEN;
    if (u->dimSpace == 0 && u->dimTime == 0 && u->dimCount == 0) strcpy(c->unit, "B");
}

static bool pcp_is_number(int type)
{
    return type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_64 || type == PM_TYPE_U64 ||
           type == PM_TYPE_FLOAT || type == PM_TYPE_DOUBLE;
}

static ls_err pcp_add_instance(struct trf_opened *o, const char *metric, const pmDesc *d, int instance,
                               const char *label)
{
    struct pcp_state *s = o->state;
    struct trf_counter c = {.kind = LS_COUNTER_OTHER, .is_level = d->sem != PM_SEM_COUNTER};
    struct pcp_counter row = {.metric = s->ids.len - 1,
                              .instance = instance,
                              .is_whole = d->type != PM_TYPE_FLOAT && d->type != PM_TYPE_DOUBLE};
    char name[TRF_NAME_BYTES];
    pcp_units(s, &d->units, &c);
    if (d->sem == PM_SEM_COUNTER) pcp_find_kind(metric, &d->units, &c);
    if (!row.is_whole && !c.is_level) c.scale /= PCP_FIXED_POINT;
    if (d->type == PM_TYPE_32 || d->type == PM_TYPE_U32) c.range = UINT64_C(1) << 32;
    snprintf(c.scope, sizeof(c.scope), "%.47s", label ? label : "machine");
    snprintf(name, sizeof(name), label ? "%.63s[%.29s]" : "%.63s", metric, label);
    LS_TRY(trf_opened_add(o, &c, name));
    return LS_VECTOR_ADD(&s->counters, row);
}

static ls_err pcp_add_instances(struct trf_opened *o, const char *metric, const pmDesc *d)
{
    struct pcp_state *s = o->state;
    int *instances;
    char **labels, text[PCP_ERROR_BYTES];
    if (d->indom == PM_INDOM_NULL) return pcp_add_instance(o, metric, d, PM_IN_NULL, NULL);
    const int len =
        (s->is_archive ? s->calls.pmGetInDomArchive : s->calls.pmGetInDom)(d->indom, &instances, &labels);
    if (len < 0)
        return ls_fail(LS_ERR_IO, "PCP lists no instances of %s: %s", metric, pcp_error(s, len, text));
    ls_err err = LS_OK;
    for (int i = 0; i < len && err == LS_OK; i++)
        err = pcp_add_instance(o, metric, d, instances[i], labels[i]);
    if (len > 0) {
        free(instances);
        free(labels);
    }
    return err;
}

/* Add a metric; of a group, whatever is a number. */
static ls_err pcp_add(struct trf_opened *o, const char *metric, bool is_of_group)
{
    struct pcp_state *s = o->state;
    char text[PCP_ERROR_BYTES];
    pmID id;
    pmDesc d;
    int result = s->calls.pmLookupName(1, &metric, &id);
    if (result >= 0) result = s->calls.pmLookupDesc(id, &d);
    if (is_of_group && (result < 0 || !pcp_is_number(d.type))) return LS_OK;
    if (result < 0)
        return ls_fail(LS_ERR_USAGE, "PCP has no metric '%s' (%s); pminfo lists those that it has", metric,
                       pcp_error(s, result, text));
    if (!pcp_is_number(d.type)) return ls_fail(LS_ERR_USAGE, "the metric %s is not a number", metric);
    LS_TRY(LS_VECTOR_ADD(&s->ids, id));
    LS_TRY(LS_VECTOR_ADD(&s->descs, d));
    return pcp_add_instances(o, metric, &d);
}

struct pcp_group {
    struct trf_opened *opened;
    const char *name;
    ls_err err;
};

static void pcp_add_of_group(const char *metric, void *user)
{
    struct pcp_group *g = user;
    if (g->err == LS_OK) g->err = pcp_add(g->opened, metric, strcmp(metric, g->name) != 0);
}

/* Add a metric, or all below a name, such as perfevent.hwcounters. */
static ls_err pcp_add_all(struct trf_opened *o, const char *name)
{
    const struct pcp_state *s = o->state;
    struct pcp_group group = {o, name, LS_OK};
    if (s->calls.pmTraversePMNS_r(name, pcp_add_of_group, &group) <= 0) return pcp_add(o, name, false);
    return group.err;
}

static ls_err pcp_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    struct pcp_state *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("counters");
    s->context = -1;
    out->state = s;
    LS_TRY(pcp_load(s));
    LS_TRY(pcp_connect(m, s));
    for (; metrics && *metrics; metrics++)
        LS_TRY(pcp_add_all(out, *metrics));
    if (s->is_archive)
        snprintf(out->detail, sizeof(out->detail), "replays %.200s", m->pcp_archive);
    else
        snprintf(out->detail, sizeof(out->detail), "pmcd of %s answers",
                 m->pcp_host ? m->pcp_host : "local:");
    return LS_OK;
}

static const pmValue *pcp_value(const pmValueSet *set, int instance)
{
    for (int i = 0; i < set->numval; i++)
        if (set->vlist[i].inst == instance) return &set->vlist[i];
    return NULL;
}

static void pcp_read_counter(const struct pcp_state *s, const struct pcp_counter *c, const pmResult *r,
                             struct trf_reading *out)
{
    const pmValueSet *set = r->vset[c->metric];
    const pmDesc *d = &s->descs.rows[c->metric];
    const pmValue *v = pcp_value(set, c->instance);
    pmAtomValue whole, real;
    out->gap = LS_GAP_GONE;
    if (!v || s->calls.pmExtractValue(set->valfmt, v, d->type, &real, PM_TYPE_DOUBLE) < 0) return;
    out->gap = LS_GAP_NONE;
    out->level = real.d;
    if (!c->is_whole)
        out->count = real.d > 0 ? (uint64_t)(real.d * PCP_FIXED_POINT) : 0;
    else if (s->calls.pmExtractValue(set->valfmt, v, d->type, &whole, PM_TYPE_U64) >= 0)
        out->count = whole.ull;
    else
        out->gap = LS_GAP_UNREADABLE;
}

/* Move to the moment of the archive that is as far from its begin as now is from the opening. Values are
 * interpolated between the two records around it. */
static int pcp_seek(const struct pcp_state *s)
{
    const uint64_t at_us = (ls_clock_mono_ns() - s->opened_ns) / 1000 + (uint64_t)s->archive_begin.tv_usec;
    const struct timeval at = {.tv_sec = s->archive_begin.tv_sec + (time_t)(at_us / 1000000),
                               .tv_usec = (suseconds_t)(at_us % 1000000)};
    return s->calls.pmSetMode(PM_MODE_INTERP, &at, 1);
}

/* Fetch all metrics at once. A broken connection is tried again every second. */
static int pcp_fetch(struct pcp_state *s, pmResult **out)
{
    if (s->retry_ns) {
        if (ls_clock_mono_ns() < s->retry_ns) return PM_ERR_NOTCONN;
        s->retry_ns = ls_clock_mono_ns() + PCP_RETRY_NS;
        const int again = s->calls.pmReconnectContext(s->context);
        if (again < 0) return again;
        s->retry_ns = 0;
    }
    int result = s->calls.pmUseContext(s->context);
    if (result >= 0 && s->is_archive) result = pcp_seek(s);
    if (result >= 0) result = s->calls.pmFetch((int)s->ids.len, s->ids.rows, out);
    if (result < 0) s->retry_ns = ls_clock_mono_ns() + PCP_RETRY_NS;
    return result;
}

static void pcp_read(void *state, struct trf_reading *out)
{
    struct pcp_state *s = state;
    pmResult *r = NULL;
    if (s->ids.len == 0) return;
    const int result = pcp_fetch(s, &r);
    for (size_t i = 0; i < s->counters.len; i++)
        if (result < 0)
            out[i].gap = LS_GAP_GONE;
        else
            pcp_read_counter(s, &s->counters.rows[i], r, &out[i]);
    if (result >= 0) s->calls.pmFreeResult(r);
}

static void pcp_close(void *state)
{
    struct pcp_state *s = state;
    if (!s) return;
    if (s->context >= 0) s->calls.pmDestroyContext(s->context);
    if (s->library) dlclose(s->library);
    free(s->ids.rows);
    free(s->descs.rows);
    free(s->counters.rows);
    free(s);
}
#else
static ls_err pcp_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    (void)m, (void)metrics, (void)out;
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "built without Performance Co-Pilot: install libpcp3-dev and configure "
                   "again");
}

static void pcp_read(void *state, struct trf_reading *out)
{
    (void)state, (void)out;
}

static void pcp_close(void *state)
{
    (void)state;
}
#endif

const struct trf_source trf_source_pcp = {
    .name = "pcp",
    .group = "",
    .gives = "any metric of Performance Co-Pilot, such as perfevent.hwcounters of memory controllers",
    .needs = "pmcd running with the agent of the metric, or PCP_ARCHIVE=FILE; no privilege",
    .takes_metrics = true,
    .open = pcp_open,
    .read = pcp_read,
    .close = pcp_close,
};
