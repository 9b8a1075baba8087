/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of programs that the program starts: the preload and LOADSTONE_* are put back where the
 * program cleared them, or taken out with LOADSTONE_CHILDREN=0 and after the end of the recording. No malloc:
 * the caller may be a vfork child. */
#ifndef RT_CHILD_ENV_H
#define RT_CHILD_ENV_H

#include <stddef.h>

/* Save our variables from this image's environment. Thread: the constructor. */
void rt_child_env_save(char *const env[]);

/* The recording has ended: take us out of the environment of this process.  Thread: the constructor. */
void rt_child_env_leave(void);

/* Return the bytes that rt_child_env_build needs; 0: env needs no change.  Signal: safe. */
size_t rt_child_env_bytes(char *const env[]);
/* Build the new environment in room (of rt_child_env_bytes, aligned for pointers).  Signal: safe. */
char *const *rt_child_env_build(char *const env[], void *room);

/* Room on the stack, or a mapping where it is large. */
enum { RT_CHILD_ENV_ON_STACK_BYTES = 8192 };
void *rt_child_env_map(size_t len_bytes);
void rt_child_env_unmap(void *room, size_t len_bytes);

/* In the calling function's frame: declare `name`, the environment to pass on. */
#define RT_CHILD_ENV(name, env)                                                    \
    const size_t name##_bytes = rt_child_env_bytes(env);                           \
    const bool name##_is_mapped = name##_bytes > RT_CHILD_ENV_ON_STACK_BYTES;      \
    void *const name##_room = name##_bytes == 0  ? NULL                            \
                              : name##_is_mapped ? rt_child_env_map(name##_bytes)  \
                                                 : __builtin_alloca(name##_bytes); \
    char *const *const name = name##_room ? rt_child_env_build(env, name##_room) : (char *const *)(env)

/* When the call came back. */
#define RT_CHILD_ENV_DONE(name)                                                             \
    do {                                                                                    \
        if (name##_is_mapped && name##_room) rt_child_env_unmap(name##_room, name##_bytes); \
    } while (0)

#endif
