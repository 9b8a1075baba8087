/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_engine.h"

#include "common/ls_clock.h"
#include "runtime/bursts/rt_burst_altstack.h"
#include "runtime/bursts/rt_burst_faults_sigsafe.h"
#include "runtime/bursts/rt_burst_sigsafe.h"
#include "machine/mach_probe_sigsafe.h"
#include "runtime/bursts/rt_burst_processor.h"
#include "runtime/bursts/rt_burst_signals_sigsafe.h"
#include "runtime/bursts/rt_burst_traced_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
    START_CREDIT_NS = 10000000,
    TRACER_AGE_NS = 100000000, /* there may be many threads; bursts check for a tracer themselves */
    OWN_ALIGN_BYTES = 64,
};

struct rt_burst_engine rt_burst_engine;
static const struct rt_burst_life *lifes[RT_BURST_METHODS]; /* by enum spool_method; NULL: not in use */
_Thread_local struct rt_burst_thread *rt_burst_self LS_TLS_INITIAL_EXEC;

static struct {
    volatile int lock;
    struct rt_burst_thread *first;
    struct rt_burst_thread *spare; /* from ended threads: a new mapping would cost 30 us per thread */
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

/* With a shadow stack, calls and returns cannot be emulated; rdsspq leaves its operand unchanged where there
 * is none. */
static bool has_shadow_stack(void)
{
    uint64_t pointer = 0;
    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
}

/* NULL or why not. The hook of dlopen is for the program: it would ask for another snapshot of the mappings. */
static const char *load_zydis(struct rt_burst_zydis *z)
{
    static bool is_loaded;
    if (is_loaded) return NULL;
    void *lib = RT_REAL(dlopen)("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);
    if (!lib) lib = RT_REAL(dlopen)("libZydis.so", RTLD_NOW | RTLD_LOCAL);
    if (!lib) return "libZydis is not installed (Debian: libzydis4.0)";
    __typeof__(&ZydisDecoderInit) init;
    *(void **)&init = dlsym(lib, "ZydisDecoderInit");
    *(void **)&z->decode_full = dlsym(lib, "ZydisDecoderDecodeFull");
    *(void **)&z->mnemonic_text = dlsym(lib, "ZydisMnemonicGetString");
    if (!init || !z->decode_full || !z->mnemonic_text)
        return "libZydis is of another version (4.0 is needed)";
    is_loaded = ZYAN_SUCCESS(init(&z->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
    return is_loaded ? NULL : "libZydis refuses to decode 64-bit code";
}

/* glibc >= 2.35 exports the offset of its rseq area. */
static void note_rseq(void)
{
    const ptrdiff_t *offset = (const ptrdiff_t *)dlsym(RTLD_DEFAULT, "__rseq_offset");
    const unsigned *size = (const unsigned *)dlsym(RTLD_DEFAULT, "__rseq_size");
    rt_burst_engine.has_rseq = offset && size && *size;
    rt_burst_engine.rseq_area_offset = rt_burst_engine.has_rseq ? (uint64_t)*offset : 0;
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
static const char *try_triggers(const char *wanted, const char **why_not)
{
    struct rt_burst_engine *e = &rt_burst_engine;
    *why_not = "";
    if (strcmp(wanted, "timer") != 0) {
        const int error = rt_burst_trigger_perf.probe();
        e->trigger = &rt_burst_trigger_perf;
        if (!error) return NULL;
        *why_not = refusal_text(error);
        if (strcmp(wanted, "perf") == 0) return *why_not;
    }
    e->timer_signal = SIGRTMAX;
    e->trigger = &rt_burst_trigger_timer;
    /* until our handler is installed, the timer's probe must not be armed; creating one is harmless */
    return e->trigger->probe() ? "timer trigger: the kernel refuses timers on a thread's CPU clock" : NULL;
}

/* NULL or why not. A trigger that was found before is not tried again. */
static const char *choose_trigger(const char *wanted, const char **why_not)
{
    static struct {
        bool works;
        char wanted[sizeof rt_state.config.trigger];
        const char *why_not;
    } chosen;
    if (!chosen.works || strcmp(chosen.wanted, wanted) != 0) {
        const char *text = try_triggers(wanted, why_not);
        if (text) return text;
        memcpy(chosen.wanted, wanted, strlen(wanted) + 1);
        chosen.why_not = *why_not;
        chosen.works = true;
    }
    *why_not = chosen.why_not;
    return NULL;
}

static void set_numbers(void)
{
    const struct rt_config *c = &rt_state.config;
    struct rt_burst_engine *e = &rt_burst_engine;
    e->seed = c->has_seed ? c->seed : ls_clock_mono_ns();
    e->stack_mode = rt_burst_stack_mode_named(c->callstack);
    e->governor = (struct rt_burst_governor){.share = c->overhead_share,
                                             .period_min_ns = c->period_ns,
                                             .start_ns = ls_clock_mono_ns(),
                                             .credit_ns = rt_state.ancestor.pid ? 0 : START_CREDIT_NS};
    e->window_wall_ns = e->governor.start_ns;
    e->window_cpu_ns = e->start_cpu_ns = rt_burst_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    e->worked_ns = e->unsampled_ns = e->unsampled_spent_ns = 0;
    e->clock_tsc = __rdtsc();
    e->clock_ns = ls_clock_mono_ns();
    e->has_shadow_stack = has_shadow_stack();
}

static void note_memory_nodes(void)
{
    char list[256];
    const int fd = open("/sys/devices/system/node/has_memory", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t len = read(fd, list, sizeof list);
    close(fd);
    rt_burst_engine.has_memory_nodes = len > 0 && rt_burst_numa_nodes(list, (size_t)len) > 1;
}

/* Add the device mappings that exist already; the hook of mmap adds later ones. */
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
        rt_burst_devices_scan(&rt_burst_engine.devices, text, whole);
        memmove(text, text + whole, have - whole);
        have -= whole;
    }
    close(fd);
}

static void note_processor(void)
{
    const char *without = rt_state.config.without;
    rt_burst_engine.has_fsgsbase = rt_burst_has_fsgsbase(without);
    rt_burst_engine.has_rdtscp = rt_burst_has_rdtscp(without);
    rt_burst_engine.has_bmi2 = rt_burst_has_bmi2(without);
    mach_probe_use_rdtscp(rt_burst_engine.has_rdtscp);
}

bool rt_burst_probe(const struct rt_burst_life *life, char *why, size_t why_len)
{
    struct rt_burst_engine *e = &rt_burst_engine;
    const char *why_not = "";
    memset(e->methods, 0, sizeof e->methods);
    memset(lifes, 0, sizeof lifes);
    note_processor();
    lifes[life->method->id] = life;
    lifes[SPOOL_METHOD_STEP] = &rt_step_life;
    e->method = life->method;
    const char *text = load_zydis(&e->zydis);
    if (!text) text = choose_trigger(rt_state.config.trigger, &why_not);
    for (unsigned i = 0; i < RT_BURST_METHODS && !text; i++) {
        if (!lifes[i]) continue;
        e->methods[i] = lifes[i]->method;
        text = lifes[i]->open();
    }
    if (text) snprintf(why, why_len, "%s", text);
    return text == NULL;
}

/* NULL or why not. */
static const char *start(const char **out_why_not)
{
    set_numbers();
    const char *why = load_zydis(&rt_burst_engine.zydis);
    if (why) return why;
    note_rseq();
    why = choose_trigger(rt_state.config.trigger, out_why_not);
    if (why) return why;
    if (rt_burst_signals_install(rt_burst_engine.timer_signal))
        return "the kernel refuses our signal handlers";
    scan_maps();
    note_memory_nodes();
    return NULL;
}

int rt_burst_process_start(struct rt_engine_facts *facts)
{
    const char *why_not = "";
    const char *why = start(&why_not);
    const char *text = why ? why : why_not;
    const size_t used = strlen(facts->why); /* why no better engine */
    if (*text) snprintf(facts->why + used, sizeof facts->why - used, "%s%s", used ? "; " : "", text);
    if (why) return ENOSYS;
    snprintf(facts->trigger, sizeof facts->trigger, "%s", rt_burst_engine.trigger->name);
    return 0;
}

static struct rt_burst_thread *take_spare(void)
{
    lock_threads();
    struct rt_burst_thread *t = threads.spare;
    if (t) threads.spare = t->next;
    unlock_threads();
    return t;
}

static struct rt_burst_thread *map_thread(void)
{
    size_t len_bytes = sizeof(struct rt_burst_thread), at_bytes[RT_BURST_METHODS];
    for (unsigned i = 0; i < RT_BURST_METHODS; i++) {
        const struct rt_burst_method *m = rt_burst_engine.methods[i];
        at_bytes[i] = len_bytes;
        if (m) len_bytes += (m->thread_bytes + OWN_ALIGN_BYTES - 1) & ~(size_t)(OWN_ALIGN_BYTES - 1);
    }
    void *at =
        mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    struct rt_burst_thread *t = (struct rt_burst_thread *)at;
    for (unsigned i = 0; i < RT_BURST_METHODS; i++)
        t->own[i] = (char *)at + at_bytes[i];
    return t;
}

/* Zero the state of a previous thread, but for its signal stack. */
static void clear_head(struct rt_burst_thread *t)
{
    const stack_t altstack = t->altstack_ours;
    memset(t, 0, offsetof(struct rt_burst_thread, own));
    t->altstack_ours = altstack;
}

static struct rt_burst_thread *new_thread(struct rt_thread *rt)
{
    struct rt_burst_thread *t = take_spare();
    const bool is_new = !t;
    if (is_new) t = map_thread();
    if (!t) return NULL;
    clear_head(t);
    for (unsigned i = 0; i < RT_BURST_METHODS; i++)
        if (lifes[i]) lifes[i]->thread_open(t, is_new);
    t->rt = rt;
    t->tid = rt_burst_gettid();
    t->trigger_fd = t->faults_fd = -1;
    t->random = rt_burst_random_seed(rt_burst_engine.seed, (uint64_t)t->tid);
    return t;
}

static void free_thread(struct rt_burst_thread *t)
{
    rt_burst_altstack_close(t);
    lock_threads();
    t->next = threads.spare;
    threads.spare = t;
    unlock_threads();
}

static void list_add(struct rt_burst_thread *t)
{
    lock_threads();
    t->next = threads.first;
    threads.first = t;
    unlock_threads();
    __atomic_fetch_add(&rt_burst_engine.threads_live, 1, __ATOMIC_RELAXED);
}

static void list_remove(struct rt_burst_thread *t)
{
    lock_threads();
    for (struct rt_burst_thread **p = &threads.first; *p; p = &(*p)->next) {
        if (*p != t) continue;
        *p = t->next;
        break;
    }
    unlock_threads();
    __atomic_fetch_sub(&rt_burst_engine.threads_live, 1, __ATOMIC_RELAXED);
}

/* A debugger or tracer would see our signals before we do, so no sampling while one is attached. */
static bool leave_to_tracer(struct rt_burst_thread *t)
{
    if (!rt_burst_look_for_tracer(&rt_burst_engine, TRACER_AGE_NS)) return false;
    __atomic_fetch_add(&rt_burst_engine.traced_triggers, 1, __ATOMIC_RELAXED);
    rt_burst_disarm(t);
    return true;
}

static void arm_first(struct rt_burst_thread *t)
{
    if (!leave_to_tracer(t)) rt_burst_rearm(t);
}

/* 0 or an errno. */
static int open_thread(struct rt_thread *rt)
{
    if (rt_burst_self || rt_burst_engine.quiet) return 0;
    struct rt_burst_thread *t = new_thread(rt);
    if (!t) return ENOMEM;
    int error = rt_burst_altstack_open(t);
    if (!error) error = rt_burst_engine.trigger->open(t);
    if (error) {
        free_thread(t);
        return error;
    }
    rt_burst_signals_adopt_mask();
    list_add(t);
    rt_burst_self = t;
    rt_burst_faults_begin(t);
    arm_first(t);
    return 0;
}

static void count_refused(int error)
{
    if (error == EMFILE)
        rt_event_count_sigsafe(SPOOL_EVENT_THREADS_NO_ROOM, 1, error);
    else if (error)
        rt_event_count_sigsafe(SPOOL_EVENT_TRIGGER_REFUSED, 1, error);
}

void rt_burst_thread_open(struct rt_thread *rt)
{
    const int error = open_thread(rt);
    count_refused(error);
}

static void put_count(enum spool_event_kind kind, uint64_t *count)
{
    const uint64_t n = __atomic_exchange_n(count, 0, __ATOMIC_RELAXED);
    if (n) rt_event_count_sigsafe(kind, n, 0);
}

static void drain_methods(void)
{
    for (unsigned i = 0; i < RT_BURST_METHODS; i++)
        if (lifes[i] && lifes[i]->drain) lifes[i]->drain();
}

static void put_counts(void)
{
    put_count(SPOOL_EVENT_EINTR_RESTARTED, &rt_burst_engine.eintr_restarted);
    put_count(SPOOL_EVENT_EINTR_SEEN, &rt_burst_engine.eintr_seen);
    put_count(SPOOL_EVENT_TRACED, &rt_burst_engine.traced_triggers);
}

void rt_burst_drain(void)
{
    put_counts();
    drain_methods();
}

static void close_thread(void)
{
    struct rt_burst_thread *t = rt_burst_self;
    if (!t) return;
    rt_burst_engine.trigger->disarm(t);
    rt_burst_end(t, NULL, SPOOL_BURST_LOST);
    rt_burst_self = NULL;
    rt_burst_engine.trigger->close(t);
    rt_burst_faults_close(t);
    list_remove(t);
    free_thread(t);
}

void rt_burst_thread_close(struct rt_thread *rt)
{
    (void)rt;
    close_thread();
    put_counts();
}

/* 0 or an errno. */
static int take_over_child(struct rt_thread *rt)
{
    struct rt_burst_engine *e = &rt_burst_engine;
    struct rt_burst_thread *t = rt_burst_self;
    for (struct rt_burst_thread *other = threads.first; other; other = other->next) {
        e->trigger->disown(other);
        rt_burst_faults_disown(other);
    }
    threads.lock = 0;
    threads.first = NULL;
    e->threads_live = 0;
    e->governor.start_ns = e->window_wall_ns = ls_clock_mono_ns();
    e->governor.credit_ns = 0; /* it was for the recording */
    e->window_cpu_ns = e->start_cpu_ns = 0;
    e->worked_ns = e->unsampled_ns = e->unsampled_spent_ns = 0;
    e->traced_checked_ns = 0;
    if (!t) return 0;
    t->rt = rt;
    t->state = RT_BURST_IDLE;
    t->tid = rt_burst_gettid();
    t->number = 0;
    t->random = rt_burst_random_seed(e->seed, (uint64_t)t->tid);
    list_add(t);
    const int error = e->quiet ? 0 : e->trigger->open(t);
    if (!e->quiet) rt_burst_faults_begin(t);
    if (!error && !e->quiet) arm_first(t);
    return error;
}

void rt_burst_after_fork_child(struct rt_thread *rt)
{
    for (unsigned i = 0; i < RT_BURST_METHODS; i++)
        if (lifes[i] && lifes[i]->after_fork_child) lifes[i]->after_fork_child();
    const int error = take_over_child(rt);
    count_refused(error);
}

static void disarm_all(void)
{
    lock_threads();
    for (struct rt_burst_thread *t = threads.first; t; t = t->next) {
        rt_burst_engine.trigger->disarm(t);
        rt_burst_faults_stop(t);
    }
    unlock_threads();
}

void rt_burst_mapped(uint64_t base, uint64_t end, const char *path)
{
    if (!rt_burst_path_is_device(path, strlen(path))) return;
    lock_threads(); /* one writer at a time */
    rt_burst_devices_add(&rt_burst_engine.devices, base, end);
    unlock_threads();
}

void rt_burst_wake(void)
{
    if (rt_burst_engine.quiet || !rt_burst_engine.trigger) return;
    lock_threads();
    for (struct rt_burst_thread *t = threads.first; t; t = t->next)
        if (!leave_to_tracer(t)) rt_burst_arm_other(t);
    unlock_threads();
}

void rt_burst_resume(void)
{
    set_numbers();
    rt_burst_signals_install(rt_burst_engine.timer_signal); /* where the program replaced one unseen */
    rt_burst_engine.is_thinned = 0;
    rt_burst_engine.traced_checked_ns = 0;
    scan_maps();
}

void rt_burst_seal(void)
{
    drain_methods();
    rt_event_count_sigsafe(SPOOL_EVENT_ENGINE_QUIET, 1, 0);
    if (rt_burst_engine.quiet || !rt_burst_engine.trigger) return;
    disarm_all();
    rt_burst_engine.quiet = 1;
}
