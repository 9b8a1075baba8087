/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_blocks_sigsafe.h"

#include "common/ls_compat.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* A bucket is a cache line; a block is in its own bucket or not at all, so a look-up reads one line. */
enum { RT_BUCKET_SLOTS = 8, RT_BUCKETS = 1 << 17, RT_BUCKET_BITS = 17 };

struct rt_bucket {
    uint64_t bases[RT_BUCKET_SLOTS]; /* 0: free */
};

static struct rt_bucket *rt_buckets;

int rt_blocks_init(void)
{
    const long at = ls_syscall(SYS_mmap, NULL, sizeof(struct rt_bucket) * RT_BUCKETS, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0 && at > -4096) return (int)-at;
    rt_buckets = (struct rt_bucket *)at;
    return 0;
}

/* Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4) of the 16-byte unit. */
static struct rt_bucket *rt_bucket_of(uint64_t base)
{
    return &rt_buckets[((base >> 4) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - RT_BUCKET_BITS)];
}

static bool rt_blocks_swap(uint64_t base, uint64_t from, uint64_t to)
{
    struct rt_bucket *b = rt_bucket_of(base);
    for (int i = 0; i < RT_BUCKET_SLOTS; i++) {
        uint64_t expected = from;
        if (__atomic_load_n(&b->bases[i], __ATOMIC_RELAXED) == from &&
            __atomic_compare_exchange_n(&b->bases[i], &expected, to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

bool rt_blocks_add(uint64_t base)
{
    return rt_buckets && rt_blocks_swap(base, 0, base);
}

bool rt_blocks_remove(uint64_t base)
{
    return rt_buckets && rt_blocks_swap(base, base, 0);
}
