/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of instructions that QEMU 7.2 does not execute, or that are hidden from the program: where it ends by
 * SIGILL, one of them is why.
 *
 * Thread: any.  Signal: safe. */
#ifndef TRC_ISA_H
#define TRC_ISA_H

#define TRC_ISA_LIST(X)               \
    X(AVX2, "AVX2")                   \
    X(AVX512, "AVX-512")              \
    X(AMX, "AMX")                     \
    X(AVX_VNNI, "AVX-VNNI")           \
    X(GFNI, "GFNI")                   \
    X(SHA, "SHA")                     \
    X(VPCLMULQDQ, "VPCLMULQDQ")       \
    X(MOVDIR, "MOVDIRI or MOVDIR64B") \
    X(SERIALIZE, "SERIALIZE")         \
    X(XSAVEC, "XSAVEC")               \
    X(RDPID, "RDPID")                 \
    X(PTWRITE, "PTWRITE")

#define TRC_ISA_NUMBER(name, text) TRC_ISA_##name,
enum trc_isa { TRC_ISA_HAD, TRC_ISA_LIST(TRC_ISA_NUMBER) };

#endif
