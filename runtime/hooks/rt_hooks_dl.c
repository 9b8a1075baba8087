/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules that come and go. */
#include "runtime/core/rt_calls.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_devices.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_modules.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_sampler.h"
#include "runtime/core/rt_unwind_sigsafe.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static LS_ALIGNED __typeof__(rt_real.dlopen) rt_before_load(void)
{
    rt_maps_mark_dirty();
    rt_modules_mark_stale();
    return RT_REAL(dlopen);
}

/* Functions that dlsym finds in libloadstone.so would register in a library that nobody records: a program that
 * loads it by name (ctypes of Python) gets this object, which has the same functions. */
static LS_ALIGNED const char *rt_to_load(const char *file)
{
    static const char name[] = "libloadstone.so";
    const size_t len = sizeof(name) - 1;
    if (!file || !rt_state.preload_path[0]) return file;
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    if (strncmp(base, name, len) != 0 || (base[len] != '\0' && base[len] != '.')) return file;
    return rt_state.preload_path;
}

/* dlopen looks at its caller's RUNPATH: it must return to the program, not to us, so nothing can be done
 * after it. The next sample finds the mark and takes a snapshot. */
LS_EXPORT_FRAMELESS LS_TAIL_FUNCTION void *dlopen(const char *file, int mode)
{
    __typeof__(rt_real.dlopen) real = rt_before_load();
    const char *found = rt_to_load(file);
    LS_TAIL_RETURN real(found, mode);
}

/* Libraries of devices are mostly loaded by name: their functions are looked up, and programs get the hooks. All
 * other look-ups return to the program directly, because RTLD_NEXT is relative to the caller. */
void *dlsym(void *restrict handle, const char *restrict name);
LS_EXPORT_FRAMELESS LS_TAIL_FUNCTION void *dlsym(void *restrict handle, const char *restrict name)
{
    rt_dlsym *const real = rt_real_dlsym();
    if (!real) return NULL;
    if (handle != (void *)-1L && rt_device_has_hook(name)) /* RTLD_NEXT */
        return rt_device_symbol(handle, name, __builtin_return_address(0));
    LS_TAIL_RETURN real(handle, name);
}

/* A plugin that was sampled and is unloaded before the end still resolves. */
static void rt_note_before_unload(void)
{
    rt_collector_drain();
    rt_collector_pause();
    rt_calls_before_unload();
    struct rt_thread *t = rt_enter();
    if (!t) return;
    if (rt_maps_is_dirty()) rt_maps_snapshot_sigsafe(t, ls_clock_mono_ns());
    rt_modules_look(t);
    rt_leave();
}

/* After an unloading, record it at once: the next plugin may use the same address before any snapshot. */
static void rt_note_after_unload(void)
{
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    rt_modules_look(t);
    rt_leave();
    errno = saved;
}

static void rt_end_pause(void)
{
    const int saved = errno;
    rt_calls_after_unload();
    rt_collector_resume();
    errno = saved;
}

LS_EXPORT int dlclose(void *handle)
{
    rt_note_before_unload();
    rt_sampler_unloading(true);
    const int result = RT_REAL(dlclose)(handle);
    rt_sampler_unloading(false);
    if (RT_HAVE_UNWIND) rt_unwind_forget();
    rt_device_forget();
    rt_maps_mark_dirty();
    rt_note_after_unload();
    rt_end_pause();
    return result;
}
