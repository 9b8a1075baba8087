/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: fake_kernel [-c CALL] [-n NUMBER] [-e ERRNO] [-l BYTES] [-L BYTES] [-b] [-a TYPE:CPU] [-k]
 *                    [-r RELEASE] -- COMMAND...
 * Runs COMMAND and handles its perf_event_open, ioctls and mappings of perf (seccomp's user notification): events
 * of hardware PMUs open as memory files, so that rings and AUX areas are real mappings, and records that the
 * program requests are written into them as by the kernel. Software events and breakpoints go to the kernel. -n NUMBER: the CALL with this number (open, ioctl, mmap, aux: a mapping after the ring, poll: the reader's) fails
 * with ERRNO; 0: all of them fail. -l BYTES: the locked memory that one mapping of events may use;
 * -L BYTES: that of all mappings together. -b: on each CPU an
 * inherited event opens once, when it is tried, then the counter is busy; software fake_events too. -a
 * TYPE:CPU: that CPU only has the PMU of this type. -k: with each sample the kernel takes one of
 * itself. -r RELEASE: the release that uname returns. Status: that of COMMAND; 77 when the system does not allow this. */
#include "fake_kernel.h"
#include "tests/perf/fake_event.h"
#include "tests/perf/fake_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SKIP = 77 };

struct fake_event fake_events[FILES_MAX];
size_t fake_events_len;
bool fake_samples_kernel;
static const char *const call_names[] = {"open", "ioctl", "mmap", "aux", "poll"};
enum call { CALL_OPEN, CALL_IOCTL, CALL_MMAP, CALL_AUX, CALL_POLL, CALLS };
static unsigned calls[CALLS];
static enum call fail_call = CALL_OPEN;
static long fail_number = -1;
static int fail_errno = EPERM;
static unsigned long longest_map = ~0ul, most_mapped = ~0ul;
static struct {
    uint32_t type;
    int cpu; /* -1: every CPU has every PMU */
} home = {.cpu = -1};
static bool is_busy;
static struct {
    uint32_t type;
    uint64_t config, period, format;
    pid_t process;
    int cpu;
} tried[FILES_MAX];
static size_t tried_len;
static const char *release;

/* Is this call to fail? */
static bool fails(enum call call)
{
    calls[call]++;
    return call == fail_call && (fail_number == 0 || fail_number == (long)calls[call]);
}

/* --- the child --- */

static int install_filter(void)
{
    /* ioctl: only of type '$'; mmap: only shared ones */
    const bool polls = fail_number >= 0 && fail_call == CALL_POLL;
    struct sock_filter whole[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 10, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_uname, 9, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ppoll, polls ? 8 : 7, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 3, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, '$' << 8, 3, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    const struct sock_fprog program = {sizeof(whole) / sizeof(whole[0]), whole};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void send_fd(int to, int fd)
{
    char control[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
    struct iovec data = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    if (fd < 0) m.msg_control = NULL, m.msg_controllen = 0;
    sendmsg(to, &m, 0);
}

static int receive_fd(int from)
{
    char control[CMSG_SPACE(sizeof(int))], byte;
    struct iovec data = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    int fd = -1;
    if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) <= 0 || !CMSG_FIRSTHDR(&m)) return -1;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
    return fd;
}

/* --- calls --- */

static struct fake_event *event_of(pid_t pid, int fd)
{
    char link[64], target[128] = "";
    unsigned number;
    snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
    if (readlink(link, target, sizeof(target) - 1) < 0 || sscanf(target, "/memfd:fake-%u", &number) != 1 ||
        number >= fake_events_len)
        return NULL;
    return &fake_events[number];
}

/* A group goes with its leader. */
static void switch_group(const struct fake_event *leader, bool on)
{
    for (size_t i = 0; i < fake_events_len; i++)
        if (fake_events[i].leader == leader) fake_events[i].is_on = on;
}

/* The contents of its records, and whether the kernel is excluded: an event that may not sample the kernel
 * tries again. */
static uint64_t format_of(const struct perf_event_attr *a)
{
    return (a->read_format ^ a->sample_type) << 1 | a->exclude_kernel;
}

/* Was it tried before, in its present form? */
static bool was_tried(const struct perf_event_attr *a, pid_t process, int cpu)
{
    for (size_t i = 0; i < tried_len; i++)
        if (tried[i].type == a->type && tried[i].config == a->config && tried[i].period == a->sample_period &&
            tried[i].format == format_of(a) && tried[i].process == process && tried[i].cpu == cpu)
            return true;
    if (tried_len < FILES_MAX) {
        tried[tried_len].type = a->type;
        tried[tried_len].config = a->config;
        tried[tried_len].period = a->sample_period;
        tried[tried_len].format = format_of(a);
        tried[tried_len].process = process;
        tried[tried_len++].cpu = cpu;
    }
    return false;
}

/* Why it does not open; 0: it does. */
static int refusal_of(const struct perf_event_attr *a, pid_t pid, int cpu)
{
    if (is_busy && a->inherit && cpu >= 0 && was_tried(a, fake_process_of(pid), cpu)) return EBUSY;
    if (a->type == PERF_TYPE_SOFTWARE || a->type == PERF_TYPE_BREAKPOINT) return 0;
    if (home.cpu >= 0 && a->type == home.type && cpu >= 0 && cpu != home.cpu) return ENOENT;
    if (fails(CALL_OPEN)) return fail_errno;
    return fake_events_len >= FILES_MAX ? EMFILE : 0;
}

static void on_open(int listener, const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    struct perf_event_attr attr = {.size = 0};
    char name[32];
    const bool is_read = fake_peek((pid_t)n->pid, n->data.args[0], &attr, PERF_ATTR_SIZE_VER7);
    r->error = is_read ? -refusal_of(&attr, (pid_t)n->pid, (int)n->data.args[2]) : 0;
    if (r->error) return;
    if (!is_read || attr.type == PERF_TYPE_SOFTWARE || attr.type == PERF_TYPE_BREAKPOINT) {
        r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        return;
    }
    snprintf(name, sizeof(name), "fake-%zu", fake_events_len);
    const int memory = memfd_create(name, MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, FILE_BYTES + PAGE_BYTES) != 0) abort();
    const struct seccomp_notif_addfd add = {.id = n->id, .srcfd = (uint32_t)memory, .newfd_flags = O_CLOEXEC};
    const int fd = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    r->error = fd < 0 ? -errno : 0;
    r->val = fd;
    const struct fake_event *leader = event_of((pid_t)n->pid, (int)n->data.args[3]);
    if (!leader) leader = &fake_events[fake_events_len];
    fake_events[fake_events_len++] =
        (struct fake_event){.attr = attr,
                            .pid = (pid_t)n->pid,
                            .target = n->data.args[1] ? (pid_t)n->data.args[1] : (pid_t)n->pid,
                            .memory = memory,
                            .fd = fd,
                            .leader = leader,
                            .cpu = (int)n->data.args[2],
                            .is_cpu_wide = (int)n->data.args[1] == -1};
}

static void on_ioctl(const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    const unsigned long request = n->data.args[1];
    struct fake_event *e = event_of((pid_t)n->pid, (int)n->data.args[0]);
    if (request == FAKE_PLAY) {
        fake_play_at((pid_t)n->pid, n->data.args[2]);
        return;
    }
    if (e && fails(CALL_IOCTL)) {
        r->error = -fail_errno;
        return;
    }
    if (!e) {
        r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        return;
    }
    const uint64_t id = (uint64_t)(e - fake_events) + 1000;
    if (request == PERF_EVENT_IOC_ID) fake_poke((pid_t)n->pid, n->data.args[2], &id, sizeof(id));
    if (request == PERF_EVENT_IOC_SET_OUTPUT) e->output = event_of((pid_t)n->pid, (int)n->data.args[2]);
    if (request == PERF_EVENT_IOC_ENABLE) switch_group(e, true);
    if (request == PERF_EVENT_IOC_DISABLE) switch_group(e, false);
}

/* A real mapping of the memory file, unless it is to fail. */
static void on_mmap(const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    struct fake_event *e = event_of((pid_t)n->pid, (int)n->data.args[4]);
    const unsigned long len = n->data.args[1], offset = n->data.args[5];
    r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (!e) return;
    const bool is_too_long = len > longest_map || (most_mapped != ~0ul &&
                                                   len + fake_all_mapped_bytes((pid_t)n->pid) > most_mapped);
    const int error = fails(offset ? CALL_AUX : CALL_MMAP) ? fail_errno : is_too_long ? EPERM : 0;
    if (error) *r = (struct seccomp_notif_resp){.id = n->id, .error = -error};
    if (!error && offset) e->has_aux = true;
}

/* Handle only calls of the reader, which is recognised by its name. */
static void on_poll(const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)n->pid);
    FILE *f = fopen(path, "re");
    if (f && !fgets(name, sizeof(name), f)) name[0] = '\0';
    if (f) fclose(f);
    if (strcmp(name, "loadstone\n") == 0 && fails(CALL_POLL))
        r->error = -fail_errno;
    else
        r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
}

