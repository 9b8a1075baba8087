/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/attach/rt_attach_internal.h"

#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_state.h"
#include "runtime/core/rt_thread.h"
#include "runtime/core/rt_unwind_sigsafe.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* Functions in which threads wait, holding no lock of the allocator or the dynamic linker. Those hold their locks only
 * in calls of brk, mmap, munmap, mprotect, madvise, open, fstat and futex, the last two of which they make
 * without these functions. */
static const char *const waiting_names[] = {
    "read",
    "write",
    "pread64",
    "pwrite64",
    "readv",
    "writev",
    "recv",
    "recvfrom",
    "recvmsg",
    "recvmmsg",
    "send",
    "sendto",
    "sendmsg",
    "accept",
    "accept4",
    "connect",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_wait",
    "epoll_pwait",
    "nanosleep",
    "clock_nanosleep",
    "sleep",
    "usleep",
    "pause",
    "sigsuspend",
    "sigwaitinfo",
    "sigtimedwait",
    "waitpid",
    "wait4",
    "waitid",
    "wait",
    "sched_yield",
    "pthread_cond_wait",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "pthread_join",
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_barrier_wait",
    "fsync",
    "fdatasync",
    "flock",
    "ioctl",
};
enum { WAITING_LEN = sizeof(waiting_names) / sizeof(waiting_names[0]) };

enum { LIBC, LINKER, ALLOCATOR, VDSO, OBJECTS_LEN };

struct range {
    uint64_t base, end;
};

static struct {
    struct range objects[OBJECTS_LEN];
    struct range waiting[WAITING_LEN];
} code;

static bool is_in(const struct range *r, uint64_t ip)
{
    return ip >= r->base && ip < r->end;
}

/* An address in the object that is looked for, and where to put its range. */
struct search {
    uint64_t inside;
    struct range *out;
};

static int take_object(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct search *s = user;
    struct range hull = {UINT64_MAX, 0};
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        const uint64_t base = info->dlpi_addr + p->p_vaddr;
        if (base < hull.base) hull.base = base;
        if (base + p->p_memsz > hull.end) hull.end = base + p->p_memsz;
    }
    if (!is_in(&hull, s->inside)) return 0;
    *s->out = hull;
    return 1;
}

static void find_object(int object, const void *inside)
{
    struct search s = {(uint64_t)(uintptr_t)inside, &code.objects[object]};
    if (inside) dl_iterate_phdr(take_object, &s);
}

static void find_function(struct range *out, const char *name)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *const at = rt_real_find(name);
    if (!at || dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || !symbol) return;
    const uint64_t base = (uint64_t)(uintptr_t)at;
    *out = (struct range){base, base + symbol->st_size};
}

void rt_attach_moment_init(void)
{
    const void *address;
    for (int i = 0; i < WAITING_LEN; i++)
        find_function(&code.waiting[i], waiting_names[i]);
    find_object(LIBC, rt_real_find("nanosleep"));
    find_object(LINKER, rt_real_find("__tls_get_addr"));
    memcpy(&address, &rt_real.malloc, sizeof(address));
    find_object(ALLOCATOR, address);
    find_object(VDSO, (const void *)rt_state.vdso_base);
}

static bool is_delicate(uint64_t ip)
{
    for (int i = 0; i < OBJECTS_LEN; i++)
        if (is_in(&code.objects[i], ip)) return true;
    return rt_is_own_text((uintptr_t)ip);
}

static bool is_waiting(uint64_t ip)
{
    for (int i = 0; i < WAITING_LEN; i++)
        if (is_in(&code.waiting[i], ip)) return true;
    return false;
}

/* mov $15, %rax; syscall: rt_sigreturn, where handlers return to (sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c
 * of glibc; unwinders know it by these bytes). */
static bool is_return_of_handler(uint64_t ip)
{
    static const uint8_t wanted[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    uint8_t there[sizeof(wanted)];
    return rt_burst_copy(there, (const void *)(uintptr_t)ip, sizeof(there)) == sizeof(there) &&
           memcmp(there, wanted, sizeof(wanted)) == 0;
}

enum { FRAMES_MOST = 512 };

/* frames[0] is where the thread is, the others are return addresses. */
static bool are_frames_good(const uint64_t *frames, size_t len)
{
    size_t i = 0;
    for (size_t k = 1; k < len; k++)
        if (is_return_of_handler(frames[k])) return false;
    if (!is_delicate(frames[0]) || is_waiting(frames[0])) return true;
    while (i + 1 < len && is_delicate(frames[i + 1] - 1))
        i++;
    return is_waiting(frames[i] - (i > 0));
}

bool rt_attach_moment_is_good(const ucontext_t *uc)
{
    static uint64_t frames[1 + FRAMES_MOST];
    static uint32_t is_taken;
    const greg_t *gregs = uc->uc_mcontext.gregs;
    const struct rt_unwind_registers from = {
        .ip = (uint64_t)gregs[REG_RIP], .sp = (uint64_t)gregs[REG_RSP], .bp = (uint64_t)gregs[REG_RBP]};
    const struct rt_unwind_limits limits = {0};
    bool is_whole = false;
    if (rt_tls.depth || __atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQUIRE)) return false;
    frames[0] = from.ip;
    const size_t len = rt_unwind_from(&limits, &from, frames + 1, FRAMES_MOST, &is_whole);
    const bool is_good = (is_whole || len == FRAMES_MOST) && are_frames_good(frames, len + 1);
    __atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE);
    return is_good;
}
