/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/kn_backend.h"

#include "common/ls_clock.h"
#include "common/ls_file.h"
#include "kernels/kn_ranks.h"
#include "kernels/kn_team.h"
#include "machine/mach_hwloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef HAVE_OPENMP
#include <omp.h>
#endif

/* ---- backends ---- */

static bool always(void)
{
    return true;
}

static unsigned one_thread(void)
{
    return 1;
}

/* Run the shares in order in the calling thread. */
static void run_in_turn(unsigned shares, kn_task *task, void *arg)
{
    for (unsigned s = 0; s < shares; s++)
        task(arg, s);
}

/* ---- times ---- */

/* The use of its processor by a thread, so far. It is read outside the timed runs, because this needs system calls. */
struct reading {
    int queue; /* schedstat of the thread, kept open: opening takes longer than reading; -1: there is none */
    struct kn_usage sofar;
};

/* Return the time that the thread was ready to run and had no processor. KN_QUEUED_UNKNOWN: the kernel does not count it. */
static uint64_t read_queued_ns(int fd)
{
    char text[96];
    unsigned long long queued_ns, slices;
    const ssize_t len = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
    if (len <= 0) return KN_QUEUED_UNKNOWN;
    text[len] = '\0';
    return sscanf(text, "%*u %llu %llu", &queued_ns, &slices) == 2 && slices ? queued_ns : KN_QUEUED_UNKNOWN;
}

static void read_switches(struct kn_usage *u, int queue)
{
    struct rusage r = {0};
    getrusage(RUSAGE_THREAD, &r);
    u->waits = r.ru_nvcsw;
    u->preemptions = r.ru_nivcsw;
    u->queued_ns = read_queued_ns(queue);
}

/* Read the wall clock last at the begin and first at the end, so that the CPU time covers slightly more. */
static struct reading usage_begin(void)
{
    struct reading r = {.queue = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)};
    read_switches(&r.sofar, r.queue);
    r.sofar.cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    r.sofar.wall_ns = ls_clock_mono_ns();
    return r;
}

/* The use of the processor since begin, which ends. end_ns: the end of the timed runs. */
static struct kn_usage usage_end(const struct reading *begin, uint64_t end_ns)
{
    const struct kn_usage *b = &begin->sofar;
    const uint64_t now_ns = ls_clock_mono_ns();
    struct kn_usage u = {.wall_ns = now_ns - b->wall_ns, .late_ns = now_ns > end_ns ? now_ns - end_ns : 0};
    u.cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - b->cpu_ns;
    read_switches(&u, begin->queue);
    if (begin->queue >= 0) close(begin->queue);
    u.waits -= b->waits;
    u.preemptions -= b->preemptions;
    if (u.queued_ns != KN_QUEUED_UNKNOWN) u.queued_ns -= b->queued_ns;
    return u;
}

uint64_t kn_usage_lost_ns(const struct kn_usage *u)
{
    const uint64_t off_ns = u->wall_ns > u->cpu_ns ? u->wall_ns - u->cpu_ns : 0;
    if (!u->waits) return off_ns;
    if (u->queued_ns != KN_QUEUED_UNKNOWN) return u->queued_ns > u->late_ns ? u->queued_ns - u->late_ns : 0;
    return u->preemptions ? off_ns : 0;
}

static void note_usage(struct kn_timing *t, const struct kn_usage *u)
{
    if (u->cpu_ns > t->cpu_ns) t->cpu_ns = u->cpu_ns;
    if (20 * kn_usage_lost_ns(u) > t->end_ns - t->begin_ns) t->interrupted = true;
}

static void run_timed(struct kn_timing *t)
{
    t->begin_ns = ls_clock_mono_ns();
    for (unsigned n = 0; n < t->turn.repeats; n++)
        run_in_turn(t->shares, t->task, t->arg);
    t->end_ns = ls_clock_mono_ns();
}

static void time_in_turn(struct kn_timing *t)
{
    if (t->turn.wall_only) {
        run_timed(t);
        return;
    }
    const struct reading begin = usage_begin();
    run_timed(t);
    const struct kn_usage used = usage_end(&begin, t->end_ns);
    note_usage(t, &used);
}

