/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread is made to call dlopen as if a signal handler did: the frame that the kernel makes for handlers
 * (arch/x86/include/uapi/asm/sigcontext.h, arch/x86/include/asm/sigframe.h) is written to its stack with the
 * thread's present registers, and dlopen returns to the C library's rt_sigreturn, which restores them. So the
 * thread needs nobody once its registers are set: we let go of it at once, and our end changes nothing. */
#include "config.h"

#include "tools/record/rec_inject.h"
#include "tools/record/rec_process.h"
#include "common/ls_attach.h"
#include "common/ls_compat.h"

#include <stdio.h>

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TRY_MS = 10000,
    NAP_MS = 5,
    STOP_MS = 200,
    RED_ZONE_BYTES = 128,
    STACK_NEEDED_BYTES = 128 * 1024,
    XSTATE_MOST_BYTES = 16384,
    LEGACY_BYTES = 512,
    SOFTWARE_AT = 464, /* in the legacy part: for software */
    CODE_64_BIT = 0x33 /* the code segment of 64-bit programs */
};

/* ---- addresses: the process has the same C library as we ---- */

/* Functions in which a thread may be interrupted: they wait in the kernel and hold no lock of the allocator or
 * the linker. */
static const char *const waiting_names[] = {
    "read",   "write",   "poll",      "ppoll",    "select",  "pselect",   "epoll_wait",      "epoll_pwait",
    "accept", "accept4", "recv",      "recvfrom", "recvmsg", "nanosleep", "clock_nanosleep", "waitpid",
    "wait4",  "pause",   "sigsuspend"};
enum { WAITING_LEN = sizeof(waiting_names) / sizeof(waiting_names[0]) };

struct own_libc {
    char path[PATH_MAX];
    uint64_t base, text, text_end;
    uint64_t dlopen_at, sigreturn_at; /* distances from its base */
};

static int note_text(struct dl_phdr_info *info, size_t size, void *user)
{
    struct own_libc *l = user;
    (void)size;
    if (info->dlpi_addr != l->base) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        l->text = l->base + p->p_vaddr;
        l->text_end = l->text + p->p_memsz;
    }
    return 1;
}

/* mov $15, %rax; syscall: where handlers return to. */
static const uint8_t sigreturn_code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

static bool find_own_libc(struct own_libc *l)
{
    Dl_info info;
    void *const at = dlsym(RTLD_DEFAULT, "dlopen");
    memset(l, 0, sizeof(*l));
    if (!at || dladdr(at, &info) == 0 || !realpath(info.dli_fname, l->path)) return false;
    l->base = (uint64_t)(uintptr_t)info.dli_fbase;
    l->dlopen_at = (uint64_t)(uintptr_t)at - l->base;
    dl_iterate_phdr(note_text, l);
    const void *code = l->text ? memmem((const void *)(uintptr_t)l->text, l->text_end - l->text,
                                        sigreturn_code, sizeof(sigreturn_code))
                               : NULL;
    l->sigreturn_at = code ? (uint64_t)(uintptr_t)code - l->base : 0;
    return code && strstr(l->path, "/libc.so.6");
}

static bool is_waiting_at(const struct own_libc *l, uint64_t distance)
{
    for (int i = 0; i < WAITING_LEN; i++) {
        Dl_info info;
        const ElfW(Sym) *symbol = NULL;
        void *const at = dlsym(RTLD_DEFAULT, waiting_names[i]);
        if (!at || dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || !symbol) continue;
        const uint64_t begin = (uint64_t)(uintptr_t)at - l->base;
        if (distance >= begin && distance < begin + symbol->st_size) return true;
    }
    return false;
}

/* ---- the mappings of the process ---- */

struct mapping {
    uint64_t begin, end, offset;
    unsigned long inode;
    char path[PATH_MAX];
};

