/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind the stack of the calling thread by call frame information, without locks or allocations. */
#include "runtime/core/rt_unwind_sigsafe.h"

#include "common/ls_compat.h"
#include "runtime/core/rt_cfi_sigsafe.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <ucontext.h>

enum { UNWIND_RULES = 1 << 13, UNWIND_RULE_BITS = 13, UNWIND_PAGE_BYTES = 4096 };

/* A rule found before. check = address ^ generation ^ rule: a row that two threads wrote at once does not fit
 * its own check and counts as absent (as in lockless hashing: Hyatt and Mann, ICGA Journal 25/1, 2002). */
struct unwind_row {
    uint64_t check, rule;
};
static struct unwind_row unwind_rows[UNWIND_RULES];
static uint64_t unwind_generation;

static struct unwind_row *unwind_row_of(uint64_t ip)
{
    return &unwind_rows[(ip * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - UNWIND_RULE_BITS)];
}

/* Is the page there to be read? The kernel copies the set before it looks at the impossible `how`. */
static bool unwind_is_readable(uint64_t page)
{
    return ls_syscall(SYS_rt_sigprocmask, -1, page, NULL, 8) == -EINVAL;
}

/* End of the readable memory after an .eh_frame_hdr, for objects with holes between their segments: the C
 * library only gives the segment that holds the address. Looked up once per object; rows have a check as
 * above. */
enum { UNWIND_OBJECTS = 64, UNWIND_OBJECT_PAGES_MAX = 1 << 16 };
static struct unwind_row unwind_ends[UNWIND_OBJECTS];

static uint64_t unwind_end_of_frames(uint64_t header)
{
    struct unwind_row *row = &unwind_ends[(header * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
    uint64_t end = __atomic_load_n(&row->rule, __ATOMIC_RELAXED);
    if (end != 0 && (__atomic_load_n(&row->check, __ATOMIC_RELAXED) ^ end) == header) return end;
    end = header & ~(uint64_t)(UNWIND_PAGE_BYTES - 1);
    for (int i = 0; i < UNWIND_OBJECT_PAGES_MAX && unwind_is_readable(end); i++)
        end += UNWIND_PAGE_BYTES;
    __atomic_store_n(&row->rule, end, __ATOMIC_RELAXED);
    __atomic_store_n(&row->check, header ^ end, __ATOMIC_RELAXED);
    return end;
}
_Static_assert(UNWIND_OBJECTS == 1 << (64 - 58), "the row is the upper bits");

static __attribute__((noinline, cold)) struct rt_cfi_rule unwind_find_rule(uint64_t ip)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)ip, &found) != 0 || !found.dlfo_eh_frame)
        return (struct rt_cfi_rule){.cfa = RT_CFI_END};
    struct rt_cfi_object object = {found.dlfo_map_start, found.dlfo_map_end, found.dlfo_eh_frame};
    if (object.eh_frame_hdr < object.begin || object.eh_frame_hdr >= object.end) {
        object.begin = object.eh_frame_hdr;
        object.end =
            (const uint8_t *)(uintptr_t)unwind_end_of_frames((uint64_t)(uintptr_t)object.eh_frame_hdr);
    }
    return rt_cfi_find(&object, ip);
}

static inline struct rt_cfi_rule unwind_rule(uint64_t ip)
{
    struct unwind_row *row = unwind_row_of(ip);
    /* addresses have 47 bits: the generation goes above them */
    const uint64_t key = ip ^ __atomic_load_n(&unwind_generation, __ATOMIC_RELAXED) << 48;
    uint64_t bits = __atomic_load_n(&row->rule, __ATOMIC_RELAXED);
    struct rt_cfi_rule rule;
    if (__builtin_expect((__atomic_load_n(&row->check, __ATOMIC_RELAXED) ^ bits) == key, 1)) {
        memcpy(&rule, &bits, sizeof(rule));
        return rule;
    }
    rule = unwind_find_rule(ip);
    memcpy(&bits, &rule, sizeof(bits));
    __atomic_store_n(&row->rule, bits, __ATOMIC_RELAXED);
    __atomic_store_n(&row->check, key ^ bits, __ATOMIC_RELAXED);
    return rule;
}

/* How far the stack may be read: [low, high). */
struct unwind_window {
    uint64_t low, high;
    bool is_final; /* otherwise the next page is tried */
};

static __attribute__((noinline, cold)) bool unwind_grow(struct unwind_window *w, uint64_t end)
{
    enum { UNWIND_PAGES_MAX = 256 };
    if (w->is_final || end - w->high > UNWIND_PAGES_MAX * UNWIND_PAGE_BYTES) return false;
    while (w->high < end) {
        if (!unwind_is_readable(w->high)) return false;
        w->high += UNWIND_PAGE_BYTES;
    }
    return true;
}

static inline bool unwind_read(struct unwind_window *w, uint64_t at, uint64_t *out)
{
    if (at < w->low || (at & 7) || at > UINT64_MAX - 8) return false;
    if (__builtin_expect(at + 8 > w->high, 0) && !unwind_grow(w, at + 8)) return false;
    memcpy(out, (const void *)(uintptr_t)at, sizeof(*out));
    return true;
}

static inline bool unwind_cfa(struct unwind_window *w, const struct rt_unwind_registers *f,
                              struct rt_cfi_rule rule, uint64_t *cfa)
{
    const uint64_t offset = (uint64_t)(int64_t)rule.cfa_offset_bytes;
    if (rule.cfa == RT_CFI_BP_DEREF) return unwind_read(w, f->bp + offset, cfa);
    *cfa = (rule.cfa == RT_CFI_SP ? f->sp : f->bp) + offset;
    return rule.cfa == RT_CFI_SP || rule.cfa == RT_CFI_BP;
}

