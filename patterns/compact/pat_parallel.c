/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity */
#include "patterns/compact/pat_compact_parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

enum { PARALLEL_THREADS = 16, PARALLEL_TEXT = 512 };

struct parallel {
    const struct pat_jobs *jobs;
    pthread_mutex_t lock;
    pthread_cond_t lighter;
    size_t next;
    uint64_t weight; /* weight of the running jobs */
    size_t at_work;
    size_t failed; /* the least failed job; len: none */
    ls_err err;
    char why[PARALLEL_TEXT];
};

static uint64_t parallel_weight(const struct parallel *p, size_t i)
{
    return p->jobs->weigh ? p->jobs->weigh(p->jobs->user, i) : 0;
}

static bool parallel_is_over(const struct parallel *p)
{
    return p->next >= p->jobs->len || p->err != LS_OK;
}

/* Take the next job, once its weight fits. False: none is left. */
static bool parallel_take(struct parallel *p, size_t *out)
{
    pthread_mutex_lock(&p->lock);
    while (!parallel_is_over(p) && p->at_work > 0 &&
           p->weight + parallel_weight(p, p->next) > p->jobs->weight_max)
        pthread_cond_wait(&p->lighter, &p->lock);
    const bool is_any = !parallel_is_over(p);
    if (is_any) {
        *out = p->next++;
        p->weight += parallel_weight(p, *out);
        p->at_work++;
    }
    pthread_mutex_unlock(&p->lock);
    return is_any;
}

static void parallel_done(struct parallel *p, size_t i, ls_err err)
{
    pthread_mutex_lock(&p->lock);
    p->weight -= parallel_weight(p, i);
    p->at_work--;
    if (err != LS_OK && i < p->failed) {
        p->failed = i;
        p->err = err;
        snprintf(p->why, sizeof(p->why), "%s", ls_last_error());
    }
    pthread_cond_broadcast(&p->lighter);
    pthread_mutex_unlock(&p->lock);
}

static void *parallel_work(void *user)
{
    struct parallel *p = user;
    size_t i;
    while (parallel_take(p, &i))
        parallel_done(p, i, p->jobs->run(p->jobs->user, i));
    return NULL;
}

/* Number of threads that the work is worth, this one included. */
static size_t parallel_worth(const struct parallel *p)
{
    const size_t len = p->jobs->len, most = len < PARALLEL_THREADS ? len : PARALLEL_THREADS;
    uint64_t weight = 0;
    if (p->jobs->weight_min == 0) return most;
    for (size_t i = 0; i < len && weight / p->jobs->weight_min < most; i++)
        weight += parallel_weight(p, i);
    return weight / p->jobs->weight_min < most ? (size_t)(weight / p->jobs->weight_min) : most;
}

static size_t parallel_threads(const struct parallel *p)
{
    cpu_set_t cpus;
    size_t most = parallel_worth(p);
    /* more processors than the set has room for: as many as the limit */
    if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && (size_t)CPU_COUNT(&cpus) < most)
        most = (size_t)CPU_COUNT(&cpus);
    return most;
}

ls_err pat_parallel(const struct pat_jobs *jobs)
{
    struct parallel p = {.jobs = jobs,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .lighter = PTHREAD_COND_INITIALIZER,
                         .failed = jobs->len};
    pthread_t others[PARALLEL_THREADS];
    const size_t wanted = parallel_threads(&p);
    sigset_t all, before;
    size_t len = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are handled by the calling thread */
    while (len + 1 < wanted && pthread_create(&others[len], NULL, parallel_work, &p) == 0)
        len++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    parallel_work(&p);
    for (size_t i = 0; i < len; i++)
        pthread_join(others[i], NULL);
    pthread_cond_destroy(&p.lighter);
    pthread_mutex_destroy(&p.lock);
    return p.err == LS_OK ? LS_OK : ls_fail(p.err, "%s", p.why);
}
