/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of interposed functions. It expands to the table of real functions, to their look-up, and to
 * the test that compares it with the exported symbols of the object.
 *
 * The list never changes.  Thread: any.  Signal: safe. */
#ifndef RT_HOOK_LIST_H
#define RT_HOOK_LIST_H

#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>

/* X(result, name, arguments); functions of the C library */
#define RT_C_HOOK_LIST(X)                                                                                   \
    /* rt_hooks_alloc.c */                                                                                  \
    X(void *, malloc, (size_t))                                                                             \
    X(void *, calloc, (size_t, size_t))                                                                     \
    X(void *, realloc, (void *, size_t))                                                                    \
    X(void *, reallocarray, (void *, size_t, size_t))                                                       \
    X(void, free, (void *))                                                                                 \
    X(int, posix_memalign, (void **, size_t, size_t))                                                       \
    X(void *, aligned_alloc, (size_t, size_t))                                                              \
    X(void *, memalign, (size_t, size_t))                                                                   \
    X(void *, valloc, (size_t))                                                                             \
    X(void *, pvalloc, (size_t))                                                                            \
    X(size_t, malloc_usable_size, (void *))                                                                 \
    /* rt_hooks_map.c */                                                                                    \
    X(void *, mmap, (void *, size_t, int, int, int, off_t))                                                 \
    X(void *, mmap64, (void *, size_t, int, int, int, off_t))                                               \
    X(int, munmap, (void *, size_t))                                                                        \
    X(void *, mremap, (void *, size_t, size_t, int, ...))                                                   \
    X(int, mprotect, (void *, size_t, int))                                                                 \
    X(int, pkey_mprotect, (void *, size_t, int, int))                                                       \
    /* rt_hooks_dl.c */                                                                                     \
    X(void *, dlopen, (const char *, int))                                                                  \
    X(int, dlclose, (void *))                                                                               \
    /* rt_hooks_thread.c */                                                                                 \
    X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                \
    X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                                                   \
    /* rt_hooks_fork.c */                                                                                   \
    X(pid_t, _Fork, (void))                                                                                 \
    X(int, clone, (int (*)(void *), void *, int, void *, ...))                                              \
    /* rt_hooks_wait.c */                                                                                   \
    X(pid_t, wait, (int *))                                                                                 \
    X(pid_t, waitpid, (pid_t, int *, int))                                                                  \
    X(pid_t, wait3, (int *, int, struct rusage *))                                                          \
    X(pid_t, wait4, (pid_t, int *, int, struct rusage *))                                                   \
    X(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                                      \
    /* rt_hooks_exec.c */                                                                                   \
    X(int, execve, (const char *, char *const[], char *const[]))                                            \
    X(int, execv, (const char *, char *const[]))                                                            \
    X(int, execvp, (const char *, char *const[]))                                                           \
    X(int, execvpe, (const char *, char *const[], char *const[]))                                           \
    X(int, execveat, (int, const char *, char *const[], char *const[], int))                                \
    X(int, fexecve, (int, char *const[], char *const[]))                                                    \
    X(int, execl, (const char *, const char *, ...))                                                        \
    X(int, execle, (const char *, const char *, ...))                                                       \
    X(int, execlp, (const char *, const char *, ...))                                                       \
    X(int, posix_spawn,                                                                                     \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], \
       char *const[]))                                                                                      \
    X(int, posix_spawnp,                                                                                    \
      (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], \
       char *const[]))                                                                                      \
    /* rt_hooks_fd.c */                                                                                     \
    X(int, close, (int))                                                                                    \
    X(int, close_range, (unsigned, unsigned, int))                                                          \
    X(void, closefrom, (int))                                                                               \
    X(int, dup2, (int, int))                                                                                \
    X(int, dup3, (int, int, int))                                                                           \
    /* rt_hooks_io.c */                                                                                     \
    X(ssize_t, read, (int, void *, size_t))                                                                 \
    X(ssize_t, __read_chk, (int, void *, size_t, size_t))                                                   \
    X(ssize_t, pread, (int, void *, size_t, off_t))                                                         \
    X(ssize_t, pread64, (int, void *, size_t, off64_t))                                                     \
    X(ssize_t, __pread_chk, (int, void *, size_t, off_t, size_t))                                           \
    X(ssize_t, __pread64_chk, (int, void *, size_t, off64_t, size_t))                                       \
    X(ssize_t, readv, (int, const struct iovec *, int))                                                     \
    X(ssize_t, recv, (int, void *, size_t, int))                                                            \
    X(ssize_t, __recv_chk, (int, void *, size_t, size_t, int))                                              \
    X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))                        \
    X(ssize_t, __recvfrom_chk, (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *))          \
    X(ssize_t, recvmsg, (int, struct msghdr *, int))                                                        \
    X(ssize_t, write, (int, const void *, size_t))                                                          \
    X(ssize_t, pwrite, (int, const void *, size_t, off_t))                                                  \
    X(ssize_t, pwrite64, (int, const void *, size_t, off64_t))                                              \
    X(ssize_t, writev, (int, const struct iovec *, int))                                                    \
    X(ssize_t, send, (int, const void *, size_t, int))                                                      \
    X(ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t))                \
    X(ssize_t, sendmsg, (int, const struct msghdr *, int))                                                  \
    X(int, madvise, (void *, size_t, int))                                                                  \
    /* rt_hooks_process.c */                                                                                \
    X(void, _exit, (int))                                                                                   \
    X(void, _Exit, (int))                                                                                   \
    X(int, prctl, (int, ...))                                                                               \
    X(long, syscall, (long, ...))

/* rt_hooks_alloc.c: operator new and delete of C++, by their names in object files (Itanium C++ ABI 5.1.5) */
#define RT_NEW_LIST(X)                                                            \
    X(void *, _Znwm, (size_t))                                                    \
    X(void *, _Znam, (size_t))                                                    \
    X(void *, _ZnwmRKSt9nothrow_t, (size_t, const void *))                        \
    X(void *, _ZnamRKSt9nothrow_t, (size_t, const void *))                        \
    X(void *, _ZnwmSt11align_val_t, (size_t, size_t))                             \
    X(void *, _ZnamSt11align_val_t, (size_t, size_t))                             \
    X(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, (size_t, size_t, const void *)) \
    X(void *, _ZnamSt11align_val_tRKSt9nothrow_t, (size_t, size_t, const void *)) \
    X(void, _ZdlPv, (void *))                                                     \
    X(void, _ZdaPv, (void *))                                                     \
    X(void, _ZdlPvm, (void *, size_t))                                            \
    X(void, _ZdaPvm, (void *, size_t))                                            \
    X(void, _ZdlPvRKSt9nothrow_t, (void *, const void *))                         \
    X(void, _ZdaPvRKSt9nothrow_t, (void *, const void *))                         \
    X(void, _ZdlPvSt11align_val_t, (void *, size_t))                              \
    X(void, _ZdaPvSt11align_val_t, (void *, size_t))                              \
    X(void, _ZdlPvmSt11align_val_t, (void *, size_t, size_t))                     \
    X(void, _ZdaPvmSt11align_val_t, (void *, size_t, size_t))                     \
    X(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void *, size_t, const void *))  \
    X(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void *, size_t, const void *))

#define RT_HOOK_LIST(X) RT_C_HOOK_LIST(X) RT_NEW_LIST(X)

#endif
