/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs started beside this one. system() and popen() pass environ on by themselves. */
#include "runtime/core/rt_child_env.h"
#include "runtime/core/rt_real.h"

#include <spawn.h>

LS_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    RT_CHILD_ENV(env, envp);
    const int err = RT_REAL(posix_spawn)(pid, path, actions, attr, argv, env);
    RT_CHILD_ENV_DONE(env);
    return err;
}

LS_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
    RT_CHILD_ENV(env, envp);
    const int err = RT_REAL(posix_spawnp)(pid, file, actions, attr, argv, env);
    RT_CHILD_ENV_DONE(env);
    return err;
}
