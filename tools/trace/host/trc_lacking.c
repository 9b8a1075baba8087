/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_lacking.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux; from 424 on
 * they are the same. */
static const struct trc_call {
    uint32_t x86_64, aarch64;
    const char *name;
    bool is_tried; /* by the C library, which does without it */
} trc_calls[] = {
    {273, 99, "set_robust_list", true},
    {334, 293, "rseq", true},
    {435, 435, "clone3", true},
    {436, 436, "close_range", true},
    {439, 439, "faccessat2", true},
    {452, 452, "fchmodat2", true},
    {298, 241, "perf_event_open", false},
    {312, 272, "kcmp", false},
    {317, 277, "seccomp", false},
    {321, 280, "bpf", false},
    {323, 282, "userfaultfd", false},
    {330, 289, "pkey_alloc", false},
    {425, 425, "io_uring_setup", false},
    {426, 426, "io_uring_enter", false},
    {434, 434, "pidfd_open", false},
    {437, 437, "openat2", false},
    {440, 440, "process_madvise", false},
    {441, 441, "epoll_pwait2", false},
    {444, 444, "landlock_create_ruleset", false},
    {447, 447, "memfd_secret", false},
    {449, 449, "futex_waitv", false},
};

static const struct trc_call *trc_call_of(unsigned elf_machine, uint32_t number)
{
    for (size_t i = 0; i < sizeof(trc_calls) / sizeof(trc_calls[0]); i++)
        if ((elf_machine == EM_AARCH64 ? trc_calls[i].aarch64 : trc_calls[i].x86_64) == number)
            return &trc_calls[i];
    return NULL;
}

size_t trc_lacking_names(const struct trc_ring *ring, unsigned elf_machine, char *out, size_t room)
{
    size_t found = 0, len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < TRC_LACKING && ring->lacking[i].number_next != 0 && len < room; i++) {
        const uint32_t number = ring->lacking[i].number_next - 1;
        const struct trc_call *c = trc_call_of(elf_machine, number);
        if (c && c->is_tried) continue;
        len += (size_t)snprintf(out + len, room - len, c ? "%s%s (%u)" : "%s%s %u", found ? ", " : "",
                                c ? c->name : "system call", number);
        found++;
    }
    return found;
}
