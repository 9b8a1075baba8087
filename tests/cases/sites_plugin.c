/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that allocates while it is loaded, and later. */
#include <stdlib.h>

void *plugin_make(void);

static char *from_constructor;

__attribute__((constructor)) static void plugin_begin(void)
{
    from_constructor = malloc((size_t)17 << 20);
}

__attribute__((destructor)) static void plugin_end(void)
{
    free(from_constructor);
}

__attribute__((noinline)) void *plugin_make(void)
{
    char *plugin_buffer = malloc((size_t)18 << 20);
    *(volatile char *)plugin_buffer = 1; /* no jump into malloc */
    return plugin_buffer;
}
