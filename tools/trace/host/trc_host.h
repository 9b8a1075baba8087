/* SPDX-License-Identifier: BSD-3-Clause */
/* Run a program under the tracer: program, choice of code, names of its data, source of accesses, outcome. */
#ifndef TRC_HOST_H
#define TRC_HOST_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"
#include "symbols/sym_files.h"
#include "tools/trace/trc_ring.h"
#include "patterns/source/pat_source.h"
#include "tools/record/rec_launch.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the program as QEMU runs it ---- */

enum { TRC_PREFIX_MAX = 8 };

/* A machine that can be traced. */
struct trc_machine {
    const char *name, *qemu, *package;
    unsigned elf_machine;
    const char *cpu, *cpu_avx2; /* for -cpu; NULL: QEMU's own choice */
    const char *sysroot; /* directory of its libraries, if they are not those of the host; otherwise NULL */
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
/* Build the command line that starts p; argv is the user's.
 * Owns:   the caller frees *out and, up to NULL, its words.
 * Errors: LS_ERR_NOMEM, LS_ERR_ARG for a path that cannot be passed. */
ls_err trc_program_words(const struct trc_program *p, const struct trc_run *run, char **argv, char ***out);
void trc_words_free(char **words);

/* ---- stretches of code ---- */

/* Find the code of a function or of source lines in a file, as ranges for the tracer's plugin. */

/* Append "START END FILE" for each stretch of path to out, offsets in the file.
 * Errors: LS_ERR_NOT_FOUND when there is none, with the remedy; LS_ERR_ARG for lines that cannot be read;
 * LS_ERR_FORMAT when path is no ELF file; LS_ERR_IO. */
ls_err trc_code_function(const char *path, const char *name, FILE *out);
/* The function with this symbol and its variants for other processors: names that are equal up to the
 * instruction set ("_avx512", "_fma", "_sse2" ...).  Errors: as above. */
ls_err trc_code_kin(const char *path, const char *symbol, FILE *out);
/* Append all code of the file. Errors: as above. */
ls_err trc_code_all(const char *path, FILE *out);
/* lines: "FILE:A-B" or "FILE:A"; FILE is the end of the source's path. Inlined code counts where it was
 * written. */
ls_err trc_code_lines(const char *path, const char *lines, FILE *out);

/* ---- code and data by a recording ---- */

/* Choose code and data to trace by a recording: the costliest functions, and the data that they access. */

struct trc_hot {
    size_t bursts;    /* bursts in the recording */
    size_t functions; /* chosen; 0: everything is to be traced */
    double share;     /* their share of the time */
    char names[256];  /* names of the first functions */
    char **labels;    /* labels of the data that they access */
    size_t labels_room;
    size_t labels_len;   /* 0: all data, because most of it is unnamed */
    double labels_share; /* share of their time spent on this data */
    char label_names[256];
    struct rec_outcome recording; /* of --auto */
    bool is_interrupted;          /* a signal of the user ended it: the program is not traced */
};

/* Append to out the address ranges of the functions that have 90 % of the time of the profile at path. They
 * include variants for other processors ("sin_fma", "sin_sse2"). A function without a symbol in its file is
 * replaced by all code of the file. functions is 0 if there are too few bursts or the code is not on this
 * machine.
 * Owns:   the caller ends found with trc_hot_fini, also after a failure.
 * Errors: as prof_open and prof_load_samples; LS_ERR_NOMEM. */
void trc_hot_fini(struct trc_hot *found);

/* ---- code by options ---- */

/* Turn the options of loadstone trace that choose code into a file of address ranges for the plugin. */

enum { TRC_CHOICE_BYTES = PATH_MAX + 16 };

/* Options that were not given are NULL. */
struct trc_choice {
    char **program; /* its words */
    const struct trc_program *target;
    const char *folder; /* for temporary files, removed after the trace */
    const char *function, *lines;
    const char *module;  /* the file of function or lines; without these options all its code is traced */
    const char *profile; /* trace the costliest code of this recording ... */
    bool is_auto;        /* ... or of a recording that is made first */
};

/* region: the file's name, "" if all code is traced. A choice by a recording is printed and kept in hot.
 * Owns:   the caller ends hot with trc_hot_fini, also after a failure.
 * Errors: LS_ERR_USAGE for options that exclude each other or cannot be read, LS_ERR_UNSUPPORTED for a
 * program that cannot be recorded; as trc_code_lines and trc_hot_code; LS_ERR_IO. */
ls_err trc_choice_write(const struct trc_choice *c, struct trc_hot *hot, char region[TRC_CHOICE_BYTES]);

/* ---- names for data ---- */

/* Names for the data of a traced program: its modules' variables, the ranges it registers, its allocations,
 * its threads' stacks. Turns events of the ring into the rows and events of patterns/pat_access.h. */

typedef struct trc_homes trc_homes;

/* ring is borrowed. Starts the process that reads symbols: call it while this one is small.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM. */
ls_err trc_homes_new(const struct trc_ring *ring, trc_homes **out);
void trc_homes_free(trc_homes *h); /* NULL-safe */

/* Read the names of the C library before the program has loaded it. It is probably that of this process; where its debug
 * information is installed, reading it takes as long as the start of QEMU.  Errors: LS_ERR_NOMEM. */
ls_err trc_homes_read_ahead(trc_homes *h);

/* Take over the sites, modules and threads that the ring has more than before; variables of new modules
 * become ranges.  Errors: LS_ERR_NOMEM, LS_ERR_RANGE. */
ls_err trc_homes_grow(trc_homes *h);
/* Apply an event.  Errors: LS_ERR_NOMEM, LS_ERR_RANGE when a table is full. */
ls_err trc_homes_event(trc_homes *h, const struct trc_event *e);
/* The thread's sequence is broken.  Errors: LS_ERR_NOMEM. */
ls_err trc_homes_break(trc_homes *h, uint32_t thread);

/* Events since the last call of this; they live until the next call of any function here. */
const struct pat_event *trc_homes_take_events(trc_homes *h, size_t *len);

const struct pat_tables *trc_homes_tables(const trc_homes *h);
/* The files that it has read. */
sym_files *trc_homes_files(trc_homes *h);

/* Name the homes of allocations made by call paths with this hash (spool/spool_path.h).
 * Errors: LS_ERR_NOMEM. */
ls_err trc_homes_name_path(trc_homes *h, uint64_t path_hash, const char *label);
/* Give all other homes placeholder names.  Errors: LS_ERR_NOMEM. */
ls_err trc_homes_name_rest(trc_homes *h);

/* ---- the running program as a source of accesses ---- */

typedef struct trc_live trc_live;

/* spool_dir: the spool of the runtime in the program, which names allocations at the end; NULL: none.
 * note: reports a text to the user; called before the source ends. Starts a process (symbols).
 * Owns:   the caller hands it to pat_source_adopt with trc_source_format, or closes it by that row.
 * Errors: LS_ERR_NOMEM, LS_ERR_IO. */
ls_err trc_live_new(const char *spool_dir, void (*note)(void *user, const char *text), void *user,
                    trc_live **out);
extern const struct pat_source_format trc_source_format;

struct trc_ring *trc_live_ring(const trc_live *l);
/* Return the path under which other processes open the ring. */
const char *trc_live_ring_path(const trc_live *l);

/* The program has ended.  Thread: any. */
void trc_live_set_ended(trc_live *l);
/* Stop tracing; the program continues.  Thread: any. */
void trc_live_close_ring(trc_live *l);

/* ---- selecting a part of a trace's data ---- */

/* Selected data: "a" also means "a #1", "a #2" and "a (function:line)". */
struct trc_only_wanted {
    const char *const *labels;
    size_t labels_len;
    bool are_guesses; /* labels that the trace lacks are left out; when it lacks all of them everything is
                         kept */
};

/* Refuse labels that cannot be in a trace of the statically linked program at path: its data with names are its
 * variables and stacks. Other programs get names while they run, from libraries, allocations and registered
 * ranges.  Errors: LS_ERR_NOT_FOUND; LS_ERR_NOMEM. */
ls_err trc_only_check_static(const char *path, const struct trc_only_wanted *wanted);

/* Write to out_path the accesses of the trace at path whose home has the wanted label. *kept: their number.
 * Errors: LS_ERR_NOT_FOUND when the trace has no such node or no access to it; as sources and writers. */
ls_err trc_only(const char *path, const struct trc_only_wanted *wanted, const char *out_path, uint64_t *kept);

/* ---- messages about the outcome ---- */

/* Return 0 if the program ran as it does without QEMU. Otherwise the reason and an alternative have been
 * printed, and the result is our exit status. */
int trc_outcome_refused(const struct trc_ring *ring, const struct rec_outcome *o, const char *program);
/* Possible reasons for an empty trace. */
struct trc_nothing {
    const char *program, *phase; /* phase: the requested one, NULL: all */
    uint64_t skip_instructions;
    bool is_code_chosen;
    const struct pat_tables *tables;
};
/* Warn that nothing was traced, with possible causes and remedies. */
void trc_outcome_nothing(const struct trc_nothing *n);
/* Warn that the program failed and made system calls that QEMU lacks; name them and an alternative. */
void trc_outcome_lacking(const struct trc_ring *ring, unsigned elf_machine, const struct rec_outcome *o,
                         const char *program);
/* Warn that SIGILL ended the program; name the source line, the instruction and an alternative. t: trace's
 * tables. */
void trc_outcome_illegal(const struct trc_ring *ring, const struct pat_tables *t, const struct rec_outcome *o,
                         const char *program);
/* Warn about data that is missing in the trace. */
void trc_outcome_warn(const struct trc_ring *ring);

#endif
