/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/kn_ranks.h"

#include "common/ls_checked.h"
#include "common/ls_clock.h"
#include "common/ls_env.h"
#include "common/ls_file.h"
#include "common/ls_hash.h"
#include "kernels/kn_memory.h"
#include "kernels/kn_ranks_module.h"
#include "machine/mach_hwloc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KN_TEXT_(x) #x
#define KN_TEXT(x) KN_TEXT_(x)

/* Processors that a rank can report to the others. */
enum { PROCESSORS_MAX = 2048, WORD_BITS = 64 };

struct kn_ranks {
    const struct kn_ranks_module *module;
    struct kn_ranks_info info;
    double timeout_s;
    bool agreed;   /* the last failure is known on all ranks */
    bool lost;     /* the others did not arrive: no further step is possible */
    char why[512]; /* lost: its message */

    /* the watch: a thread that looks at the step that this rank is in */
    pthread_t watch;
    bool watched;
    void (*late)(const struct kn_ranks_info *info, const char *why);
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t leaving;
    bool leaves;
    const char *step;     /* NULL: in none */
    uint64_t step_end_ns; /* it is late then */
};

/* ---- the module ---- */

/* Modules by the variable that gives the rank (common/ls_env.c). A launcher of PMI starts MPICH and its
 * relatives, which have one ABI; others start Open MPI by PMIx. */
static const struct kn_ranks_launch launches[] = {
    {"OMPI_COMM_WORLD_RANK", "loadstone-mpi-openmpi.so", "loadstone-shmem.so", 0, 0},
    {"PMI_RANK", "loadstone-mpi-mpich.so", NULL, 0, 0},
    {"PMIX_RANK", "loadstone-mpi-openmpi.so", "loadstone-shmem.so", 0, 0},
    {"MV2_COMM_WORLD_RANK", "loadstone-mpi-mpich.so", NULL, 0, 0},
    {"PALS_RANKID", "loadstone-mpi-mpich.so", NULL, 0, 0},
};

struct kn_ranks_launch kn_ranks_launch_find(char *(*get)(const char *name))
{
    struct kn_ranks_launch alone = {NULL, launches[0].mpi, launches[0].shmem, 1, 0};
    struct ls_rank rank;
    if (!ls_rank_find(get, &rank)) return alone;
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++)
        if (strcmp(launches[i].launcher, rank.variable) == 0) {
            struct kn_ranks_launch found = launches[i];
            found.len = rank.ranks_len;
            found.rank = rank.rank;
            return found;
        }
    return alone;
}

static ls_err load(const char *path, const struct kn_ranks_module **out)
{
    /* global, because Open MPI's plug-ins look its functions up */
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle) return ls_fail(LS_ERR_NOT_FOUND, "%s cannot be loaded: %s", path, dlerror());
    const struct kn_ranks_module *m = dlsym(handle, KN_TEXT(KN_RANKS_TABLE));
    if (!m || m->version != KN_RANKS_MODULE_VERSION)
        return ls_fail(LS_ERR_VERSION, "%s belongs to another version of Loadstone", path);
    *out = m;
    return LS_OK;
}

/* ---- the watch ---- */

/* Calls of the library that start, create memory, complete accesses or finish wait without limit for a rank
 * that is stuck. The watch then reports that, and ends this process, so that the launcher ends the others. */

/* Checks in the time of a timeout, and seconds that a step with a timeout of its own has in addition. */
enum { WATCH_CHECKS = 4, WATCH_SPARE_S = 1, ABORT_S = 10 };

static void *watch(void *arg)
{
    kn_ranks *r = arg;
    char why[200];
    pthread_mutex_lock(&r->lock);
    while (!r->leaves) {
        const uint64_t next_ns = ls_clock_mono_ns() + (uint64_t)(r->timeout_s / WATCH_CHECKS * LS_NS_PER_S);
        const struct timespec next = {(time_t)(next_ns / LS_NS_PER_S), (long)(next_ns % LS_NS_PER_S)};
        pthread_cond_timedwait(&r->leaving, &r->lock, &next);
        if (r->leaves || !r->step || ls_clock_mono_ns() < r->step_end_ns) continue;
        snprintf(why, sizeof(why),
                 "waited %.0f s for the other ranks (%s): one of them is stuck or much slower", r->timeout_s,
                 r->step);
        r->late(&r->info, why);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static ls_err watch_start(kn_ranks *r)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&r->leaving, &monotonic);
    pthread_condattr_destroy(&monotonic);
    r->watched = r->late && pthread_create(&r->watch, NULL, watch, r) == 0;
    return r->watched || !r->late ? LS_OK : ls_nomem("a thread that watches the ranks");
}

