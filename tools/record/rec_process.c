/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/record/rec_process.h"
#include "common/ls_file.h"
#include "common/ls_text.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- /proc ---- */

char *rec_process_read(pid_t pid, const char *name, size_t *out_len)
{
    char path[64], *text = NULL;
    size_t len = 0, room = 0;
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got = 1; fd >= 0 && got > 0; len += got > 0 ? (size_t)got : 0) {
        if (len + 1 >= room) {
            char *more = realloc(text, room = 2 * room + 4096);
            if (!more) break;
            text = more;
        }
        got = read(fd, text + len, room - len - 1);
        if (got < 0) len = 0;
    }
    if (fd >= 0) close(fd);
    if (!text || len == 0) {
        free(text);
        return NULL;
    }
    text[len] = '\0';
    if (out_len) *out_len = len;
    return text;
}

uint64_t rec_process_number(const char *status, const char *key, int base)
{
    const size_t len = strlen(key);
    for (const char *line = status; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && line[len] == ':') return strtoull(line + len + 1, NULL, base);
    }
    return 0;
}

/* The number of this process; 0 also if it cannot be read. */
static uint64_t own_number(const char *key, int base)
{
    char *status = rec_process_read(getpid(), "status", NULL);
    const uint64_t number = status ? rec_process_number(status, key, base) : 0;
    free(status);
    return number;
}

char rec_process_state(const char *status)
{
    const char *at = strstr(status, "State:");
    return at ? at[6 + strspn(at + 6, " \t")] : '?';
}

static bool is_same_namespace(pid_t pid, const char *name)
{
    char path[64];
    struct stat own, other;
    snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
    if (stat(path, &other) != 0) return true; /* not known */
    snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
    return stat(path, &own) != 0 || own.st_ino == other.st_ino;
}

/* Is it a thread of the kernel? Its flags follow the name in parentheses (proc(5)). */
static bool is_of_kernel(pid_t pid)
{
    enum { PF_KTHREAD = 0x00200000 }; /* include/linux/sched.h */
    unsigned flags = 0;
    char *stat = rec_process_read(pid, "stat", NULL);
    const char *at = stat ? strrchr(stat, ')') : NULL;
    const bool is_read = at && sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1;
    free(stat);
    return is_read && flags & PF_KTHREAD;
}

/* ---- may it be recorded? ---- */

static ls_err check_owner(pid_t pid, const char *status)
{
    const uint64_t user = rec_process_number(status, "Uid", 10);
    if (is_of_kernel(pid))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "process %d is a thread of the kernel: only programs can be recorded", (int)pid);
    if (user != geteuid())
        return ls_fail(LS_ERR_PERMISSION,
                       "process %d belongs to another user (number %llu): record it as that user", (int)pid,
                       (unsigned long long)user);
    if (!is_same_namespace(pid, "pid") || !is_same_namespace(pid, "mnt"))
        return ls_fail(LS_ERR_UNSUPPORTED, "process %d runs in a container: run loadstone record in it",
                       (int)pid);
    return LS_OK;
}

static ls_err check_state(pid_t pid, const char *status)
{
    const char state = rec_process_state(status);
    const uint64_t tracer = rec_process_number(status, "TracerPid", 10);
    if (state == 'Z' && rec_process_number(status, "Threads", 10) > 1) /* /proc shows no memory of it */
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "the first thread of process %d has ended, only others still run: record the program from its "
            "start (loadstone record -- PROGRAM)",
            (int)pid);
    if (state == 'Z' || state == 'X')
        return ls_fail(LS_ERR_NOT_FOUND, "process %d has ended already", (int)pid);
    if (tracer)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "process %d is under a debugger or tracer (process %llu): detach that first", (int)pid,
                       (unsigned long long)tracer);
    if (state == 'T' || state == 't')
        return ls_fail(LS_ERR_UNSUPPORTED, "process %d is stopped: continue it first (kill -CONT %d)",
                       (int)pid, (int)pid);
    return LS_OK;
}

/* A process with a filter of system calls may be killed for a call that recording needs. In a container, we have the same
 * filter: then our own calls have shown that it permits them. */
static ls_err check_filter(pid_t pid, const char *status)
{
    const uint64_t mode = rec_process_number(status, "Seccomp", 10);
    if (mode == SECCOMP_MODE_DISABLED) return LS_OK;
    const uint64_t filters = rec_process_number(status, "Seccomp_filters", 10);
    const bool is_ours = mode == SECCOMP_MODE_FILTER && filters && own_number("Seccomp", 10) == mode &&
                         own_number("Seccomp_filters", 10) == filters;
    if (is_ours) return LS_OK;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "process %d has forbidden system calls to itself (seccomp), and would be killed for those of a "
        "recording: turn its sandbox off, or loadstone record -- PROGRAM records it up to that point",
        (int)pid);
}

