/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as text by RFC 4648, section 4, piece by piece. */
#ifndef VX_BASE64_H
#define VX_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero but out is a beginning. */
struct vx_base64 {
    FILE *out;
    uint32_t bits;
    int held; /* bytes in bits */
};

/* Errors of the stream are for the caller to look at. */
void vx_base64_put(struct vx_base64 *b, const void *from, size_t len);
/* Write the pending bytes, padded; b can begin again. */
void vx_base64_end(struct vx_base64 *b);

#endif
