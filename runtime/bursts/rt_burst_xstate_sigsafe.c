/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_xstate_sigsafe.h"

#include <cpuid.h>
#include <stddef.h>
#include <string.h>

/* Intel SDM vol. 1, 13.4: legacy region, header; component numbers of 13.1. Software-reserved bytes:
 * asm/sigcontext.h. */
enum {
    LEGACY_BYTES = 512,
    LEGACY_ST = 32,
    LEGACY_XMM = 160,
    SW_RESERVED = 464,
    HEADER_BYTES = 64,
    XCOMP_X87 = 0,
    XCOMP_SSE = 1,
    XCOMP_AVX = 2,
    XCOMP_K = 5,
    XCOMP_ZMM_HIGH = 6,
    XCOMP_ZMM_16_31 = 7,
    XCOMP_TILE_CONFIG = 17,
    TILE_CONFIG_BYTES = 64,
};
#define XSTATE_MAGIC1 UINT32_C(0x46505853)

struct sw_reserved {
    uint32_t magic1, extended_size;
    uint64_t xfeatures;
    uint32_t xstate_size;
};

static uint32_t component_offset(unsigned component)
{
    uint32_t size, offset, c, d;
    __cpuid_count(0xd, component, size, offset, c, d);
    return size ? offset : 0;
}

void rt_burst_xlayout_learn(struct rt_burst_xlayout *l)
{
    if (__atomic_load_n(&l->is_known, __ATOMIC_ACQUIRE)) return;
    if (__get_cpuid_max(0, NULL) >= 0xd) { /* several threads at once write the same */
        l->ymm_high = component_offset(XCOMP_AVX);
        l->k = component_offset(XCOMP_K);
        l->zmm_high = component_offset(XCOMP_ZMM_HIGH);
        l->zmm_16_31 = component_offset(XCOMP_ZMM_16_31);
        l->tile_config = component_offset(XCOMP_TILE_CONFIG);
    }
    __atomic_store_n(&l->is_known, 1, __ATOMIC_RELEASE);
}

struct rt_burst_xstate rt_burst_xstate_view(const void *fpregs, struct rt_burst_xlayout layout)
{
    struct rt_burst_xstate x = {.area = fpregs, .layout = layout};
    if (!fpregs) return x;
    x.len_bytes = LEGACY_BYTES;
    x.present = 1u << XCOMP_X87 | 1u << XCOMP_SSE;
    struct sw_reserved sw;
    memcpy(&sw, x.area + SW_RESERVED, sizeof sw);
    if (sw.magic1 != XSTATE_MAGIC1 || sw.xstate_size < LEGACY_BYTES + HEADER_BYTES) return x;
    x.len_bytes = sw.xstate_size;
    memcpy(&x.present, x.area + LEGACY_BYTES, sizeof x.present);
    return x;
}

/* Copy a piece of a component when the component is there and not in its initial state. */
static void piece(const struct rt_burst_xstate *x, unsigned component, uint32_t offset, void *out,
                  uint32_t len_bytes)
{
    const bool there =
        x->area && offset && (x->present >> component & 1) && offset + len_bytes <= x->len_bytes;
    if (there) memcpy(out, x->area + offset, len_bytes);
}

static uint32_t at(uint32_t component_offset_bytes, uint32_t inside)
{
    return component_offset_bytes ? component_offset_bytes + inside : 0;
}

void rt_burst_xstate_vector(const struct rt_burst_xstate *x, unsigned number, uint8_t out[64])
{
    memset(out, 0, 64);
    if (number >= 16) {
        piece(x, XCOMP_ZMM_16_31, at(x->layout.zmm_16_31, (number - 16) * 64), out, 64);
        return;
    }
    piece(x, XCOMP_SSE, LEGACY_XMM + number * 16, out, 16);
    piece(x, XCOMP_AVX, at(x->layout.ymm_high, number * 16), out + 16, 16);
    piece(x, XCOMP_ZMM_HIGH, at(x->layout.zmm_high, number * 32), out + 32, 32);
}

uint64_t rt_burst_xstate_mmx(const struct rt_burst_xstate *x, unsigned number)
{
    uint64_t v = 0;
    piece(x, XCOMP_X87, LEGACY_ST + number * 16, &v, sizeof v);
    return v;
}

uint64_t rt_burst_xstate_k(const struct rt_burst_xstate *x, unsigned number)
{
    uint64_t v = 0;
    piece(x, XCOMP_K, at(x->layout.k, number * 8), &v, sizeof v);
    return v;
}

/* Intel SDM vol. 2A, LDTILECFG: byte 1 start_row, from byte 16 on the bytes of a row, from byte 48 on the
 * rows of each tile. */
struct rt_burst_tile rt_burst_xstate_tile(const struct rt_burst_xstate *x, unsigned number)
{
    enum { START_ROW = 1, ROW_BYTES = 16, ROWS = 48, PALETTE_TILES = 8, ROWS_MOST = 16, ROW_BYTES_MOST = 64 };
    uint8_t config[TILE_CONFIG_BYTES] = {0};
    struct rt_burst_tile tile = {0};
    piece(x, XCOMP_TILE_CONFIG, x->layout.tile_config, config, sizeof config);
    if (number >= PALETTE_TILES) return tile;
    memcpy(&tile.row_bytes, config + ROW_BYTES + number * sizeof tile.row_bytes, sizeof tile.row_bytes);
    tile.first_row = config[START_ROW];
    tile.rows = config[ROWS + number];
    if (tile.row_bytes > ROW_BYTES_MOST || tile.rows > ROWS_MOST) tile = (struct rt_burst_tile){0};
    return tile;
}
