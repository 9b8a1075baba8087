/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded after the runtime: no thread can be created. */
#include <errno.h>
#include <pthread.h>

int pthread_create(pthread_t *restrict out, const pthread_attr_t *restrict attr, void *(*main)(void *),
                   void *restrict user)
{
    (void)out;
    (void)attr;
    (void)main;
    (void)user;
    return EAGAIN;
}