/* Read the line at *at, and move to the next one. False: there is none. */
static bool next_mapping(const char **at, struct mapping *out)
{
    int path_at = 0;
    if (!**at) return false;
    const char *end = strchr(*at, '\n');
    const size_t len = end ? (size_t)(end - *at) : strlen(*at);
    *out = (struct mapping){0};
    if (sscanf(*at, "%lx-%lx %*s %lx %*s %lu %n", (unsigned long *)&out->begin, (unsigned long *)&out->end,
               (unsigned long *)&out->offset, &out->inode, &path_at) >= 4 &&
        (size_t)path_at < len)
        snprintf(out->path, sizeof(out->path), "%.*s", (int)(len - (size_t)path_at), *at + path_at);
    *at += len + (end != NULL);
    return true;
}

/* Find the mapping of an address. */
static bool find_mapping(const char *maps, uint64_t address, struct mapping *out)
{
    for (const char *at = maps; next_mapping(&at, out);)
        if (address >= out->begin && address < out->end) return true;
    return false;
}

static bool is_file_of(const struct mapping *m, const char *path)
{
    struct stat st;
    return strcmp(m->path, path) == 0 && stat(path, &st) == 0 && st.st_ino == m->inode;
}

/* The address of the C library in the process, 0: it has another one, or none. */
static uint64_t find_libc(const char *maps, const struct own_libc *l)
{
    struct mapping m;
    for (const char *at = maps; next_mapping(&at, &m);)
        if (m.offset == 0 && is_file_of(&m, l->path)) return m.begin;
    return 0;
}

/* Does the file define malloc for others? Its functions may hold a lock that dlopen needs. Where that is not known,
 * it does. */
static bool defines_malloc(const char *path)
{
    static char known[PATH_MAX];
    static bool answer;
    if (strcmp(known, path) == 0) return answer;
    bool found = true;
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    uint8_t *bytes = NULL;
    enum { BYTES_MOST = 1 << 28 };
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < BYTES_MOST)
        bytes = malloc((size_t)st.st_size + 1);
    const size_t len =
        bytes && pread(fd, bytes, (size_t)st.st_size, 0) == st.st_size ? (size_t)st.st_size : 0;
    if (fd >= 0) close(fd);
    /* the name among the dynamic symbols' names, and a symbol with that name that has a section */
    Elf64_Ehdr h = {0};
    if (len >= sizeof(h)) memcpy(&h, bytes, sizeof(h));
    if (len >= sizeof(h) && h.e_shentsize == sizeof(Elf64_Shdr) && h.e_shoff <= len &&
        h.e_shnum <= (len - h.e_shoff) / sizeof(Elf64_Shdr)) {
        found = false;
        for (unsigned i = 0; i < h.e_shnum && !found; i++) {
            Elf64_Shdr s, names;
            memcpy(&s, bytes + h.e_shoff + i * sizeof(s), sizeof(s));
            if (s.sh_type != SHT_DYNSYM || s.sh_link >= h.e_shnum) continue;
            memcpy(&names, bytes + h.e_shoff + s.sh_link * sizeof(names), sizeof(names));
            if (s.sh_offset > len || s.sh_size > len - s.sh_offset || names.sh_offset > len ||
                names.sh_size > len - names.sh_offset)
                continue;
            for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.sh_size && !found; at += sizeof(Elf64_Sym)) {
                Elf64_Sym symbol;
                memcpy(&symbol, bytes + s.sh_offset + at, sizeof(symbol));
                found = symbol.st_shndx != SHN_UNDEF && symbol.st_name + sizeof("malloc") <= names.sh_size &&
                        memcmp(bytes + names.sh_offset + symbol.st_name, "malloc", sizeof("malloc")) == 0;
            }
        }
    }
    free(bytes);
    snprintf(known, sizeof(known), "%s", path);
    return answer = found;
}

/* ---- may it be? ---- */

static ls_err refuse(pid_t pid, const char *why)
{
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "process %d was not started by loadstone run, and the runtime cannot be loaded into it: %s", (int)pid,
        why);
}

