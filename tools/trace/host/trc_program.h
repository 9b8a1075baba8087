/* SPDX-License-Identifier: BSD-3-Clause */
/* The program to trace as QEMU is to run it.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_PROGRAM_H
#define TRC_PROGRAM_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>

enum { TRC_PREFIX_MAX = 8 };

/* A machine that can be traced. */
struct trc_machine {
    const char *name, *qemu, *package;
    unsigned elf_machine;
    const char *cpu, *cpu_avx2; /* for -cpu; NULL: QEMU's own choice */
    const char *sysroot;        /* where its libraries are when the host's are others, NULL */
};

struct trc_program {
    const struct trc_machine *machine;
    char path[PATH_MAX];      /* the file that QEMU loads */
    char qemu[PATH_MAX];      /* the QEMU that runs it */
    char plugin[PATH_MAX];    /* the plugin for that QEMU */
    const char *name;         /* argv[0] */
    char script[2][PATH_MAX]; /* words before the program's arguments when it is a script, "" none */
    bool is_static;           /* nothing can be preloaded */
    bool is_native;           /* built for this machine: the runtime can be preloaded */
};

/* Find argv[0], QEMU and the plugin.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_UNSUPPORTED with reason and remedy. */
ls_err trc_program_find(char **argv, struct trc_program *out);

struct trc_run {
    const char *ring, *region, *phase; /* the last two may be NULL */
    const char *preload;               /* NULL: none */
    bool avx2;
};
/* The words that start p; argv as given by the user.
 * Owns:   the caller frees *out and, up to NULL, its words.
 * Errors: LS_ERR_NOMEM, LS_ERR_ARG for a path that cannot be passed. */
ls_err trc_program_words(const struct trc_program *p, const struct trc_run *run, char **argv, char ***out);
void trc_words_free(char **words);

#endif
