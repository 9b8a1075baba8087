/* SPDX-License-Identifier: BSD-3-Clause */
/* Find a function's caller from the call frame information that every x86-64 object carries for exceptions
 * (System V psABI 3.6.2; LSB 10.6: .eh_frame and .eh_frame_hdr; DWARF 5, 6.4).
 * Only the rules that call paths need are followed: the canonical frame address (CFA) by the stack or frame
 * pointer, the return address right below it, and the caller's frame pointer. Anything else ends a path.
 *
 * Thread: any. */
#ifndef RT_CFI_SIGSAFE_H
#define RT_CFI_SIGSAFE_H

#include <stddef.h>
#include <stdint.h>

enum rt_cfi_cfa {
    RT_CFI_END,      /* an unknown caller */
    RT_CFI_SP,       /* CFA = sp + cfa_offset */
    RT_CFI_BP,       /* CFA = bp + cfa_offset */
    RT_CFI_BP_DEREF, /* CFA = *(bp + cfa_offset): functions that realign their stack */
    RT_CFI_NONE,     /* no caller: a program or thread begins here */
    RT_CFI_SIGNAL,   /* a signal handler returns here; sp: the interrupted registers */
};
enum rt_cfi_bp {
    RT_CFI_BP_SAME,
    RT_CFI_BP_AT_CFA, /* saved at CFA + bp_offset */
    RT_CFI_BP_AT_BP,  /* saved at bp + bp_offset */
};
/* How to leave a frame. 8 bytes, so that one atomic store publishes it. */
struct rt_cfi_rule {
    uint8_t cfa, bp; /* enum rt_cfi_cfa, enum rt_cfi_bp */
    int16_t bp_offset_bytes;
    int32_t cfa_offset_bytes;
};
_Static_assert(sizeof(struct rt_cfi_rule) == sizeof(uint64_t), "published by one store");

/* A loaded object: its mapping and its .eh_frame_hdr. */
struct rt_cfi_object {
    const uint8_t *begin, *end;
    const uint8_t *eh_frame_hdr;
};

/* Return the rule at ip, an address inside an instruction of the object. Reads nothing outside [begin, end).
 * Damaged or unknown instructions give RT_CFI_END. */
struct rt_cfi_rule rt_cfi_find(const struct rt_cfi_object *object, uint64_t ip);

#endif
