/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_series.h"

#include "common/ls_clock.h"
#include "common/ls_env.h"
#include "spool/spool_series.h"
#include "tools/cli/cli_message.h"
#include "traffic/trf_sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SERIES_BUFFER_BYTES = 64 * 1024, SERIES_END_WAIT_MS = 3000, SERIES_MESSAGE_BYTES = 1024 };

/* Messages of the reader: a line each, which begins with one of these. */
enum { SERIES_WARNS = 'w', SERIES_FAILS = 'e', SERIES_IS_USAGE = 'u', SERIES_IS_READY = 'r' };

/* ---- the reader ---- */

/* State of the reader. */
struct reader {
    int file_fd, message_fd;
    uint64_t written_bytes, bytes_max;
    bool is_full;
    size_t buffered_bytes;
    uint8_t buffer[SERIES_BUFFER_BYTES];
    struct trf_machine machine;
    trf_sampler *sampler;
    uint64_t gap_ns[LS_GAPS_LEN];
    uint32_t gap_series[LS_GAPS_LEN]; /* a series with this gap */
};

static void reader_message(const struct reader *r, char kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void reader_message(const struct reader *r, char kind, const char *format, ...)
{
    char text[SERIES_MESSAGE_BYTES];
    va_list args;
    text[0] = kind;
    va_start(args, format);
    vsnprintf(text + 1, sizeof(text) - 2, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    strcat(text, "\n");
    if (write(r->message_fd, text, strlen(text)) < 0) return; /* the other end is closed */
}

static void reader_flush(struct reader *r)
{
    for (size_t done = 0; done < r->buffered_bytes && !r->is_full;) {
        const ssize_t n = write(r->file_fd, r->buffer + done, r->buffered_bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            r->is_full = true;
            reader_message(r, SERIES_WARNS, "the spool takes no more series: %s", strerror(errno));
        } else {
            done += (size_t)n;
        }
    }
    r->buffered_bytes = 0;
}

static void reader_put(struct reader *r, enum spool_series_record record, const void *data, size_t len_bytes)
{
    const struct spool_series_head head = {record, (uint32_t)len_bytes};
    if (r->is_full) return;
    if (r->written_bytes + sizeof(head) + len_bytes > r->bytes_max) {
        reader_flush(r);
        r->is_full = true;
        reader_message(r, SERIES_WARNS, "the series reached --spool-max; later values are missing");
        return;
    }
    if (r->buffered_bytes + sizeof(head) + len_bytes > sizeof(r->buffer)) reader_flush(r);
    memcpy(r->buffer + r->buffered_bytes, &head, sizeof(head));
    memcpy(r->buffer + r->buffered_bytes + sizeof(head), data, len_bytes);
    r->buffered_bytes += sizeof(head) + len_bytes;
    r->written_bytes += sizeof(head) + len_bytes;
}

static void reader_take_point(void *user, const struct trf_point *p)
{
    struct reader *r = user;
    const struct spool_series_point row = {p->series, p->gap, p->begin_ns, p->end_ns, p->value};
    reader_put(r, SPOOL_SERIES_POINT, &row, sizeof(row));
    if (p->gap == LS_GAP_NONE) return;
    r->gap_ns[p->gap] += p->end_ns - p->begin_ns;
    r->gap_series[p->gap] = p->series;
}

static void reader_take_note(void *user, const char *text)
{
    reader_message(user, SERIES_WARNS, "%s", text);
}

static ls_err reader_verify(void *user, const struct trf_source *source, const struct trf_opened *opened,
                            struct trf_verdict *out)
{
    struct reader *r = user;
    return trf_verify_here(&r->machine, source, opened, out);
}

static void reader_put_counters(struct reader *r, uint64_t interval_ns)
{
    struct spool_series_begin begin = {.version = SPOOL_SERIES_VERSION, .interval_ns = interval_ns};
    size_t len;
    const struct trf_series *series = trf_sampler_series(r->sampler, &len);
    memcpy(begin.magic, SPOOL_SERIES_MAGIC, sizeof(begin.magic));
    reader_put(r, SPOOL_SERIES_BEGIN, &begin, sizeof(begin));
    for (size_t i = 0; i < len; i++) {
        const struct trf_counter *c = &series[i].counter;
        const struct trf_verdict *v = &series[i].verdict;
        struct spool_series_counter row = {.kind = c->kind,
                                           .is_level = c->is_level,
                                           .factor = trf_verdict_factor(v, c->kind),
                                           .roof_per_s = v->roof_per_s};
        snprintf(row.source, sizeof(row.source), "%s", series[i].source->name);
        memcpy(row.name, c->name, sizeof(row.name));
        memcpy(row.scope, c->scope, sizeof(row.scope));
        memcpy(row.unit, c->unit, sizeof(row.unit));
        memcpy(row.verified, v->text, sizeof(row.verified));
        reader_put(r, SPOOL_SERIES_COUNTER, &row, sizeof(row));
    }
}

/* Read at multiples of the interval until stop_fd is at its end; moments that passed meanwhile are left out. */
static void reader_loop(struct reader *r, uint64_t interval_ns, int stop_fd)
{
    uint64_t next_ns = ls_clock_mono_ns();
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    for (int stopped = 0; stopped == 0;) {
        const uint64_t now_ns = ls_clock_mono_ns();
        next_ns += interval_ns;
        if (next_ns < now_ns) next_ns = now_ns + interval_ns - (now_ns - next_ns) % interval_ns;
        const uint64_t wait_ns = next_ns - now_ns;
        const struct timespec wait = {.tv_sec = (time_t)(wait_ns / LS_NS_PER_S),
                                      .tv_nsec = (long)(wait_ns % LS_NS_PER_S)};
        stopped = ppoll(&stop, 1, &wait, NULL);
        trf_sampler_read(r->sampler);
        if (r->buffered_bytes > sizeof(r->buffer) / 2) reader_flush(r);
    }
    trf_sampler_finish(r->sampler);
}

static void reader_end(struct reader *r)
{
    static const char *const texts[] = {
#define SERIES_TEXT(id, name, text, remedy) text,
        LS_GAP_LIST(SERIES_TEXT)};
    static const char *const remedies[] = {
#define SERIES_REMEDY(id, name, text, remedy) remedy,
        LS_GAP_LIST(SERIES_REMEDY)};
    size_t len;
    const struct trf_series *series = trf_sampler_series(r->sampler, &len);
    const struct spool_series_end end = {ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID)};
    reader_put(r, SPOOL_SERIES_END, &end, sizeof(end));
    reader_flush(r);
    for (int g = LS_GAP_NONE + 1; g < LS_GAPS_LEN; g++)
        if (r->gap_ns[g])
            reader_message(r, SERIES_WARNS, "series with gaps, such as %s %s, %.2f s in all: %s; %s",
                           series[r->gap_series[g]].source->name, series[r->gap_series[g]].counter.name,
                           (double)r->gap_ns[g] * 1e-9, texts[g], remedies[g]);
}

/* The reader's life. It ends when stop_fd does: the launcher has closed it, or was killed. */
static void reader_run(const struct rec_series_options *o, int file_fd, int message_fd, int stop_fd)
{
    static struct reader r; /* large */
    static struct trf_request request;
    const struct trf_use use = {reader_take_point, reader_take_note, reader_verify, &r};
    r.machine.sys_root = getenv(ls_env_rows[LS_ENV_SYSFS].variable);
    r.machine.pcp_archive = getenv("PCP_ARCHIVE"); /* as PCP's own programs do (pmGetOptions(3)) */
    r.file_fd = file_fd;
    r.message_fd = message_fd;
    r.bytes_max = o->bytes_max;
    ls_err err = trf_request_parse(o->names, &request);
    if (err == LS_OK) err = trf_sampler_new(&r.machine, &request, &use, &r.sampler);
    if (err != LS_OK) {
        reader_message(&r, err == LS_ERR_USAGE ? SERIES_IS_USAGE : SERIES_FAILS, "%s", ls_last_error());
        return;
    }
    reader_put_counters(&r, o->interval_ns);
    reader_flush(&r);
    trf_sampler_read(r.sampler);
    reader_message(&r, SERIES_IS_READY, "%s", "");
    reader_loop(&r, o->interval_ns, stop_fd);
    reader_end(&r);
    trf_sampler_free(r.sampler);
}

/* ---- the launcher ---- */

/* Take a name that only one process of the machine can hold, until it ends. It contains the parent, which
 * starts all ranks of a job on the machine. False: another rank has it. */
static bool series_take_turn(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX}; /* abstract: the path begins with a 0 */
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int len = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "loadstone-series-%u-%ld",
                             (unsigned)geteuid(), (long)getppid());
    const socklen_t len_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
    const bool is_taken =
        fd >= 0 && bind(fd, (struct sockaddr *)&name, len_bytes) != 0 && errno == EADDRINUSE;
    if (is_taken) close(fd);
    return !is_taken;
}