ls_err rec_process_check(pid_t pid, const char *status)
{
    LS_TRY(check_owner(pid, status));
    LS_TRY(check_state(pid, status));
    return check_filter(pid, status);
}

/* ---- its program ---- */

/* QEMU's emulators of other processors for programs: qemu-aarch64, but not qemu-img or qemu-system-x86_64. */
static bool is_emulator(const char *name)
{
    static const char *const processors[] = {"aarch64",   "alpha", "arm",   "hppa",   "i386",
                                             "loongarch", "m68k",  "mips",  "ppc",    "riscv",
                                             "s390x",     "sh4",   "sparc", "x86_64", "xtensa"};
    const char *at = strncmp(name, "qemu-", 5) == 0 ? name + 5 : "";
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
        if (strncmp(at, processors[i], strlen(processors[i])) == 0) return true;
    return false;
}

static bool has_loader(int fd, const Elf64_Ehdr *h)
{
    Elf64_Phdr p;
    for (unsigned i = 0; i < h->e_phnum; i++)
        if (pread(fd, &p, sizeof(p), (off_t)(h->e_phoff + i * sizeof(p))) != (ssize_t)sizeof(p) ||
            p.p_type == PT_INTERP)
            return true; /* where it cannot be read, others find out */
    return false;
}

ls_err rec_process_check_program(pid_t pid)
{
    char path[64], program[PATH_MAX];
    Elf64_Ehdr h = {0};
    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    const ssize_t len = readlink(path, program, sizeof(program) - 1);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_read = len > 0 && fd >= 0 && pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h);
    const bool is_64_bit = is_read && h.e_ident[EI_CLASS] == ELFCLASS64;
    const bool is_static = is_64_bit && !has_loader(fd, &h);
    if (fd >= 0) close(fd);
    if (!is_read) return LS_OK;
    program[len] = '\0';
    if (!is_64_bit)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "process %d runs a 32-bit program: only 64-bit programs can be recorded", (int)pid);
    if (is_emulator(ls_base_name(program)))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "process %d runs a program of another processor in %s: record it on such a machine",
                       (int)pid, ls_base_name(program));
    if (is_static)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "process %d runs a statically linked program, into which nothing can be loaded: link it "
            "dynamically",
            (int)pid);
    return LS_OK;
}

/* ---- why the system refuses ---- */

/* Has the process a right that we lack? Then only CAP_SYS_PTRACE permits to look into it (ptrace(2)). */
static bool has_more_rights(const char *status)
{
    const uint64_t ours = own_number("CapEff", 16);
    return !(ours >> CAP_SYS_PTRACE & 1) && (rec_process_number(status, "CapPrm", 16) & ~ours) != 0;
}

static ls_err lacks_rights(pid_t pid)
{
    return ls_fail(
        LS_ERR_PERMISSION,
        "process %d has rights (capabilities) that loadstone record has not: record it as root, in a "
        "container with CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE)",
        (int)pid);
}

ls_err rec_process_hidden(pid_t pid, const char *status)
{
    if (has_more_rights(status)) return lacks_rights(pid);
    return ls_fail(
        LS_ERR_PERMISSION,
        "the mappings of process %d cannot be read: it hides itself (prctl PR_SET_DUMPABLE, or a file "
        "that only root may read), or a security module forbids it; record it as root",
        (int)pid);
}

/* The file is not there without Yama: 0. */
static int yama_scope(void)
{
    int64_t scope = 0;
    return ls_file_number("/proc/sys/kernel/yama/ptrace_scope", &scope) ? (int)scope : 0;
}

static bool is_filtered(void)
{
    return own_number("Seccomp", 10) != SECCOMP_MODE_DISABLED;
}

ls_err rec_process_not_permitted(pid_t pid, const char *status)
{
    static const char *const scopes[] = {
        [1] =
            "only its parent may change it (kernel.yama.ptrace_scope is 1): sysctl kernel.yama.ptrace_scope=0, or "
            "record it as root",
        [2] = "only root may change processes (kernel.yama.ptrace_scope is 2): record it as root, or sysctl "
              "kernel.yama.ptrace_scope=0",
        [3] =
            "nobody may change processes until the next start of the system (kernel.yama.ptrace_scope is 3)"};
    const int scope = yama_scope();
    const char *why = "a security module of the system (SELinux, AppArmor) forbids to change it";
    if (scope == 3 || (scope > 0 && scope < 3 && !has_more_rights(status)))
        why = scopes[scope];
    else if (has_more_rights(status))
        return lacks_rights(pid);
    else if (is_filtered())
        why =
            "a filter of system calls (seccomp) of this session or container forbids ptrace: docker run --cap-add "
            "SYS_PTRACE permits it";
    return ls_fail(
        LS_ERR_PERMISSION,
        "the runtime cannot be loaded into process %d: %s; a process started by loadstone run needs no "
        "such right",
        (int)pid, why);
}
