/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_base64.h"

static const char vx_base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void vx_base64_put(struct vx_base64 *b, const void *from, size_t len)
{
    const uint8_t *bytes = from;
    for (size_t i = 0; i < len; i++) {
        b->bits = b->bits << 8 | bytes[i];
        if (++b->held < 3) continue;
        for (int shift = 18; shift >= 0; shift -= 6)
            fputc(vx_base64_digits[b->bits >> shift & 63], b->out);
        b->bits = 0;
        b->held = 0;
    }
}

void vx_base64_end(struct vx_base64 *b)
{
    if (b->held == 0) return;
    const uint32_t bits = b->bits << (8 * (3 - b->held));
    for (int i = 0; i < 4; i++)
        fputc(i <= b->held ? vx_base64_digits[bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->bits = 0;
    b->held = 0;
}
