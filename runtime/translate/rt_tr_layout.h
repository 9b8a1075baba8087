/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets and numbers that translated code, the assembler and C agree in; rt_tr_open.c checks them.
 *
 * Thread: constants. */
#ifndef RT_TR_LAYOUT_H
#define RT_TR_LAYOUT_H

/* struct rt_tr_context, addressed through gs while translated code runs */
#define RT_TR_O_SPILL0 0x00
#define RT_TR_O_SPILL1 0x08
#define RT_TR_O_SPILL2 0x10
#define RT_TR_O_SPILL3 0x18
#define RT_TR_O_SPILL4 0x20
#define RT_TR_O_SPILL5 0x28
#define RT_TR_O_SPILL_FLAGS 0x30
#define RT_TR_O_JUMP 0x38
#define RT_TR_O_COUNTS 0x40
#define RT_TR_O_EXIT 0x60
#define RT_TR_O_TARGET 0x68
#define RT_TR_O_TABLE 0x70
#define RT_TR_O_BLOCKS 0x78
#define RT_TR_O_HOST_RSP 0x80
#define RT_TR_O_LIST 0x88
#define RT_TR_O_LIST_END 0x90
#define RT_TR_O_AT 0x98
#define RT_TR_O_FS_BASE 0xa0
#define RT_TR_O_NEVER 0xa8
#define RT_TR_O_NEVER_LEN 0xb0
#define RT_TR_O_AT_NEXT 0xb8
#define RT_TR_O_TIMED 0xc0
#define RT_TR_O_EFLAGS 0xc8
#define RT_TR_O_GREGS 0xd0
#define RT_TR_O_QUICK_SCALE 0x150
#define RT_TR_O_QUICK 0x158

/* struct rt_tr_block */
#define RT_TR_O_BLOCK_IP 0
#define RT_TR_O_BLOCK_CODE 8
#define RT_TR_O_BLOCK_ARRIVE 64

#define RT_TR_TABLE_BITS 15
#define RT_TR_QUICK_BITS 11
#define RT_TR_COUNT_BIT 24

/* Values of EXIT that are no numbers of exits: a fault; from here on, the event is in the block that was about to begin,
 * whose number is added. */
#define RT_TR_EXIT_FAULT 0x7fffffff
#define RT_TR_EXIT_TRIGGER 0x40000000

/* Bytes of the instructions that read the time after a load. */
#define RT_TR_STAMP_BYTES 8

#define RT_TR_TIMED 1
#define RT_TR_FAULTED 2
#define RT_TR_NEVER 3

#endif
