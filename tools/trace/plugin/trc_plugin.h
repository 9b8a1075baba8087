/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the plugin. QEMU calls them on any of the program's threads (Thread: any), never in a signal handler. */
#ifndef TRC_PLUGIN_H
#define TRC_PLUGIN_H

#include "tools/trace/plugin/trc_decode.h"
#include "tools/trace/plugin/trc_qemu.h"
#include "tools/trace/trc_ring.h"

#include <stdbool.h>
#include <stdint.h>
/* ---- the file of the program's code ---- */

/* Location of code. */
struct trc_code {
    uint64_t start, end; /* range of the mapping in program addresses; empty: not known */
    uint64_t offset_bytes;
    uint32_t module; /* row, UINT32_MAX: in no file */
    bool is_loadstone;
};

/* Call before the program is loaded: the mappings of that time are QEMU's. */
void trc_maps_init(void);

/* Return the mapping that holds the program's address ip, which QEMU maps at host. */
struct trc_code trc_maps_find(uint64_t ip, const void *host);

/* The program has unmapped [start, end). */
void trc_maps_unmapped(uint64_t start, uint64_t end);

/* ---- sites and their callbacks ---- */

/* Numbers of sites, and the callbacks for accesses of an instruction. */

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

/* ---- the program's system calls ---- */

/* Watch the program's system calls for markers (common/ls_marker.h), unmapped memory and other programs. */

/* phase: record only in phases of this name; NULL: everywhere. */
void trc_guest_init(qemu_plugin_id_t id, const char *target, const char *phase);

/* The program's address 0 is at this one of QEMU's. */
void trc_guest_set_base(uint64_t base);

#endif
