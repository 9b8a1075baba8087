/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_modules.h"

#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tls_blocks_sigsafe.h"
#include "spool/spool_put_sigsafe.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct rt_module {
    uint64_t base, end; /* hull of its segments */
    uint64_t tls_id;    /* 0: no thread-local storage */
    uint64_t tls_block; /* block of the calling thread, 0: none yet */
};
enum { RT_MODULES_MAX = 512 }; /* modules beyond this number are not watched */
struct rt_module_list {
    uint32_t len;
    struct rt_module rows[RT_MODULES_MAX]; /* in the linker's order: that of loading */
};

/* Part of rt_state that only this file uses. */
static struct {
    pthread_mutex_t lock; /* tried, never waited for */
    uint32_t is_stale;    /* atomic */
    struct rt_module_list known, now;
} rt_modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

void rt_modules_mark_stale(void)
{
    __atomic_store_n(&rt_modules.is_stale, 1, __ATOMIC_RELAXED);
}

bool rt_modules_are_stale(void)
{
    return __atomic_load_n(&rt_modules.is_stale, __ATOMIC_RELAXED) != 0;
}

static int rt_modules_add(struct dl_phdr_info *info, size_t size, void *user)
{
    struct rt_module_list *list = user;
    struct rt_module m = {.base = UINT64_MAX};
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        const uint64_t base = info->dlpi_addr + p->p_vaddr, end = base + p->p_memsz;
        if (base < m.base) m.base = base;
        if (end > m.end) m.end = end;
    }
    m.tls_id = info->dlpi_tls_modid;
    m.tls_block = (uint64_t)(uintptr_t)info->dlpi_tls_data;
    if (m.base < m.end && list->len < RT_MODULES_MAX) list->rows[list->len++] = m;
    return list->len == RT_MODULES_MAX;
}

/* Both lists are in the order of loading: modules missing from the second one were unloaded. */
static void rt_modules_put_gone(struct rt_thread *t, const struct rt_module_list *before,
                                const struct rt_module_list *after)
{
    enum { RT_PAGE_BYTES = 4096 };
    const uint64_t now_ns = ls_clock_mono_ns();
    for (uint32_t i = 0, k = 0; i < before->len; i++) {
        const struct rt_module *m = &before->rows[i];
        if (k < after->len && after->rows[k].base == m->base) {
            k++;
            continue;
        }
        const uint64_t base = m->base & ~(uint64_t)(RT_PAGE_BYTES - 1);
        const uint64_t end = (m->end + RT_PAGE_BYTES - 1) & ~(uint64_t)(RT_PAGE_BYTES - 1);
        rt_maps_note_record();
        spool_put_munmap(rt_spool_writer(t), now_ns, base, end - base);
    }
}

static void rt_modules_put_tls(struct rt_thread *t, const struct rt_module_list *list)
{
    struct rt_tls_ids ids = {0};
    bool is_sound = true;
    for (uint32_t i = 0; i < list->len && ids.len < RT_TLS_IDS_MAX; i++) {
        const struct rt_module *m = &list->rows[i];
        if (m->tls_id == 0) continue;
        ids.rows[ids.len++] = (struct spool_tls_row){m->tls_id, m->base};
        if (m->tls_block && rt_tls_block_of_id(m->tls_id) != m->tls_block) is_sound = false;
    }
    rt_tls_ids_set(t, &ids, is_sound);
}

void rt_modules_look(struct rt_thread *t)
{
    if (pthread_mutex_trylock(&rt_modules.lock) != 0) return;
    __atomic_store_n(&rt_modules.is_stale, 0, __ATOMIC_RELAXED);
    rt_modules.now.len = 0;
    dl_iterate_phdr(rt_modules_add, &rt_modules.now);
    if (t && spool_writer_is_open(&t->writer)) rt_modules_put_gone(t, &rt_modules.known, &rt_modules.now);
    rt_modules_put_tls(t, &rt_modules.now);
    memcpy(&rt_modules.known, &rt_modules.now,
           offsetof(struct rt_module_list, rows) + rt_modules.now.len * sizeof(struct rt_module));
    pthread_mutex_unlock(&rt_modules.lock);
}