/* A signal handler returns to code below which the kernel keeps the interrupted registers. ip becomes the address
 * after the first byte of the interrupted instruction, as if it were a return address. */
static bool unwind_step_over_signal(struct unwind_window *w, struct rt_unwind_registers *f)
{
    const uint64_t gregs = f->sp + offsetof(ucontext_t, uc_mcontext.gregs);
    struct rt_unwind_registers to;
    if (!unwind_read(w, gregs + REG_RIP * sizeof(greg_t), &to.ip) ||
        !unwind_read(w, gregs + REG_RSP * sizeof(greg_t), &to.sp) ||
        !unwind_read(w, gregs + REG_RBP * sizeof(greg_t), &to.bp) || to.sp <= f->sp)
        return false;
    to.ip++;
    *f = to;
    return true;
}

/* Move from the frame with an instruction at ip to its caller's. False: no caller, or an unknown one. */
static inline __attribute__((always_inline)) bool unwind_step(struct unwind_window *w,
                                                              struct rt_unwind_registers *f, uint64_t ip)
{
    const struct rt_cfi_rule rule = unwind_rule(ip);
    struct rt_unwind_registers to = {.bp = f->bp};
    if (!unwind_cfa(w, f, rule, &to.sp) || to.sp <= f->sp) return false;
    const uint64_t saved_at =
        (rule.bp == RT_CFI_BP_AT_CFA ? to.sp : f->bp) + (uint64_t)(int64_t)rule.bp_offset_bytes;
    if (rule.bp != RT_CFI_BP_SAME && !unwind_read(w, saved_at, &to.bp)) return false;
    if (!unwind_read(w, to.sp - 8, &to.ip)) return false;
    *f = to;
    return to.ip != 0;
}

/* Code that no object holds has no rules; most JIT compilers keep frame pointers. */
static bool unwind_step_by_pointer(struct unwind_window *w, struct rt_unwind_registers *f, uint64_t ip)
{
    struct dl_find_object found;
    struct rt_unwind_registers to = {.sp = f->bp + 2 * sizeof(uint64_t)};
    if (_dl_find_object((void *)(uintptr_t)ip, &found) == 0 || f->bp < f->sp) return false;
    if (!unwind_read(w, f->bp, &to.bp) || !unwind_read(w, f->bp + sizeof(uint64_t), &to.ip)) return false;
    *f = to;
    return to.ip != 0;
}

static struct unwind_window unwind_window_at(uint64_t sp, const struct rt_unwind_limits *limits)
{
    struct unwind_window w = {.low = sp, .is_final = sp >= limits->stack_base && sp < limits->stack_end};
    w.high = w.is_final ? limits->stack_end : (sp & ~(uint64_t)(UNWIND_PAGE_BYTES - 1)) + UNWIND_PAGE_BYTES;
    return w;
}

/* Never inlined: the walk begins with the registers of this very function. */
__attribute__((noinline)) size_t rt_unwind(const struct rt_unwind_limits *limits, uint64_t *out, size_t max,
                                           bool *out_nested)
{
    const uint64_t own_base = limits->own_base, own_len = limits->own_end - limits->own_base;
    struct rt_unwind_registers f;
    size_t len = 0;
    bool is_nested = false;
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                     : "=&r"(f.ip), "=&r"(f.sp), "=&r"(f.bp));
    struct unwind_window window = unwind_window_at(f.sp, limits);
    for (uint64_t at = f.ip; len < max && unwind_step(&window, &f, at); at = f.ip - 1) {
        if (f.ip - 1 - own_base < own_len) {
            is_nested |= len > 0;
            continue;
        }
        if (limits->places) limits->places[len] = f.sp - 8;
        out[len++] = f.ip;
    }
    if (out_nested) *out_nested = is_nested;
    return len;
}

/* From a frame to its caller, to the code that a signal interrupted, or along the frame pointer. */
static bool unwind_step_any(struct unwind_window *w, struct rt_unwind_registers *f, uint64_t ip)
{
    if (unwind_step(w, f, ip)) return true;
    return unwind_rule(ip).cfa == RT_CFI_SIGNAL ? unwind_step_over_signal(w, f)
                                                : unwind_step_by_pointer(w, f, ip);
}

size_t rt_unwind_from(const struct rt_unwind_limits *limits, const struct rt_unwind_registers *from,
                      uint64_t *out, size_t max, bool *out_whole)
{
    const uint64_t own_base = limits->own_base, own_len = limits->own_end - limits->own_base;
    struct rt_unwind_registers f = *from;
    struct unwind_window window = unwind_window_at(f.sp, limits);
    if (!window.is_final) window.high = f.sp & ~(uint64_t)(UNWIND_PAGE_BYTES - 1); /* try its page, too */
    uint64_t at = f.ip;
    size_t len = 0;
    for (; len < max && unwind_step_any(&window, &f, at); at = f.ip - 1)
        if (f.ip - 1 - own_base >= own_len) out[len++] = f.ip;
    *out_whole = unwind_rule(at).cfa == RT_CFI_NONE;
    return len;
}

void rt_unwind_forget(void)
{
    __atomic_fetch_add(&unwind_generation, 1, __ATOMIC_RELAXED);
}

bool rt_unwind_works(void)
{
    return true;
}