/* Does another rank read the counters of this machine? The first rank reads them: the first by the number
 * that the launcher gives to ranks of a machine, or else the first that asked. */
static bool series_is_another_rank(void)
{
    static const char *const variables[] = {
        "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PALS_LOCAL_RANKID",
        "FLUX_TASK_LOCAL_ID",         "JSM_NAMESPACE_LOCAL_RANK",  "SLURM_LOCALID"};
    struct ls_rank rank;
    if (!ls_rank_find(getenv, &rank)) return false;
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *text = getenv(variables[i]);
        if (text && *text) return strcmp(text, "0") != 0;
    }
    return !series_take_turn();
}

ls_err rec_series_check(const char *names)
{
    static struct trf_request request; /* large */
    return trf_request_parse(names, &request);
}

/* Read one message without its line end. False: the reader has ended. */
static bool series_message(const struct rec_series *s, char out[SERIES_MESSAGE_BYTES])
{
    size_t len = 0;
    for (char c; len + 1 < SERIES_MESSAGE_BYTES;) {
        const ssize_t n = read(s->message_fd, &c, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        if (c == '\n') break;
        out[len++] = c;
    }
    out[len] = '\0';
    return true;
}

static ls_err series_wait_ready(const struct rec_series *s)
{
    char text[SERIES_MESSAGE_BYTES];
    while (series_message(s, text))
        switch (text[0]) {
        case SERIES_WARNS:
            cli_warn("%s", text + 1);
            break;
        case SERIES_IS_READY:
            return LS_OK;
        case SERIES_IS_USAGE:
            return ls_fail(LS_ERR_USAGE, "%s", text + 1);
        default:
            return ls_fail(LS_ERR_IO, "--series: %s", text + 1);
        }
    return ls_fail(LS_ERR_IO, "--series: the process that reads the counters ended early");
}

static void series_become_reader(const struct rec_series_options *o, int file_fd, int message_fd, int stop_fd)
{
    sigset_t all;
    prctl(PR_SET_NAME, "series-reader");
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL); /* the terminal's signals are for the program */
    reader_run(o, file_fd, message_fd, stop_fd);
    _exit(0);
}

