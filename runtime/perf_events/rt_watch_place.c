/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_watch_place.h"

#include "common/ls_compat.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* What is added to linked addresses of the program: its headers tell where they were linked themselves. */
static uint64_t program_bias(void)
{
    const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
    const unsigned long len = getauxval(AT_PHNUM);
    for (unsigned long i = 0; headers && i < len; i++)
        if (headers[i].p_type == PT_PHDR) return (uint64_t)(uintptr_t)headers - headers[i].p_vaddr;
    return 0;
}

static bool is_this_program(const char *path)
{
    char own[PATH_MAX];
    const long len = ls_syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", own, sizeof(own) - 1);
    if (len <= 0) return false;
    own[len] = '\0';
    return strcmp(own, path) == 0;
}

void rt_watch_place_read(const char *text, struct rt_watch_place *out)
{
    char *at = NULL;
    *out = (struct rt_watch_place){.elem_bytes = 0};
    if (!text) return;
    const uint64_t linked = strtoull(text, &at, 16);
    const uint64_t elem_bytes = strtoull(at, &at, 10);
    const bool is_fixed = strtol(at, &at, 10) != 0;
    if (*at != ' ' || !is_this_program(at + 1)) return;
    *out =
        (struct rt_watch_place){.base = linked + (is_fixed ? 0 : program_bias()), .elem_bytes = elem_bytes};
}
