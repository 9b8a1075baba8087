/* SPDX-License-Identifier: BSD-3-Clause */
/* The way into translated code and out of it, and the routines that translated code jumps to. The template is
 * copied into each arena: it addresses nothing but the context, by gs. No routine uses the program's stack. */
#include "runtime/translate/rt_tr_layout.h"

    .macro label name
    .globl \name
    .hidden \name
\name:
    .endm
    .macro function name
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .endm
    /* All six status flags: AH holds five of them, AL the sixth; adding 0x7f brings the overflow back. */
    .macro save_flags
    lahf
    seto %al
    .endm
    .macro restore_flags
    addb $0x7f, %al
    sahf
    .endm

    .text
    .p2align 6
label rt_tr_template

/* Leave: everything of the program to the context, back to the caller of rt_tr_enter. */
label rt_tr_template_exit
    movq %rax, %gs:RT_TR_O_GREGS + 0x00
    movq %rcx, %gs:RT_TR_O_GREGS + 0x08
    movq %rdx, %gs:RT_TR_O_GREGS + 0x10
    movq %rbx, %gs:RT_TR_O_GREGS + 0x18
    movq %rsp, %gs:RT_TR_O_GREGS + 0x20
    movq %rbp, %gs:RT_TR_O_GREGS + 0x28
    movq %rsi, %gs:RT_TR_O_GREGS + 0x30
    movq %rdi, %gs:RT_TR_O_GREGS + 0x38
    movq %r8, %gs:RT_TR_O_GREGS + 0x40
    movq %r9, %gs:RT_TR_O_GREGS + 0x48
    movq %r10, %gs:RT_TR_O_GREGS + 0x50
    movq %r11, %gs:RT_TR_O_GREGS + 0x58
    movq %r12, %gs:RT_TR_O_GREGS + 0x60
    movq %r13, %gs:RT_TR_O_GREGS + 0x68
    movq %r14, %gs:RT_TR_O_GREGS + 0x70
    movq %r15, %gs:RT_TR_O_GREGS + 0x78
    movq %gs:RT_TR_O_HOST_RSP, %rsp
    pushfq
    popq %gs:RT_TR_O_EFLAGS
    cld
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret

    /* rdx: the block that one of the two places in the table has for rcx */
    .macro look_up other
    movl %ecx, %edx
    shrl $RT_TR_TABLE_BITS, %edx
    xorl %ecx, %edx
    .if \other
    xorl $1, %edx
    .endif
    andl $((1 << RT_TR_TABLE_BITS) - 1), %edx
    shll $2, %edx
    addq %gs:RT_TR_O_TABLE, %rdx
    movl (%rdx), %edx
    addq %gs:RT_TR_O_BLOCKS, %rdx
    cmpq %rcx, RT_TR_O_BLOCK_IP(%rdx)
    .endm
    /* quick: the thread's quick table gets the block, at the place for rcx */
    .macro jump_to_block quick
    .if \quick
    movq RT_TR_O_BLOCK_ARRIVE(%rdx), %rax
    movq %rax, %gs:RT_TR_O_SPILL3
    .endif
    movq RT_TR_O_BLOCK_CODE(%rdx), %rdx
    movq %rdx, %gs:RT_TR_O_JUMP
    .if \quick
    quick_place
    movq %gs:RT_TR_O_SPILL3, %rcx
    movq %rcx, %gs:RT_TR_O_QUICK(,%rdx,8)
    movq %gs:RT_TR_O_SPILL_FLAGS, %rax
    .endif
    restore_flags
    movq %gs:RT_TR_O_SPILL2, %rdx
    movq %gs:RT_TR_O_SPILL1, %rax
    movq %gs:RT_TR_O_SPILL0, %rcx
    jmp *%gs:RT_TR_O_JUMP
    .endm
    /* rdx: the place for rcx in the quick table, as fast versions compute it */
    .macro quick_place
    movl $0, %edx
    crc32q %rcx, %rdx
    mulxq %gs:RT_TR_O_QUICK_SCALE, %rdx, %rdx
    .endm
    .macro look_up_both quick
    movq %rax, %gs:RT_TR_O_SPILL1
    save_flags
    .if \quick
    movq %rax, %gs:RT_TR_O_SPILL_FLAGS
    .endif
    movq %rdx, %gs:RT_TR_O_SPILL2
    look_up 0
    jne 1f
    jump_to_block \quick
1:  look_up 1
    jne 2f
    jump_to_block \quick
2:  movq %rcx, %gs:RT_TR_O_TARGET
    restore_flags
    movq %gs:RT_TR_O_SPILL2, %rdx
    movq %gs:RT_TR_O_SPILL1, %rax
    movq %gs:RT_TR_O_SPILL0, %rcx
    .endm

