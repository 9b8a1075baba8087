/* SPDX-License-Identifier: BSD-3-Clause */
/* The timed load. Fences as in the Intel SDM vol. 2B, RDTSC and RDTSCP: the first lfence lets earlier
 * instructions finish, the second keeps the load after the first time stamp, rdtscp (or lfence) waits for the load,
 * the last lfence keeps later code out. The branch is before the first lfence and costs the reading nothing. */
    .macro hidden name
    .globl \name
    .hidden \name
    .endm
    hidden mach_probe_load
    hidden mach_probe_load_ip
    hidden mach_probe_plain_load_ip
    hidden mach_probe_fault_ip
    .hidden mach_probe_stamp
    .hidden mach_probe_learn

    .macro begin_time
    lfence
    rdtsc
    movl %eax, %esi
    movl %edx, %r8d
    lfence
    .endm
    .macro end_time
    lfence
    shlq $32, %rdx
    orq %rdx, %rax
    shlq $32, %r8
    orq %r8, %rsi
    subq %rsi, %rax
    ret
    .endm

    .text
    .p2align 6 /* each probe in one line of the instruction cache */
    .type mach_probe_load, @function
mach_probe_load:
    .cfi_startproc
    endbr64
    cmpb $1, mach_probe_stamp(%rip)
    jne 2f
    begin_time
mach_probe_load_ip:
    movzbl (%rdi), %ecx
    rdtscp
    end_time
    .p2align 6
1:  begin_time
mach_probe_plain_load_ip:
    movzbl (%rdi), %ecx
    lfence
    rdtsc
    end_time
2:  cmpb $2, mach_probe_stamp(%rip)
    je 1b
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    call mach_probe_learn
    popq %rdi
    .cfi_adjust_cfa_offset -8
    jmp mach_probe_load
mach_probe_fault_ip:
    movq $-1, %rax
    ret
    .cfi_endproc
    .size mach_probe_load, . - mach_probe_load
    .section .note.GNU-stack, "", @progbits