ls_err rec_series_start(const struct rec_series_options *o, const struct rec_spool *spool,
                        struct rec_series *out)
{
    int stop[2] = {-1, -1}, message[2] = {-1, -1};
    *out = (struct rec_series){.stop_fd = -1, .message_fd = -1};
    if (series_is_another_rank()) return LS_OK;
    const int file_fd = openat(spool->fd, SPOOL_SERIES_FILE,
                               O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file_fd < 0) return ls_fail_errno(errno, "cannot write %s/" SPOOL_SERIES_FILE, spool->path);
    if (pipe2(stop, O_CLOEXEC) == 0 && pipe2(message, O_CLOEXEC) == 0) {
        fflush(NULL);
        out->reader = fork();
    } else {
        out->reader = -1;
    }
    if (out->reader == 0) {
        close(stop[1]);
        close(message[0]);
        close(spool->conf_fd); /* its lock shows programs whether the launcher lives */
        series_become_reader(o, file_fd, message[1], stop[0]);
    }
    const int saved_errno = errno;
    close(file_fd);
    close(stop[0]);
    close(message[1]);
    out->stop_fd = stop[1];
    out->message_fd = message[0];
    if (out->reader < 0) {
        out->reader = 0;
        return ls_fail_errno(saved_errno, "cannot start the process that reads the counters");
    }
    const ls_err err = series_wait_ready(out);
    if (err != LS_OK) rec_series_stop(out);
    return err;
}

/* Print the last reports of the reader, for at most a moment: a library of a source may hang. */
static bool series_listen(const struct rec_series *s)
{
    struct pollfd readable = {.fd = s->message_fd, .events = POLLIN};
    char text[SERIES_MESSAGE_BYTES];
    while (poll(&readable, 1, SERIES_END_WAIT_MS) > 0) {
        if (!series_message(s, text)) return true;
        if (text[0] == SERIES_WARNS) cli_warn("%s", text + 1);
    }
    return false;
}

void rec_series_stop(struct rec_series *s)
{
    int status = 0;
    if (s->reader <= 0) return;
    close(s->stop_fd);
    if (!series_listen(s)) kill(s->reader, SIGKILL);
    close(s->message_fd);
    while (waitpid(s->reader, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        cli_warn("the process that reads the counters was ended by signal %d (%s); the series may be cut off",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    s->reader = 0;
}
