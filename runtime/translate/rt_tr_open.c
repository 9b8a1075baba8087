/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that runs outside of handlers: checks of the machine, memory of threads, texts. */
#include "runtime/translate/rt_tr_internal.h"

#include "runtime/bursts/rt_burst_gs_sigsafe.h"

#include <cpuid.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AS_OFFSET(name, member) \
    _Static_assert(offsetof(struct rt_tr_context, member) == RT_TR_O_##name, #member)
AS_OFFSET(SPILL0, spill);
AS_OFFSET(SPILL_FLAGS, spill_flags);
AS_OFFSET(JUMP, jump);
AS_OFFSET(COUNTS, counts);
AS_OFFSET(EXIT, exit);
AS_OFFSET(TARGET, target);
AS_OFFSET(TABLE, table);
AS_OFFSET(BLOCKS, blocks);
AS_OFFSET(HOST_RSP, host_rsp);
AS_OFFSET(LIST, list);
AS_OFFSET(LIST_END, list_end);
AS_OFFSET(AT, at);
AS_OFFSET(FS_BASE, fs_base);
AS_OFFSET(NEVER, never);
AS_OFFSET(NEVER_LEN, never_len);
AS_OFFSET(AT_NEXT, at_next);
AS_OFFSET(TIMED, timed);
AS_OFFSET(EFLAGS, eflags);
AS_OFFSET(GREGS, gregs);
AS_OFFSET(QUICK_SCALE, quick_scale);
AS_OFFSET(QUICK, quick);
_Static_assert(offsetof(struct rt_tr_thread, context) == 0, "gs points to the thread");
_Static_assert(offsetof(struct rt_tr_block, ip) == RT_TR_O_BLOCK_IP, "");
_Static_assert(offsetof(struct rt_tr_block, code) == RT_TR_O_BLOCK_CODE, "");
_Static_assert(offsetof(struct rt_tr_block, arrive) == RT_TR_O_BLOCK_ARRIVE, "");
_Static_assert(sizeof(struct rt_tr_raw) == 16, "the template steps by 16");
_Static_assert(sizeof(struct rt_tr_timed) == 24, "the template steps by 24");
_Static_assert(offsetof(struct rt_tr_timed, drain_cycles) == 12, "");
_Static_assert(offsetof(struct rt_tr_timed, state) == 16, "");

static bool has_shadow_stack(void)
{
    enum { SHADOW_STACK_STATUS = 0x5005 }; /* ARCH_SHSTK_STATUS, asm/prctl.h */
    uint64_t features = 0;
    return syscall(SYS_arch_prctl, SHADOW_STACK_STATUS, &features) == 0 && features & 1;
}

static enum rt_tr_refused ask_gs(bool has_fsgsbase)
{
    uint64_t ours;
    if (rt_burst_gs_base(has_fsgsbase)) return RT_TR_GS_IN_USE;
    if (!rt_burst_set_gs_base(has_fsgsbase, (uint64_t)(uintptr_t)&ours)) return RT_TR_NO_GS;
    ours = rt_burst_gs_base(has_fsgsbase);
    rt_burst_set_gs_base(has_fsgsbase, 0);
    return ours == (uint64_t)(uintptr_t)&ours ? RT_TR_ACCEPTED : RT_TR_NO_GS;
}

static enum rt_tr_refused ask_machine(bool has_fsgsbase)
{
    unsigned a, b, c, d, extended_c = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return RT_TR_NO_XSAVE;
    if (!__get_cpuid(0x80000001, &a, &b, &extended_c, &d)) return RT_TR_NO_XSAVE;
    if (!(extended_c & bit_LAHF_LM)) return RT_TR_NO_XSAVE;
    return has_shadow_stack() ? RT_TR_SHADOW_STACK : ask_gs(has_fsgsbase);
}

/* The name of the program is the uppermost thing on the stack (execve(2), getauxval(3)). The kernel keeps at
 * least 128 MiB for it (mmap_base, arch/x86/mm/mmap.c); without a limit it puts everything else far away. */
static void learn_stack(void)
{
    const uint64_t least_bytes = UINT64_C(128) << 20, most_bytes = UINT64_C(1) << 40;
    struct rlimit limit = {.rlim_cur = least_bytes};
    getrlimit(RLIMIT_STACK, &limit);
    uint64_t room_bytes = limit.rlim_cur < least_bytes ? least_bytes : limit.rlim_cur;
    if (room_bytes > most_bytes) room_bytes = most_bytes;
    rt_tr_process.stack_end = getauxval(AT_EXECFN);
    rt_tr_process.stack_base = rt_tr_process.stack_end - room_bytes;
}

/* CPUID leaf 0DH, subleaf 1. */
static bool has_xsaveopt(void)
{
    unsigned a = 0, b, c, d;
    return __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & bit_XSAVEOPT;
}

/* CPUID leaf 0DH: the component, switched on by the kernel, and XGETBV, which shows whether it is used. */
static uint32_t tiles_end(void)
{
    enum { XGETBV_USED = 1 << 2 };
    unsigned a = 0, len_bytes = 0, offset, c, d, low, high;
    if (!__get_cpuid_count(0xd, 1, &a, &offset, &c, &d) || !(a & XGETBV_USED)) return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (!(low >> RT_TR_TILE_DATA & 1)) return 0;
    if (!__get_cpuid_count(0xd, RT_TR_TILE_DATA, &len_bytes, &offset, &c, &d)) return 0;
    return len_bytes ? offset + len_bytes : 0;
}

enum rt_tr_refused rt_tr_open(const struct rt_tr_options *options)
{
    const enum rt_tr_refused refused = ask_machine(options->has_fsgsbase);
    if (refused) return refused;
    rt_tr_process.options = *options;
    if (rt_tr_process.options.trace_most > RT_TR_BLOCK_MOST)
        rt_tr_process.options.trace_most = RT_TR_BLOCK_MOST;
    rt_tr_process.has_xsaveopt = has_xsaveopt();
    rt_tr_times_measure(&rt_tr_process.times);
    rt_tr_process.tiles_end = tiles_end();
    learn_stack();
    if (!rt_tr_arena_try((uint64_t)(uintptr_t)rt_tr_template)) return RT_TR_NO_ARENA;
    return rt_tr_cache_map(&rt_tr_process) ? RT_TR_ACCEPTED : RT_TR_NO_MEMORY;
}

enum { PAGE_BYTES = 4096, LINE_BYTES = 64, MAGIC2_BYTES = 4 };

/* A frame of all features that the kernel has switched on (CPUID leaf 0DH). */
static uint32_t frame_bytes(void)
{
    unsigned a, b, c, d;
    __cpuid_count(0xd, 0, a, b, c, d);
    return (b + MAGIC2_BYTES + LINE_BYTES - 1) & ~(LINE_BYTES - 1u);
}

struct rt_tr_thread *rt_tr_thread_new(void)
{
    /* a page that must not be touched, the stack, the thread, the extended state */
    const uint32_t xstate_bytes = frame_bytes();
    const size_t head_bytes = PAGE_BYTES + RT_TR_STACK_BYTES;
    const size_t thread_bytes = (sizeof(struct rt_tr_thread) + LINE_BYTES - 1) & ~(size_t)(LINE_BYTES - 1);
    const size_t len_bytes =
        (head_bytes + thread_bytes + xstate_bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
    uint8_t *at = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    mprotect(at, PAGE_BYTES, PROT_NONE);
    struct rt_tr_thread *t = (struct rt_tr_thread *)(void *)(at + head_bytes);
    t->len_bytes = len_bytes;
    t->stack_top = at + head_bytes;
    t->xstate = at + head_bytes + thread_bytes;
    t->xstate_bytes = xstate_bytes;
    return t;
}

void rt_tr_thread_free(struct rt_tr_thread *t)
{
    if (t) munmap(t->stack_top - RT_TR_STACK_BYTES - PAGE_BYTES, t->len_bytes);
}

const char *rt_tr_end_name(enum rt_tr_end end)
{
    static const char *const names[RT_TR_END_COUNT] = {
        [RT_TR_END_NONE] = "none",
        [RT_TR_END_DONE] = "done",
        [RT_TR_END_INSTRUCTIONS] = "instructions",
        [RT_TR_END_SYSCALL] = "syscall",
        [RT_TR_END_UNSUPPORTED] = "unsupported",
        [RT_TR_END_GS] = "gs",
        [RT_TR_END_UNDECODABLE] = "undecodable",
        [RT_TR_END_CODE] = "code",
        [RT_TR_END_REACH] = "reach",
        [RT_TR_END_FULL] = "full",
        [RT_TR_END_LOCKED] = "locked",
        [RT_TR_END_TRANSLATIONS] = "translations",
        [RT_TR_END_FAULT] = "fault",
    };
    return end < RT_TR_END_COUNT ? names[end] : "?";
}

const char *rt_tr_refused_text(enum rt_tr_refused refused)
{
    static const char *const texts[RT_TR_REFUSED_COUNT] = {
        [RT_TR_ACCEPTED] = "accepted",
        [RT_TR_NO_GS] = "the kernel does not let a program set the GS base",
        [RT_TR_NO_XSAVE] = "the processor has no XSAVE or LAHF",
        [RT_TR_SHADOW_STACK] = "shadow stacks are on",
        [RT_TR_NO_MEMORY] = "no memory for translations",
        [RT_TR_NO_ARENA] = "no executable memory can be written (a policy such as SELinux's execmem)",
        [RT_TR_NOT_OPEN] = "the translator is not set up",
        [RT_TR_BUSY] = "a burst of this thread is running",
        [RT_TR_FRAME] = "the signal frame holds no extended state that fits",
        [RT_TR_GS_IN_USE] = "the program uses the GS base",
        [RT_TR_FLAGS] = "the trap, nested-task or alignment-check flag is set",
        [RT_TR_DROPPING] = "the full cache waits to be dropped",
    };
    return refused < RT_TR_REFUSED_COUNT ? texts[refused] : "?";
}
