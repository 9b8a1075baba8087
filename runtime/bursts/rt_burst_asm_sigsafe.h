/* SPDX-License-Identifier: BSD-3-Clause */
/* C declarations of rt_burst_asm_x86_64.S.
 *
 * Thread: any. */
#ifndef RT_BURST_ASM_SIGSAFE_H
#define RT_BURST_ASM_SIGSAFE_H

#include <stddef.h>
#include <stdint.h>

/* Copy until done or until a byte faults; returns the bytes copied. A SIGSEGV/SIGBUS handler that finds its
 * ip at rt_burst_copy_load_ip sets it to rt_burst_copy_fault_ip. */
size_t rt_burst_copy(void *to, const void *from, size_t len_bytes);
extern const char rt_burst_copy_load_ip[], rt_burst_copy_fault_ip[];

/* The same by one string instruction: for more than a few words. It has a separate pair of addresses. */
size_t rt_burst_copy_bulk(void *to, const void *from, size_t len_bytes);
extern const char rt_burst_bulk_load_ip[], rt_burst_bulk_fault_ip[];

/* Load the word at from, a multiple of 8, by one instruction: no other thread's store is seen in part. False
 * when it faults. It has a separate pair of addresses. */
int rt_burst_load_word(uint64_t *to, const void *from);
extern const char rt_burst_word_load_ip[], rt_burst_word_fault_ip[];

/* Set the trap flag of the calling thread: the next instruction of the caller raises SIGTRAP. SIGTRAP must
 * not be blocked. */
void rt_burst_arm(void);

/* Raise SIGTRAP by int3, then execute "incl %eax" three times (2 bytes each, from eax = 0) between the two
 * addresses, with the trap flag that the handler of int3 sets. SIGTRAP must not be blocked. */
void rt_burst_try_trap(void);
extern const char rt_burst_try_begin[], rt_burst_try_end[];

/* sa_restorer for raw rt_sigaction. */
void rt_burst_restorer(void);
/* The same for handlers of the program, where a timer begins bursts: calls rt_burst_before_return first. */
void rt_burst_noting_restorer(void);

#endif
