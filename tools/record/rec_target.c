/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_target.h"
#include "common/ls_span.h"
#include "common/ls_text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { REC_HEAD_BYTES = 4096, REC_SCRIPT_DEPTH = 4 }; /* the kernel follows four interpreters, too */

static bool rec_is_program_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Find the first executable in PATH, as execvp; remember whether a file was there but could not be run. */
static ls_err rec_search_path(const char *program, char path[PATH_MAX])
{
    const char *dirs = getenv("PATH");
    bool refused = false;
    for (const char *d = dirs ? dirs : "/bin:/usr/bin";; d++) {
        const size_t len = strcspn(d, ":");
        const int n = len ? snprintf(path, PATH_MAX, "%.*s/%s", (int)len, d, program)
                          : snprintf(path, PATH_MAX, "./%s", program);
        if (n < PATH_MAX && rec_is_program_file(path)) return LS_OK;
        refused = refused || access(path, F_OK) == 0;
        d += len;
        if (!*d) break;
    }
    return refused ? ls_fail(LS_ERR_PERMISSION, "%s is in PATH but may not be executed", program)
                   : ls_fail(LS_ERR_NOT_FOUND, "%s: no such program in PATH", program);
}

ls_err rec_target_find(const char *program, char path[PATH_MAX])
{
    if (!*program) return ls_fail(LS_ERR_NOT_FOUND, "the program's name is empty");
    if (!strchr(program, '/')) return rec_search_path(program, path);
    struct stat st;
    if (stat(program, &st) != 0)
        return ls_fail_errno(errno == ENOTDIR ? ENOENT : errno, "cannot run %s", program);
    if (S_ISDIR(st.st_mode)) return ls_fail(LS_ERR_PERMISSION, "%s is a directory, not a program", program);
    if (!rec_is_program_file(program))
        return ls_fail(LS_ERR_PERMISSION, "%s is not executable; chmod +x makes it so", program);
    if (snprintf(path, PATH_MAX, "%s", program) >= PATH_MAX)
        return ls_fail(LS_ERR_NOT_FOUND, "the program's name is longer than %d bytes", PATH_MAX);
    return LS_OK;
}

static void rec_read_script(const char *head, size_t len, struct rec_image *out)
{
    out->kind = REC_SCRIPT;
    size_t begin = 2, end;
    while (begin < len && (head[begin] == ' ' || head[begin] == '\t'))
        begin++;
    for (end = begin; end < len && !strchr(" \t\r\n", head[end]); end++)
        ;
    snprintf(out->interpreter, sizeof(out->interpreter), "%.*s", (int)(end - begin), head + begin);
}

/* Our own ELF header in memory (the linker's symbol); it names the machine we were built for. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

static ls_err rec_read_interpreter(int fd, const Elf64_Ehdr *header, struct rec_image *out)
{
    out->kind = REC_STATIC;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (pread(fd, &segment, sizeof(segment),
                  (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize)) != (ssize_t)sizeof(segment)) {
            out->kind = REC_NOT_A_PROGRAM;
            return LS_OK;
        }
        if (segment.p_type != PT_INTERP) continue;
        const size_t len = segment.p_filesz < PATH_MAX ? segment.p_filesz : PATH_MAX - 1;
        const ssize_t got = pread(fd, out->interpreter, len, (off_t)segment.p_offset);
        out->interpreter[got > 0 ? got : 0] = '\0';
        out->kind = strstr(out->interpreter, "ld-musl") ? REC_OTHER_LIBC : REC_DYNAMIC;
    }
    return LS_OK;
}

static ls_err rec_read_elf(int fd, const char *path, struct ls_cursor head, struct rec_image *out)
{
    Elf64_Ehdr header;
    out->kind = REC_NOT_A_PROGRAM;
    if (!ls_cursor_read(&head, &header, sizeof(header))) return LS_OK;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != __ehdr_start.e_machine) {
        out->kind = REC_OTHER_MACHINE;
        return LS_OK;
    }
    if ((header.e_type != ET_EXEC && header.e_type != ET_DYN) || header.e_phentsize != sizeof(Elf64_Phdr))
        return LS_OK;
    LS_TRY(rec_read_interpreter(fd, &header, out));
    /* the dynamic loader started as a program looks static, yet it preloads */
    if (out->kind == REC_STATIC && strncmp(ls_base_name(path), "ld-linux", 8) == 0) out->kind = REC_DYNAMIC;
    return LS_OK;
}