const struct kn_backend kn_backend_serial = {.name = "serial",
                                             .summary = "the calling thread",
                                             .built = always,
                                             .threads_max = one_thread,
                                             .threads_default = one_thread,
                                             .parallel = run_in_turn,
                                             .time = time_in_turn};

#ifdef HAVE_OPENMP
/* OpenMP's threads continue to exist between runs, so that the time of a run does not include their creation. */
static unsigned processors(void)
{
    static unsigned there; /* before threads are pinned; each call of OpenMP's function is a system call */
    if (!there) there = (unsigned)omp_get_num_procs();
    return there;
}

static unsigned as_asked(void)
{
    return (unsigned)omp_get_max_threads();
}

/* Run the shares of one member of a team. */
static void run_own(const struct kn_timing *t, unsigned member, unsigned members)
{
    for (unsigned s = member; s < t->shares; s += members)
        t->task(t->arg, s);
}

static void run_part(void *arg, unsigned member, unsigned members)
{
    run_own(arg, member, members);
}

static void parallel(unsigned shares, kn_task *task, void *arg)
{
    struct kn_timing t = {.task = task, .arg = arg, .shares = shares};
    if (shares == 1)
        task(arg, 0);
    else
        kn_team_call(shares, run_part, &t);
}

/* Time the runs of a team that is awake: the first wait is for all, the second one is timed. */
static void time_part(void *arg, unsigned member, unsigned members)
{
    struct kn_timing *t = arg;
    kn_team_part_ways(member);
    const struct reading begin = t->turn.wall_only ? (struct reading){0} : usage_begin();
    kn_team_wait_timed(&t->begin_ns);
    for (unsigned n = 0; n < t->turn.repeats; n++) {
        run_own(t, member, members);
        kn_team_wait_timed(n + 1 < t->turn.repeats ? NULL : &t->end_ns);
    }
    if (t->turn.wall_only) return;
    const struct kn_usage used = usage_end(&begin, t->end_ns);
#pragma omp critical
    note_usage(t, &used);
}

static void time_team(struct kn_timing *t)
{
    if (t->shares == 1)
        time_in_turn(t);
    else
        kn_team_call(t->shares, time_part, t);
}

static const struct kn_backend kn_backend_openmp = {.name = "openmp",
                                                    .summary = "OpenMP threads",
                                                    .built = always,
                                                    .threads_max = processors,
                                                    .threads_default = as_asked,
                                                    .parallel = parallel,
                                                    .time = time_team,
                                                    .engage = kn_team_engage};

const struct kn_backend kn_backend_scalar = {.name = "scalar",
                                             .summary = "OpenMP threads without vectorisation: the baseline",
                                             .method = KN_METHOD_SCALAR,
                                             .built = always,
                                             .threads_max = processors,
                                             .threads_default = as_asked,
                                             .parallel = parallel,
                                             .time = time_team,
                                             .engage = kn_team_engage};

#define HOST_THREADS_MAX processors
#define HOST_THREADS as_asked
#define HOST_PARALLEL parallel
#define HOST_TIME time_team

#else
#define HOST_THREADS_MAX one_thread
#define HOST_THREADS one_thread
#define HOST_PARALLEL run_in_turn
#define HOST_TIME time_in_turn

/* A compiler without OpenMP: one thread. */
static bool never(void)
{
    return false;
}

static const struct kn_backend kn_backend_openmp = {.name = "openmp",
                                                    .summary = "OpenMP threads",
                                                    .built = never,
                                                    .threads_max = one_thread,
                                                    .threads_default = one_thread,
                                                    .parallel = run_in_turn,
                                                    .time = time_in_turn};

const struct kn_backend kn_backend_scalar = {.name = "scalar",
                                             .summary =
                                                 "the calling thread without vectorisation: the baseline",
                                             .method = KN_METHOD_SCALAR,
                                             .built = always,
                                             .threads_max = one_thread,
                                             .threads_default = one_thread,
                                             .parallel = run_in_turn,
                                             .time = time_in_turn};
#endif

/* Devices; their drivers are in kernels/gpu/. */
extern const struct kn_gpu_driver kn_gpu_opencl, kn_gpu_cuda, kn_gpu_hip;