/* Yama, and other rules of the system, are asked by trying (ptrace(2)). */
static ls_err try_to_seize(pid_t pid, const char *proc_status)
{
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0) {
        /* it must stop to be let go of */
        int status;
        ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
        if (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
            const int event = status >> 16, signal_number = event ? 0 : WSTOPSIG(status);
            ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)signal_number);
        }
        return LS_OK;
    }
    if (errno == EPERM) return rec_process_not_permitted(pid, proc_status);
    return refuse(pid, strerror(errno));
}

ls_err rec_inject_check(pid_t pid, const char *status, const char *maps)
{
    struct own_libc l;
    if (!strstr(maps, "/libc.so.6")) return refuse(pid, "it has another C library than glibc");
    if (!find_own_libc(&l)) return refuse(pid, "our own C library cannot be found");
    if (find_libc(maps, &l) == 0)
        return refuse(pid, "its C library is another file than ours: it was updated since, or another one");
    if (strstr(maps, "/libasan.so") || strstr(maps, "/libtsan.so") || strstr(maps, "/vgpreload_"))
        return refuse(pid, "it runs under a sanitizer or valgrind");
    return try_to_seize(pid, status);
}

/* ---- a thread that is stopped ---- */

struct thread {
    pid_t pid, tid;
    int memory_fd;
    struct user_regs_struct registers;
    uint64_t mask;
    _Alignas(64) uint8_t xstate[XSTATE_MOST_BYTES];
    size_t xstate_len;
};

static void nap(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Stop a thread. Signals that come first are delivered as usual. False: it is not stopped, and not ours. */
static bool stop_thread(pid_t tid)
{
    int status;
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) return false;
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    for (long ms = 0;; ms++) {
        const pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
        if (got < 0 || (got == tid && !WIFSTOPPED(status))) return false; /* it has ended */
        if (got == 0) {
            if (ms >= STOP_MS) ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
            nap(1);
            continue;
        }
        const int event = status >> 16, sig = WSTOPSIG(status);
        if (event == PTRACE_EVENT_STOP && sig == SIGTRAP) return true;
        if (event == PTRACE_EVENT_STOP) { /* the process is being stopped by a signal */
            ptrace(PTRACE_DETACH, tid, NULL, NULL);
            return false;
        }
        ptrace(PTRACE_CONT, tid, NULL, (void *)(long)(event ? 0 : sig));
    }
}

static bool read_memory(const struct thread *t, uint64_t address, void *out, size_t len_bytes)
{
    return pread(t->memory_fd, out, len_bytes, (off_t)address) == (ssize_t)len_bytes;
}

static bool write_memory(const struct thread *t, uint64_t address, const void *from, size_t len_bytes)
{
    return pwrite(t->memory_fd, from, len_bytes, (off_t)address) == (ssize_t)len_bytes;
}

static bool read_state(struct thread *t)
{
    struct iovec x = {t->xstate, sizeof(t->xstate)};
    if (ptrace(PTRACE_GETREGS, t->tid, NULL, &t->registers) != 0) return false;
    if (ptrace(PTRACE_GETSIGMASK, t->tid, (void *)sizeof(t->mask), &t->mask) != 0) return false;
    if (ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_X86_XSTATE, &x) != 0) return false;
    t->xstate_len = x.iov_len;
    return x.iov_len > LEGACY_BYTES && x.iov_len + sizeof(uint32_t) <= sizeof(t->xstate);
}

/* Is the thread in a restartable sequence (rseq(2))? */
static bool is_in_sequence(const struct thread *t)
{
    struct {
        uint64_t area;
        uint32_t len_bytes, signature, flags, pad;
    } rseq = {0};
    enum { SEQUENCE_AT = 8 };
    const enum __ptrace_request get_configuration =
        0x420f; /* PTRACE_GET_RSEQ_CONFIGURATION, linux/ptrace.h */
    uint64_t sequence = 0;
    if (ptrace(get_configuration, t->tid, (void *)sizeof(rseq), &rseq) < 0 || !rseq.area) return false;
    return !read_memory(t, rseq.area + SEQUENCE_AT, &sequence, sizeof(sequence)) || sequence != 0;
}

