/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_altstack.h"

#include <errno.h>
#include <sys/mman.h>

enum {
    GUARD_BYTES = 4096,
    HANDLER_BYTES = 8192,
    OURS_EXTRA_BYTES = 65536,
    KERNEL_MIN_BYTES = 2048,
    FRAME_FALLBACK_BYTES = 4096
};
#define AUTODISARM (1u << 31) /* SS_AUTODISARM, linux/signal.h */

static size_t frame_bytes(void)
{
    const size_t minimum = getauxval(AT_MINSIGSTKSZ);
    return minimum ? minimum : FRAME_FALLBACK_BYTES;
}

bool rt_burst_altstack_suffices(size_t len_bytes, size_t frame)
{
    return len_bytes >= 2 * frame + HANDLER_BYTES;
}

static int kernel_altstack(const stack_t *ss, stack_t *old)
{
    return (int)-ls_syscall(SYS_sigaltstack, ss, old);
}

static int map_ours(struct rt_burst_thread *t)
{
    const size_t len = (2 * frame_bytes() + OURS_EXTRA_BYTES + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;
    char *p = (char *)mmap(NULL, len + GUARD_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return errno;
    mprotect(p, GUARD_BYTES, PROT_NONE);
    t->altstack_ours = (stack_t){.ss_sp = p + GUARD_BYTES, .ss_size = len};
    return 0;
}

static bool is_usable(const stack_t *ss)
{
    return !(ss->ss_flags & SS_DISABLE) && rt_burst_altstack_suffices(ss->ss_size, frame_bytes());
}

/* The stack to set in the kernel when the program wants ss. With SS_AUTODISARM a handler of the program may leave it: the next
 * one must not begin on its frames. */
static stack_t choose(const struct rt_burst_thread *t, const stack_t *ss)
{
    if (is_usable(ss)) return *ss;
    stack_t ours = t->altstack_ours;
    if (!(ss->ss_flags & SS_DISABLE)) ours.ss_flags = (int)((unsigned)ss->ss_flags & AUTODISARM);
    return ours;
}

int rt_burst_altstack_open(struct rt_burst_thread *t)
{
    const int error = t->altstack_ours.ss_sp ? 0 : map_ours(t);
    if (error) return error;
    kernel_altstack(NULL, &t->altstack_view);
    if (is_usable(&t->altstack_view)) return 0; /* it is set; a handler that runs on it could not set it */
    const stack_t wanted = choose(t, &t->altstack_view);
    return kernel_altstack(&wanted, NULL);
}

void rt_burst_altstack_close(struct rt_burst_thread *t)
{
    stack_t now = {0};
    if (!t->altstack_ours.ss_sp) return;
    kernel_altstack(NULL, &now);
    if (now.ss_flags & SS_ONSTACK) {
        t->altstack_ours.ss_sp = NULL; /* running on it: a leak at the end of a thread hurts nobody */
    } else if (now.ss_sp == t->altstack_ours.ss_sp) {
        const stack_t none = {.ss_flags = SS_DISABLE};
        kernel_altstack(&none, NULL);
    }
}

static int check(const stack_t *ss)
{
    const unsigned mode = (unsigned)ss->ss_flags & ~AUTODISARM;
    if (mode != 0 && mode != SS_DISABLE && mode != SS_ONSTACK) return EINVAL;
    return mode != SS_DISABLE && ss->ss_size < KERNEL_MIN_BYTES ? ENOMEM : 0;
}

int rt_burst_altstack_exchange(struct rt_burst_thread *t, const stack_t *ss, stack_t *old)
{
    stack_t now = {0};
    int error = ss ? check(ss) : 0;
    if (error) return error;
    const stack_t before = t->altstack_view;
    stack_t wanted = {0};
    if (ss) wanted = choose(t, ss);
    error = kernel_altstack(ss ? &wanted : NULL, &now);
    if (error) return error;
    if (ss) t->altstack_view = *ss;
    if (ss && ss->ss_flags & SS_DISABLE) t->altstack_view = (stack_t){.ss_flags = SS_DISABLE};
    if (!old) return 0;
    *old = before;
    if (!(before.ss_flags & SS_DISABLE))
        old->ss_flags = (before.ss_flags & ~SS_ONSTACK) | (now.ss_flags & SS_ONSTACK);
    return 0;
}
