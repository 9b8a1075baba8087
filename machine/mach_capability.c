/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "machine/mach_capability.h"
#include "machine/mach_capability_try.h"
#include "machine/mach_privilege.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void mach_take_privilege(struct mach_capability *c)
{
    struct mach_privilege p;
    mach_privilege_read("", getenv, &p);
    c->perf_event_paranoid =
        p.perf_event_paranoid == MACH_UNKNOWN ? MACH_PARANOID_UNKNOWN : (int)p.perf_event_paranoid;
    c->is_root = p.is_root;
    c->cap_perfmon = p.cap_perfmon;
    c->cap_sys_admin = p.cap_sys_admin;
    c->seccomp = p.seccomp;
    strcpy(c->container, p.container);
    strcpy(c->hypervisor, p.hypervisor);
}

static void mach_list_pmus(struct mach_capability *c)
{
    static const char *const known[] = {"cpu",       "cpu_core",  "cpu_atom",     "ibs_op",
                                        "ibs_fetch", "arm_spe_0", "armv8_pmuv3_0"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", known[i]);
        if (access(path, F_OK) != 0) continue;
        strcat(c->pmus, *c->pmus ? " " : ""); /* the names together are shorter than the field */
        strcat(c->pmus, known[i]);
    }
}

const char *mach_capability_why_no_hw(void)
{
    struct mach_capability c = {.pmus = ""};
    mach_list_pmus(&c);
    return *c.pmus ? "hw: not tried" : "hw: no PMU visible";
}

static bool mach_needs_signals(enum mach_try_id id)
{
    return id == MACH_TRY_SINGLE_STEP || id == MACH_TRY_TRIGGER_PERF || id == MACH_TRY_TRIGGER_TIMER;
}

/* Find the command that would help against this errno. */
static void mach_remedy(const struct mach_capability *c, enum mach_try_id id, struct mach_try *t)
{
    const char *remedy = "";
    const bool is_pmu = id == MACH_TRY_PMU_CYCLES;
    if (id == MACH_TRY_SINGLE_STEP)
        remedy = "";
    else if (is_pmu && (t->error == ENOENT || t->error == EOPNOTSUPP || t->error == ENODEV))
        remedy = *c->hypervisor ? "on the host: give the virtual machine a PMU (QEMU: -cpu host,pmu=on; "
                                  "clouds: a bare-metal instance)"
                                : "";
    else if ((t->error == EACCES || t->error == EPERM) && *c->container && c->seccomp)
        remedy =
            "start the container with: docker run --cap-add PERFMON --security-opt seccomp=unconfined ...";
    else if (t->error == EACCES || t->error == EPERM)
        remedy = "sudo sysctl kernel.perf_event_paranoid=2";
    else if (t->error == EINVAL && id == MACH_TRY_TRIGGER_PERF)
        remedy = "upgrade to Linux 5.13 or newer";
    else if (t->error == ENOSYS)
        remedy = "boot a kernel with CONFIG_PERF_EVENTS and CONFIG_POSIX_TIMERS";
    snprintf(t->remedy, sizeof(t->remedy), "%s", remedy);
}

static void mach_try_one(struct mach_capability *c, enum mach_try_id id)
{
    struct mach_try *t = &c->tries[id];
    const struct mach_seen seen = mach_try_run(id);
    t->error = seen.error;
    t->works = seen.error == 0 && (!mach_needs_signals(id) || seen.signals > 0);
    if (t->works && mach_needs_signals(id))
        snprintf(t->detail, sizeof(t->detail), "%d signals arrived", seen.signals);
    else if (t->works)
        snprintf(t->detail, sizeof(t->detail), "opens");
    else if (id == MACH_TRY_SINGLE_STEP && seen.error == ENOTSUP)
        snprintf(t->detail, sizeof(t->detail), "no trap arrived: not an x86-64 machine, or an emulated one");
    else if (seen.error == 0)
        snprintf(t->detail, sizeof(t->detail), "opens, but no signal arrives");
    else
        snprintf(t->detail, sizeof(t->detail), "%s (%s)",
                 strerrorname_np(seen.error) ? strerrorname_np(seen.error) : "errno", strerror(seen.error));
    if (!t->works) mach_remedy(c, id, t);
}

void mach_capability_get(struct mach_capability *out)
{
#define MACH_TRY_ROW(id, label, text) {.name = label, .purpose = text},
    static const struct mach_try rows[] = {MACH_TRY_LIST(MACH_TRY_ROW)};
#undef MACH_TRY_ROW
    struct utsname uts;
    memset(out, 0, sizeof(*out));
    if (uname(&uts) == 0) {
        snprintf(out->kernel, sizeof(out->kernel), "%s", uts.release);
        snprintf(out->arch, sizeof(out->arch), "%s", uts.machine);
    }
    mach_take_privilege(out);
    mach_list_pmus(out);
    memcpy(out->tries, rows, sizeof(rows));
    for (int id = 0; id < MACH_TRY_COUNT; id++)
        mach_try_one(out, (enum mach_try_id)id);
}