static void on_uname(const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    struct utsname u;
    r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (!release || uname(&u) != 0) return;
    snprintf(u.release, sizeof(u.release), "%s", release);
    if (fake_poke((pid_t)n->pid, n->data.args[0], &u, sizeof(u))) r->flags = 0;
}

static void answer(int listener, const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    if (n->data.nr == SYS_perf_event_open)
        on_open(listener, n, r);
    else if (n->data.nr == SYS_mmap)
        on_mmap(n, r);
    else if (n->data.nr == SYS_ppoll)
        on_poll(n, r);
    else if (n->data.nr == SYS_uname)
        on_uname(n, r);
    else
        on_ioctl(n, r);
}

static void serve(int listener)
{
    struct pollfd p = {.fd = listener, .events = POLLIN};
    while (poll(&p, 1, -1) > 0 && !(p.revents & POLLHUP)) {
        struct seccomp_notif n;
        memset(&n, 0, sizeof(n));
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0) continue;
        struct seccomp_notif_resp r = {.id = n.id};
        answer(listener, &n, &r);
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
    }
}

static int run_child(int to_parent, char **command)
{
    const int listener = install_filter();
    send_fd(to_parent, listener);
    if (listener < 0) return SKIP;
    close(listener);
    close(to_parent);
    execvp(command[0], command);
    return 127;
}

