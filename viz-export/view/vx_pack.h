/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of numbers and a text, packed for a page: one block, deflated, in base64.
 *
 * The block, before zlib: the length of the text (u32, little-endian), the text, the columns one after the
 * other. The text is JSON and gives the offset of each column, counted from the end of the text.
 *   uint   LEB128: 7 bits a byte, the lowest first, bit 7 set if more follow
 *   int    the same, for 2n or -2n - 1
 *   f24    the upper 24 bits of IEEE singles, rounded, as three planes of bytes, the highest first */
#ifndef VX_PACK_H
#define VX_PACK_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum vx_column_type { VX_COLUMN_UINT, VX_COLUMN_INT, VX_COLUMN_F24 };

struct vx_column {
    char name[40];
    enum vx_column_type type;
    size_t at_bytes, values_len;
};

struct vx_pack {
    uint8_t *bytes;
    size_t len_bytes, room_bytes;
    struct vx_column *columns;
    size_t columns_len, columns_room;
    bool failed; /* out of memory: later values are dropped, vx_pack_write reports it */
};

/* Begin a column; the values put next are its. Owns: p copies name. Errors: kept in p->failed. */
void vx_pack_begin(struct vx_pack *p, const char *name, enum vx_column_type type);
void vx_pack_uint(struct vx_pack *p, uint64_t value);
void vx_pack_int(struct vx_pack *p, int64_t value);
/* Add a whole column of type f24; NAN stays NAN. */
void vx_pack_floats(struct vx_pack *p, const char *name, const double *values, size_t len);
/* Owns:   frees the contents of p. */
void vx_pack_fini(struct vx_pack *p);

/* Deflate text and columns and print them in base64.
 * Errors: LS_ERR_NOMEM; LS_ERR_IO stays in out's error flag. */
ls_err vx_pack_write(const struct vx_pack *p, const char *text, size_t text_len_bytes, FILE *out);
/* Return the deflated size of p's columns from at_bytes on; 0 without memory. */
size_t vx_pack_deflated_bytes(const struct vx_pack *p, size_t at_bytes);

#endif
