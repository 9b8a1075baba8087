/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_debug_sigsafe.h"

#include "runtime/core/rt_state.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <fcntl.h>

void rt_debug_note(const char *what, int detail_errno)
{
    if (!rt_state.config.debug || rt_state.spool_fd < 0) return;
    char line[256];
    struct rt_text text = rt_text_in(line, sizeof(line));
    rt_text_add_number(&text, (uint64_t)rt_state.pid);
    rt_text_add(&text, ": ");
    rt_text_add(&text, what);
    rt_text_add(&text, " (errno ");
    rt_text_add_number(&text, (uint64_t)detail_errno);
    rt_text_add(&text, ")\n");
    const long fd = ls_syscall(SYS_openat, rt_state.spool_fd, "debug.txt",
                               O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    ls_syscall(SYS_write, fd, line, text.len_bytes);
    ls_syscall(SYS_close, fd);
}
