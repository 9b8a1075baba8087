/* SPDX-License-Identifier: BSD-3-Clause */
/* From code bytes to a plan: which memory operands an instruction has and how their addresses come about. The
 * plan depends on the bytes alone, so it is kept; rt_step_access_sigsafe.h turns it into addresses with the
 * registers of the moment. */
#ifndef RT_STEP_DECODE_SIGSAFE_H
#define RT_STEP_DECODE_SIGSAFE_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_STEP_CODE_BYTES = 15, RT_STEP_MEM_MAX = 3 };

/* What single-stepping must know of an instruction before it executes. */
enum rt_step_class {
    RT_STEP_PLAIN,
    RT_STEP_SYSCALL, /* syscall, sysenter, int n: enters the kernel, where the signal mask may change */
    RT_STEP_FLAGS,   /* pushf, popf, iret, int3, mov ss: shows, loads or delays the trap flag */
    RT_STEP_TSX,     /* xbegin: a trap inside aborts the transaction */
};

enum rt_step_mem_kind {
    RT_STEP_MEM_PLAIN,
    RT_STEP_MEM_PUSH,     /* below the stack pointer */
    RT_STEP_MEM_POP_DEST, /* destination of pop: addressed after rsp moved */
    RT_STEP_MEM_ENTER,    /* enter: saves rbp and copies frame pointers */
    RT_STEP_MEM_BIT,      /* bt and relatives with a register bit offset reach beyond the operand */
    RT_STEP_MEM_XLAT,     /* base + al */
    RT_STEP_MEM_STRING,   /* one iteration; nothing when rep finds rcx == 0 */
    RT_STEP_MEM_MASK_K,   /* lanes by k register */
    RT_STEP_MEM_MASK_VEC, /* lanes by sign bits of a vector register */
    RT_STEP_MEM_MASK_MMX,
    RT_STEP_MEM_PACKED_K, /* compress and expand: as many elements as mask bits, contiguous */
    RT_STEP_MEM_ANY_K,    /* broadcast: one element when any mask bit is set */
    RT_STEP_MEM_GATHER_K, /* VSIB, lanes by k register */
    RT_STEP_MEM_GATHER_VEC,
    RT_STEP_MEM_TILE /* AMX: a row a lane, as many and as long as the tile is configured */
};

enum { RT_STEP_DOES_LOAD = 1, RT_STEP_DOES_STORE = 2, RT_STEP_DOES_PREFETCH = 4 };
enum rt_step_segment { RT_STEP_SEG_FLAT, RT_STEP_SEG_FS, RT_STEP_SEG_GS };
#define RT_STEP_REG_NONE 0xffu
#define RT_STEP_REG_RIP 0x10u

/* How an instruction can be executed apart from its successors (rt_step_isolate_sigsafe.h). */
enum rt_step_flow {
    RT_STEP_FLOW_NONE,   /* only where it stands */
    RT_STEP_FLOW_COPY,   /* anywhere else */
    RT_STEP_FLOW_DIVIDE, /* anywhere else, where it does not fault; by the scratch register */
    RT_STEP_FLOW_REPEAT, /* one iteration of a string instruction anywhere else */
    RT_STEP_FLOW_JUMP,
    RT_STEP_FLOW_JCC,
    RT_STEP_FLOW_JRCXZ,
    RT_STEP_FLOW_LOOP,
    RT_STEP_FLOW_JUMP_REG,
    RT_STEP_FLOW_JUMP_MEM,
    RT_STEP_FLOW_RET,
    RT_STEP_FLOW_CALL, /* calls come last */
    RT_STEP_FLOW_CALL_REG,
    RT_STEP_FLOW_CALL_MEM
};

struct rt_step_mem {
    int64_t disp;
    uint8_t kind, does, segment;
    uint8_t base, index; /* numbers as in machine code, RT_STEP_REG_RIP or RT_STEP_REG_NONE; index of a
                            gather: vector register, of a tile: distance of its rows */
    uint8_t scale, addr_width_bytes, repeated;
    uint8_t mask, lanes, elem_bytes, index_elem_bytes; /* mask: number of the mask register */
    uint16_t size_bytes;
    uint8_t bit_reg, nesting, tile;
};

/* When a repeated string instruction, or a loop, ends before rcx is 0. */
enum rt_step_repeat { RT_STEP_REPEAT_ALL, RT_STEP_REPEAT_WHILE_ZERO, RT_STEP_REPEAT_UNTIL_ZERO };

/* The divisor of div and idiv. */
struct rt_step_divisor {
    uint8_t len_bytes;
    uint8_t reg;   /* RT_STEP_REG_NONE: in memory */
    uint8_t shift; /* 8 for ah, ch, dh, bh */
    bool is_signed;
};

struct rt_step_plan {
    uint64_t ip;
    uint8_t code[RT_STEP_CODE_BYTES];
    uint8_t len_bytes; /* 0: an empty place of the cache */
    uint8_t klass, mem_count;
    uint8_t flow;
    uint8_t flow_code; /* condition of jcc, register of an indirect branch, enum rt_step_repeat */
    uint8_t scratch;   /* register that stands for rip or the divisor in slot_code, or RT_STEP_REG_NONE */
    uint8_t is_locked; /* what it accesses, it accesses atomically */
    uint8_t slot_len_bytes;
    uint8_t slot_code[RT_STEP_CODE_BYTES];
    uint16_t mnemonic; /* ZydisMnemonic */
    struct rt_step_divisor divisor;
    int64_t rip_disp;     /* of an operand relative to rip */
    int64_t displacement; /* of a branch, or bytes that ret pops */
    struct rt_step_mem mem[RT_STEP_MEM_MAX];
};

/* The decoder by function pointer: libZydis is opened when the engine starts, so that a program that is not
 * sampled pays nothing, and is in no table of the program's symbols. */
struct rt_step_zydis {
    ZydisDecoder decoder;
    __typeof__(&ZydisDecoderDecodeFull) decode_full;
    __typeof__(&ZydisMnemonicGetString) mnemonic_text;
};
/* Room for Zydis's results, too large for a signal stack. */
struct rt_step_scratch {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

enum rt_step_decoded { RT_STEP_DECODED, RT_STEP_NEEDS_MORE, RT_STEP_UNDECODABLE };

/* How p, just decoded into scratch, can be executed in isolation.  Signal: safe. */
void rt_step_plan_flow(const struct rt_step_zydis *z, struct rt_step_scratch *scratch,
                       struct rt_step_plan *p);

/* Decode len_bytes <= 15 bytes found at ip.
 * NEEDS_MORE: the instruction goes on behind the bytes given.
 * Thread: any, one scratch each.  Signal: safe (Zydis allocates nothing). */
enum rt_step_decoded rt_step_decode(const struct rt_step_zydis *z, struct rt_step_scratch *scratch,
                                    struct rt_step_plan *out, const uint8_t *code, size_t len_bytes,
                                    uint64_t ip);

#endif
