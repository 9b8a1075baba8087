/* SPDX-License-Identifier: BSD-3-Clause */
/* The few instructions of the step engine that C cannot express. */
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
/* size_t rt_burst_copy(void *to, const void *from, size_t len_bytes): bytes copied before the first that faulted */
function rt_burst_copy
    xorl %eax, %eax
1:  cmpq %rdx, %rax
    jae 2f
label rt_burst_copy_load_ip
    movzbl (%rsi,%rax), %ecx
    movb %cl, (%rdi,%rax)
    incq %rax
    jmp 1b
label rt_burst_copy_fault_ip
2:  ret
end_function rt_burst_copy

    .p2align 4
/* int rt_burst_load_word(uint64_t *to, const void *from): 0 when it faulted */
function rt_burst_load_word
    xorl %eax, %eax
label rt_burst_word_load_ip
    movq (%rsi), %rcx
    movq %rcx, (%rdi)
    incl %eax
label rt_burst_word_fault_ip
    ret
end_function rt_burst_load_word

    .p2align 4
/* size_t rt_burst_copy_bulk(void *to, const void *from, size_t len_bytes): the same for many bytes */
function rt_burst_copy_bulk
    movq %rdx, %rcx
label rt_burst_bulk_load_ip
    rep movsb
label rt_burst_bulk_fault_ip
    movq %rdx, %rax
    subq %rcx, %rax
    ret
end_function rt_burst_copy_bulk

    .p2align 4
/* void rt_burst_arm(void): set the trap flag. The trap comes after the lfence, so no later instruction has
   been issued early. */
function rt_burst_arm
    pushfq
    orq $0x100, (%rsp)
    popfq
    lfence
    ret
end_function rt_burst_arm

    .p2align 4
/* void rt_burst_try_trap(void): int3, whose handler sets the trap flag, and three instructions that are stepped. The
   flag is cleared in case the handler never did. */
function rt_burst_try_trap
    xorl %eax, %eax
    int3
label rt_burst_try_begin
    incl %eax
    incl %eax
    incl %eax
label rt_burst_try_end
    pushfq
    .cfi_adjust_cfa_offset 8
    andq $~0x100, (%rsp)
    popfq
    .cfi_adjust_cfa_offset -8
    ret
end_function rt_burst_try_trap

    .p2align 4
/* Return from a signal handler: rt_sigreturn. Debuggers and unwinders look for exactly these bytes, and the
   unwind table gives the place where the kernel saved the registers: here rsp points to a struct ucontext
   (asm-generic/ucontext.h, asm/sigcontext.h). The table begins at the nop: unwinders look up the byte before
   a return address. */
    .macro saved_at dwarf_register offset
    .if \offset < 64
    .cfi_escape 0x10, \dwarf_register, 2, 0x77, \offset   /* DW_CFA_expression: DW_OP_breg7 offset */
    .else
    .cfi_escape 0x10, \dwarf_register, 3, 0x77, (\offset & 0x7f) | 0x80, \offset >> 7
    .endif
    .endm
    .macro restorer name
    .cfi_startproc
    .cfi_signal_frame
    .cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6   /* DW_CFA_def_cfa_expression: DW_OP_breg7 160, DW_OP_deref */
    saved_at 8 40
    saved_at 9 48
    saved_at 10 56
    saved_at 11 64
    saved_at 12 72
    saved_at 13 80
    saved_at 14 88
    saved_at 15 96
    saved_at 5 104
    saved_at 4 112
    saved_at 6 120
    saved_at 3 128
    saved_at 1 136
    saved_at 0 144
    saved_at 2 152
    saved_at 7 160
    saved_at 16 168
    nop
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .endm

    restorer rt_burst_restorer
    movq $15, %rax
    syscall
    .cfi_endproc
    .size rt_burst_restorer, . - rt_burst_restorer

    restorer rt_burst_noting_restorer
    movq %rsp, %rdi
    .weak rt_burst_before_return /* unit tests do without the signals */
    .hidden rt_burst_before_return
    call rt_burst_before_return
    movq $15, %rax
    syscall
    .cfi_endproc
    .size rt_burst_noting_restorer, . - rt_burst_noting_restorer
    .section .note.GNU-stack, "", @progbits