static const struct kn_backend kn_backend_opencl = {.name = "opencl",
                                                    .summary = "devices by OpenCL",
                                                    .built = always,
                                                    .threads_max = HOST_THREADS_MAX,
                                                    .threads_default = HOST_THREADS,
                                                    .parallel = HOST_PARALLEL,
                                                    .time = HOST_TIME,
                                                    .device = &kn_gpu_opencl};

static const struct kn_backend kn_backend_cuda = {.name = "cuda",
                                                  .summary = "devices of NVIDIA by their driver",
                                                  .built = always,
                                                  .threads_max = HOST_THREADS_MAX,
                                                  .threads_default = HOST_THREADS,
                                                  .parallel = HOST_PARALLEL,
                                                  .time = HOST_TIME,
                                                  .device = &kn_gpu_cuda};

static const struct kn_backend kn_backend_hip = {.name = "hip",
                                                 .summary = "devices of AMD by ROCm",
                                                 .built = always,
                                                 .threads_max = HOST_THREADS_MAX,
                                                 .threads_default = HOST_THREADS,
                                                 .parallel = HOST_PARALLEL,
                                                 .time = HOST_TIME,
                                                 .device = &kn_gpu_hip};

/* The first that was built is the default. */
const struct kn_backend *const kn_backends[] = {&kn_backend_openmp,
                                                &kn_backend_serial,
                                                &kn_backend_scalar,
                                                &kn_backend_opencl,
                                                &kn_backend_cuda,
                                                &kn_backend_hip,
                                                NULL};

static const struct kn_backend *find(const char *name)
{
    for (const struct kn_backend *const *b = kn_backends; *b; b++)
        if (name ? strcasecmp((*b)->name, name) == 0 : (*b)->built()) return *b;
    return NULL;
}

static ls_err fail_unknown(const char *name, const char *why)
{
    char known[128] = "";
    for (const struct kn_backend *const *b = kn_backends; *b; b++) {
        if (!(*b)->built()) continue;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", (*b)->name);
    }
    return ls_fail(LS_ERR_UNSUPPORTED, "backend '%s' %s; there are %s", name, why, known);
}

void kn_backend_engage(const struct kn_backend *b, unsigned threads, void (*body)(void *arg), void *arg)
{
    if (b->engage)
        b->engage(threads, body, arg);
    else
        body(arg);
}

struct kn_span kn_backend_time(const struct kn_backend *b, unsigned shares, struct kn_turn turn,
                               kn_task *task, void *arg)
{
    struct kn_timing t = {.task = task, .arg = arg, .shares = shares, .turn = turn};
    b->time(&t);
    const uint64_t ns = t.end_ns > t.begin_ns ? t.end_ns - t.begin_ns : 1;
    const uint64_t cpu_ns = turn.wall_only ? ns : t.cpu_ns ? t.cpu_ns : 1;
    return (struct kn_span){.seconds = (double)ns / (double)LS_NS_PER_S / turn.repeats,
                            .cpu_seconds = (double)cpu_ns / (double)LS_NS_PER_S / turn.repeats,
                            .interrupted = t.interrupted,
                            .begin_ns = t.begin_ns,
                            .end_ns = t.begin_ns + ns};
}

unsigned kn_backend_threads_asked(const struct kn_options *o, const struct kn_backend *b)
{
    const unsigned own = b->threads_default(), share = kn_ranks_info(o->ranks)->threads;
    if (o->threads) return o->threads;
    return share && share < own ? share : own;
}

ls_err kn_backend_choose(const struct kn_options *o, const struct kn_backend **out, unsigned *out_threads)
{
    const struct kn_backend *b = find(o->backend);
    if (!b) return fail_unknown(o->backend, "does not exist");
    if (!b->built()) return fail_unknown(o->backend, "was not built");
    if (b->method != KN_METHOD_AUTO && o->method != KN_METHOD_AUTO && o->method != b->method)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "backend %s runs method %s only; take another backend for method %s", b->name,
                       kn_method_name(b->method), kn_method_name(o->method));
    unsigned threads = kn_backend_threads_asked(o, b);
    if (o->clamp_threads && threads > b->threads_max()) threads = b->threads_max();
    if (threads > b->threads_max())
        return ls_fail(LS_ERR_UNSUPPORTED, "%u threads asked for%s, but backend %s has %u processor%s here",
                       threads, o->threads ? "" : " by OMP_NUM_THREADS", b->name, b->threads_max(),
                       b->threads_max() == 1 ? "" : "s");
    *out = b;
    *out_threads = threads;
    return LS_OK;
}

