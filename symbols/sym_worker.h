/* SPDX-License-Identifier: BSD-3-Clause */
/* A separate process reads the files: binaries may be damaged or malicious, and any effect on the libraries
 * that read them (crash, endless loop, all memory) ends that process and costs the names of that file,
 * nothing else. Questions and answers go through a file in memory. */
#ifndef SYM_WORKER_H
#define SYM_WORKER_H

#include "symbols/sym_answer.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* --- reading in this process ---
 *
 * Answers questions about files, in this process. The files asked about last stay open. */

struct sym_request {
    enum sym_question question;
    const char *path;
    bool wants_dwarf;
    const uint64_t *linked; /* SYM_ASK_LINES: addresses, sorted; SYM_ASK_TYPES: one for each question */
    size_t linked_len;
    const char *texts; /* SYM_ASK_TYPES: a text that ends in NUL for each of them (sym_types.h) */
    size_t texts_len;  /* with all NULs */
};

typedef struct sym_reader sym_reader;

/* Files that asker (ls_owner.h) may not read are not read. NULL: out of memory. */
sym_reader *sym_reader_new(uid_t asker);
void sym_reader_free(sym_reader *r);

/* For an unreadable file the answer has the reason in its head. Errors: LS_ERR_NOMEM. */
ls_err sym_reader_answer(sym_reader *r, const struct sym_request *request, struct sym_draft *d);

typedef struct sym_worker sym_worker;

struct sym_limits {
    uint64_t cpu_s;        /* per question; 0: a minute, and more for large files */
    uint64_t memory_bytes; /* address space of the reader; 0: 16 GiB */
    uid_t asker;           /* who named the files (ls_owner.h) */
};

/* Start the process, while this one is small. Errors: LS_ERR_NOMEM, LS_ERR_IO (no process or no file in
 * memory can be had). */
ls_err sym_worker_new(struct sym_limits limits, sym_worker **out);
void sym_worker_free(sym_worker *w); /* NULL-safe */

/* Ask a question. *out is an answer whose head may name a problem, for example that the reader crashed.
 * Owns:   the caller calls sym_answer_fini.
 * Errors: LS_ERR_NOMEM, LS_ERR_IO (no new reader can be had). */
ls_err sym_worker_ask(sym_worker *w, const struct sym_request *request, struct sym_answer *out);

/* Return the current reading process; 0: none (the next question starts one). */
int sym_worker_pid(const sym_worker *w);
/* Number of readers that crashed. */
unsigned sym_worker_deaths(const sym_worker *w);

#endif
