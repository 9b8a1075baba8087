/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_tap_sigsafe.h"

#include "runtime/core/rt_bell_sigsafe.h"

#include <sys/mman.h>

enum { RT_PAGE_BYTES = 4096 };
_Static_assert((RT_TAP_ROWS & (RT_TAP_ROWS - 1)) == 0, "counts wrap evenly");

static struct {
    uint64_t cycles, len;
} rt_tap_all_controls;
static uint64_t rt_tap_lost;
static uint32_t rt_tap_wanted;

void rt_tap_put(struct rt_thread *t, const struct rt_tap_sample *s)
{
    struct rt_tap *tap = __atomic_load_n(&t->tap, __ATOMIC_ACQUIRE);
    if (!tap || !__atomic_load_n(&rt_tap_wanted, __ATOMIC_RELAXED)) return;
    if (rt_tap_room(t) == 0) {
        __atomic_fetch_add(&rt_tap_lost, 1, __ATOMIC_RELAXED);
        return;
    }
    const uint32_t put = tap->put;
    tap->rows[put % RT_TAP_ROWS] = *s;
    __atomic_store_n(&tap->put, put + 1, __ATOMIC_RELEASE);
}

void rt_tap_want(bool wanted)
{
    __atomic_store_n(&rt_tap_wanted, wanted, __ATOMIC_RELAXED);
}

uint64_t rt_tap_take_lost(void)
{
    return __atomic_exchange_n(&rt_tap_lost, 0, __ATOMIC_RELAXED);
}

bool rt_tap_call_for_room(const struct rt_thread *t, uint32_t rows)
{
    if (__builtin_expect(rt_tap_room(t) >= rows, 1) || !rt_bell_is_heard(ls_clock_mono_ns())) return false;
    rt_bell_ring();
    return true;
}

uint32_t rt_tap_room(const struct rt_thread *t)
{
    const struct rt_tap *tap = __atomic_load_n(&t->tap, __ATOMIC_ACQUIRE);
    return tap ? RT_TAP_ROWS - (tap->put - __atomic_load_n(&tap->taken, __ATOMIC_ACQUIRE)) : RT_TAP_ROWS;
}

void rt_tap_add_controls(uint64_t cycles, uint32_t len)
{
    __atomic_fetch_add(&rt_tap_all_controls.cycles, cycles, __ATOMIC_RELAXED);
    __atomic_fetch_add(&rt_tap_all_controls.len, len, __ATOMIC_RELAXED);
}

void rt_tap_controls(uint64_t *out_cycles, uint64_t *out_len)
{
    *out_cycles = __atomic_load_n(&rt_tap_all_controls.cycles, __ATOMIC_RELAXED);
    *out_len = __atomic_load_n(&rt_tap_all_controls.len, __ATOMIC_RELAXED);
}

void rt_tap_open(struct rt_thread *t)
{
    if (rt_tap_is_open(t)) return;
    const long at = ls_syscall(SYS_mmap, NULL, sizeof(struct rt_tap), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0 && at > -RT_PAGE_BYTES) return;
    struct rt_tap *none = NULL;
    if (!__atomic_compare_exchange_n(&t->tap, &none, (struct rt_tap *)at, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        ls_syscall(SYS_munmap, at, sizeof(struct rt_tap)); /* another thread was first */
}

bool rt_tap_take(struct rt_thread *t, struct rt_tap_sample *out)
{
    struct rt_tap *tap = __atomic_load_n(&t->tap, __ATOMIC_ACQUIRE);
    if (!tap || __atomic_load_n(&tap->put, __ATOMIC_ACQUIRE) == tap->taken) return false;
    *out = tap->rows[tap->taken % RT_TAP_ROWS];
    __atomic_store_n(&tap->taken, tap->taken + 1, __ATOMIC_RELEASE);
    return true;
}

void rt_tap_forget(struct rt_thread *t)
{
    if (t->tap) t->tap->taken = t->tap->put;
}
