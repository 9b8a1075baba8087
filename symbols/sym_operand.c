/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_operand.h"

#include <string.h>

/* Intel SDM volume 2, chapter 2: prefixes, opcode maps, ModRM and SIB. */

/* One-byte opcodes with a ModRM byte: a bit each. */
static const uint8_t has_modrm[32] = {
    0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, /* 00-3f: arithmetic */
    0x00, 0x00, 0x00, 0x00, 0x08, 0x0a, 0x00, 0x00, /* 63 movsxd, 69 and 6b imul */
    0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 80-8f */
    0xc3, 0x00, 0x0f, 0xff, 0x00, 0x00, 0xc0, 0xc0, /* c0 c1 c6 c7, d0-d3, d8-df, f6 f7, fe ff */
};

/* Opcodes after 0f without one. */
static bool is_bare_0f(uint8_t opcode)
{
    return opcode <= 0x0b
               ? opcode >= 0x05 && opcode != 0x07
               : (opcode >= 0x30 && opcode <= 0x37) || opcode == 0x77 || (opcode >= 0x80 && opcode <= 0x8f) ||
                     (opcode >= 0xa0 && opcode <= 0xa2) || (opcode >= 0xa8 && opcode <= 0xaa) ||
                     opcode == 0xff || (opcode >= 0xc8 && opcode <= 0xcf);
}

/* DWARF's numbers of the registers (x86-64 psABI, figure 3.36). */
static const uint8_t dwarf_number[8] = {0, 2, 1, 3, 7, 6, 4, 5};

struct bytes {
    const uint8_t *at;
    size_t left;
};

static int take(struct bytes *b)
{
    if (b->left == 0) return -1;
    b->left--;
    return *b->at++;
}

static unsigned register_number(unsigned low, unsigned high)
{
    return high ? 8 + low : dwarf_number[low];
}

static bool is_prefix(int byte)
{
    return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e || byte == 0x36 ||
           byte == 0x3e || byte == 0x26 || byte == 0x67;
}

/* Read up to the ModRM byte, which is returned; -1: there is none. *rex: extension bits X (2) and B (1). */
static int read_opcode(struct bytes *b, unsigned *rex)
{
    int byte = take(b);
    *rex = 0;
    for (; is_prefix(byte); byte = take(b))
        if (byte == 0x67) return -1;             /* addresses of 32 bits */
    if (byte == 0x64 || byte == 0x65) return -1; /* thread-local */
    if ((byte & 0xf0) == 0x40) {
        *rex = (unsigned)byte & 3;
        byte = take(b);
    }
    if (byte == 0xc5 || byte == 0xc4) { /* VEX: its registers are inverted */
        const bool is_long = byte == 0xc4;
        const int second = take(b);
        if (second < 0) return -1;
        if (is_long) {
            *rex = (~(unsigned)second >> 5) & 3;
            if (take(b) < 0) return -1;
        }
        const int opcode = take(b);
        return opcode < 0 || opcode == 0x77 ? -1 : take(b);
    }
    if (byte < 0) return -1;
    if (byte == 0xff) { /* call, push: they access the stack, too */
        const int modrm = take(b), kind = modrm >> 3 & 7;
        return modrm >= 0 && (kind == 2 || kind == 3 || kind == 6) ? -1 : modrm;
    }
    if (byte == 0x8f) return -1; /* pop */
    if (byte != 0x0f) return has_modrm[byte / 8] >> (byte % 8) & 1 ? take(b) : -1;
    byte = take(b);
    if (byte == 0x38 || byte == 0x3a) return take(b) < 0 ? -1 : take(b);
    return byte < 0 || is_bare_0f((uint8_t)byte) ? -1 : take(b);
}

bool sym_operand_decode(const uint8_t *bytes, size_t len, struct sym_operand *out)
{
    struct bytes b = {bytes, len};
    unsigned rex;
    const int modrm = read_opcode(&b, &rex);
    if (modrm < 0) return false;
    const unsigned mode = (unsigned)modrm >> 6;
    unsigned base = (unsigned)modrm & 7;
    if (mode == 3 || (mode == 0 && base == 5)) return false; /* a register, or relative to rip */
    *out = (struct sym_operand){.distance = 0};
    if (base == 4) {
        const int sib = take(&b);
        if (sib < 0) return false;
        base = (unsigned)sib & 7;
        const unsigned index = (unsigned)sib >> 3 & 7;
        out->has_index = index != 4 || (rex & 2);
        if (out->has_index) {
            out->index = register_number(index, rex & 2);
            out->scale = 1u << ((unsigned)sib >> 6);
        }
        if (mode == 0 && base == 5) return false; /* no base */
    }
    out->base = register_number(base, rex & 1);
    if (mode == 1) {
        const int distance = take(&b);
        out->distance = (int8_t)distance;
        return distance >= 0;
    }
    if (mode == 2) {
        int32_t distance;
        if (b.left < sizeof(distance)) return false;
        memcpy(&distance, b.at, sizeof(distance));
        out->distance = distance;
    }
    return true;
}
