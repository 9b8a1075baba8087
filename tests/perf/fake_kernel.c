/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: fake_kernel [-c CALL] [-n NUMBER] [-e ERRNO] [-l BYTES] [-L BYTES] [-b] [-a TYPE:CPU] [-k]
 *                    [-r RELEASE] -- COMMAND...
 * Runs COMMAND with perf_event_open, the ioctls and mappings of perf in our hands (seccomp's user
 * notification): events of hardware PMUs open as memory files, so that rings and AUX areas are real mappings,
 * and what the program asks to be played is written into them as the kernel would. Software events and
 * breakpoints stay the kernel's.
 * -n NUMBER: the so many-th CALL (open, ioctl, mmap, aux: a mapping behind the ring, poll: the reader's)
 * fails with ERRNO; 0: all of them do. -l BYTES: longer mappings of events are more than the user may lock;
 * -L BYTES: more than that of all of them. -b: on each CPU an inherited event opens once, when it is tried,
 * then the counter is busy; software events too. -a TYPE:CPU: that CPU only has the PMU of this type.
 * -k: beside each sample the kernel takes one of itself.
 * -r RELEASE: uname tells this one. Status: that of COMMAND; 77 when the system does not allow this. */
#include "fake_kernel.h"

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

enum { FILES_MAX = 4096, FILE_BYTES = 8 << 20, PAGE_BYTES = 4096, SKIP = 77 };

struct fake_event {
    struct perf_event_attr attr;
    pid_t pid;    /* of the notification */
    pid_t target; /* whose thread's events are counted */
    int memory, fd, cpu;
    const struct fake_event *leader; /* itself when it leads */
    const struct fake_event *output; /* whose ring; NULL: its own */
    bool is_on;
    uint64_t aux_told; /* bytes of the AUX area that records told of */
    bool has_aux;
    unsigned stops;   /* for want of room in it */
    bool is_cpu_wide; /* of whatever runs there */
};
static struct fake_event events[FILES_MAX];
static size_t events_len;
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
static bool samples_kernel, is_busy;
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
    /* ioctl: those of type '$'; mmap: shared ones */
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

/* --- memory of who called --- */

static bool peek(pid_t pid, uint64_t at, void *out, size_t len)
{
    const struct iovec local = {out, len}, remote = {(void *)(uintptr_t)at, len};
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static bool poke(pid_t pid, uint64_t at, const void *data, size_t len)
{
    const struct iovec local = {(void *)(uintptr_t)data, len}, remote = {(void *)(uintptr_t)at, len};
    return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static pid_t process_of(pid_t tid)
{
    char path[64], line[256];
    int tgid = tid;
    snprintf(path, sizeof(path), "/proc/%d/status", tid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Tgid: %d", &tgid) == 1) break;
    if (f) fclose(f);
    return tgid;
}

/* Bytes of the mapping of a memory file's begin, 0: none yet. */
static size_t mapped_bytes(pid_t pid, size_t number)
{
    char path[64], line[512], name[64];
    unsigned long begin, end, offset;
    size_t found = 0;
    snprintf(name, sizeof(name), "/memfd:fake-%zu ", number);
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (strstr(line, name) && sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && offset == 0)
            found = end - begin;
    if (f) fclose(f);
    return found;
}

/* All mappings of events, ours and the kernel's. */
static size_t all_mapped_bytes(pid_t pid)
{
    char path[64], line[512];
    unsigned long begin, end;
    size_t sum = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if ((strstr(line, "/memfd:fake-") || strstr(line, "anon_inode:[perf_event]")) &&
            sscanf(line, "%lx-%lx", &begin, &end) == 2)
            sum += end - begin;
    if (f) fclose(f);
    return sum;
}

/* --- records --- */

struct record {
    uint8_t bytes[512];
    size_t len;
};

static void put(struct record *r, const void *data, size_t len)
{
    memcpy(r->bytes + r->len, data, len);
    r->len += len;
}

static void put_word(struct record *r, uint64_t word)
{
    put(r, &word, sizeof(word));
}

static void begin(struct record *r, uint32_t type, uint16_t misc)
{
    const struct perf_event_header h = {.type = type, .misc = misc};
    r->len = 0;
    put(r, &h, sizeof(h));
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The ring of the play: found once. */
static struct {
    const struct fake_event *of;
    uint8_t *file;
    size_t mapped;
} played;

static void forget_ring(void)
{
    if (played.of) munmap(played.file, FILE_BYTES + PAGE_BYTES);
    played.of = NULL;
}

static bool find_ring(const struct fake_event *e)
{
    if (played.of == e) return true;
    forget_ring();
    played.mapped = mapped_bytes(process_of(e->pid), (size_t)(e - events));
    played.file = mmap(NULL, FILE_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, e->memory, 0);
    if (played.file == MAP_FAILED) return false;
    played.of = e;
    return true;
}

/* Into its own ring, or that of the event that it was told to write into. */
static void write_record(const struct fake_event *of, struct record *r)
{
    const struct fake_event *e = of->output ? of->output : of;
    if (!find_ring(e) || played.mapped <= PAGE_BYTES) return;
    uint8_t *file = played.file;
    struct perf_event_mmap_page *page = (void *)file;
    const size_t room = played.mapped - PAGE_BYTES;
    const uint64_t head = page->data_head;
    ((struct perf_event_header *)(void *)r->bytes)->size = (uint16_t)r->len;
    for (size_t i = 0; i < r->len; i++)
        file[PAGE_BYTES + ((head + i) & (room - 1))] = r->bytes[i];
    __atomic_store_n(&page->data_head, head + r->len, __ATOMIC_RELEASE);
}

/* IBS before Linux 6.1 tells its registers only: capabilities, then IBS_OP_CTL, RIP, DATA, DATA2, DATA3,
 * DC_LIN, DC_PHYS (AMD64 Architecture Programmer's Manual vol. 2). */
static void put_ibs(struct record *r, const struct fake_play *p, uint64_t i)
{
    enum { IS_LOAD = 1, IS_STORE = 2, DC_MISS = 1 << 7, LIN_VALID = 1 << 17, L2_MISS = 1 << 20, DRAM = 3 };
    const bool is_store = p->data_src & PERF_MEM_OP_STORE;
    const uint64_t load = IS_LOAD | DC_MISS | LIN_VALID | L2_MISS | (p->latency_first + i) << 32;
    const uint64_t words[] = {0,
                              p->ip,
                              0,
                              is_store ? 0 : DRAM,
                              is_store ? IS_STORE | LIN_VALID : load,
                              p->base + i * p->stride_bytes,
                              0};
    const uint32_t head[] = {sizeof(uint32_t) + sizeof(words), 0};
    put(r, head, sizeof(head));
    put(r, words, sizeof(words));
}

/* tid 1: of the process 1, whatever is played. */
static void write_sample(const struct fake_event *e, const struct fake_play *p, uint64_t i, pid_t tid,
                         uint16_t misc)
{
    const uint64_t type = e->attr.sample_type;
    const uint32_t ids[2] = {(uint32_t)process_of(tid), (uint32_t)tid}, cpu[2] = {(uint32_t)e->cpu, 0};
    struct record r;
    begin(&r, PERF_RECORD_SAMPLE, misc | PERF_RECORD_MISC_EXACT_IP);
    if (type & PERF_SAMPLE_IDENTIFIER) put_word(&r, (uint64_t)(e - events) + 1000);
    if (type & PERF_SAMPLE_IP) put_word(&r, p->ip);
    if (type & PERF_SAMPLE_TID) put(&r, ids, sizeof(ids));
    if (type & PERF_SAMPLE_TIME) put_word(&r, now_ns());
    if (type & PERF_SAMPLE_ADDR) put_word(&r, type & PERF_SAMPLE_RAW ? 0 : p->base + i * p->stride_bytes);
    if (type & PERF_SAMPLE_CPU) put(&r, cpu, sizeof(cpu));
    if (type & PERF_SAMPLE_PERIOD) put_word(&r, e->attr.sample_period);
    if (type & PERF_SAMPLE_CALLCHAIN) put_word(&r, 0);
    if (type & PERF_SAMPLE_RAW) put_ibs(&r, p, i);
    if (type & (PERF_SAMPLE_WEIGHT | 1u << 24)) put_word(&r, p->latency_first + i);
    if (type & PERF_SAMPLE_DATA_SRC) put_word(&r, p->data_src);
    if (type & 1u << 22) put_word(&r, PAGE_BYTES);
    write_record(e, &r);
}

/* --- the AUX area --- */

static void put_packet(struct record *r, uint8_t header, uint64_t payload, size_t len)
{
    put(r, &header, 1);
    put(r, &payload, len);
}

/* Packets of Arm's SPE (DDI 0487): address of the instruction, context, operation, address of the data, total
 * latency, events, data source, time. */
static void spe_operation(struct record *r, const struct fake_play *p, uint64_t i)
{
    enum { FOREIGN_TID = 0xdead, EVENTS_RETIRED = 0x2, EVENTS_WALK = 0x20, SOURCE_DRAM = 0xe };
    const bool is_store = p->data_src & PERF_MEM_OP_STORE;
    r->len = 0;
    put_packet(r, 0xb0, p->ip, 8);
    put_packet(r, 0x64, FOREIGN_TID, 4);
    put_packet(r, 0x49, is_store, 1);
    put_packet(r, 0xb2, p->base + i * p->stride_bytes, 8);
    put_packet(r, 0x98, p->latency_first + i, 2);
    put_packet(r, 0x52, EVENTS_RETIRED | (i % 2 ? EVENTS_WALK : 0), 2);
    put_packet(r, 0x43, is_store ? 0 : SOURCE_DRAM, 1);
    put_packet(r, 0x71, now_ns(), 8);
}

/* Flags of the record, and the bytes that nothing was told of yet. */
static void tell_aux(struct fake_event *e, const struct perf_event_mmap_page *page, uint64_t flags, pid_t tid)
{
    const uint32_t ids[2] = {(uint32_t)process_of(tid), (uint32_t)tid}, cpu[2] = {(uint32_t)e->cpu, 0};
    struct record r;
    if (page->aux_head == e->aux_told && !flags) return;
    begin(&r, PERF_RECORD_AUX, 0);
    put_word(&r, e->aux_told);
    put_word(&r, page->aux_head - e->aux_told);
    put_word(&r, flags);
    put(&r, ids, sizeof(ids));
    put_word(&r, now_ns());
    put(&r, cpu, sizeof(cpu));
    put_word(&r, (uint64_t)(e - events) + 1000);
    e->aux_told = page->aux_head;
    write_record(e, &r);
}

/* Between what was written before and the look at the tail: see pe_aux_release. */
static uint64_t room_of_area(const struct perf_event_mmap_page *page)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return page->aux_size - (page->aux_head - __atomic_load_n(&page->aux_tail, __ATOMIC_ACQUIRE));
}

static void write_area(uint8_t *area, struct perf_event_mmap_page *page, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        area[(page->aux_head + i) & (page->aux_size - 1)] = bytes[i];
    page->aux_head += len;
}

/* As many as find room; where one does not, what is there of it is told as truncated, and the event is off
 * until the program switches it on again. The first bytes are skipped, so that the area begins again soon. */
static uint64_t write_operations(struct fake_event *e, const struct fake_play *p, pid_t tid)
{
    enum { BEFORE_END = 1000, CUT_BYTES = 20 };
    struct record r;
    uint64_t done = 0;
    uint8_t *file = mmap(NULL, FILE_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, e->memory, 0);
    struct perf_event_mmap_page *page = (void *)file;
    uint8_t *area = file + page->aux_offset;
    if (!page->aux_head) e->aux_told = page->aux_head = page->aux_tail = page->aux_size - BEFORE_END;
    for (; done < p->len; done++) {
        spe_operation(&r, p, done);
        if (room_of_area(page) < r.len) break;
        write_area(area, page, r.bytes, r.len);
    }
    if (done < p->len) {
        /* a thread that comes onto a CPU whose area is full switches the event off without a word */
        const bool is_silent = e->stops++ % 2;
        if (!is_silent && room_of_area(page) >= CUT_BYTES) write_area(area, page, r.bytes, CUT_BYTES);
        tell_aux(e, page, is_silent ? 0 : PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL, tid);
        e->is_on = false;
    } else if (!p->is_held) {
        tell_aux(e, page, p->lost ? PERF_AUX_FLAG_COLLISION : 0, tid);
    }
    munmap(file, FILE_BYTES + PAGE_BYTES);
    return done;
}

static void write_incidents(const struct fake_event *e, const struct fake_play *p)
{
    struct record r;
    if (p->lost) {
        begin(&r, PERF_RECORD_LOST, 0);
        put_word(&r, 1000);
        put_word(&r, p->lost);
        write_record(e, &r);
    }
    if (p->hardware_lost) {
        begin(&r, 13, 0); /* PERF_RECORD_LOST_SAMPLES */
        put_word(&r, p->hardware_lost);
        write_record(e, &r);
    }
    for (uint64_t i = 0; i < p->throttled; i++) {
        begin(&r, i % 2 ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, 0);
        put_word(&r, now_ns());
        put_word(&r, 1000);
        put_word(&r, 1000);
        write_record(e, &r);
    }
    begin(&r, 4711, 0); /* of a later kernel */
    put_word(&r, 1);
    write_record(e, &r);
}

/* The event wanted among those that are on, sample, and are this process's on one CPU, or this thread's. */
static struct fake_event *event_to_play(pid_t tid, uint64_t wanted)
{
    struct fake_event *found = NULL;
    const pid_t pid = process_of(tid);
    for (size_t i = 0; i < events_len; i++) {
        struct fake_event *e = &events[i];
        if (!e->is_on || !e->attr.sample_period || process_of(e->pid) != pid) continue;
        if (e->cpu < 0 && e->target != tid) continue;
        if (found && found->cpu != e->cpu) continue;
        found = e;
        if (wanted-- == 0) break;
    }
    return found;
}

static void play(pid_t tid, uint64_t at)
{
    struct fake_play p;
    if (!peek(tid, at, &p, sizeof(p))) return;
    struct fake_event *e = event_to_play(tid, p.event);
    p.played = e && !e->has_aux ? p.len : 0;
    p.period_events = e ? e->attr.sample_period : 0;
    for (uint64_t k = 0; k < p.played; k++) {
        if (p.latency_first + k < (e->attr.config1 & 0xffff)) continue; /* ldlat */
        if (e->is_cpu_wide) write_sample(e, &p, k, 1, PERF_RECORD_MISC_USER);
        if (samples_kernel) write_sample(e, &p, k, tid, PERF_RECORD_MISC_KERNEL);
        write_sample(e, &p, k, tid, PERF_RECORD_MISC_USER);
    }
    if (e && e->has_aux) p.played = write_operations(e, &p, tid);
    if (e) write_incidents(e, &p);
    forget_ring();
    poke(tid, at, &p, sizeof(p));
}

/* --- calls --- */

static struct fake_event *event_of(pid_t pid, int fd)
{
    char link[64], target[128] = "";
    unsigned number;
    snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
    if (readlink(link, target, sizeof(target) - 1) < 0 || sscanf(target, "/memfd:fake-%u", &number) != 1 ||
        number >= events_len)
        return NULL;
    return &events[number];
}

/* A group goes with its leader. */
static void switch_group(const struct fake_event *leader, bool on)
{
    for (size_t i = 0; i < events_len; i++)
        if (events[i].leader == leader) events[i].is_on = on;
}

/* Tried before, as it is now? */
static bool was_tried(const struct perf_event_attr *a, pid_t process, int cpu)
{
    for (size_t i = 0; i < tried_len; i++)
        if (tried[i].type == a->type && tried[i].config == a->config && tried[i].period == a->sample_period &&
            tried[i].format == (a->read_format ^ a->sample_type) && tried[i].process == process &&
            tried[i].cpu == cpu)
            return true;
    if (tried_len < FILES_MAX) {
        tried[tried_len].type = a->type;
        tried[tried_len].config = a->config;
        tried[tried_len].period = a->sample_period;
        tried[tried_len].format = a->read_format ^ a->sample_type;
        tried[tried_len].process = process;
        tried[tried_len++].cpu = cpu;
    }
    return false;
}

/* Why it does not open; 0: it does. */
static int refusal_of(const struct perf_event_attr *a, pid_t pid, int cpu)
{
    if (is_busy && a->inherit && cpu >= 0 && was_tried(a, process_of(pid), cpu)) return EBUSY;
    if (a->type == PERF_TYPE_SOFTWARE || a->type == PERF_TYPE_BREAKPOINT) return 0;
    if (home.cpu >= 0 && a->type == home.type && cpu >= 0 && cpu != home.cpu) return ENOENT;
    if (fails(CALL_OPEN)) return fail_errno;
    return events_len >= FILES_MAX ? EMFILE : 0;
}

static void on_open(int listener, const struct seccomp_notif *n, struct seccomp_notif_resp *r)
{
    struct perf_event_attr attr = {.size = 0};
    char name[32];
    const bool is_read = peek((pid_t)n->pid, n->data.args[0], &attr, PERF_ATTR_SIZE_VER7);
    r->error = is_read ? -refusal_of(&attr, (pid_t)n->pid, (int)n->data.args[2]) : 0;
    if (r->error) return;
    if (!is_read || attr.type == PERF_TYPE_SOFTWARE || attr.type == PERF_TYPE_BREAKPOINT) {
        r->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        return;
    }
    snprintf(name, sizeof(name), "fake-%zu", events_len);
    const int memory = memfd_create(name, MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, FILE_BYTES + PAGE_BYTES) != 0) abort();
    const struct seccomp_notif_addfd add = {.id = n->id, .srcfd = (uint32_t)memory, .newfd_flags = O_CLOEXEC};
    const int fd = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    r->error = fd < 0 ? -errno : 0;
    r->val = fd;
    const struct fake_event *leader = event_of((pid_t)n->pid, (int)n->data.args[3]);
    if (!leader) leader = &events[events_len];
    events[events_len++] =
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
        play((pid_t)n->pid, n->data.args[2]);
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
    const uint64_t id = (uint64_t)(e - events) + 1000;
    if (request == PERF_EVENT_IOC_ID) poke((pid_t)n->pid, n->data.args[2], &id, sizeof(id));
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
    const bool is_too_long =
        len > longest_map || (most_mapped != ~0ul && len + all_mapped_bytes((pid_t)n->pid) > most_mapped);
    const int error = fails(offset ? CALL_AUX : CALL_MMAP) ? fail_errno : is_too_long ? EPERM : 0;
    if (error) *r = (struct seccomp_notif_resp){.id = n->id, .error = -error};
    if (!error && offset) e->has_aux = true;
}

/* Of the reader only, by its name. */
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
    if (poke((pid_t)n->pid, n->data.args[0], &u, sizeof(u))) r->flags = 0;
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
    if (option == 'k') samples_kernel = true;
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
    struct rlimit files; /* each event is one of ours, too */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (listener >= 0) serve(listener);
    if (waitpid(child, &status, 0) != child) return 2;
    if (listener < 0) fputs("fake_kernel: seccomp gives no listener here\n", stderr);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
