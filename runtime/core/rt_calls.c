/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_calls.h"

#include "common/ls_checked.h"
#include "ndm/ndm_registry.h"
#include "runtime/core/rt_bell_sigsafe.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "spool/spool_put_domains_sigsafe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

enum {
    RT_CALLS_MAX = 256, /* functions with a separate account; all further ones share the last */
    RT_CALLS_CREDIT_NS = 50000000,
    RT_CALLS_LOOK_CALLS = 64,     /* between two looks at the CPU clock */
    RT_CALLS_LOOK_NS = 1000000,   /* and at once after so long a call, or so much in several */
    RT_CALLS_ROUND_NS = 10000000, /* CPU time between two looks at the accounts */
    RT_CALLS_L1_CYCLES = 4,       /* four to five in all x86-64 cores since 2008 */
    RT_CALLS_LEVEL_UNKNOWN = -1,
    RT_CALLS_PART = 2, /* divisor: one function may use half of the budget */
};

/* One function (with its argument). */
struct rt_account {
    ndm_callback fn;
    void *user;
    void *module; /* module with its code, noted before an unloading; NULL: none */
    uint64_t calls, all_ns, longest_ns, round_ns, cpu_ns, first_ns;
    uint32_t node; /* the last one */
    bool is_off, is_gone;
    char label[128];
};

/* CPU time of this thread, and whether it slept. */
struct rt_usage {
    uint64_t cpu_ns;
    long sleeps;
};

static struct {
    struct rt_account accounts[RT_CALLS_MAX];
    uint32_t accounts_len;
    struct rt_usage usage; /* at the last look */
    uint32_t calls_since;  /* that look */
    uint64_t took_since_ns;
    uint64_t round_cpu_ns; /* at the last look at the accounts */
    struct ndm_call call;  /* in progress */
    double carry_cycles;   /* rounding remainder */
    struct spool_point points;
    struct spool_point_row rows[SPOOL_POINTS_MAX];
    /* read by other threads: */
    uint32_t closed;
    const struct rt_account *running; /* NULL: none */
    uint64_t running_since_ns, running_number, stuck_number;
} calls;

bool rt_calls_are_wanted(void)
{
    return ndm_calls_len() > 0 && !__atomic_load_n(&calls.closed, __ATOMIC_RELAXED);
}

void rt_calls_close(void)
{
    __atomic_store_n(&calls.closed, 1, __ATOMIC_SEQ_CST);
}

static struct rt_usage usage_now(void)
{
    struct rusage r;
    struct rt_usage now = {.cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID)};
    if (ls_syscall(SYS_getrusage, RUSAGE_THREAD, &r) == 0) now.sleeps = r.ru_nvcsw;
    calls.calls_since = 0;
    calls.took_since_ns = 0;
    return now;
}

/* --- news --- */

static void put_news(struct rt_thread *t, enum spool_callback_what what, const struct rt_account *a)
{
    const struct spool_callback news = {
        .time_ns = ls_clock_mono_ns(),
        .function = (uint64_t)(uintptr_t)a->fn,
        .argument = (uint64_t)(uintptr_t)a->user,
        .calls = a->calls,
        .all_ns = a->all_ns,
        .longest_ns = a->longest_ns,
        .all_spent_ns = __atomic_load_n(&rt_state.budget.spent_ns, __ATOMIC_RELAXED),
        .node = a->node,
    };
    spool_put_callback(rt_spool_writer(t), what, news, a->label, NULL); /* resolve knows its name */
}

static void switch_off(struct rt_account *a, enum spool_callback_what why)
{
    a->is_off = true;
    put_news(rt_tls.thread, why, a);
}

/* --- accounts --- */

/* The system call fails where a direct read would fault. */
static bool is_mapped(const void *code)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)code, 1};
    const long got = ls_syscall(SYS_process_vm_readv, rt_state.pid, &here, 1, &there, 1, 0);
    return got != -EFAULT;
}

static void *module_of(ndm_callback fn)
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)fn, &info) ? info.dli_fbase : NULL;
}

void rt_calls_before_unload(void)
{
    for (uint32_t i = 0; i < calls.accounts_len; i++)
        calls.accounts[i].module = module_of(calls.accounts[i].fn);
}

void rt_calls_after_unload(void)
{
    for (uint32_t i = 0; i < calls.accounts_len; i++) {
        struct rt_account *a = &calls.accounts[i];
        a->is_gone |= a->module && module_of(a->fn) != a->module;
    }
}

