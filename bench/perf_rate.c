/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: perf_rate [SECONDS [THREADS [HZ]]]
 * Test whether sampling from the kernel to a decoded sample keeps up with 10,000 samples a second and thread. The
 * kernel's task clock samples busy threads HZ times a second of their CPU time; the threads also touch pages, and
 * each touch is sampled. All threads and the reader share one core. Prints received, expected and lost samples, and
 * the time for reading. */
#include "perf/pe_open.h"
#include "runtime/perf_events/rt_perf_pace.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 64, RING_BYTES = 4 << 20, PAGES = 1024, PAGE_BYTES = 4096 };

static struct {
    double seconds;
    int threads;
    uint64_t hz;
    volatile int running;
    uint64_t cpu_ns, faults; /* summed over threads */
    uint64_t clock_samples, fault_samples;
} bench = {.seconds = 5, .threads = 1, .hz = 10000};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Page after page, with work between, so that some 10,000 a second and thread are touched as well. */
static void *burn(void *unused)
{
    uint64_t touched = 0;
    (void)unused;
    const uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(bench.seconds * 1e9);
    while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
        char *pages = mmap(NULL, (size_t)PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) exit(2);
        madvise(pages, (size_t)PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
        for (size_t p = 0; p < PAGES; p++) {
            const uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + 1000000000 / bench.hz;
            pages[p * PAGE_BYTES] = 1;
            while (clock_ns(CLOCK_MONOTONIC) < until_ns)
                for (int i = 0; i < 1000; i++)
                    __asm__ volatile("" ::: "memory"); /* in the program, not in the kernel */
        }
        touched += PAGES;
        munmap(pages, (size_t)PAGES * PAGE_BYTES);
    }
    __atomic_add_fetch(&bench.faults, touched, __ATOMIC_RELAXED);
    __atomic_add_fetch(&bench.cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID), __ATOMIC_RELAXED);
    __atomic_sub_fetch(&bench.running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void on_sample(void *user, const struct pe_channel *channel, const struct pe_sample *s)
{
    (void)user;
    if ((pid_t)s->tid == getpid()) return; /* the reader's own */
    if (pe_channel_event(channel, s->id) == 0)
        bench.clock_samples++;
    else
        bench.fault_samples += s->addr != 0;
}

static struct perf_event_attr attr(uint64_t config, uint64_t period)
{
    return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .config = config,
                                    .sample_period = period,
                                    .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                                   PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU,
                                    .read_format = UINT64_C(1) << 4, /* PERF_FORMAT_LOST */
                                    .inherit = 1,
                                    .watermark = 1,
                                    .wakeup_watermark = RING_BYTES / 4,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
}

static void report(const struct pe_drain *d, uint64_t kernel_lost, uint64_t reader_ns)
{
    const double wanted = (double)bench.cpu_ns * 1e-9 * (double)bench.hz;
    printf("threads %d, %.1f s of CPU time, all on one core\n", bench.threads, (double)bench.cpu_ns * 1e-9);
    printf("task clock: %llu samples, %.0f wanted: ratio %.4f\n", (unsigned long long)bench.clock_samples,
           wanted, (double)bench.clock_samples / wanted);
    printf("page faults: %llu samples, %llu pages touched: ratio %.4f\n",
           (unsigned long long)bench.fault_samples, (unsigned long long)bench.faults,
           (double)bench.fault_samples / (double)bench.faults);
    printf("lost: %llu by the ring, %llu by the kernel's count; throttled %llu times\n",
           (unsigned long long)d->counts.lost, (unsigned long long)kernel_lost,
           (unsigned long long)d->counts.throttled);
    printf("reading: %.0f ns a sample, %.2f %% of the CPU time\n",
           (double)reader_ns / (double)(bench.clock_samples + bench.fault_samples),
           100 * (double)reader_ns / (double)bench.cpu_ns);
}

int main(int argc, char **argv)
{
    static uint8_t bounce[PE_RECORD_MAX_BYTES];
    pthread_t threads[THREADS_MAX];
    struct pe_channel channel;
    unsigned weak;
    cpu_set_t one;
    if (argc > 1) bench.seconds = strtod(argv[1], NULL);
    if (argc > 2) bench.threads = (int)strtol(argv[2], NULL, 10);
    if (argc > 3) bench.hz = strtoull(argv[3], NULL, 10);
    if (bench.threads < 1 || bench.threads > THREADS_MAX || !bench.hz) return 2;
    const int cpu = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
    struct pe_open_spec spec = {
        .events = {{.attr = attr(PERF_COUNT_SW_TASK_CLOCK, 1000000000 / bench.hz), .leader = -1},
                   {.attr = attr(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1), .leader = -1}},
        .events_len = 2,
        .ring_bytes = RING_BYTES};
    struct pe_refusal refusal = pe_open_fit(&spec, &pe_kernel_linux, 0, cpu, &weak);
    if (!refusal.error) refusal.error = pe_channel_open(&channel, &pe_kernel_linux, &spec, 0, cpu);
    if (refusal.error) {
        fprintf(stderr, "perf_rate: errno %d: loadstone doctor says more\n", refusal.error);
        return 1;
    }
    struct pe_drain d = {.layout = pe_layout_of(&spec.events[0].attr), .bounce = bounce, .sample = on_sample};
    bench.running = bench.threads;
    pe_channel_gear(&channel, &pe_kernel_linux, &spec, 0);
    for (int t = 0; t < bench.threads; t++)
        if (pthread_create(&threads[t], NULL, burn, NULL) != 0) return 2;
    const uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    while (__atomic_load_n(&bench.running, __ATOMIC_ACQUIRE)) {
        const struct timespec nap = {.tv_nsec = rt_perf_pace_nap_ns(d.fullest_permille)};
        nanosleep(&nap, NULL);
        pe_drain_channels(&d, &channel, 1, UINT64_MAX);
    }
    pe_channel_gear(&channel, &pe_kernel_linux, &spec, PE_GEAR_NONE);
    pe_drain_channels(&d, &channel, 1, UINT64_MAX);
    const uint64_t reader_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    for (int t = 0; t < bench.threads; t++)
        pthread_join(threads[t], NULL);
    report(&d, pe_channel_lost(&channel, &pe_kernel_linux, &spec), reader_ns);
    pe_channel_close(&channel, &pe_kernel_linux);
    return 0;
}
