/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks from registers and a piece of a stack's memory, by the call frame information of the files (as
 * perf does for --call-graph dwarf). Code without any, such as JIT code, is unwound by frame pointers. */
#ifndef SYM_UNWIND_H
#define SYM_UNWIND_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- files of a process image ---
 *
 * The files of one process image in the form that libdwfl needs for unwinding. Only files that a reading
 * process found sound (sym_file_unwinds) belong here: broken tables would break this process. */

typedef struct sym_session sym_session;

/* Errors: LS_ERR_NOMEM. */
ls_err sym_session_new(sym_session **out);
void sym_session_free(sym_session *s); /* NULL-safe */

/* Add the file at path, which is mapped with this bias (address minus linked address). A file that cannot be
 * opened is left out. Call before sym_session_dwfl. Errors: LS_ERR_NOMEM. */
ls_err sym_session_add(sym_session *s, const char *path, uint64_t bias);

enum { SYM_REG_BP = 6, SYM_REG_SP = 7, SYM_REG_IP = 16, SYM_REGS = 17 }; /* DWARF numbers, x86-64 psABI */

/* State of a thread at one moment. Memory outside of bytes is not known. */
struct sym_stack {
    const uint64_t *regs; /* SYM_REGS of them */
    const uint8_t *bytes; /* memory from base on */
    uint64_t base;
    size_t len_bytes;
};

/* Innermost first. */
struct sym_frame {
    uint64_t ip;  /* address of the instruction; in callers the return address - 1, inside the call */
    uint64_t cfa; /* canonical frame address: first byte above the return address; 0: not known */
};

/* Test for code addresses, to check return addresses; NULL: code can be everywhere. */
struct sym_code {
    bool (*is_code)(const void *user, uint64_t ip);
    const void *user;
};

typedef struct sym_unwinder sym_unwinder;

/* Make an unwinder for the modules of s.  Owns: s stays the caller's and must outlive the unwinder; nothing
 * may be added to it any more. Errors: LS_ERR_NOMEM. */
ls_err sym_unwinder_new(sym_session *s, sym_unwinder **out);
void sym_unwinder_free(sym_unwinder *u);

/* Write up to max > 0 frames to out and return their number, at least 1 (the innermost). *out_whole: the
 * outermost frame is the first one of the thread. Never fails: invalid data gives few frames. Thread: one at
 * a time a session. */
size_t sym_unwind(sym_unwinder *u, const struct sym_stack *stack, const struct sym_code *code,
                  struct sym_frame *out, size_t max, bool *out_whole);

#endif