/* An indirect branch to rcx; the program's rcx is in SPILL0, EXIT is the exit to take when its block is not in the
 * table. */
    .p2align 6
label rt_tr_template_lookup
    look_up_both 0
label rt_tr_template_miss
    jmp rt_tr_template_exit

/* The quick table led to the arrival of another block. rdx: the complement of its address, rcx: the distance of the target
 * from it; the program's rdx is in SPILL2. */
    .p2align 6
label rt_tr_template_astray
    notq %rdx
    leaq (%rcx,%rdx), %rcx
/* The place in the quick table is empty: an indirect branch to rcx. */
label rt_tr_template_not_quick
    movq %gs:RT_TR_O_SPILL2, %rdx
    look_up_both 1
    jmp rt_tr_template_exit

/* A memory operand of a slow version. rax: its address, ecx: its site; the program's rax, rcx, rdx are in SPILL0
 * to SPILL2, JUMP is the way back. */
    .p2align 6
label rt_tr_template_access
    movq %rbx, %gs:RT_TR_O_SPILL3
    movq %rax, %rbx
    save_flags
    movq %rax, %gs:RT_TR_O_SPILL_FLAGS
    cmpl %ecx, %gs:RT_TR_O_AT
    je 3f
    movq %gs:RT_TR_O_LIST, %rdx
    cmpq %gs:RT_TR_O_LIST_END, %rdx
    jae 2f
    movq %rbx, (%rdx)
    movl %ecx, 8(%rdx)
    addq $16, %rdx
    movq %rdx, %gs:RT_TR_O_LIST
2:  movq %gs:RT_TR_O_SPILL_FLAGS, %rax
    restore_flags
    movq %gs:RT_TR_O_SPILL3, %rbx
    movq %gs:RT_TR_O_SPILL2, %rdx
    movq %gs:RT_TR_O_SPILL1, %rcx
    movq %gs:RT_TR_O_SPILL0, %rax
    jmp *%gs:RT_TR_O_JUMP

/* The probe. Fences as in the Intel SDM vol. 2B, RDTSC and RDTSCP. The first time stamp is not fenced: the
 * second one comes when all that is older is done. */
3:  movq %rsi, %gs:RT_TR_O_SPILL4
    movq %rdi, %gs:RT_TR_O_SPILL5
    movq %gs:RT_TR_O_AT_NEXT, %rdx
    movl (%rdx), %eax
    movq %rax, %gs:RT_TR_O_AT
    addq $4, %rdx
    movq %rdx, %gs:RT_TR_O_AT_NEXT
    movq %gs:RT_TR_O_NEVER, %rdx
    movl %gs:RT_TR_O_NEVER_LEN, %ecx
    jrcxz 6f
4:  cmpq (%rdx), %rbx
    jb 5f
    cmpq 8(%rdx), %rbx
    jb 8f
5:  addq $16, %rdx
    decl %ecx
    jnz 4b
6:  rdtsc
    movl %eax, %esi
    jmp 7f
    .p2align 6
7:  lfence
    rdtsc
    movl %eax, %edi
    lfence
label rt_tr_template_load
    movzbl (%rbx), %ecx
label rt_tr_template_stamp
    rdtscp
    lfence
    xchgw %ax, %ax
    .if . - rt_tr_template_stamp - RT_TR_STAMP_BYTES
    .error "both ways to read the time have the same length"
    .endif
    subl %edi, %eax
    subl %esi, %edi
    movl $RT_TR_TIMED, %ecx
    jmp 10f
label rt_tr_template_load_fault
    movl $RT_TR_FAULTED, %ecx
    jmp 9f
8:  movl $RT_TR_NEVER, %ecx
9:  xorl %eax, %eax
    xorl %edi, %edi
10: movq %gs:RT_TR_O_TIMED, %rdx
    movq %rbx, (%rdx)
    movl %eax, 8(%rdx)
    movl %edi, 12(%rdx)
    movl %ecx, 16(%rdx)
    addq $24, %rdx
    movq %rdx, %gs:RT_TR_O_TIMED
    movq %gs:RT_TR_O_SPILL5, %rdi
    movq %gs:RT_TR_O_SPILL4, %rsi
    jmp 2b
label rt_tr_template_end

/* In the place of rt_tr_template_stamp where there is no rdtscp */
label rt_tr_plain_stamp
    lfence
    rdtsc
    lfence
    .if . - rt_tr_plain_stamp - RT_TR_STAMP_BYTES
    .error "both ways to read the time have the same length"
    .endif

/* void rt_tr_enter(struct rt_tr_context *c, uint64_t code) */
    .p2align 4
function rt_tr_enter
    .cfi_startproc
    endbr64
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, RT_TR_O_HOST_RSP(%rdi)
    movq %rsi, RT_TR_O_JUMP(%rdi)
    movq RT_TR_O_EFLAGS(%rdi), %rax /* popfq takes some 40 cycles */
    btl $10, %eax
    jnc 1f
    std