static bool take_option(int option, const char *text)
{
    if (option == 'n') fail_number = strtol(text, NULL, 10);
    if (option == 'e') fail_errno = (int)strtol(text, NULL, 10);
    if (option == 'l') longest_map = strtoul(text, NULL, 10);
    if (option == 'L') most_mapped = strtoul(text, NULL, 10);
    if (option == 'b') is_busy = true;
    if (option == 'k') fake_samples_kernel = true;
    if (option == 'a') return sscanf(text, "%u:%d", &home.type, &home.cpu) == 2;
    if (option == 'r') release = text;
    for (int i = 0; option == 'c' && i < CALLS; i++)
        if (strcmp(text, call_names[i]) == 0) return fail_call = (enum call)i, true;
    return option != 'c' && option != '?';
}

int main(int argc, char **argv)
{
    int pair[2], option, status;
    while ((option = getopt(argc, argv, "+a:bc:n:e:kl:L:r:")) != -1)
        if (!take_option(option, optarg)) return 2;
    if (optind >= argc || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return 2;
    const pid_t child = fork();
    if (child == 0) _exit(run_child(pair[1], argv + optind));
    const int listener = receive_fd(pair[0]);
    struct rlimit files; /* each event is also a fake event */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (listener >= 0) serve(listener);
    if (waitpid(child, &status, 0) != child) return 2;
    if (listener < 0) fputs("fake_kernel: seccomp gives no listener here\n", stderr);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