/* The thread must be on its own stack, with room; stacks of coroutines may be small. The C library puts a thread's
 * descriptor, to which fs points, at the end of its stack. */
static bool is_stack_good(const struct thread *t, const char *maps, uint64_t *out_end)
{
    struct mapping m;
    const uint64_t sp = t->registers.rsp;
    if (!find_mapping(maps, sp, &m)) return false;
    const bool is_first = strcmp(m.path, "[stack]") == 0;
    if (!is_first && (t->registers.fs_base <= sp || t->registers.fs_base >= m.end)) return false;
    *out_end = is_first ? m.end : t->registers.fs_base;
    /* the first stack grows */
    return sp - m.begin > (is_first ? 2 * XSTATE_MOST_BYTES : STACK_NEEDED_BYTES);
}

/* The kernel's struct rt_sigframe, up to the context. */
struct frame {
    uint64_t return_to;
    uint64_t flags, link;
    struct {
        uint64_t sp;
        uint32_t flags, pad;
        uint64_t len_bytes;
    } stack;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, fault_address, xstate, reserved[8];
    uint64_t mask;
    uint64_t info[16];
};

/* A frame of a signal handler, and not the same address in a variable? */
static bool is_handler_frame(const struct thread *t, uint64_t at)
{
    struct frame f;
    enum { FLAGS = 7 };
    return !read_memory(t, at, &f, offsetof(struct frame, mask)) ||
           (f.cs == CODE_64_BIT && (f.flags & ~(uint64_t)FLAGS) == 0 && f.link == 0);
}

/* Is there the frame of a signal handler on the stack? It may be a rest of an old one; then there is a better
 * moment later. */
static bool may_be_in_handler(const struct thread *t, uint64_t end, uint64_t sigreturn)
{
    enum { WORDS = 4096, BYTES_MOST = 8 << 20 };
    static uint64_t words[WORDS];
    uint64_t at = t->registers.rsp & ~UINT64_C(7);
    if (end - at > BYTES_MOST) end = at + BYTES_MOST;
    while (at < end) {
        const size_t len = end - at < sizeof(words) ? (size_t)(end - at) / sizeof(words[0]) : (size_t)WORDS;
        if (len == 0) break;
        if (!read_memory(t, at, words, len * sizeof(words[0]))) return true;
        for (size_t i = 0; i < len; i++)
            if (words[i] == sigreturn && is_handler_frame(t, at + i * sizeof(words[0]))) return true;
        at += len * sizeof(words[0]);
    }
    return false;
}

/* A system call that we interrupted before goes on as restart_syscall, which cannot be made again after a signal
 * frame. Find the number of the call in the instruction before it. False: it is not there. */
static bool find_restarted_call(struct thread *t)
{
    uint8_t code[7];
    enum { MOV_EAX = 0xb8, SYSCALL_0 = 0x0f, SYSCALL_1 = 0x05 };
    if (t->registers.orig_rax != SYS_restart_syscall) return true;
    if (!read_memory(t, t->registers.rip - sizeof(code), code, sizeof(code)) || code[0] != MOV_EAX ||
        code[5] != SYSCALL_0 || code[6] != SYSCALL_1)
        return false;
    uint32_t number;
    memcpy(&number, code + 1, sizeof(number));
    t->registers.orig_rax = number;
    return true;
}

/* May the thread call dlopen now? It must not hold a lock of the allocator or the linker. */
static bool is_moment_good(struct thread *t, const char *maps, const struct own_libc *l, uint64_t libc)
{
    struct mapping m;
    uint64_t stack_end;
    const uint64_t ip = t->registers.rip;
    if (t->registers.cs != CODE_64_BIT || !find_mapping(maps, ip, &m) || is_in_sequence(t) ||
        !find_restarted_call(t))
        return false;
    if (!is_stack_good(t, maps, &stack_end) || may_be_in_handler(t, stack_end, libc + l->sigreturn_at))
        return false;
    if (strcmp(m.path, l->path) == 0) return is_waiting_at(l, ip - libc);
    if (strstr(m.path, "/ld-linux") || m.path[0] == '[') return false;
    return m.path[0] != '/' || !defines_malloc(m.path);
}