ls_err rec_image_read(const char *path, struct rec_image *out)
{
    char head[REC_HEAD_BYTES];
    memset(out, 0, sizeof(*out));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        out->kind = REC_DYNAMIC; /* executable but not readable: the kernel knows better than we can */
        return LS_OK;
    }
    if (fd < 0) return ls_fail_errno(errno, "cannot read %s", path);
    const ssize_t len = pread(fd, head, sizeof(head), 0);
    ls_err err = LS_OK;
    out->kind = REC_NOT_A_PROGRAM;
    if (len >= 2 && memcmp(head, "#!", 2) == 0) {
        rec_read_script(head, (size_t)len, out);
    } else if (len >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0) {
        err = rec_read_elf(fd, path, ls_cursor_over(head, (size_t)len), out);
    } else if (len > 0 && !memchr(head, '\0', (size_t)len)) {
        out->kind = REC_SCRIPT; /* as execvp and shells do: text without #! is for the shell */
        strcpy(out->interpreter, "/bin/sh");
    }
    close(fd);
    return err;
}

const char *rec_privilege_reason(const struct rec_privilege *p)
{
    if (p->nosuid) return NULL;
    if ((p->mode & S_ISUID) && p->owner != p->user) return "setuid";
    if ((p->mode & S_ISGID) && (p->mode & S_IXGRP) && p->group != p->user_group) return "setgid";
    if (p->has_capabilities && p->user != 0) return "given file capabilities";
    return NULL;
}

static ls_err rec_check_privilege(const char *path)
{
    struct stat st;
    struct statvfs fs;
    if (stat(path, &st) != 0) return ls_fail_errno(errno, "cannot examine %s", path);
    const struct rec_privilege p = {.mode = st.st_mode,
                                    .owner = st.st_uid,
                                    .group = st.st_gid,
                                    .user = getuid(),
                                    .user_group = getgid(),
                                    .nosuid = statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOSUID),
                                    .has_capabilities = getxattr(path, "security.capability", NULL, 0) > 0};
    const char *reason = rec_privilege_reason(&p);
    if (reason)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "%s is %s: the system starts it without preloaded libraries; record it as the user it runs "
            "as, or record an unprivileged copy (cp %s /tmp)",
            path, reason, path);
    return LS_OK;
}

static ls_err rec_refuse(const char *path, const struct rec_image *image)
{
    switch (image->kind) {
    case REC_STATIC:
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "%s is statically linked, so nothing can be preloaded into it; link it without -static", path);
    case REC_OTHER_MACHINE:
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "%s is built for another machine or for 32 bits; build it for this one", path);
    case REC_OTHER_LIBC:
        return ls_fail(LS_ERR_UNSUPPORTED, "%s uses another C library (%s); build it with glibc", path,
                       image->interpreter);
    case REC_NOT_A_PROGRAM:
        return ls_fail(LS_ERR_UNSUPPORTED, "%s is neither a program nor a script", path);
    case REC_DYNAMIC:
    case REC_SCRIPT:
        break;
    }
    return LS_OK;
}

ls_err rec_target_check(const char *path)
{
    char at[PATH_MAX];
    snprintf(at, sizeof(at), "%s", path);
    for (int depth = 0; depth <= REC_SCRIPT_DEPTH; depth++) {
        struct rec_image image;
        LS_TRY(rec_image_read(at, &image));
        LS_TRY(rec_refuse(at, &image));
        if (image.kind != REC_SCRIPT) return rec_check_privilege(at);
        if (access(image.interpreter, X_OK) != 0)
            return ls_fail(LS_ERR_UNSUPPORTED,
                           "%s is a script whose interpreter '%s' cannot be run; correct its first line", at,
                           image.interpreter);
        memcpy(at, image.interpreter, sizeof(at));
    }
    return ls_fail(LS_ERR_UNSUPPORTED, "%s: scripts interpret scripts more than %d deep", path,
                   REC_SCRIPT_DEPTH);
}

int rec_target_status(ls_err e)
{
    return e == LS_ERR_NOT_FOUND ? CLI_NO_PROGRAM : CLI_CANNOT_RUN;
}
