/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that replace this one or are started beside it. The caller of exec may be a vfork child: nothing
 * is locked or allocated, and the recursion guard is not held during the call (it would stay held in the
 * parent). */
#include "runtime/core/rt_child_env.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_real.h"

#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

LS_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    RT_CHILD_ENV(env, envp);
    rt_process_before_exec();
    const int result = RT_REAL(execve)(path, argv, env);
    RT_CHILD_ENV_DONE(env);
    return result;
}

LS_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    RT_CHILD_ENV(env, envp);
    rt_process_before_exec();
    const int result = RT_REAL(execvpe)(file, argv, env);
    RT_CHILD_ENV_DONE(env);
    return result;
}

LS_EXPORT int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
    RT_CHILD_ENV(env, envp);
    rt_process_before_exec();
    const int result = RT_REAL(execveat)(dirfd, path, argv, env, flags);
    RT_CHILD_ENV_DONE(env);
    return result;
}

LS_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    RT_CHILD_ENV(env, envp);
    rt_process_before_exec();
    const int result = RT_REAL(fexecve)(fd, argv, env);
    RT_CHILD_ENV_DONE(env);
    return result;
}

LS_EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

LS_EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

static size_t rt_count_args(va_list *args)
{
    size_t len = 1;
    va_list copy;
    va_copy(copy, *args);
    while (va_arg(copy, char *))
        len++;
    va_end(copy);
    return len;
}

static void rt_copy_args(char **argv, const char *first, va_list *args)
{
    size_t len = 0;
    argv[len++] = (char *)first;
    while (argv[len - 1])
        argv[len++] = va_arg(*args, char *);
}

/* The list of an execl as a vector in the calling function's frame, as the C library does. */
#define RT_ARGV(name, first, args)                                             \
    char **const name = alloca((rt_count_args(&(args)) + 2) * sizeof(char *)); \
    rt_copy_args(name, first, &(args))

LS_EXPORT int execl(const char *path, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    RT_ARGV(argv, first, args);
    va_end(args);
    return execve(path, argv, environ);
}

LS_EXPORT int execlp(const char *file, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    RT_ARGV(argv, first, args);
    va_end(args);
    return execvpe(file, argv, environ);
}

LS_EXPORT int execle(const char *path, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    RT_ARGV(argv, first, args);
    char *const *const envp = va_arg(args, char *const *);
    va_end(args);
    return execve(path, argv, envp);
}

/* system() and popen() pass environ on by themselves. */
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
