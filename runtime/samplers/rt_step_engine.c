/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_engine.h"

#include "common/ls_clock.h"
#include "runtime/samplers/rt_step_altstack.h"
#include "runtime/samplers/rt_step_burst_sigsafe.h"
#include "runtime/samplers/rt_step_faults_sigsafe.h"
#include "runtime/samplers/rt_step_signals_sigsafe.h"
#include "runtime/samplers/rt_step_syscall_sigsafe.h"
#include "runtime/samplers/rt_step_traced_sigsafe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    DEFAULT_BURST = 1200,
    BURST_MAX_NS = 50000000,
    START_CREDIT_NS = 10000000,
    TRACER_AGE_NS = 100000000,     /* threads may be many; bursts look themselves */
    HWCAP2_FSGSBASE_BIT = 1u << 1, /* asm/hwcap2.h */
};

struct rt_step_engine rt_step_engine;
_Thread_local struct rt_step_thread *rt_step_self LS_TLS_INITIAL_EXEC;

static struct {
    volatile int lock;
    struct rt_step_thread *first;
    struct rt_step_thread *spare; /* of ended threads: mapping them anew would cost 30 us a thread */
} threads;

static void lock_threads(void)
{
    while (__atomic_exchange_n(&threads.lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock_threads(void)
{
    __atomic_store_n(&threads.lock, 0, __ATOMIC_RELEASE);
}

/* With a shadow stack calls and returns cannot be computed; rdsspq leaves its operand alone where there is
 * none. */
static bool has_shadow_stack(void)
{
    uint64_t pointer = 0;
    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
}

static const char *load_zydis(struct rt_step_zydis *z)
{
    void *lib = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);
    if (!lib) lib = dlopen("libZydis.so", RTLD_NOW | RTLD_LOCAL);
    if (!lib) return "libZydis is not installed (Debian: libzydis4.0)";
    __typeof__(&ZydisDecoderInit) init;
    *(void **)&init = dlsym(lib, "ZydisDecoderInit");
    *(void **)&z->decode_full = dlsym(lib, "ZydisDecoderDecodeFull");
    *(void **)&z->mnemonic_text = dlsym(lib, "ZydisMnemonicGetString");
    if (!init || !z->decode_full || !z->mnemonic_text)
        return "libZydis is of another version (4.0 is needed)";
    return ZYAN_SUCCESS(init(&z->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64))
               ? NULL
               : "libZydis refuses to decode 64-bit code";
}

/* glibc >= 2.35 says where its rseq area lies. */
static void note_rseq(void)
{
    const ptrdiff_t *offset = (const ptrdiff_t *)dlsym(RTLD_DEFAULT, "__rseq_offset");
    const unsigned *size = (const unsigned *)dlsym(RTLD_DEFAULT, "__rseq_size");
    rt_step_engine.has_rseq = offset && size && *size;
    rt_step_engine.rseq_area_offset = rt_step_engine.has_rseq ? (uint64_t)*offset : 0;
}

static const char *refusal_text(int error)
{
    switch (error) {
    case ENOSYS:
        return "perf trigger: this kernel has no safe synchronous SIGTRAP (Linux 5.19 and later have)";
    case EACCES:
    case EPERM:
        return "perf trigger: perf_event_open is refused (sysctl kernel.perf_event_paranoid=2 or lower "
               "allows it; a container "
               "may need its seccomp profile changed)";
    default:
        return "perf trigger: the kernel refuses a task clock with sigtrap";
    }
}

/* NULL or why not. */
static const char *choose_trigger(const char *wanted, const char **why_not)
{
    struct rt_step_engine *e = &rt_step_engine;
    *why_not = "";
    if (strcmp(wanted, "timer") != 0) {
        const int error = rt_step_trigger_perf.probe();
        e->trigger = &rt_step_trigger_perf;
        if (!error) return NULL;
        *why_not = refusal_text(error);
        if (strcmp(wanted, "perf") == 0) return *why_not;
    }
    e->timer_signal = SIGRTMAX;
    e->trigger = &rt_step_trigger_timer;
    /* until our handler stands, the timer's probe must not be armed; creating one is harmless */
    return e->trigger->probe() ? "timer trigger: the kernel refuses timers on a thread's CPU clock" : NULL;
}

const char *rt_step_engine_trigger_name(void)
{
    return rt_step_engine.trigger ? rt_step_engine.trigger->name : "";
}

static void set_numbers(const struct rt_step_options *o)
{
    struct rt_step_engine *e = &rt_step_engine;
    e->seed = o->seed;
    e->stack_mode = rt_step_stack_mode_named(o->callstack);
    e->burst_instructions = (uint32_t)(o->burst_instructions ? o->burst_instructions : DEFAULT_BURST);
    e->burst_max_ns = BURST_MAX_NS;
    e->governor = (struct rt_step_governor){.share = o->share,
                                            .period_min_ns = o->period_min_ns,
                                            .start_ns = ls_clock_mono_ns(),
                                            .credit_ns = rt_state.ancestor.pid ? 0 : START_CREDIT_NS};
    e->window_wall_ns = e->governor.start_ns;
    e->window_cpu_ns = e->start_cpu_ns = rt_step_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    e->has_fsgsbase = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
    e->has_shadow_stack = has_shadow_stack();
}

static void note_memory_nodes(void)
{
    char list[256];
    const int fd = open("/sys/devices/system/node/has_memory", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t len = read(fd, list, sizeof list);
    close(fd);
    rt_step_engine.has_memory_nodes = len > 0 && rt_step_numa_nodes(list, (size_t)len) > 1;
}

/* The device mappings that exist already; later ones come through the hook of mmap. */
static void scan_maps(void)
{
    char text[8192];
    size_t have = 0;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    for (ssize_t n; (n = read(fd, text + have, sizeof text - have)) > 0;) {
        have += (size_t)n;
        const char *last = (const char *)memrchr(text, '\n', have);
        if (!last) break;
        const size_t whole = (size_t)(last + 1 - text);
        rt_step_devices_scan(&rt_step_engine.devices, text, whole);
        memmove(text, text + whole, have - whole);
        have -= whole;
    }
    close(fd);
}

const char *rt_step_engine_probe(const char *trigger)
{
    const char *why_not = "";
    const char *why = load_zydis(&rt_step_engine.zydis);
    return why ? why : choose_trigger(trigger, &why_not);
}

const char *rt_step_engine_start(const struct rt_step_options *o, const char **out_why_not)
{
    set_numbers(o);
    const char *why = load_zydis(&rt_step_engine.zydis);
    if (why) return why;
    note_rseq();
    why = choose_trigger(o->trigger, out_why_not);
    if (why) return why;
    if (rt_step_signals_install(rt_step_engine.timer_signal)) return "the kernel refuses our signal handlers";
    scan_maps();
    note_memory_nodes();
    return NULL;
}

static struct rt_step_thread *take_spare(void)
{
    lock_threads();
    struct rt_step_thread *t = threads.spare;
    if (t) threads.spare = t->next;
    unlock_threads();
    return t;
}

static struct rt_step_thread *map_thread(void)
{
    void *at = mmap(NULL, sizeof(struct rt_step_thread), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    struct rt_step_thread *t = (struct rt_step_thread *)at;
    if (!rt_step_engine.has_shadow_stack) rt_step_slots_open(&t->slots);
    return t;
}

/* Zero what another thread left, but for its signal stack. Not by memset, which the program may own: a thread
 * sanitizer's version does not see why one thread has what another one had. */
static void clear_head(struct rt_step_thread *t)
{
    typedef uint64_t __attribute__((may_alias)) word;
    const stack_t altstack = t->altstack_ours;
    word *const words = (word *)(void *)t;
    for (size_t i = 0; i < offsetof(struct rt_step_thread, accesses) / sizeof *words; i++)
        __atomic_store_n(&words[i], 0, __ATOMIC_RELAXED);
    t->altstack_ours = altstack;
}

static struct rt_step_thread *new_thread(struct rt_thread *rt)
{
    struct rt_step_thread *t = take_spare();
    if (!t) t = map_thread();
    if (!t) return NULL;
    clear_head(t);
    t->slots.pending = false;
    t->rt = rt;
    t->tid = rt_step_gettid();
    t->trigger_fd = t->faults_fd = -1;
    t->random = rt_step_random_seed(rt_step_engine.seed, (uint64_t)t->tid);
    return t;
}

static void free_thread(struct rt_step_thread *t)
{
    rt_step_altstack_close(t);
    lock_threads();
    t->next = threads.spare;
    threads.spare = t;
    unlock_threads();
}

static void list_add(struct rt_step_thread *t)
{
    lock_threads();
    t->next = threads.first;
    threads.first = t;
    unlock_threads();
    __atomic_fetch_add(&rt_step_engine.threads_live, 1, __ATOMIC_RELAXED);
}

static void list_remove(struct rt_step_thread *t)
{
    lock_threads();
    for (struct rt_step_thread **p = &threads.first; *p; p = &(*p)->next) {
        if (*p != t) continue;
        *p = t->next;
        break;
    }
    unlock_threads();
    __atomic_fetch_sub(&rt_step_engine.threads_live, 1, __ATOMIC_RELAXED);
}

/* A debugger or tracer would see our signals before we do: with one there is none. */
static bool leave_to_tracer(struct rt_step_thread *t)
{
    if (!rt_step_is_traced(&rt_step_engine, TRACER_AGE_NS)) return false;
    __atomic_fetch_add(&rt_step_engine.traced_triggers, 1, __ATOMIC_RELAXED);
    rt_step_burst_disarm(t);
    return true;
}

static void arm_first(struct rt_step_thread *t)
{
    if (!leave_to_tracer(t)) rt_step_burst_rearm(t);
}

int rt_step_thread_open(struct rt_thread *rt)
{
    if (rt_step_self || rt_step_engine.quiet) return 0;
    struct rt_step_thread *t = new_thread(rt);
    if (!t) return ENOMEM;
    int error = rt_step_altstack_open(t);
    if (!error) error = rt_step_engine.trigger->open(t);
    if (error) {
        free_thread(t);
        return error;
    }
    rt_step_signals_adopt_mask();
    list_add(t);
    rt_step_self = t;
    rt_step_faults_begin(t);
    arm_first(t);
    return 0;
}

void rt_step_thread_close(void)
{
    struct rt_step_thread *t = rt_step_self;
    if (!t) return;
    rt_step_engine.trigger->disarm(t);
    rt_step_burst_end(t, NULL, SPOOL_BURST_LOST);
    rt_step_self = NULL;
    rt_step_engine.trigger->close(t);
    rt_step_faults_close(t);
    list_remove(t);
    free_thread(t);
}

int rt_step_engine_fork_child(struct rt_thread *rt)
{
    struct rt_step_engine *e = &rt_step_engine;
    struct rt_step_thread *t = rt_step_self;
    for (struct rt_step_thread *other = threads.first; other; other = other->next) {
        e->trigger->disown(other);
        rt_step_faults_disown(other);
    }
    threads.lock = 0;
    threads.first = NULL;
    e->threads_live = 0;
    e->governor.start_ns = e->window_wall_ns = ls_clock_mono_ns();
    e->governor.credit_ns = 0; /* it was for the recording */
    e->window_cpu_ns = e->start_cpu_ns = 0;
    e->traced_checked_ns = 0;
    memset(e->in_place, 0, sizeof e->in_place); /* the parent reports its own */
    if (!t) return 0;
    t->rt = rt;
    t->state = RT_STEP_IDLE;
    t->tid = rt_step_gettid();
    t->number = 0;
    t->random = rt_step_random_seed(e->seed, (uint64_t)t->tid);
    list_add(t);
    const int error = e->quiet ? 0 : e->trigger->open(t);
    if (!e->quiet) rt_step_faults_begin(t);
    if (!error && !e->quiet) arm_first(t);
    return error;
}

static void disarm_all(void)
{
    lock_threads();
    for (struct rt_step_thread *t = threads.first; t; t = t->next) {
        rt_step_engine.trigger->disarm(t);
        rt_step_faults_stop(t);
    }
    unlock_threads();
}

void rt_step_engine_note_device(uint64_t base, uint64_t end)
{
    lock_threads(); /* one writer at a time */
    rt_step_devices_add(&rt_step_engine.devices, base, end);
    unlock_threads();
}

void rt_step_engine_wake(void)
{
    if (rt_step_engine.quiet || !rt_step_engine.trigger) return;
    lock_threads();
    for (struct rt_step_thread *t = threads.first; t; t = t->next)
        if (!leave_to_tracer(t)) rt_step_burst_arm_other(t);
    unlock_threads();
}

void rt_step_engine_quiet(void)
{
    if (rt_step_engine.quiet || !rt_step_engine.trigger) return;
    disarm_all();
    rt_step_engine.quiet = 1;
}
