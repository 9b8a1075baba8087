/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_tls_blocks_sigsafe.h"

#include "runtime/core/rt_spool_sigsafe.h"
#include "spool/spool_put_sigsafe.h"

#include <string.h>

/* glibc sysdeps/x86_64/nptl/tls.h, tcbhead_t, and sysdeps/generic/dl-dtv.h: the thread pointer points to
 * itself, to the vector; entry 0 of that is a generation, the one before it the number of entries. This
 * layout is compared with the addresses that the linker returns before it is used (rt_modules.c). */
struct rt_dtv_entry {
    uint64_t block; /* all ones: not there yet */
    uint64_t to_free;
};
struct rt_tcb_head {
    uint64_t self;
    const struct rt_dtv_entry *dtv;
};
enum { RT_DTV_LEN_MAX = 4096 };

/* Part of rt_state that only this file uses. */
static struct {
    bool is_sound;
    struct rt_tls_ids ids;
} rt_tls_blocks;

static const struct rt_tcb_head *rt_tcb(void)
{
    return __builtin_thread_pointer();
}

static uint64_t rt_dtv_block(const struct rt_dtv_entry *dtv, uint64_t id)
{
    const uint64_t len = dtv[-1].block;
    if (id == 0 || id > len || len > RT_DTV_LEN_MAX) return 0;
    return dtv[id].block == UINT64_MAX ? 0 : dtv[id].block;
}

uint64_t rt_tls_block_of_id(uint64_t id)
{
    const struct rt_tcb_head *tcb = rt_tcb();
    return tcb->self == (uint64_t)(uintptr_t)tcb && tcb->dtv ? rt_dtv_block(tcb->dtv, id) : 0;
}

void rt_tls_ids_put_sigsafe(struct rt_thread *t, uint64_t time_ns)
{
    const struct rt_tls_ids *ids = &rt_tls_blocks.ids;
    const struct spool_tls_modules r = {.time_ns = time_ns, .rows_len = ids->len};
    const struct spool_text rows = {ids->rows, ids->len * (uint32_t)sizeof(ids->rows[0])};
    if (ids->len > 0) spool_put(&t->writer, SPOOL_WHAT(TLS_MODULES, 0, r), &r, &rows, 1);
}

void rt_tls_ids_set(struct rt_thread *t, const struct rt_tls_ids *ids, bool is_sound)
{
    const bool is_same = rt_tls_blocks.ids.len == ids->len &&
                         memcmp(rt_tls_blocks.ids.rows, ids->rows, ids->len * sizeof(ids->rows[0])) == 0;
    __atomic_store_n(&rt_tls_blocks.is_sound, is_sound, __ATOMIC_RELAXED);
    if (is_same) return;
    rt_tls_blocks.ids = *ids;
    if (t && spool_writer_is_open(&t->writer)) rt_tls_ids_put_sigsafe(t, ls_clock_mono_ns());
}

/* A trigger may come while the linker replaces the vector. The old one stays readable (glibc moves it only
 * within its heap), and a wrong block is one that no sample is in. */
void rt_tls_blocks_poll_sigsafe(struct rt_thread *t, uint64_t time_ns)
{
    const struct rt_tcb_head *tcb = rt_tcb();
    struct spool_tls_row rows[RT_TLS_IDS_MAX];
    uint32_t len = 0;
    if (!__atomic_load_n(&rt_tls_blocks.is_sound, __ATOMIC_RELAXED) || !tcb->dtv) return;
    const uint64_t ids = tcb->dtv[-1].block < RT_TLS_IDS_MAX ? tcb->dtv[-1].block : RT_TLS_IDS_MAX;
    uint64_t mixed =
        tcb->self + tcb->dtv[0].block; /* a generation: the same block may serve another module */
    for (uint64_t id = 1; id <= ids; id++) {
        const uint64_t block = rt_dtv_block(tcb->dtv, id);
        if (block == 0) continue;
        if (len < RT_TLS_IDS_MAX) rows[len++] = (struct spool_tls_row){id, block};
        mixed = (mixed ^ block ^ id << 56) * UINT64_C(0x9e3779b97f4a7c15);
    }
    if (mixed == t->tls_seen) return;
    t->tls_seen = mixed;
    const struct spool_tls_blocks r = {.time_ns = time_ns, .thread_pointer = tcb->self, .rows_len = len};
    const struct spool_text text = {rows, len * (uint32_t)sizeof(rows[0])};
    spool_put(rt_spool_writer(t), SPOOL_WHAT(TLS_BLOCKS, 0, r), &r, &text, 1);
}
