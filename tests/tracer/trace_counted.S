/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without libraries: 1 instruction, 1000 rounds of 4 with one load each, then 3. Linked with
 * -nostdlib -static. */
    .data
    .globl counted
    .type counted, @object
    .size counted, 8
counted:
    .quad 0
    .text
    .globl _start
_start:
    mov $1000, %ecx
1:
    movq counted(%rip), %rax
    inc %rax
    dec %ecx
    jnz 1b
    mov $60, %eax
    mov $4, %edi
    syscall
    .section .note.GNU-stack,"",@progbits