static void watch_stop(kn_ranks *r)
{
    pthread_mutex_lock(&r->lock);
    r->leaves = true;
    pthread_cond_signal(&r->leaving);
    pthread_mutex_unlock(&r->lock);
    if (r->watched) pthread_join(r->watch, NULL);
    pthread_cond_destroy(&r->leaving);
    pthread_mutex_destroy(&r->lock);
}

/* Begin a step, which ends at enter(r, NULL). */
static void enter(kn_ranks *r, const char *step)
{
    const uint64_t end_ns =
        step ? ls_clock_mono_ns() + (uint64_t)((r->timeout_s + WATCH_SPARE_S) * LS_NS_PER_S) : 0;
    pthread_mutex_lock(&r->lock);
    r->step = step;
    r->step_end_ns = end_ns;
    pthread_mutex_unlock(&r->lock);
}

/* ---- steps of all ranks ---- */

static ls_err lose(kn_ranks *r, ls_err err)
{
    r->lost = true;
    r->agreed = false;
    snprintf(r->why, sizeof(r->why), "%s", ls_last_error());
    return err;
}

static ls_err outcome(kn_ranks *r, enum kn_ranks_outcome o, const char *step)
{
    if (o == KN_RANKS_DONE) return LS_OK;
    if (o == KN_RANKS_LATE)
        return lose(r, ls_fail(LS_ERR_BUSY,
                               "waited %.0f s for the other ranks (%s): one of them is stuck or much slower",
                               r->timeout_s, step));
    return lose(r, ls_fail(LS_ERR_UNSUPPORTED, "%s reports an error (%s)", r->info.library, step));
}

/* End the step that enter began. */
static ls_err leave(kn_ranks *r, enum kn_ranks_outcome o)
{
    const char *step = r->step;
    enter(r, NULL);
    return outcome(r, o, step);
}

static ls_err lost(const kn_ranks *r)
{
    return ls_fail(LS_ERR_BUSY, "%s", r->why);
}

ls_err kn_ranks_max(kn_ranks *r, double *values, size_t len)
{
    if (!r) return LS_OK;
    if (r->lost) return lost(r);
    enter(r, len ? "largest value" : "barrier");
    return leave(r, r->module->max(values, len, r->timeout_s));
}

ls_err kn_ranks_broadcast(kn_ranks *r, void *data, size_t len_bytes)
{
    if (!r) return LS_OK;
    if (r->lost) return lost(r);
    enter(r, "broadcast");
    return leave(r, r->module->broadcast(data, len_bytes, 0, r->timeout_s));
}

ls_err kn_ranks_gather(kn_ranks *r, const void *data, size_t len_bytes, void *all)
{
    if (!r) {
        memcpy(all, data, len_bytes);
        return LS_OK;
    }
    if (r->lost) return lost(r);
    enter(r, "gather");
    return leave(r, r->module->gather(data, len_bytes, all, r->timeout_s));
}

/* A failure as one rank reports it to the others. */
struct failure {
    int32_t err;
    char host[KN_RANKS_HOST_BYTES], why[512];
};

ls_err kn_ranks_agree(kn_ranks *r, ls_err own)
{
    if (!r) return own;
    /* the first rank that fails has the largest number; any that fails; any that does not */
    double values[3] = {own ? r->info.len - r->info.rank : 0, own != LS_OK, own == LS_OK};
    struct failure f = {.err = own};
    snprintf(f.host, sizeof(f.host), "%s", r->info.host);
    snprintf(f.why, sizeof(f.why), "%s", own == LS_OK ? "" : ls_last_error());
    LS_TRY(kn_ranks_max(r, values, 3));
    if (values[1] <= 0) return LS_OK;
    const unsigned first = r->info.len - (unsigned)values[0];
    enter(r, "broadcast");
    LS_TRY(leave(r, r->module->broadcast(&f, sizeof(f), first, r->timeout_s)));
    r->agreed = true;
    if (values[2] <= 0) return ls_fail((ls_err)f.err, "%s", f.why);
    return ls_fail((ls_err)f.err, "rank %u on %s: %s", first, f.host, f.why);
}

bool kn_ranks_is_alone(const kn_ranks *r)
{
    return r && !r->agreed;
}

/* ---- processors ---- */

