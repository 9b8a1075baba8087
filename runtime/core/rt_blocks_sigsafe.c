/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_blocks_sigsafe.h"

#include "common/ls_compat.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct rt_region *rt_regions;
uint64_t rt_no_bits[RT_REGION_WORDS]; /* stays zero */
uintptr_t rt_filter[1 << RT_FILTER_BITS];
static uint64_t *rt_all_bits; /* made when two regions share a row of the filter */

static long rt_blocks_map(size_t len_bytes)
{
    return ls_syscall(SYS_mmap, NULL, len_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int rt_blocks_init(void)
{
    const long at = rt_blocks_map(sizeof(struct rt_region) * RT_REGIONS);
    if (at < 0 && at > -4096) return (int)-at;
    rt_regions = (struct rt_region *)at;
    return 0;
}

static struct rt_region *rt_region_claim(uint64_t number)
{
    struct rt_region *r = rt_region_home(number);
    for (int i = 0; i < RT_REGION_PROBES; i++, r = rt_region_next(r)) {
        uint64_t there = 0;
        if (__atomic_compare_exchange_n(&r->key, &there, number + 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            there == number + 1)
            return r;
    }
    return NULL;
}

static uint64_t *rt_filter_all(void)
{
    uint64_t *there = __atomic_load_n(&rt_all_bits, __ATOMIC_ACQUIRE);
    if (there) return there;
    const long at = rt_blocks_map(RT_REGION_WORDS * sizeof(uint64_t));
    if (at < 0 && at > -4096) return NULL;
    memset((void *)at, 0xff, RT_REGION_WORDS * sizeof(uint64_t));
    __atomic_store_n(&rt_all_bits, (uint64_t *)at, __ATOMIC_RELEASE); /* in a race one copy is unused */
    return (uint64_t *)at;
}

/* False: no memory. */
static bool rt_filter_add(uint64_t number, const uint64_t *words)
{
    uintptr_t *row = &rt_filter[number & ((1 << RT_FILTER_BITS) - 1)], there = 0;
    const uintptr_t wanted = (uintptr_t)words - (uintptr_t)rt_no_bits;
    if (__atomic_compare_exchange_n(row, &there, wanted, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED) ||
        there == wanted)
        return true;
    const uint64_t *all = rt_filter_all();
    if (all) __atomic_store_n(row, (uintptr_t)all - (uintptr_t)rt_no_bits, __ATOMIC_RELEASE);
    return all != NULL;
}

static __attribute__((noinline, cold)) uint64_t *rt_region_make(uint64_t number)
{
    const size_t len_bytes = RT_REGION_WORDS * sizeof(uint64_t);
    struct rt_region *r = rt_region_claim(number);
    const long at = r ? rt_blocks_map(len_bytes) : -ENOMEM;
    uint64_t *there = NULL;
    if (at < 0 && at > -4096) return NULL;
    if (__atomic_compare_exchange_n(&r->words, &there, (uint64_t *)at, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return (uint64_t *)at;
    ls_syscall(SYS_munmap, at, len_bytes); /* another thread was faster */
    return there;
}

bool rt_blocks_add(uint64_t base)
{
    if (!rt_block_is_unit(base)) return false;
    uint64_t *words = rt_region_words(base >> RT_REGION_BITS);
    if (!words) words = rt_region_make(base >> RT_REGION_BITS);
    if (!words) return false;
    __atomic_fetch_or(&words[rt_block_word(base)], rt_block_bit(base), __ATOMIC_RELAXED);
    return rt_blocks_may_have(base) || rt_filter_add(base >> RT_REGION_BITS, words);
}

bool rt_blocks_remove(uint64_t base)
{
    if (!rt_blocks_has(base)) return false;
    uint64_t *words = rt_region_words(base >> RT_REGION_BITS);
    const uint64_t bit = rt_block_bit(base);
    return __atomic_fetch_and(&words[rt_block_word(base)], ~bit, __ATOMIC_ACQ_REL) & bit;
}