/* ---- threads bound to processors ---- */

enum { TWINS_MAX = 64 };

struct kn_pins {
    const struct kn_backend *backend;
    unsigned threads;
    enum kn_pin how;
    hwloc_topology_t topology; /* the process' */
    hwloc_cpuset_t before;     /* binding of the calling thread before pinning */
    hwloc_cpuset_t *sets;      /* by share */
    atomic_int refused;
};

/* OpenMP's own environment variables for binding; they take precedence. */
static const char *const affinity_variables[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                                 "KMP_AFFINITY"};

/* Number of threads of the whole machine that run or are ready to run (proc_loadavg(5)), or -1. */
static long running_threads(void)
{
    char text[128];
    long running = -1;
    ls_file_read("/proc/loadavg", text, sizeof(text));
    return sscanf(text, "%*s %*s %*s %ld/", &running) == 1 ? running : -1;
}

/* Count the running threads of this process: waiting threads of OpenMP spin for a while (proc_pid_stat(5)). */
static long running_threads_here(void)
{
    DIR *tasks = opendir("/proc/self/task");
    long running = 0;
    for (struct dirent *d; tasks && (d = readdir(tasks));) {
        if (d->d_name[0] == '.') continue; /* ".." is the process, which would count twice */
        char path[64 + sizeof(d->d_name)], text[256];
        snprintf(path, sizeof(path), "/proc/self/task/%s/stat", d->d_name);
        ls_file_read(path, text, sizeof(text));
        const char *behind_name = strrchr(text, ')');
        running += behind_name && behind_name[1] == ' ' && behind_name[2] == 'R';
    }
    if (tasks) closedir(tasks);
    return running;
}

enum { LOOKS = 3 };
static const struct timespec between_looks = {.tv_nsec = 200 * 1000};

/* The least number of other programs' threads that run, of some looks. Most programs run only for a moment. */
static unsigned count_others(void)
{
    long least = LONG_MAX;
    for (int look = 0; look < LOOKS && least > 0; look++) {
        if (look) nanosleep(&between_looks, NULL);
        const long others = running_threads() - running_threads_here();
        if (others < least) least = others;
    }
    return least > 0 ? (unsigned)least : 0;
}

/* The same, or the answer of up to a second ago: looking takes longer than many replays. */
static unsigned others(void)
{
    static uint64_t looked_ns;
    static unsigned running;
    if (!looked_ns || ls_clock_mono_ns() - looked_ns > LS_NS_PER_S) {
        running = count_others();
        looked_ns = ls_clock_mono_ns();
    }
    return running;
}

bool kn_is_crowded(unsigned threads)
{
    return others() + threads > HOST_THREADS_MAX();
}

static enum kn_pin decide(const struct kn_backend *b, unsigned threads, enum kn_pin how)
{
    if (how != KN_PIN_AUTO) return how;
    for (size_t i = 0; i < sizeof(affinity_variables) / sizeof(affinity_variables[0]); i++)
        if (getenv(affinity_variables[i])) return KN_PIN_NONE;
    return threads > 1 && threads == b->threads_max() && others() == 0 ? KN_PIN_CLOSE : KN_PIN_NONE;
}

static void bind_share(void *arg, unsigned share)
{
    struct kn_pins *p = arg;
    if (hwloc_set_cpubind(p->topology, p->sets[share], HWLOC_CPUBIND_THREAD) != 0) p->refused = 1;
}

static void release_share(void *arg, unsigned share)
{
    struct kn_pins *p = arg;
    (void)share;
    if (hwloc_set_cpubind(p->topology, p->before, HWLOC_CPUBIND_THREAD) != 0) p->refused = 1;
}

