/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "symbols/sym_worker.h"

#include "common/ls_file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SYM_CPU_S = 60, SYM_BYTES_PER_S = 4 << 20 };
#define SYM_MEMORY_BYTES (UINT64_C(16) << 30)

struct sym_worker {
    struct sym_limits limits;
    pid_t pid;    /* 0: none */
    int channel;  /* channel to the reader, for messages that announce the length of the exchange's content */
    int exchange; /* file in memory: the question, then the answer */
    unsigned deaths;
};

/* Head of a question as it is transferred; the path without NUL, padding to 8 bytes, the addresses and the
 * texts follow. */
struct sym_question_head {
    uint64_t question, wants_dwarf, path_len, linked_len, texts_len;
};
/* Message in the channel, in both directions. */
struct sym_message {
    uint64_t len_bytes; /* length of the content of the exchange */
    uint64_t error;     /* ls_err of the answer */
};

static size_t sym_padded(size_t len)
{
    return (len + 7) & ~(size_t)7;
}

static bool sym_write_all(int fd, const void *bytes, size_t len, uint64_t offset)
{
    const uint8_t *at = bytes;
    while (len > 0) {
        const ssize_t done = pwrite(fd, at, len, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        len -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

static bool sym_read_all(int fd, void *bytes, size_t len, uint64_t offset)
{
    uint8_t *at = bytes;
    while (len > 0) {
        const ssize_t done = pread(fd, at, len, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        len -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

static bool sym_send(int channel, struct sym_message m)
{
    ssize_t done;
    while ((done = send(channel, &m, sizeof(m), MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return done == (ssize_t)sizeof(m);
}

static bool sym_receive(int channel, struct sym_message *out)
{
    ssize_t done;
    while ((done = recv(channel, out, sizeof(*out), MSG_WAITALL)) < 0 && errno == EINTR)
        ;
    return done == (ssize_t)sizeof(*out);
}

/* --- the reader --- */

/* Limit the CPU time of a question: the default action of SIGXCPU ends the reader. */
static void sym_limit_cpu(const struct sym_limits *limits, const char *path)
{
    struct rusage used;
    struct rlimit limit;
    struct stat st;
    uint64_t cpu_s = limits->cpu_s;
    if (!cpu_s) cpu_s = SYM_CPU_S + (stat(path, &st) == 0 ? (uint64_t)st.st_size / SYM_BYTES_PER_S : 0);
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
    const rlim_t all = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + 1 + cpu_s;
    if (limit.rlim_max == RLIM_INFINITY || all <= limit.rlim_max) limit.rlim_cur = all;
    setrlimit(RLIMIT_CPU, &limit);
}

/* Return the number of pages that this process has mapped. */
static uint64_t sym_pages_mapped(void)
{
    int64_t pages = 0;
    return ls_file_number("/proc/self/statm", &pages) ? (uint64_t)pages : 0;
}

static void sym_limit_memory(const struct sym_limits *limits)
{
    const rlim_t bytes = limits->memory_bytes ? limits->memory_bytes : SYM_MEMORY_BYTES;
    struct rlimit limit;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    /* sanitizers map terabytes of shadow memory, so no useful limit is possible */
    if (sym_pages_mapped() > bytes / 2 / 4096 || getrlimit(RLIMIT_AS, &limit) != 0) return;
    if (limit.rlim_max == RLIM_INFINITY || bytes <= limit.rlim_max) limit.rlim_cur = bytes;
    setrlimit(RLIMIT_AS, &limit);
}

/* The question in the exchange. Owns: the caller frees *out_room. */
static bool sym_take_question(int exchange, uint64_t len, struct sym_request *out, uint8_t **out_room)
{
    struct sym_question_head head;
    uint8_t *room = *out_room = malloc(len + 1);
    if (!room || len < sizeof(head) || !sym_read_all(exchange, room, len, 0)) return false;
    memcpy(&head, room, sizeof(head));
    char *path = (char *)room + sizeof(head);
    uint8_t *linked = room + sizeof(head) + sym_padded(head.path_len + 1);
    path[head.path_len] = '\0';
    *out = (struct sym_request){.question = (enum sym_question)head.question,
                                .path = path,
                                .wants_dwarf = head.wants_dwarf != 0,
                                .linked = (const uint64_t *)(void *)linked,
                                .linked_len = (size_t)head.linked_len,
                                .texts = (const char *)(linked + head.linked_len * sizeof(uint64_t)),
                                .texts_len = (size_t)head.texts_len};
    return true;
}

static struct sym_message sym_give_answer(int exchange, const struct sym_draft *d, ls_err e)
{
    uint8_t *bytes = NULL;
    size_t len = 0;
    if (e == LS_OK) e = sym_draft_pack(d, &bytes, &len);
    if (e == LS_OK && (ftruncate(exchange, 0) != 0 || !sym_write_all(exchange, bytes, len, 0)))
        e = LS_ERR_NOMEM;
    free(bytes);
    return (struct sym_message){e == LS_OK ? len : 0, (uint64_t)e};
}

static struct sym_message sym_serve(const struct sym_worker *w, sym_reader *reader, uint64_t len)
{
    struct sym_request request;
    struct sym_draft draft = {0};
    uint8_t *room;
    struct sym_message answer = {0, LS_ERR_NOMEM};
    if (sym_take_question(w->exchange, len, &request, &room)) {
        sym_limit_cpu(&w->limits, request.path);
        answer = sym_give_answer(w->exchange, &draft, sym_reader_answer(reader, &request, &draft));
    }
    sym_draft_fini(&draft);
    free(room);
    return answer;
}

static void sym_close_others(int channel, int exchange)
{
    const unsigned low = (unsigned)(channel < exchange ? channel : exchange);
    const unsigned high = (unsigned)(channel < exchange ? exchange : channel);
    /* without the call they stay open, which only costs descriptors */
    if (low > 3) syscall(SYS_close_range, 3u, low - 1, 0u);
    if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0u);
    syscall(SYS_close_range, high + 1, ~0u, 0u);
}

__attribute__((noreturn)) static void sym_reader_main(const struct sym_worker *w, int channel, pid_t parent)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGTERM, SIGALRM};
    struct sym_message m;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        signal(fatal[i], SIG_DFL);
    signal(SIGINT, SIG_IGN); /* signals of the terminal, which the parent handles */
    sym_close_others(channel, w->exchange);
    sym_limit_memory(&w->limits);
    sym_reader *reader = sym_reader_new(w->limits.asker);
    while (reader && sym_receive(channel, &m) && sym_send(channel, sym_serve(w, reader, m.len_bytes)))
        ;
    _exit(0);
}

/* --- the process that asks --- */

static ls_err sym_worker_start(sym_worker *w)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ls_fail_errno(errno, "cannot talk to a reader of symbols");
    const pid_t parent = getpid();
    w->pid = fork();
    if (w->pid == 0) sym_reader_main(w, ends[1], parent);
    close(ends[1]);
    if (w->pid < 0) {
        const int why = errno;
        w->pid = 0;
        close(ends[0]);
        return ls_fail_errno(why, "cannot start a process that reads symbols");
    }
    w->channel = ends[0];
    return LS_OK;
}

/* Close the channel, which ends a waiting reader; a busy one is killed. Returns its wait status. */
static int sym_worker_stop(sym_worker *w, bool kills)
{
    int status = 0;
    if (w->pid == 0) return 0;
    close(w->channel);
    if (kills) kill(w->pid, SIGKILL);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    return status;
}

ls_err sym_worker_new(struct sym_limits limits, sym_worker **out)
{
    sym_worker *w = calloc(1, sizeof(*w));
    if (!w) return ls_nomem("symbols");
    w->limits = limits;
    w->exchange = memfd_create("loadstone-symbols", MFD_CLOEXEC);
    const ls_err e =
        w->exchange < 0 ? ls_fail_errno(errno, "no file in memory for symbols") : sym_worker_start(w);
    if (e == LS_OK)
        *out = w;
    else
        sym_worker_free(w);
    return e;
}

void sym_worker_free(sym_worker *w)
{
    if (!w) return;
    sym_worker_stop(w, false);
    if (w->exchange >= 0) close(w->exchange);
    free(w);
}

static bool sym_put_question(sym_worker *w, const struct sym_request *r, uint64_t *out_len)
{
    const struct sym_question_head head = {(uint64_t)r->question, r->wants_dwarf, strlen(r->path),
                                           r->linked_len, r->texts_len};
    const uint64_t linked_at = sizeof(head) + sym_padded(head.path_len + 1);
    const uint64_t texts_at = linked_at + r->linked_len * sizeof(*r->linked);
    *out_len = texts_at + r->texts_len;
    return ftruncate(w->exchange, 0) == 0 && ftruncate(w->exchange, (off_t)*out_len) == 0 &&
           sym_write_all(w->exchange, &head, sizeof(head), 0) &&
           sym_write_all(w->exchange, r->path, head.path_len, sizeof(head)) &&
           sym_write_all(w->exchange, r->linked, r->linked_len * sizeof(*r->linked), linked_at) &&
           sym_write_all(w->exchange, r->texts, r->texts_len, texts_at);
}

static const char *sym_death_text(int status)
{
    if (!WIFSIGNALED(status)) return "damaged: reading it ended the reader";
    switch (WTERMSIG(status)) {
    case SIGXCPU:
    case SIGKILL:
        return "damaged, or too large: reading it took too long";
    default:
        return "damaged: reading it crashed the reader";
    }
}

/* Make an answer that only names a problem. */
static ls_err sym_answer_problem(const char *problem, struct sym_answer *out)
{
    struct sym_draft d = {0};
    uint8_t *bytes;
    size_t len;
    *SYM_DRAFT_ROW(&d, heads) = (struct sym_head){.problem = sym_draft_text(&d, problem)};
    const ls_err e = sym_draft_pack(&d, &bytes, &len);
    sym_draft_fini(&d);
    return e == LS_OK ? sym_answer_unpack(bytes, len, out) : e;
}

static ls_err sym_get_answer(sym_worker *w, struct sym_message m, struct sym_answer *out)
{
    struct stat st;
    if (m.error != LS_OK) return sym_answer_problem("out of memory for its symbols", out);
    if (fstat(w->exchange, &st) != 0 || (uint64_t)st.st_size < m.len_bytes)
        return sym_answer_problem("damaged: reading it crashed the reader", out);
    uint8_t *bytes = malloc(m.len_bytes + 1);
    if (!bytes) return ls_nomem("%llu bytes of symbols", (unsigned long long)m.len_bytes);
    if (!sym_read_all(w->exchange, bytes, m.len_bytes, 0)) {
        free(bytes);
        return ls_fail(LS_ERR_IO, "the file in memory for symbols cannot be read");
    }
    return sym_answer_unpack(bytes, m.len_bytes, out) == LS_OK
               ? LS_OK
               : sym_answer_problem("damaged: reading it confused the reader", out);
}

ls_err sym_worker_ask(sym_worker *w, const struct sym_request *request, struct sym_answer *out)
{
    struct sym_message m = {0};
    if (w->pid == 0) LS_TRY(sym_worker_start(w));
    if (!sym_put_question(w, request, &m.len_bytes))
        return ls_fail_errno(errno, "no room for a question about %s", request->path);
    if (sym_send(w->channel, m) && sym_receive(w->channel, &m)) return sym_get_answer(w, m, out);
    const char *why = sym_death_text(sym_worker_stop(w, false));
    w->deaths++;
    return sym_answer_problem(why, out);
}

int sym_worker_pid(const sym_worker *w)
{
    return (int)w->pid;
}

unsigned sym_worker_deaths(const sym_worker *w)
{
    return w->deaths;
}
