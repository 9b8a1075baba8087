/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose accesses do not depend on a compiler: main writes 32,768 numbers of 8 bytes in order, then reads them
 * in 8 sweeps, every eighth number in each. */
#define NUMBERS 32768

    .bss
    .balign 4096
    .type table, @object
    .size table, NUMBERS * 8
table:
    .zero NUMBERS * 8

    .text
    .globl main
    .type main, @function
main:
    lea table(%rip), %rdx
    xor %ecx, %ecx
write:
    mov %rcx, (%rdx,%rcx,8)
    inc %ecx
    cmp $NUMBERS, %ecx
    jb write
    xor %esi, %esi
sweep:
    mov %esi, %ecx
read:
    add (%rdx,%rcx,8), %rax
    add $8, %ecx
    cmp $NUMBERS, %ecx
    jb read
    inc %esi
    cmp $8, %esi
    jb sweep
    xor %eax, %eax
    ret
    .size main, . - main
    .section .note.GNU-stack, "", @progbits
