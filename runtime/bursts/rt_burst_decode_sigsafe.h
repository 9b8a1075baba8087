/* SPDX-License-Identifier: BSD-3-Clause */
/* Decode code bytes into a plan: the memory operands of an instruction and the rules for their addresses. The
 * plan depends on the bytes alone, so it is kept; rt_burst_access_sigsafe.h turns it into addresses with the
 * present registers. */
#ifndef RT_BURST_DECODE_SIGSAFE_H
#define RT_BURST_DECODE_SIGSAFE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_BURST_CODE_BYTES = 15, RT_BURST_MEM_MAX = 3 };

/* Properties of an instruction that single-stepping must know before it executes. */
enum rt_burst_class {
    RT_BURST_PLAIN,
    RT_BURST_SYSCALL, /* syscall, sysenter, int n: enters the kernel, where the signal mask may change */
    RT_BURST_FLAGS,   /* pushf, popf, iret, int3, mov ss: shows, loads or delays the trap flag */
    RT_BURST_TSX,     /* xbegin: a trap inside aborts the transaction */
};

enum rt_burst_mem_kind {
    RT_BURST_MEM_PLAIN,
    RT_BURST_MEM_PUSH,     /* below the stack pointer */
    RT_BURST_MEM_POP_DEST, /* destination of pop: addressed after rsp moved */
    RT_BURST_MEM_ENTER,    /* enter: saves rbp and copies frame pointers */
    RT_BURST_MEM_BIT,      /* bt and relatives with a register bit offset reach beyond the operand */
    RT_BURST_MEM_XLAT,     /* base + al */
    RT_BURST_MEM_STRING,   /* one iteration; nothing when rep finds rcx == 0 */
    RT_BURST_MEM_MASK_K,   /* lanes by k register */
    RT_BURST_MEM_MASK_VEC, /* lanes by sign bits of a vector register */
    RT_BURST_MEM_MASK_MMX,
    RT_BURST_MEM_PACKED_K, /* compress and expand: as many elements as mask bits, contiguous */
    RT_BURST_MEM_ANY_K,    /* broadcast: one element when any mask bit is set */
    RT_BURST_MEM_GATHER_K, /* VSIB, lanes by k register */
    RT_BURST_MEM_GATHER_VEC,
    RT_BURST_MEM_TILE /* AMX: a row a lane, as many and as long as the tile is configured */
};

enum { RT_BURST_DOES_LOAD = 1, RT_BURST_DOES_STORE = 2, RT_BURST_DOES_PREFETCH = 4 };
enum rt_burst_segment { RT_BURST_SEG_FLAT, RT_BURST_SEG_FS, RT_BURST_SEG_GS };
#define RT_BURST_REG_NONE 0xffu
#define RT_BURST_REG_RIP 0x10u

/* Ways to execute an instruction apart from its successors (runtime/step/rt_step_isolate_sigsafe.c). */
enum rt_burst_flow {
    RT_BURST_FLOW_NONE,   /* only in place */
    RT_BURST_FLOW_COPY,   /* anywhere else */
    RT_BURST_FLOW_DIVIDE, /* anywhere else, where it does not fault; by the scratch register */
    RT_BURST_FLOW_REPEAT, /* one iteration of a string instruction anywhere else */
    RT_BURST_FLOW_JUMP,
    RT_BURST_FLOW_JCC,
    RT_BURST_FLOW_JRCXZ,
    RT_BURST_FLOW_LOOP,
    RT_BURST_FLOW_JUMP_REG,
    RT_BURST_FLOW_JUMP_MEM,
    RT_BURST_FLOW_RET,
    RT_BURST_FLOW_CALL, /* calls come last */
    RT_BURST_FLOW_CALL_REG,
    RT_BURST_FLOW_CALL_MEM
};

