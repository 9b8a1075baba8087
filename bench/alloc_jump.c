/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded malloc and free that only call the real ones: the lowest possible cost of interposition. */
#include <dlfcn.h>
#include <stddef.h>

static void *(*real_malloc)(size_t);
static void (*real_free)(void *);

void *malloc(size_t n);
void free(void *p);

__attribute__((constructor)) static void find(void)
{
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
}

__attribute__((aligned(64))) void *malloc(size_t n)
{
    if (__builtin_expect(!real_malloc, 0)) find();
    return real_malloc(n);
}

__attribute__((aligned(64))) void free(void *p)
{
    if (__builtin_expect(!real_free, 0)) find();
    real_free(p);
}