/* A rank as rank 0 sees it. */
struct seat {
    char node[KN_RANKS_HOST_BYTES]; /* the same for all ranks that share processors */
    uint64_t version;
    uint64_t processors[PROCESSORS_MAX / WORD_BITS];
    uint32_t rank;
};

/* The answer. */
struct place {
    uint32_t local, local_len, nodes;
    uint32_t same;     /* all ranks of the node may use the same processors */
    uint32_t disjoint; /* no two of them may use the same one */
    uint32_t odd;      /* 1 + the first rank of another version than rank 0's; 0: none */
};

/* Containers of one machine have several names, and one boot. */
static void name_node(char out[KN_RANKS_HOST_BYTES], const char *host)
{
    ls_file_read("/proc/sys/kernel/random/boot_id", out, KN_RANKS_HOST_BYTES);
    out[strcspn(out, "\n")] = '\0';
    if (!*out) snprintf(out, KN_RANKS_HOST_BYTES, "%s", host);
}

static int by_node(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    const int order = strncmp(x->node, y->node, sizeof(x->node));
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static void note_node(const struct seat *seats, uint32_t len, struct place *places)
{
    uint64_t all[PROCESSORS_MAX / WORD_BITS] = {0};
    uint32_t same = 1, disjoint = 1;
    for (uint32_t s = 0; s < len; s++) {
        same &= memcmp(seats[s].processors, seats[0].processors, sizeof(all)) == 0;
        for (int w = 0; w < PROCESSORS_MAX / WORD_BITS; w++) {
            if (all[w] & seats[s].processors[w]) disjoint = 0;
            all[w] |= seats[s].processors[w];
        }
    }
    for (uint32_t s = 0; s < len; s++)
        places[seats[s].rank] =
            (struct place){.local = s, .local_len = len, .same = same, .disjoint = disjoint};
}

static void place_all(struct seat *seats, uint32_t len, struct place *places)
{
    uint32_t nodes = 0, odd = 0;
    for (uint32_t s = len; s-- > 1;)
        if (seats[s].version != seats[0].version) odd = s + 1;
    qsort(seats, len, sizeof(*seats), by_node);
    for (uint32_t begin = 0, end; begin < len; begin = end, nodes++) {
        for (end = begin + 1; end < len && strcmp(seats[end].node, seats[begin].node) == 0;)
            end++;
        note_node(seats + begin, end - begin, places);
    }
    for (uint32_t s = 0; s < len; s++) {
        places[s].nodes = nodes;
        places[s].odd = odd;
    }
}

static ls_err exchange(kn_ranks *r, const struct seat *mine, struct place *out)
{
    const unsigned len = r->info.rank == 0 ? r->info.len : 0;
    struct seat *seats = calloc(len + 1, sizeof(*seats));
    struct place *places = calloc(len + 1, sizeof(*places));
    ls_err err = kn_ranks_agree(r, seats && places ? LS_OK : ls_nomem("%u ranks", len));
    if (err == LS_OK) err = kn_ranks_gather(r, mine, sizeof(*mine), seats);
    if (err == LS_OK && len) place_all(seats, len, places);
    if (err == LS_OK) {
        enter(r, "scatter");
        err = leave(r, r->module->scatter(places, sizeof(*out), out, r->timeout_s));
    }
    free(seats);
    free(places);
    return err;
}

/* Return part number `local` of local_len: whole cores if there are enough. */
static void part_of(hwloc_topology_t t, const struct kn_ranks_info *info, hwloc_cpuset_t set)
{
    hwloc_obj_type_t type = HWLOC_OBJ_CORE;
    unsigned things = (unsigned)hwloc_get_nbobjs_inside_cpuset_by_type(t, set, type);
    if (things < info->local_len) {
        type = HWLOC_OBJ_PU;
        things = (unsigned)hwloc_get_nbobjs_inside_cpuset_by_type(t, set, type);
    }
    const unsigned begin = (unsigned)((uint64_t)things * info->local / info->local_len);
    const unsigned end = (unsigned)((uint64_t)things * (info->local + 1) / info->local_len);
    hwloc_bitmap_t part = hwloc_bitmap_alloc();
    for (unsigned i = begin; part && i < end; i++)
        hwloc_bitmap_or(part, part, hwloc_get_obj_inside_cpuset_by_type(t, set, type, i)->cpuset);
    if (part) hwloc_bitmap_and(set, set, part);
    if (part) hwloc_bitmap_free(part);
}

/* Share the node's processors with its other ranks; set is where this rank may run. */
static void settle(kn_ranks *r, const struct place *p, hwloc_topology_t t, hwloc_cpuset_t set,
                   enum kn_pin pin)
{
    struct kn_ranks_info *i = &r->info;
    const unsigned processors = (unsigned)hwloc_bitmap_weight(set);
    i->local = p->local;
    i->local_len = p->local_len;
    i->nodes = p->nodes;
    i->bound = p->disjoint;
    i->threads = processors;
    if (!p->disjoint) {
        i->threads = processors > p->local_len ? processors / p->local_len : 1;
        if (p->same && processors >= p->local_len && pin != KN_PIN_NONE) {
            part_of(t, i, set);
            i->bound = hwloc_set_cpubind(t, set, HWLOC_CPUBIND_THREAD) == 0;
            i->threads = (unsigned)hwloc_bitmap_weight(set);
        }
    }
    if (getenv("OMP_NUM_THREADS")) i->threads = 0;
    hwloc_bitmap_list_snprintf(i->processors, sizeof(i->processors), set);
}

static ls_err take_place(kn_ranks *r, hwloc_topology_t t, hwloc_cpuset_t set, enum kn_pin pin)
{
    struct seat mine = {.version = ls_hash_text(LS_HASH_BEGIN, PACKAGE_VERSION), .rank = r->info.rank};
    struct place p;
    name_node(mine.node, r->info.host);
    for (int bit = hwloc_bitmap_first(set); bit >= 0 && bit < PROCESSORS_MAX;
         bit = hwloc_bitmap_next(set, bit))
        mine.processors[bit / WORD_BITS] |= UINT64_C(1) << (bit % WORD_BITS);
    LS_TRY(exchange(r, &mine, &p));
    if (p.odd)
        return kn_ranks_agree(
            r, ls_fail(LS_ERR_VERSION,
                       "rank %u runs another version of Loadstone than rank 0 (" PACKAGE_VERSION
                       "): install the same one on all nodes",
                       p.odd - 1));
    settle(r, &p, t, set, pin);
    return LS_OK;
}

static ls_err find_place(kn_ranks *r, enum kn_pin pin)
{
    const hwloc_topology_t t = mach_hwloc_load();
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    const bool known = t && set && hwloc_get_cpubind(t, set, HWLOC_CPUBIND_THREAD) == 0;
    ls_err err = kn_ranks_agree(
        r, known ? LS_OK : ls_fail(LS_ERR_UNSUPPORTED, "hwloc does not find the processors of this rank"));
    if (err == LS_OK) err = take_place(r, t, set, pin);
    if (t) hwloc_topology_destroy(t);
    if (set) hwloc_bitmap_free(set);
    return err;
}

/* ---- ranks ---- */

static ls_err start(kn_ranks *r, const struct kn_ranks_settings *s)
{
    LS_TRY(load(s->module, &r->module));
    enter(r, "start");
    const enum kn_ranks_outcome started = r->module->start();
    enter(r, NULL);
    if (started != KN_RANKS_DONE)
        return ls_fail(LS_ERR_UNSUPPORTED, "%s of %s does not start here", r->module->name, s->module);
    r->module->describe(r->info.library, sizeof(r->info.library));
    r->info.rank = r->module->rank();
    r->info.len = r->module->len();
    if (s->len && r->info.len != s->len)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "the launcher started %u ranks, but %s finds %u: launcher and library are of different "
            "installations",
            s->len, r->info.library, r->info.len);
    return LS_OK;
}

