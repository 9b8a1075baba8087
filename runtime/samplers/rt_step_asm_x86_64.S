/* SPDX-License-Identifier: BSD-3-Clause */
/* The few instructions of the step engine that C cannot say. */
    .macro function name
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    .endm
    .macro label name
    .globl \name
    .hidden \name
\name:
    .endm
    .macro end_function name
    .cfi_endproc
    .size \name, . - \name
    .endm

    .text
    .p2align 4
/* size_t rt_step_copy(void *to, const void *from, size_t len_bytes): bytes copied before the first that faulted */
function rt_step_copy
    xorl %eax, %eax
1:  cmpq %rdx, %rax
    jae 2f
label rt_step_copy_load_ip
    movzbl (%rsi,%rax), %ecx
    movb %cl, (%rdi,%rax)
    incq %rax
    jmp 1b
label rt_step_copy_fault_ip
2:  ret
end_function rt_step_copy

    .p2align 4
/* size_t rt_step_copy_bulk(void *to, const void *from, size_t len_bytes): the same for many bytes */
function rt_step_copy_bulk
    movq %rdx, %rcx
label rt_step_bulk_load_ip
    rep movsb
label rt_step_bulk_fault_ip
    movq %rdx, %rax
    subq %rcx, %rax
    ret
end_function rt_step_copy_bulk

    .p2align 4
/* void rt_step_arm(void): set the trap flag. The trap comes after the lfence, so nothing behind it has been issued early. */
function rt_step_arm
    pushfq
    orq $0x100, (%rsp)
    popfq
    lfence
    ret
end_function rt_step_arm

    .p2align 4
/* Return from a signal handler: rt_sigreturn. The bytes are those debuggers and unwinders look for. */
    nop
    .globl rt_step_restorer
    .hidden rt_step_restorer
    .type rt_step_restorer, @function
rt_step_restorer:
    movq $15, %rax
    syscall
    .size rt_step_restorer, . - rt_step_restorer
    .section .note.GNU-stack, "", @progbits
