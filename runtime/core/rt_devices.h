/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of functions of devices, for programs that look these up by name. */
#ifndef RT_DEVICES_H
#define RT_DEVICES_H

#include <stdbool.h>

/* Does the program get a hook for this name? Thread: any.  Signal: safe. */
bool rt_device_has_hook(const char *name);

/* dlsym, called by the code at caller, for a name that has a hook: the hook, where there is such a function. Thread:
 * any. */
void *rt_device_symbol(void *handle, const char *name, const void *caller);

/* A library was unloaded: its functions may come to another place. Thread: any. */
void rt_device_forget(void);

#endif
