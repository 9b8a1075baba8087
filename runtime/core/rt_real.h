/* SPDX-License-Identifier: BSD-3-Clause */
/* The real functions that our hooks replace. The first call is made before other threads exist.
 *
 * Thread: any.  Signal: not safe. */
#ifndef RT_REAL_H
#define RT_REAL_H

#include "common/ls_compat.h"
#include "runtime/core/rt_hook_list.h"

/* Expands to one pointer a hooked function; NULL until rt_real_resolve. */
#define RT_REAL_FIELD(result, name, args) result(*name) args;
struct rt_real {
    RT_HOOK_LIST(RT_REAL_FIELD)
};
#undef RT_REAL_FIELD
extern struct rt_real rt_real LS_HIDDEN;

/* Find the real functions of the C library (the next definition after ours). Idempotent; allocator calls that dlsym makes
 * meanwhile are served by the arena of rt_hooks_alloc.c. A function that the system lacks stays NULL. */
void rt_real_resolve(void);
/* The function of that name that the program has without us, NULL: none. */
void *rt_real_find(const char *name);

/* Find a function of any library: first in the libraries that follow ours, then in those of the object that contains caller
 * (a plugin has libraries that the program does not see). NULL: there is none. Keeps errno. */
void *rt_real_look_up(const char *name, const void *caller);

/* dlsym of the C library, which the runtime replaces too. NULL: it has another C library. */
typedef void *rt_dlsym(void *restrict handle, const char *restrict name);
rt_dlsym *rt_real_dlsym(void);

/* Before the constructor, other libraries' constructors may call. */
#define RT_REAL(name)                                              \
    __extension__({                                                \
        if (__builtin_expect(!rt_real.name, 0)) rt_real_resolve(); \
        rt_real.name;                                              \
    })

#endif
