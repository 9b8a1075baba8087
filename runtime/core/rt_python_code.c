/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_python_code.h"

#include <string.h>

/* --- tables of locations --- */

struct python_cursor {
    const uint8_t *at, *end;
};

/* 6 bits a byte, the lowest first; bit 6: more follow. */
static bool python_take_varint(struct python_cursor *c, uint32_t *out)
{
    enum { MORE = 0x40, BITS = 6 };
    *out = 0;
    for (unsigned shift = 0; c->at < c->end && shift < 32; shift += BITS) {
        const uint8_t byte = *c->at++;
        *out |= (uint32_t)(byte & (MORE - 1)) << shift;
        if (!(byte & MORE)) return true;
    }
    return false;
}

static bool python_take_signed(struct python_cursor *c, int32_t *out)
{
    uint32_t number;
    if (!python_take_varint(c, &number)) return false;
    *out = number & 1 ? -(int32_t)(number >> 1) : (int32_t)(number >> 1);
    return true;
}

enum python_form {
    PYTHON_SHORT_LAST = 9,
    PYTHON_ONE_LINE = 10,
    PYTHON_NO_COLUMNS = 13,
    PYTHON_LONG = 14,
    PYTHON_NONE = 15
};

static bool python_take_bytes(struct python_cursor *c, size_t len, uint8_t *out)
{
    if ((size_t)(c->end - c->at) < len) return false;
    memcpy(out, c->at, len);
    c->at += len;
    return true;
}

/* A column of 0 to 127, and the distance to its end. */
static bool python_take_short(struct python_cursor *c, unsigned form, struct rt_python_location *l)
{
    uint8_t byte;
    if (!python_take_bytes(c, 1, &byte)) return false;
    l->column = form * 8 + (byte >> 4) + 1;
    l->end_column = l->column + (byte & 0xf);
    return true;
}

static bool python_take_one_line(struct python_cursor *c, unsigned form, struct rt_python_location *l)
{
    uint8_t bytes[2];
    if (!python_take_bytes(c, 2, bytes)) return false;
    l->line += form - PYTHON_ONE_LINE;
    l->end_line = l->line;
    l->column = bytes[0] + 1u;
    l->end_column = bytes[1] + 1u;
    return true;
}

static bool python_take_long(struct python_cursor *c, struct rt_python_location *l)
{
    uint32_t lines;
    if (!python_take_varint(c, &lines)) return false;
    l->end_line = l->line + lines;
    return python_take_varint(c, &l->column) && python_take_varint(c, &l->end_column);
}

/* Read the rest of an entry; l->line is the one of the entry before. */
static bool python_take_location(struct python_cursor *c, unsigned form, struct rt_python_location *l)
{
    int32_t lines;
    l->column = l->end_column = 0;
    l->end_line = l->line;
    if (form == PYTHON_NONE) return true;
    if (form <= PYTHON_SHORT_LAST) return python_take_short(c, form, l);
    if (form < PYTHON_NO_COLUMNS) return python_take_one_line(c, form, l);
    if (!python_take_signed(c, &lines)) return false;
    l->end_line = l->line += (uint32_t)lines;
    return form == PYTHON_NO_COLUMNS || python_take_long(c, l);
}

bool rt_python_locate(const uint8_t *table, size_t len_bytes, uint32_t unit, struct rt_python_location *l)
{
    struct python_cursor c = {table, table + len_bytes};
    for (uint64_t end = 0; c.at < c.end;) {
        const uint8_t head = *c.at++;
        const unsigned form = head >> 3 & 0xf;
        if (!(head & 0x80) || !python_take_location(&c, form, l)) return false;
        end += (head & 7u) + 1;
        if (unit < end) return form != PYTHON_NONE;
    }
    return false;
}

/* --- texts --- */

static size_t python_put_letter(uint32_t letter, char out[4])
{
    enum { LAST = 0x10ffff, UNKNOWN = 0xfffd };
    if (letter > LAST || (letter >= 0xd800 && letter < 0xe000)) letter = UNKNOWN;
    const unsigned more = (letter >= 0x80) + (letter >= 0x800) + (letter >= 0x10000);
    static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    for (unsigned i = more; i > 0; i--) {
        out[i] = (char)(0x80 | (letter & 0x3f));
        letter >>= 6;
    }
    out[0] = (char)(heads[more] | letter);
    return more + 1;
}

size_t rt_python_utf8(const uint8_t *letters, size_t len, unsigned letter_bytes, char *out, size_t out_bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        uint32_t letter = 0;
        char encoded[4];
        memcpy(&letter, letters + i * letter_bytes, letter_bytes); /* little-endian */
        const size_t encoded_bytes = python_put_letter(letter, encoded);
        if (used + encoded_bytes > out_bytes) break;
        memcpy(out + used, encoded, encoded_bytes);
        used += encoded_bytes;
    }
    return used;
}
