/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of sites, and the callbacks for accesses of an instruction.
 *
 * Thread: any.  Signal: not needed. */
#ifndef TRC_SITES_H
#define TRC_SITES_H

#include "tools/trace/plugin/trc_decode.h"
#include "tools/trace/plugin/trc_qemu.h"
#include "tools/trace/trc_ring.h"

enum { TRC_OPS = 2, TRC_SIZES = 6 };

/* An instruction that may access memory. Lives as long as the program: translated code holds its address. */
struct trc_insn {
    uint64_t ip;
    uint32_t module;
    struct trc_shape_of shape;
    uint8_t bytes[16], len;
    uint32_t plain[TRC_OPS]; /* sites of TRC_SHAPE_PLAIN by enum pat_op, and sites of TWO_LOADS */
    uint32_t unknown[TRC_OPS][TRC_SIZES]; /* site + 1 by size, made when they are first seen */
    struct trc_insn *next;                /* next one with the same hash */
};

/* The instruction at ip; the same one when it was translated before.  NULL: out of memory. */
struct trc_insn *trc_insn_at(const char *target, struct trc_insn like);

/* Let accesses of i (as translated now) be recorded. */
void trc_insn_watch(struct qemu_plugin_insn *insn, struct trc_insn *i);

/* Do not record accesses of i. When a block ends with an indirect jump, QEMU 7.2 keeps the callbacks of the
 * last watched instruction and calls them for accesses that helpers make later; so instructions with such
 * helpers get callbacks that do nothing. */
void trc_insn_guard(struct qemu_plugin_insn *insn, const struct trc_insn *i);

#endif