ls_err kn_ranks_new(const struct kn_ranks_settings *s, kn_ranks **out)
{
    kn_ranks *r = calloc(1, sizeof(*r));
    if (!r) return ls_nomem("ranks");
    r->timeout_s = s->timeout_s;
    r->info.rank = s->rank;
    r->late = s->late;
    if (gethostname(r->info.host, sizeof(r->info.host) - 1) != 0) strcpy(r->info.host, "?");
    ls_err err = watch_start(r);
    if (err == LS_OK) err = start(r, s);
    if (err != LS_OK) { /* the launcher ends the others */
        watch_stop(r);
        free(r);
        return err;
    }
    *out = r;
    return find_place(r, s->pin);
}

void kn_ranks_free(kn_ranks *r)
{
    if (!r) return;
    enter(r, "end");
    r->module->stop();
    enter(r, NULL);
    watch_stop(r);
    free(r);
}

void kn_ranks_abort(kn_ranks *r, int status)
{
    if (!r) return;
    signal(SIGALRM, SIG_DFL); /* ends this process, and so the others, if the library's abort is stuck */
    alarm(ABORT_S);
    r->module->abort(status);
}

const struct kn_ranks_info *kn_ranks_info(const kn_ranks *r)
{
    static const struct kn_ranks_info alone = {.len = 1, .nodes = 1, .local_len = 1};
    return r ? &r->info : &alone;
}