static struct rt_account *account_of(const struct ndm_call *c)
{
    struct rt_account *a = NULL;
    for (uint32_t i = 0; i < calls.accounts_len; i++) {
        a = &calls.accounts[i];
        if (a->fn == c->fn && a->user == c->user) return a;
    }
    if (calls.accounts_len == RT_CALLS_MAX) return a;
    a = &calls.accounts[calls.accounts_len++];
    *a = (struct rt_account){.fn = c->fn, .user = c->user, .first_ns = ls_clock_mono_ns()};
    a->is_gone = !is_mapped((const void *)(uintptr_t)c->fn);
    calls.usage = usage_now(); /* it may be the first since the thread was woken */
    strncpy(a->label, smr_node_label(c->node), sizeof(a->label) - 1);
    return a;
}

/* Time spent waiting for a processor does not count against the function. */
static bool was_slow(uint64_t took_ns, const struct rt_usage *before)
{
    return took_ns > RT_CALLS_SLOW_NS &&
           (calls.usage.cpu_ns - before->cpu_ns > RT_CALLS_SLOW_NS || calls.usage.sleeps != before->sleeps);
}

/* Add the thread's CPU time since the last look to the accounts, by the clock time of their calls in it. */
static void share_cpu(uint64_t cpu_ns)
{
    uint64_t all_ns = 0;
    for (uint32_t i = 0; i < calls.accounts_len; i++)
        all_ns += calls.accounts[i].round_ns;
    for (uint32_t i = 0; i < calls.accounts_len && all_ns > 0; i++) {
        struct rt_account *a = &calls.accounts[i];
        a->cpu_ns += ls_muldiv_u64(cpu_ns, a->round_ns, all_ns);
        a->round_ns = 0;
    }
}

static bool is_costly(const struct rt_account *a, uint64_t now_ns)
{
    const double share = rt_state.config.overhead_share;
    const double allowed_ns = RT_CALLS_CREDIT_NS + share / RT_CALLS_PART * (double)(now_ns - a->first_ns);
    return share < 1 && (double)a->cpu_ns > allowed_ns;
}

static void look_at_accounts(void)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    share_cpu(calls.usage.cpu_ns - calls.round_cpu_ns);
    calls.round_cpu_ns = calls.usage.cpu_ns;
    for (uint32_t i = 0; i < calls.accounts_len; i++)
        if (!calls.accounts[i].is_off && is_costly(&calls.accounts[i], now_ns))
            switch_off(&calls.accounts[i], SPOOL_CALLBACK_COSTLY);
}

static void book(struct rt_account *a, const struct ndm_call *c, uint64_t took_ns)
{
    const struct rt_usage before = calls.usage;
    a->node = c->node_id;
    a->calls++;
    a->all_ns += took_ns;
    a->round_ns += took_ns;
    if (took_ns > a->longest_ns) a->longest_ns = took_ns;
    calls.took_since_ns += took_ns;
    if (calls.took_since_ns < RT_CALLS_LOOK_NS && ++calls.calls_since < RT_CALLS_LOOK_CALLS) return;
    calls.usage = usage_now();
    rt_bell_answer(ls_clock_mono_ns());
    if (!a->is_off && was_slow(took_ns, &before)) switch_off(a, SPOOL_CALLBACK_SLOW);
    if (calls.usage.cpu_ns - calls.round_cpu_ns > RT_CALLS_ROUND_NS) look_at_accounts();
}

/* --- points --- */

static void flush_points(struct rt_thread *t)
{
    if (calls.points.points_len == 0) return;
    calls.points.time_ns = ls_clock_mono_ns();
    spool_put_points(rt_spool_writer(t), calls.points, calls.rows);
    calls.points.points_len = 0;
}

static void add_point(const struct rt_tap_sample *s, const struct ndm_call *c,
                      const struct loadstone_point *p)
{
    struct spool_point *all = &calls.points;
    if (all->points_len == SPOOL_POINTS_MAX || all->burst_ns != s->burst_ns || all->tid != s->tid ||
        all->node != c->node_id || all->map != c->map)
        flush_points(rt_tls.thread);
    if (all->points_len == 0)
        *all = (struct spool_point){
            .burst_ns = s->burst_ns, .tid = s->tid, .burst = s->burst, .node = c->node_id, .map = c->map};
    struct spool_point_row *row = &calls.rows[all->points_len++];
    *row = (struct spool_point_row){.access = s->access};
    memcpy(row->at, p->at, sizeof(row->at));
}

/* --- The function that is running, in a record of the collector's file that is changed in place: a process
 * that crashes in it leaves the name of the culprit. --- */

