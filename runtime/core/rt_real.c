/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_real.h"

#include "runtime/core/rt_state.h"
#include "runtime/core/rt_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

struct rt_real rt_real;
static uint32_t rt_resolving;

struct rt_real_row {
    const char *name;
    size_t offset;
};

#define RT_REAL_ROW(result, name, args) {#name, offsetof(struct rt_real, name)},
static const struct rt_real_row rt_real_rows[] = {RT_C_HOOK_LIST(RT_REAL_ROW)};
#undef RT_REAL_ROW

/* A runtime that was loaded late is not in the order of the program's libraries. */
void *rt_real_find(const char *name)
{
    void *const found = rt_state.is_injected ? dlsym(RTLD_DEFAULT, name) : NULL;
    if (found && !rt_is_own_text((uintptr_t)found)) return found;
    return dlsym(RTLD_NEXT, name);
}

LS_ALIGNED void rt_real_resolve(void)
{
    /* dlsym is declared as a function that does not call us back, and it does: for memory */
    if (__atomic_exchange_n(&rt_resolving, 1, __ATOMIC_RELAXED)) return;
    for (size_t i = 0; i < sizeof(rt_real_rows) / sizeof(rt_real_rows[0]); i++) {
        void *const found = rt_real_find(rt_real_rows[i].name);
        memcpy((char *)&rt_real + rt_real_rows[i].offset, &found, sizeof(found));
    }
    __atomic_store_n(&rt_resolving, 0, __ATOMIC_RELAXED);
}

/* By its versions on different processors: dlsym itself would find ours. */
LS_ALIGNED rt_dlsym *rt_real_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27"};
    static void *found;
    rt_dlsym *real;
    void *at = __atomic_load_n(&found, __ATOMIC_RELAXED);
    for (size_t i = 0; !at && i < sizeof(versions) / sizeof(versions[0]); i++)
        at = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    __atomic_store_n(&found, at, __ATOMIC_RELAXED);
    memcpy(&real, &at, sizeof(real));
    return real;
}

void *rt_real_look_up(const char *name, const void *caller)
{
    const int saved = errno;
    Dl_info info;
    rt_quiet_begin();
    void *real = dlsym(RTLD_NEXT, name);
    if (!real && dladdr(caller, &info) && info.dli_fname) {
        void *const handle = RT_REAL(dlopen)(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (handle) real = dlsym(handle, name);
        if (handle) RT_REAL(dlclose)(handle);
    }
    rt_quiet_end();
    errno = saved;
    return real;
}
