/* SPDX-License-Identifier: BSD-3-Clause */
/* The timed load. Fences as in the Intel SDM vol. 2B, RDTSC and RDTSCP: the first lfence lets earlier
 * instructions finish, the second keeps the load after the first time stamp, rdtscp waits for the load, the
 * last lfence keeps later code out. */
    .text
    .p2align 6 /* the whole probe in one line of the instruction cache */
    .globl mach_probe_load
    .globl mach_probe_load_ip
    .globl mach_probe_fault_ip
    .hidden mach_probe_load
    .hidden mach_probe_load_ip
    .hidden mach_probe_fault_ip
    .type mach_probe_load, @function
mach_probe_load:
    .cfi_startproc
    endbr64
    lfence
    rdtsc
    movl %eax, %esi
    movl %edx, %r8d
    lfence
mach_probe_load_ip:
    movzbl (%rdi), %ecx
    rdtscp
    lfence
    shlq $32, %rdx
    orq %rdx, %rax
    shlq $32, %r8
    orq %r8, %rsi
    subq %rsi, %rax
    ret
mach_probe_fault_ip:
    movq $-1, %rax
    ret
    .cfi_endproc
    .size mach_probe_load, . - mach_probe_load
    .section .note.GNU-stack, "", @progbits