enum { RT_PAGE_BYTES = 4096 };

/* Mapped separately, since the writer's chunk moves on. */
static struct {
    struct spool_callback *rec;
    uint64_t map_base;
} marker;

static void map_record(const struct spool_writer *w, const struct spool_callback *rec)
{
    uint64_t at;
    const int fd = spool_writer_locate(w, rec, &at);
    const uint64_t page = at & ~(uint64_t)(RT_PAGE_BYTES - 1);
    const long map =
        ls_syscall(SYS_mmap, NULL, 2 * RT_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);
    if (map < 0 && map > -RT_PAGE_BYTES) return;
    marker.map_base = (uint64_t)map;
    __atomic_store_n(&marker.rec, (struct spool_callback *)((uintptr_t)map + (uintptr_t)(at - page)),
                     __ATOMIC_RELEASE);
}

static void write_record(struct rt_thread *t)
{
    struct spool_callback *rec = rt_spool_reserve(t, SPOOL_REC_CALLBACK, SPOOL_CALLBACK_RUNS, sizeof(*rec));
    if (!rec) return;
    rec->time_ns = ls_clock_mono_ns();
    rt_spool_commit(t, rec);
    map_record(&t->writer, rec);
}

static void set_entered(uint32_t entered)
{
    struct spool_callback *rec = __atomic_load_n(&marker.rec, __ATOMIC_ACQUIRE);
    if (rec) __atomic_store_n(&rec->entered, entered, __ATOMIC_RELEASE);
}

/* Before a call. */
static void marker_enter(uint32_t node, uint64_t function, uint64_t argument)
{
    if (!marker.rec) return;
    marker.rec->node = node;
    marker.rec->function = function;
    marker.rec->argument = argument;
    set_entered(1);
}

static void marker_leave(void)
{
    set_entered(0);
}

/* The file is about to be closed, or is not ours any more (in a fork child it is the parent's, where nothing
 * is written): the next call writes another record. */
static void marker_close(void)
{
    if (!marker.rec) return;
    if (rt_tls.thread && rt_tls.thread->own) set_entered(0);
    __atomic_store_n(&marker.rec, NULL, __ATOMIC_RELEASE);
    ls_syscall(SYS_munmap, marker.map_base, 2 * RT_PAGE_BYTES);
}

/* --- a sample --- */

/* The probe's own cost is its reading for a line in L1, less the latency of L1; resolve, which knows the
 * machine's calibration, computes it more exactly. The remainder is carried so that rounding keeps the
 * sum. */
static uint64_t cost_cycles(const struct rt_tap_sample *s)
{
    uint64_t cycles, len;
    if (!(s->flags & SPOOL_ACCESS_LATENCY_VALID)) return 0;
    if (s->is_plain) return s->latency_cycles;
    rt_tap_controls(&cycles, &len);
    const double probe = len ? (double)cycles / (double)len - RT_CALLS_L1_CYCLES : 0;
    const double wanted = (double)s->latency_cycles - probe + calls.carry_cycles;
    const uint64_t whole = wanted > 0 ? (uint64_t)(wanted + 0.5) : 0;
    calls.carry_cycles = wanted - (double)whole;
    return whole;
}

static uint64_t time_ns(const struct rt_tap_sample *s)
{
    const uint64_t ticks = rt_ticks() - rt_state.budget.start_ticks;
    const uint64_t passed_ns = ls_clock_mono_ns() - rt_state.budget.start_ns;
    return s->burst_ns + (ticks ? ls_muldiv_u64(s->tsc_delta, passed_ns, ticks) : 0);
}

/* Run the program's function as in a thread of the program: the hooks record its calls. */
static void *run(const struct ndm_call *c, struct mem_sample *sample)
{
    marker_enter(c->node_id, (uint64_t)(uintptr_t)c->fn, (uint64_t)(uintptr_t)c->user);
    rt_quiet_end();
    void *const result = c->fn(c->node, sample, c->user);
    rt_quiet_begin();
    marker_leave();
    return result;
}

/* The system calls that write the record may sleep: they do not count against the function. */
static void prepare_marker(void)
{
    if (marker.rec) return;
    write_record(rt_tls.thread);
    calls.usage = usage_now();
}

