/* SPDX-License-Identifier: BSD-3-Clause */
/* Which instruction sets this processor has, found at run time. */
#ifndef KN_ISA_H
#define KN_ISA_H

#include "kernels/kn_options.h"

#include <stddef.h>

/* Can m run here? Plain methods always can. */
bool kn_isa_has(enum kn_method m);
/* "scalar, unrolled, jammed, avx2": the methods that run here, into out. */
void kn_isa_list(char *out, size_t out_bytes);

#endif