/* ---- the frame ---- */

/* The registers to return to. A system call that was interrupted is made again: the codes are the kernel's
 * (include/linux/errno.h), which nobody else sees. */
static struct user_regs_struct registers_after(const struct thread *t)
{
    enum { ERESTARTSYS = 512, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK = 516, CALL_BYTES = 2 };
    struct user_regs_struct r = t->registers;
    const long result = (long)r.rax;
    if ((long)r.orig_rax >= 0 && (result == -ERESTARTSYS || result == -ERESTARTNOINTR ||
                                  result == -ERESTARTNOHAND || result == -ERESTART_RESTARTBLOCK)) {
        r.rax = r.orig_rax;
        r.rip -= CALL_BYTES;
    }
    return r;
}

static struct frame frame_of(const struct thread *t, uint64_t xstate_at, uint64_t sigreturn)
{
    enum { HAS_XSTATE = 1, HAS_STACK_SEGMENT = 2, NO_STACK = 7 };
    const struct user_regs_struct r = registers_after(t);
    return (struct frame){
        .return_to = sigreturn,
        .flags = HAS_XSTATE | HAS_STACK_SEGMENT,
        .stack.flags = NO_STACK, /* invalid: the kernel keeps the thread's signal stack as it is */
        .r8 = r.r8,
        .r9 = r.r9,
        .r10 = r.r10,
        .r11 = r.r11,
        .r12 = r.r12,
        .r13 = r.r13,
        .r14 = r.r14,
        .r15 = r.r15,
        .rdi = r.rdi,
        .rsi = r.rsi,
        .rbp = r.rbp,
        .rbx = r.rbx,
        .rdx = r.rdx,
        .rax = r.rax,
        .rcx = r.rcx,
        .rsp = r.rsp,
        .rip = r.rip,
        .eflags = r.eflags,
        .cs = (uint16_t)r.cs,
        .ss = (uint16_t)r.ss,
        .xstate = xstate_at,
        .mask = t->mask,
    };
}

/* As the kernel stores it in frames: marks in the part for software, and one after the end. */
static void mark_xstate(struct thread *t)
{
    enum { MAGIC1 = 0x46505853, MAGIC2 = 0x46505845 };
    uint64_t features;
    const uint32_t end_mark = MAGIC2;
    memcpy(&features, t->xstate + SOFTWARE_AT, sizeof(features)); /* the kernel gives them here, too */
    struct {
        uint32_t magic, extended_len;
        uint64_t features;
        uint32_t len, pad[7];
    } software = {.magic = MAGIC1,
                  .extended_len = (uint32_t)(t->xstate_len + sizeof(end_mark)),
                  .features = features,
                  .len = (uint32_t)t->xstate_len};
    _Static_assert(sizeof(software) == LEGACY_BYTES - SOFTWARE_AT, "the part for software");
    memcpy(t->xstate + SOFTWARE_AT, &software, sizeof(software));
    memcpy(t->xstate + t->xstate_len, &end_mark, sizeof(end_mark));
}

