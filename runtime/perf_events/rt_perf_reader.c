/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that drains the rings of perf_event into the spool. */
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/perf_events/rt_perf.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>

enum {
    POLLED_MAX = 256, /* rings; with more of them the time-out alone */
    LOOK_MS = 100,
    LOOK_SOON_MS = 10, /* many rings, switches by time, duty cycles */
    NAP_NS = 1000000,
    WAIT_BEGUN_MS = 1000,
    STACK_BYTES = 256 << 10, /* records and the data they point to are elsewhere */
};

static struct {
    pthread_t thread;
    int wake_fd;
    volatile uint32_t runs, begun, ends;
} reader = {.wake_fd = -1};

static void nap(long ns)
{
    const struct timespec t = {.tv_nsec = ns};
    ls_syscall(SYS_nanosleep, &t, NULL);
}

static int time_out_ms(size_t channels_len)
{
    const struct rt_config *c = &rt_state.config;
    const bool is_timed = rt_perf_ticks() || c->delay_ns || c->duration_ns || c->control_signal || c->paused;
    return is_timed || channels_len > POLLED_MAX || !rt_perf_is_on() ? LOOK_SOON_MS : LOOK_MS;
}

/* Was a ring or the reader woken on purpose? Events whose threads have ended without notice (clone() itself)
 * report a hang-up forever. */
static bool was_woken(const struct pollfd *polled, size_t n)
{
    bool is_any = false, is_hung_up = false;
    for (size_t i = 0; i < n; i++) {
        is_any |= (polled[i].revents & POLLIN) != 0;
        is_hung_up |= (polled[i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    }
    return is_any || !is_hung_up;
}

/* Wait until a ring is filled, or for the time-out. Without poll (more rings than the program may have
 * descriptors: EINVAL), or where poll reports hung up events only, wait for a short time-out alone. */
static void wait_for_rings(void)
{
    static struct pollfd polled[POLLED_MAX + 1]; /* the reader's alone */
    size_t channels_len, n = 0;
    const struct pe_channel *channels = rt_perf_channels(&channels_len);
    polled[n++] = (struct pollfd){.fd = reader.wake_fd, .events = POLLIN};
    for (size_t i = 0; channels_len <= POLLED_MAX && i < channels_len; i++)
        if (channels[i].ring.page)
            polled[n++] = (struct pollfd){.fd = pe_channel_poll_fd(&channels[i]), .events = POLLIN};
    const struct timespec limit = {.tv_nsec = time_out_ms(channels_len) * 1000000L};
    const long error = ls_syscall(SYS_ppoll, polled, n, &limit, NULL, 0);
    const bool is_soon = error < 0 ? error != -EINTR : !was_woken(polled, n);
    nap(is_soon ? LOOK_SOON_MS * 1000000L : rt_perf_pace_nap_ns(rt_perf_fullest_permille()));
}

static void *reader_main(void *unused)
{
    (void)unused;
    struct rt_thread *own = rt_perf_own();
    rt_tls.depth = 1;     /* for good: hooks see the runtime at work */
    rt_tls.thread = NULL; /* incidents wait for a thread of the program: their time is not that of samples */
    ls_syscall(SYS_prctl, PR_SET_NAME, "loadstone");
    __atomic_store_n(&own->tid, (pid_t)ls_syscall(SYS_gettid), __ATOMIC_RELEASE);
    __atomic_store_n(&reader.begun, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&reader.ends, __ATOMIC_ACQUIRE)) {
        wait_for_rings();
        if (!__atomic_load_n(&reader.ends, __ATOMIC_ACQUIRE)) rt_perf_look(ls_clock_mono_ns(), false);
        if (!rt_collector_is_alone(own->tid)) continue;
        rt_tls.thread = own; /* the C library exits the process from here: records find a file */
        rt_tls.depth = 0;
        break;
    }
    return NULL;
}

/* As the kernel counts signals; 32 and 33 are the C library's (setuid of all threads, cancellation). */
static void block_signals(uint64_t *before)
{
    const uint64_t all_but = ~(UINT64_C(3) << 31);
    ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all_but, before, sizeof(*before));
}

static int make_thread(void)
{
    pthread_attr_t attr;
    int error = pthread_attr_init(&attr);
    if (error) return error;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    error = RT_REAL(pthread_create)(&reader.thread, &attr, reader_main, NULL);
    pthread_attr_destroy(&attr);
    return error;
}

int rt_perf_reader_start(void)
{
    uint64_t mask = 0;
    const long fd = ls_syscall(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) return (int)-fd;
    reader.wake_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&reader.wake_fd);
    reader.begun = reader.ends = 0;
    block_signals(&mask);
    const int error = make_thread();
    ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
    reader.runs = error == 0;
    if (error) rt_fds_close(&reader.wake_fd);
    return error;
}

void rt_perf_reader_wait_begun(void)
{
    for (int i = 0; i < WAIT_BEGUN_MS && reader.runs && !__atomic_load_n(&reader.begun, __ATOMIC_ACQUIRE);
         i++)
        nap(NAP_NS);
}

void rt_perf_reader_end(void)
{
    const uint64_t one = 1;
    if (!reader.runs) return;
    reader.runs = 0;
    __atomic_store_n(&reader.ends, 1, __ATOMIC_RELEASE);
    ls_syscall(SYS_write, reader.wake_fd, &one, sizeof(one));
    pthread_join(reader.thread, NULL);
    rt_fds_close(&reader.wake_fd);
}

void rt_perf_reader_forget(void)
{
    reader.runs = reader.begun = reader.ends = 0;
    rt_fds_close(&reader.wake_fd);
}