/* Cores in order, first their first processor, then their second: SMT twins come last. */
static hwloc_obj_t close_processor(hwloc_topology_t t, unsigned share)
{
    const unsigned cores = (unsigned)hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
    unsigned left = share;
    if (cores == 0) return hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, share);
    for (unsigned twin = 0; twin < TWINS_MAX; twin++)
        for (unsigned c = 0; c < cores; c++) {
            hwloc_obj_t core = hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, c);
            hwloc_obj_t pu = hwloc_get_obj_inside_cpuset_by_type(t, core->cpuset, HWLOC_OBJ_PU, twin);
            if (pu && left-- == 0) return pu;
        }
    return NULL;
}

static ls_err spread(struct kn_pins *p)
{
    hwloc_obj_t root = hwloc_get_root_obj(p->topology);
    if (hwloc_distrib(p->topology, &root, 1, p->sets, p->threads, INT_MAX, 0) != 0)
        return ls_fail(LS_ERR_UNSUPPORTED, "hwloc cannot spread %u threads over this machine", p->threads);
    for (unsigned i = 0; i < p->threads; i++)
        hwloc_bitmap_singlify(p->sets[i]);
    return LS_OK;
}

static ls_err close_up(struct kn_pins *p)
{
    for (unsigned i = 0; i < p->threads; i++) {
        const hwloc_obj_t pu = close_processor(p->topology, i);
        if (!pu) return ls_fail(LS_ERR_UNSUPPORTED, "no processor for thread %u of %u", i + 1, p->threads);
        if (!(p->sets[i] = hwloc_bitmap_dup(pu->cpuset))) return ls_nomem("pinning threads");
    }
    return LS_OK;
}

/* Return the processors that this process may use, or NULL. They are found once, because this takes longer
 * than many replays. */
static hwloc_topology_t processors_allowed(void)
{
    static hwloc_topology_t found;
    if (found) return found;
    const hwloc_topology_t t = mach_hwloc_load();
    const hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
    if (t && allowed && hwloc_get_cpubind(t, allowed, HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_topology_restrict(t, allowed, 0) == 0)
        found = t;
    else if (t)
        hwloc_topology_destroy(t);
    if (allowed) hwloc_bitmap_free(allowed);
    return found;
}

static ls_err load(struct kn_pins *p)
{
    p->before = hwloc_bitmap_alloc();
    p->sets = calloc(p->threads, sizeof(hwloc_cpuset_t));
    if (!p->before || !p->sets) return ls_nomem("pinning threads");
    p->topology = processors_allowed();
    if (!p->topology || hwloc_get_cpubind(p->topology, p->before, HWLOC_CPUBIND_THREAD) != 0)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "the allowed processors of threads are unknown, so threads are not pinned");
    return LS_OK;
}

static void free_pins(struct kn_pins *p)
{
    for (unsigned i = 0; i < p->threads && p->sets; i++)
        if (p->sets[i]) hwloc_bitmap_free(p->sets[i]);
    free(p->sets);
    if (p->before) hwloc_bitmap_free(p->before);
    free(p);
}

static ls_err bind_all(struct kn_pins *p)
{
    LS_TRY(load(p));
    LS_TRY(p->how == KN_PIN_SPREAD ? spread(p) : close_up(p));
    p->backend->parallel(p->threads, bind_share, p);
    if (!p->refused) return LS_OK;
    p->backend->parallel(p->threads, release_share, p);
    return ls_fail(LS_ERR_UNSUPPORTED, "the system refuses to pin threads");
}

ls_err kn_pin(const struct kn_backend *b, unsigned threads, enum kn_pin how, kn_pins **out)
{
    const enum kn_pin decided = decide(b, threads, how);
    *out = NULL;
    if (decided == KN_PIN_NONE) return LS_OK;
    struct kn_pins *p = calloc(1, sizeof(*p));
    if (!p) return ls_nomem("pinning threads");
    *p = (struct kn_pins){.backend = b, .threads = threads, .how = decided};
    const ls_err err = bind_all(p);
    if (err == LS_OK)
        *out = p;
    else
        free_pins(p);
    return how == KN_PIN_AUTO ? LS_OK : err;
}

enum kn_pin kn_pinned(const kn_pins *p)
{
    return p ? p->how : KN_PIN_NONE;
}

void kn_unpin(kn_pins *p)
{
    if (!p) return;
    p->backend->parallel(p->threads, release_share, p);
    free_pins(p);
}