/* Write the frame below the thread's stack and set its registers, which is the only change of the thread. */
static bool let_load(struct thread *t, const char *path, const struct own_libc *l, uint64_t libc)
{
    const uint64_t all_signals = ~UINT64_C(0);
    const size_t path_len = strlen(path) + 1;
    uint64_t at = t->registers.rsp - RED_ZONE_BYTES - path_len;
    const uint64_t path_at = at;
    mark_xstate(t);
    at = (at - t->xstate_len - sizeof(uint32_t)) & ~UINT64_C(63);
    const uint64_t xstate_at = at;
    /* at the first instruction of a function the stack is 8 bytes off the alignment */
    at = ((at - sizeof(struct frame)) & ~UINT64_C(15)) - 8;
    const struct frame frame = frame_of(t, xstate_at, libc + l->sigreturn_at);
    if (!write_memory(t, path_at, path, path_len) || !write_memory(t, at, &frame, sizeof(frame)) ||
        !write_memory(t, xstate_at, t->xstate, t->xstate_len + sizeof(uint32_t)))
        return false;
    struct user_regs_struct r = t->registers;
    r.orig_rax = UINT64_MAX; /* no system call to make again */
    r.rax = 0;
    r.rip = libc + l->dlopen_at;
    r.rsp = at;
    r.rdi = path_at;
    r.rsi = RTLD_NOW | RTLD_LOCAL;
    enum { DIRECTION = 0x400 };
    r.eflags &= ~(uint64_t)DIRECTION;
    if (ptrace(PTRACE_SETREGS, t->tid, NULL, &r) != 0) return false;
    /* until the frame restores the mask, no handler of the program runs inside dlopen */
    ptrace(PTRACE_SETSIGMASK, t->tid, (void *)sizeof(all_signals), &all_signals);
    return true;
}

/* ---- the choice of a thread ---- */

static char *read_maps(pid_t pid)
{
    char path[64], *text = NULL;
    size_t len = 0, room = 0;
    ssize_t got = 1;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && got > 0) {
        if (len + 4096 > room) {
            char *more = realloc(text, room = 2 * room + 65536);
            if (!more) break;
            text = more;
        }
        got = read(fd, text + len, room - len - 1);
        len += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) close(fd);
    if (text) text[len] = '\0';
    return text;
}

static bool try_thread(struct thread *t, const char *path, const struct own_libc *l)
{
    if (!stop_thread(t->tid)) return false;
    char *maps = read_maps(t->pid);
    const uint64_t libc = maps ? find_libc(maps, l) : 0;
    const bool is_good =
        libc && read_state(t) && is_moment_good(t, maps, l, libc) && let_load(t, path, l, libc);
    ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
    free(maps);
    return is_good;
}

static bool try_threads(struct thread *t, const char *path, const struct own_libc *l)
{
    char name[64];
    bool is_done = false;
    snprintf(name, sizeof(name), "/proc/%d/task", (int)t->pid);
    DIR *d = opendir(name);
    for (struct dirent *e; d && !is_done && (e = readdir(d));) {
        t->tid = (pid_t)strtol(e->d_name, NULL, 10);
        is_done = t->tid > 0 && try_thread(t, path, l);
    }
    if (d) closedir(d);
    return is_done;
}

ls_err rec_inject(pid_t pid, const char *runtime, const struct rec_spool *spool)
{
    static struct thread t; /* large */
    struct own_libc l;
    char path[PATH_MAX + 32], name[64];
    bool is_done = false;
    snprintf(path, sizeof(path), "%s/" LS_ATTACH_LIBRARY, spool->path);
    if (symlinkat(runtime, spool->fd, LS_ATTACH_LIBRARY) != 0)
        return ls_fail_errno(errno, "cannot make %s", path);
    if (!find_own_libc(&l)) return refuse(pid, "our own C library cannot be found");
    snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
    t = (struct thread){.pid = pid, .memory_fd = open(name, O_RDWR | O_CLOEXEC)};
    if (t.memory_fd < 0) return ls_fail_errno(errno, "cannot open the memory of process %d", (int)pid);
    for (long ms = 0; ms < TRY_MS && !is_done; ms += NAP_MS) {
        is_done = try_threads(&t, path, &l);
        if (!is_done) nap(NAP_MS);
    }
    close(t.memory_fd);
    return is_done
               ? LS_OK
               : ls_fail(
                     LS_ERR_NOT_FOUND,
                     "process %d: none of its threads was at a moment when it could load the runtime; try again",
                     (int)pid);
}