ls_err kn_ranks_memory_check(const kn_ranks *r, const char *name, uint64_t need_bytes, uint64_t limit_bytes)
{
    const unsigned local_len = kn_ranks_info(r)->local_len;
    char label[192];
    uint64_t all_bytes;
    if (limit_bytes || local_len == 1) return kn_memory_check(name, need_bytes, limit_bytes);
    snprintf(label, sizeof(label), "%s on %u ranks of this node", name, local_len);
    if (!ls_mul_u64(need_bytes, local_len, &all_bytes)) all_bytes = UINT64_MAX;
    return kn_memory_check(label, all_bytes, 0);
}

/* ---- memory of all ranks ---- */

static ls_err allocate(struct kn_ranks_array *a)
{
    void *base = NULL;
    kn_ranks *r = a->ranks;
    const unsigned ranks = r->info.len;
    a->begins = malloc((ranks + 1) * sizeof(*a->begins));
    for (unsigned k = 0; a->begins && k <= ranks; k++)
        a->begins[k] = ls_muldiv_u64(a->len, k, ranks);
    LS_TRY(kn_ranks_agree(r, a->begins ? LS_OK : ls_nomem("%u ranks", ranks)));
    a->begin = a->begins[r->info.rank];
    a->end = a->begins[r->info.rank + 1];
    enter(r, "allocation");
    a->window = r->module->window_new((a->len / ranks + 1) * a->element_bytes, &base);
    enter(r, NULL);
    a->own = base;
    LS_TRY(kn_ranks_agree(
        r, a->window ? LS_OK
                     : ls_nomem("%llu elements of memory that all ranks use%s",
                                (unsigned long long)(a->end - a->begin),
                                strcmp(r->module->name, "OpenSHMEM") ? "" : ": raise SHMEM_SYMMETRIC_SIZE")));
    enter(r, "opening of memory");
    return kn_ranks_agree(r, leave(r, r->module->window_open(a->window)));
}

ls_err kn_ranks_array_init(struct kn_ranks_array *out, kn_ranks *r, uint64_t len, unsigned element_bytes)
{
    *out = (struct kn_ranks_array){.ranks = r,
                                   .len = len,
                                   .ranks_per_element = (double)r->info.len / (double)len,
                                   .element_bytes = element_bytes};
    return allocate(out);
}

void kn_ranks_array_fini(struct kn_ranks_array *a)
{
    if (a->window && !a->ranks->lost) {
        enter(a->ranks, "release");
        a->ranks->module->window_free(a->window);
        enter(a->ranks, NULL);
    }
    free(a->begins);
    *a = (struct kn_ranks_array){NULL};
}

/* Return the rank whose part contains e; the quotient differs from it by at most one. */
static unsigned owner_of(const struct kn_ranks_array *a, uint64_t e)
{
    unsigned rank = (unsigned)((double)e * a->ranks_per_element);
    if (rank >= a->ranks->info.len) rank = a->ranks->info.len - 1;
    while (a->begins[rank] > e)
        rank--;
    while (a->begins[rank + 1] <= e)
        rank++;
    return rank;
}

ls_err kn_ranks_array_get(const struct kn_ranks_array *a, uint64_t e, void *to)
{
    if (e >= a->begin && e < a->end) {
        memcpy(to, a->own + (e - a->begin) * a->element_bytes, a->element_bytes);
        return LS_OK;
    }
    const unsigned rank = owner_of(a, e);
    return outcome(a->ranks,
                   a->ranks->module->get(a->window, to, rank, (e - a->begins[rank]) * a->element_bytes,
                                         a->element_bytes),
                   "get");
}

ls_err kn_ranks_array_put(const struct kn_ranks_array *a, uint64_t e, const void *from)
{
    if (e >= a->begin && e < a->end) {
        memcpy(a->own + (e - a->begin) * a->element_bytes, from, a->element_bytes);
        return LS_OK;
    }
    const unsigned rank = owner_of(a, e);
    return outcome(a->ranks,
                   a->ranks->module->put(a->window, from, rank, (e - a->begins[rank]) * a->element_bytes,
                                         a->element_bytes),
                   "put");
}

ls_err kn_ranks_array_settle(const struct kn_ranks_array *a)
{
    enter(a->ranks, "settle");
    return leave(a->ranks, a->ranks->module->settle(a->window));
}
