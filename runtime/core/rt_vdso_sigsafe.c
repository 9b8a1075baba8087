/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_vdso_sigsafe.h"

#include "spool/spool_put_sigsafe.h"

#include <elf.h>
#include <string.h>

uint32_t rt_vdso_len_bytes(const void *base, uint32_t room_bytes)
{
    const Elf64_Ehdr *h = base;
    if (room_bytes < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    const uint64_t end = h->e_shoff + (uint64_t)h->e_shnum * h->e_shentsize;
    return h->e_shoff >= sizeof(*h) && end > h->e_shoff && end <= room_bytes ? (uint32_t)end : 0;
}

void rt_vdso_put(struct rt_thread *t, uint64_t time_ns)
{
    const void *base = (const void *)rt_state.vdso_base;
    if (!base) return;
    const struct spool_text bytes = {base, rt_vdso_len_bytes(base, RT_VDSO_BYTES_MAX)};
    const struct spool_image_bytes r = {
        .time_ns = time_ns, .base = rt_state.vdso_base, .len_bytes = bytes.len_bytes};
    if (bytes.len_bytes > 0) spool_put(&t->writer, SPOOL_WHAT(IMAGE, 0, r), &r, &bytes, 1);
}