static void *run_timed(struct rt_account *a, const struct ndm_call *c, struct mem_sample *sample)
{
    const uint64_t begin_ns = ls_clock_mono_ns();
    __atomic_store_n(&calls.running_number, calls.running_number + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&calls.running_since_ns, begin_ns, __ATOMIC_RELAXED);
    __atomic_store_n(&calls.running, a, __ATOMIC_RELEASE);
    void *const result = run(c, sample);
    __atomic_store_n(&calls.running, NULL, __ATOMIC_RELEASE);
    book(a, c, ls_clock_mono_ns() - begin_ns);
    return result;
}

static void call(struct rt_account *a, const struct ndm_call *c, const struct rt_tap_sample *s)
{
    struct mem_sample sample = {.daddr = s->addr,
                                .cost = cost_cycles(s),
                                .ip = s->ip,
                                .level = RT_CALLS_LEVEL_UNKNOWN,
                                .time = time_ns(s),
                                .thread = s->tid};
    prepare_marker();
    const struct loadstone_point *p = run_timed(a, c, &sample);
    if (p && c->domain && rt_thread_self()) add_point(s, c, p);
}

void rt_calls_give(const struct rt_tap_sample *s)
{
    struct ndm_call *c = &calls.call;
    if (!rt_calls_are_wanted() || !ndm_call_begin(s->addr, c)) return;
    struct rt_account *a = account_of(c);
    if (!a->is_off && a->is_gone) switch_off(a, SPOOL_CALLBACK_GONE);
    if (!a->is_off && smr_node_born_ns(c->node) <= time_ns(s)) call(a, c, s);
    ndm_call_end(c, a->is_off);
}

void rt_calls_awake(void)
{
    if (rt_calls_are_wanted()) calls.usage = usage_now(); /* else no system call: there may be a filter */
}

void rt_calls_settle(struct rt_thread *t)
{
    flush_points(t);
    if (calls.accounts_len == 0) return;
    calls.usage = usage_now();
    look_at_accounts();
}

void rt_calls_say_farewell(struct rt_thread *t)
{
    flush_points(t);
    for (uint32_t i = 0; i < calls.accounts_len; i++)
        put_news(t, SPOOL_CALLBACK_SUMMARY, &calls.accounts[i]);
    marker_close();
}

void rt_calls_abandoned(struct rt_thread *t)
{
    flush_points(t);
    marker_close();
    if (!calls.running) return;
    switch_off(account_of(&calls.call), SPOOL_CALLBACK_LEFT);
    __atomic_store_n(&calls.running, NULL, __ATOMIC_RELEASE);
    ndm_call_end(&calls.call, true);
    if (ndm_calls_len() == 0) rt_tap_want(false);
}

/* --- for threads that wait --- */

bool rt_calls_are_stuck(uint64_t begin_ns, uint64_t now_ns)
{
    if (!__atomic_load_n(&calls.running, __ATOMIC_ACQUIRE)) return false;
    const uint64_t since_ns = __atomic_load_n(&calls.running_since_ns, __ATOMIC_RELAXED);
    const uint64_t from_ns = since_ns > begin_ns ? since_ns : begin_ns;
    return now_ns > from_ns && now_ns - from_ns > RT_COLLECTOR_STUCK_NS;
}

bool rt_calls_are_known_stuck(void)
{
    return __atomic_load_n(&calls.running, __ATOMIC_ACQUIRE) &&
           __atomic_load_n(&calls.stuck_number, __ATOMIC_RELAXED) ==
               __atomic_load_n(&calls.running_number, __ATOMIC_RELAXED);
}

void rt_calls_report_stuck(void)
{
    const struct rt_account *a = __atomic_load_n(&calls.running, __ATOMIC_ACQUIRE);
    struct rt_thread *t = rt_thread_self();
    if (!a || rt_calls_are_known_stuck()) return;
    __atomic_store_n(&calls.stuck_number, __atomic_load_n(&calls.running_number, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
    if (!t) return;
    rt_quiet_begin();
    put_news(t, SPOOL_CALLBACK_WAITING, a);
    rt_quiet_end();
}

void rt_calls_give_up(void)
{
    if (__atomic_load_n(&calls.running, __ATOMIC_ACQUIRE)) marker_leave();
}

void rt_calls_after_fork_child(void)
{
    calls.running = NULL;
    calls.stuck_number = 0;
    calls.points.points_len = 0;
    calls.round_cpu_ns = 0;
    calls.closed = 0;
    for (uint32_t i = 0; i < calls.accounts_len; i++) {
        struct rt_account *a = &calls.accounts[i];
        a->calls = a->all_ns = a->longest_ns = a->round_ns = a->cpu_ns = 0;
        a->first_ns = ls_clock_mono_ns();
    }
    marker_close();
}
