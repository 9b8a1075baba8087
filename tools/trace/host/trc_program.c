/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/trace/host/trc_host.h"
#include "common/ls_file.h"
#include "common/ls_vector.h"
#include "tools/cli/cli_install.h"
#include "tools/record/rec_target.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRC_PLUGIN_FILE "libloadstone-tracer.so"
#define TRC_ALTERNATIVE "sample it instead: loadstone record, then loadstone patterns run.h5"

/* AVX2 is hidden because QEMU 7.2 computes wrong addresses for gathers whose index is in register 4. */
static const struct trc_machine trc_machines[] = {
    {"x86-64", "qemu-x86_64", "qemu-user", EM_X86_64, "max,-avx2", "max", NULL},
    {"aarch64", "qemu-aarch64", "qemu-user", EM_AARCH64, "max", "max", "/usr/aarch64-linux-gnu"},
};

static unsigned trc_elf_machine(const char *path)
{
    Elf64_Ehdr h = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool is_read = fd >= 0 && read(fd, &h, sizeof(h)) == (ssize_t)sizeof(h);
    if (fd >= 0) close(fd);
    const bool is_elf = is_read && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 &&
                        h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_ident[EI_DATA] == ELFDATA2LSB;
    return is_elf ? h.e_machine : EM_NONE;
}

static unsigned trc_own_machine(void)
{
    return trc_elf_machine("/proc/self/exe");
}

static const struct trc_machine *trc_machine_of(unsigned elf_machine)
{
    for (size_t i = 0; i < sizeof(trc_machines) / sizeof(trc_machines[0]); i++)
        if (trc_machines[i].elf_machine == elf_machine) return &trc_machines[i];
    return NULL;
}

static ls_err trc_find_qemu(struct trc_program *p)
{
    if (rec_target_find(p->machine->qemu, p->qemu) == LS_OK) return LS_OK;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "%s is not in PATH: traces of %s programs need QEMU's user mode (Debian: %s); or " TRC_ALTERNATIVE,
        p->machine->qemu, p->machine->name, p->machine->package);
}

/* Like the kernel: start the interpreter with the argument of the first line, then the script's path. */
static ls_err trc_read_script(struct trc_program *p)
{
    char line[PATH_MAX], interpreter[PATH_MAX], argument[PATH_MAX] = "";
    snprintf(p->script[1], sizeof(p->script[1]), "%s", p->path);
    FILE *f = fopen(p->path, "re");
    const bool is_read = f && fgets(line, sizeof(line), f);
    if (f) fclose(f);
    if (!is_read) return ls_fail(LS_ERR_IO, "cannot read %s", p->path);
    if (strncmp(line, "#!", 2) != 0 || sscanf(line + 2, " %s %[^\n]", interpreter, argument) < 1)
        strcpy(interpreter, "/bin/sh");
    snprintf(p->script[0], sizeof(p->script[0]), "%s", argument);
    p->name = NULL;
    return rec_target_find(interpreter, p->path);
}

static ls_err trc_read_image(struct trc_program *p)
{
    struct rec_image image;
    LS_TRY(rec_image_read(p->path, &image));
    if (image.kind == REC_SCRIPT) {
        LS_TRY(trc_read_script(p));
        LS_TRY(rec_image_read(p->path, &image));
    }
    p->machine = trc_machine_of(trc_elf_machine(p->path));
    if (!p->machine || image.kind == REC_SCRIPT || image.kind == REC_NOT_A_PROGRAM)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "%s is not a 64-bit program of a machine that can be traced (x86-64, aarch64)",
                       p->path);
    p->is_native = p->machine->elf_machine == trc_own_machine();
    p->is_static = image.kind != REC_DYNAMIC;
    return LS_OK;
}

ls_err trc_program_find(char **argv, struct trc_program *out)
{
    memset(out, 0, sizeof(*out));
    out->name = argv[0];
    LS_TRY(rec_target_find(argv[0], out->path));
    LS_TRY(trc_read_image(out));
    LS_TRY(trc_find_qemu(out));
    return cli_install_library(TRC_PLUGIN_FILE, out->plugin);
}

/* --- words --- */

struct trc_words {
    char **rows;
    size_t len, room;
    bool is_short; /* of memory */
};

static void trc_word(struct trc_words *w, const char *text)
{
    if (LS_GROW(w->rows, w->room, w->len + 2) != LS_OK) {
        w->is_short = true;
        return;
    }
    w->rows[w->len] = strdup(text);
    w->is_short |= !w->rows[w->len];
    w->rows[++w->len] = NULL;
}

void trc_words_free(char **words)
{
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

/* Append ",NAME=value" in QEMU's syntax: a comma inside the value is written twice. */
static void trc_add_value(char *out, size_t room, const char *name, const char *value)
{
    size_t len = strlen(out);
    if (!value) return;
    if (*name) len += (size_t)snprintf(out + len, room - len, ",%s=", name);
    for (; *value && len + 2 < room; value++) {
        out[len++] = *value;
        if (*value == ',') out[len++] = ',';
    }
    out[len] = '\0';
}

static ls_err trc_preload_words(struct trc_words *w, const char *preload)
{
    char variable[2 * PATH_MAX];
    if (!preload) return LS_OK;
    if (strchr(preload, ','))
        return ls_fail(LS_ERR_ARG, "QEMU cannot use the path '%s' (comma); install elsewhere", preload);
    snprintf(variable, sizeof(variable), "LD_PRELOAD=%s", preload);
    trc_word(w, "-E");
    trc_word(w, variable);
    return LS_OK;
}

static void trc_machine_words(struct trc_words *w, const struct trc_program *p, bool avx2)
{
    const struct trc_machine *m = p->machine;
    const char *cpu = avx2 ? m->cpu_avx2 : m->cpu;
    if (cpu) {
        trc_word(w, "-cpu");
        trc_word(w, cpu);
    }
    if (!p->is_native && m->sysroot && access(m->sysroot, X_OK) == 0) {
        trc_word(w, "-L");
        trc_word(w, m->sysroot);
    }
}

ls_err trc_program_words(const struct trc_program *p, const struct trc_run *run, char **argv, char ***out)
{
    char plugin[4 * PATH_MAX] = "";
    struct trc_words w = {0};
    trc_add_value(plugin, sizeof(plugin), "", p->plugin);
    trc_add_value(plugin, sizeof(plugin), "ring", run->ring);
    trc_add_value(plugin, sizeof(plugin), "region", run->region);
    trc_add_value(plugin, sizeof(plugin), "phase", run->phase);
    trc_word(&w, p->qemu);
    trc_machine_words(&w, p, run->avx2);
    trc_word(&w, "-plugin");
    trc_word(&w, plugin);
    const ls_err err = trc_preload_words(&w, run->preload);
    trc_word(&w, "-0");
    trc_word(&w, p->name ? p->name : p->path);
    trc_word(&w, p->path);
    for (size_t i = 0; i < 2; i++)
        if (p->script[i][0]) trc_word(&w, p->script[i]);
    for (char **a = argv + 1; *a; a++)
        trc_word(&w, *a);
    if (err == LS_OK && !w.is_short) {
        *out = w.rows;
        return LS_OK;
    }
    trc_words_free(w.rows);
    return err != LS_OK ? err : ls_nomem("the command line");
}