struct rt_burst_mem {
    int64_t disp;
    uint8_t kind, does, segment;
    uint8_t base, index; /* numbers as in machine code, RT_BURST_REG_RIP or RT_BURST_REG_NONE; index of a
                            gather: vector register, of a tile: distance of its rows */
    uint8_t scale, addr_width_bytes, repeated;
    uint8_t mask, lanes, elem_bytes, index_elem_bytes; /* mask: number of the mask register */
    uint16_t size_bytes;
    uint8_t bit_reg, nesting, tile;
};

/* Condition that ends a repeated string instruction, or a loop, before rcx is 0. */
enum rt_burst_repeat { RT_BURST_REPEAT_ALL, RT_BURST_REPEAT_WHILE_ZERO, RT_BURST_REPEAT_UNTIL_ZERO };

/* The divisor of div and idiv. */
struct rt_burst_divisor {
    uint8_t len_bytes;
    uint8_t reg;   /* RT_BURST_REG_NONE: in memory */
    uint8_t shift; /* 8 for ah, ch, dh, bh */
    bool is_signed;
};

struct rt_burst_plan {
    uint64_t ip;
    uint8_t code[RT_BURST_CODE_BYTES];
    uint8_t len_bytes; /* 0: an empty place of the cache */
    uint8_t klass, mem_count;
    uint8_t flow;
    uint8_t flow_code; /* condition of jcc, register of an indirect branch, enum rt_burst_repeat */
    uint8_t scratch;   /* register that replaces rip or the divisor in slot_code, or RT_BURST_REG_NONE */
    uint8_t is_locked; /* its memory accesses are atomic */
    bool is_rip_relative;
    uint8_t slot_len_bytes;
    uint8_t slot_code[RT_BURST_CODE_BYTES];
    uint16_t mnemonic; /* ZydisMnemonic */
    struct rt_burst_divisor divisor;
    int64_t rip_disp;     /* displacement of an operand relative to rip */
    int64_t displacement; /* displacement of a branch, or bytes that ret pops */
    struct rt_burst_mem mem[RT_BURST_MEM_MAX];
};

/* The decoder by function pointer: libZydis is opened when the engine starts, so that a program that is not
 * sampled pays nothing, and is in no table of the program's symbols. */
struct rt_burst_zydis {
    ZydisDecoder decoder;
    __typeof__(&ZydisDecoderDecodeFull) decode_full;
    __typeof__(&ZydisMnemonicGetString) mnemonic_text;
};
/* Room for Zydis's results, too large for a signal stack. */
struct rt_burst_scratch {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

enum rt_burst_decoded { RT_BURST_DECODED, RT_BURST_NEEDS_MORE, RT_BURST_UNDECODABLE };

/* Plan how p, just decoded into scratch, can be executed in isolation. */
void rt_burst_plan_flow(const struct rt_burst_scratch *scratch, struct rt_burst_plan *p);
/* Let a scratch register replace rip in the slot_code of p, just decoded into scratch, and relative to rip. Without a
 * register that serves, the flow becomes NONE. Changes scratch. */
void rt_burst_replace_rip(const struct rt_burst_zydis *z, struct rt_burst_scratch *scratch,
                          struct rt_burst_plan *p);

/* Decode len_bytes <= 15 bytes found at ip.
 * NEEDS_MORE: the instruction continues after the given bytes.
 * slot_code of an instruction that is relative to rip is the original: rt_burst_decode_slot rewrites it, which takes
 * a second decoding.
 * Thread: any, one scratch each.  Signal: safe (Zydis allocates nothing). */
enum rt_burst_decoded rt_burst_decode(const struct rt_burst_zydis *z, struct rt_burst_scratch *scratch,
                                      struct rt_burst_plan *out, const uint8_t *code, size_t len_bytes,
                                      uint64_t ip);
enum rt_burst_decoded rt_burst_decode_slot(const struct rt_burst_zydis *z, struct rt_burst_scratch *scratch,
                                           struct rt_burst_plan *out, const uint8_t *code, size_t len_bytes,
                                           uint64_t ip);

#endif