1:  movl %eax, %ecx
    shrl $11, %ecx
    andl $1, %ecx
    movb %al, %ah
    movb %cl, %al
    restore_flags
    movq RT_TR_O_GREGS + 0x00(%rdi), %rax
    movq RT_TR_O_GREGS + 0x08(%rdi), %rcx
    movq RT_TR_O_GREGS + 0x10(%rdi), %rdx
    movq RT_TR_O_GREGS + 0x18(%rdi), %rbx
    movq RT_TR_O_GREGS + 0x20(%rdi), %rsp
    movq RT_TR_O_GREGS + 0x28(%rdi), %rbp
    movq RT_TR_O_GREGS + 0x30(%rdi), %rsi
    movq RT_TR_O_GREGS + 0x40(%rdi), %r8
    movq RT_TR_O_GREGS + 0x48(%rdi), %r9
    movq RT_TR_O_GREGS + 0x50(%rdi), %r10
    movq RT_TR_O_GREGS + 0x58(%rdi), %r11
    movq RT_TR_O_GREGS + 0x60(%rdi), %r12
    movq RT_TR_O_GREGS + 0x68(%rdi), %r13
    movq RT_TR_O_GREGS + 0x70(%rdi), %r14
    movq RT_TR_O_GREGS + 0x78(%rdi), %r15
    movq RT_TR_O_GREGS + 0x38(%rdi), %rdi
    jmp *%gs:RT_TR_O_JUMP
    .cfi_endproc
    .size rt_tr_enter, . - rt_tr_enter

/* void rt_tr_probe_once(uint64_t access_code, const void *addr): the probe of an arena, on a line of ours */
    .p2align 4
function rt_tr_probe_once
    .cfi_startproc
    endbr64
    movq $1, %gs:RT_TR_O_AT
    movl $1, %ecx
    movq %rsi, %rax
    leaq 1f(%rip), %rdx
    movq %rdx, %gs:RT_TR_O_JUMP
    jmp *%rdi
1:  ret
    .cfi_endproc
    .size rt_tr_probe_once, . - rt_tr_probe_once

/* size_t rt_tr_copy(void *to, const void *from, size_t len_bytes): bytes copied before the first that faulted */
    .p2align 4
function rt_tr_copy
    .cfi_startproc
    endbr64
    xorl %eax, %eax
1:  cmpq %rdx, %rax
    jae 2f
label rt_tr_copy_load_ip
    movzbl (%rsi,%rax), %ecx
    movb %cl, (%rdi,%rax)
    incq %rax
    jmp 1b
label rt_tr_copy_fault_ip
2:  ret
    .cfi_endproc
    .size rt_tr_copy, . - rt_tr_copy

/* uint64_t rt_tr_sum(const void *from, size_t len_bytes): an odd number for the bytes; 0: they cannot be read */
    .p2align 4
function rt_tr_sum
    .cfi_startproc
    endbr64
    movabsq $0x9e3779b97f4a7c15, %r8
    movq %rsi, %rax
1:  subq $8, %rsi
    jb 2f
label rt_tr_sum_load_word
    movq (%rdi), %rcx
    addq $8, %rdi
    xorq %rcx, %rax
    imulq %r8, %rax
    movq %rax, %rcx
    shrq $32, %rcx
    xorq %rcx, %rax
    jmp 1b
2:  addq $8, %rsi
3:  jz 4f
label rt_tr_sum_load_byte
    movzbl (%rdi), %ecx
    incq %rdi
    xorq %rcx, %rax
    imulq %r8, %rax
    movq %rax, %rcx
    shrq $32, %rcx
    xorq %rcx, %rax
    decq %rsi
    jmp 3b
4:  orq $1, %rax
    ret
label rt_tr_sum_fault
    xorl %eax, %eax
    ret
    .cfi_endproc
    .size rt_tr_sum, . - rt_tr_sum

/* _Noreturn void rt_tr_run_on(uint8_t *stack_top, thread, work, arg, frame): work(thread, &frame->uc, arg) on that
 * stack, then rt_sigreturn by frame */
    .p2align 4
function rt_tr_run_on
    .cfi_startproc
    .cfi_undefined rip
    endbr64
    movq %rdi, %rsp
    movq %r8, %rbx
    movq %rdx, %rax
    movq %rsi, %rdi
    leaq 8(%r8), %rsi
    movq %rcx, %rdx
    xorl %ebp, %ebp
    call *%rax
    leaq 8(%rbx), %rsp
    movl $15, %eax /* rt_sigreturn */
    syscall
    ud2
    .cfi_endproc
    .size rt_tr_run_on, . - rt_tr_run_on
    .section .note.GNU-stack, "", @progbits
