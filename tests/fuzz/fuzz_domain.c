/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a natural domain and a map to it: data that passes the checks must be safe to use.
 * length of the geometry u64, geometry, map (both in the format of ndm/ndm_wire.h). */
#include "common/ls_span.h"
#include "ndm/ndm_map.h"
#include "ndm/ndm_wire.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-domain/*";

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

static void fuzz_element(const struct ndm_map *m, const struct ndm_geometry *g, uint64_t element)
{
    uint64_t value;
    if (!ndm_map_locate(m, g, element, &value)) return;
    if (value >= ndm_geometry_values(g, m->centering)) abort();
    if (m->kind != NDM_MAP_LAYOUT) return;
    const uint64_t per_cell = m->layout.elements_per_cell ? m->layout.elements_per_cell : 1;
    if (element - ndm_layout_element(&m->layout, g, value) >= per_cell) abort();
}

static void fuzz_map(const struct ndm_map *m, const struct ndm_geometry *g)
{
    const uint64_t elements = ndm_map_elements(m, g);
    for (uint64_t e = 0; e < 64; e++) {
        fuzz_element(m, g, e);
        fuzz_element(m, g, elements - e);
        fuzz_element(m, g, elements / 64 * e);
        fuzz_element(m, g, UINT64_MAX >> e);
    }
    fuzz_sum += (uint64_t)ndm_map_check_elements(m, g, elements, "fuzz");
}

static void fuzz_count(void *user, const void *bytes, size_t len_bytes)
{
    const uint8_t *b = bytes;
    *(uint64_t *)user += len_bytes;
    for (size_t i = 0; i < len_bytes; i++)
        fuzz_sum += b[i];
}

static void fuzz_geometry(const struct ndm_geometry *g)
{
    static const double positions[][NDM_AXES_MAX] = {{0, 0, 0}, {1.5, 0.5, 1e300}, {-1e-300, 3, 2}};
    ndm_finder *f;
    uint64_t put = 0;
    ndm_geometry_put(g, fuzz_count, &put);
    if (put != ndm_geometry_wire_bytes(g)) abort();
    if (ndm_finder_new(g, &f) != LS_OK) return;
    for (unsigned i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
        uint64_t value;
        if (ndm_finder_find(f, positions[i], &value) &&
            value >= ndm_geometry_values(g, ndm_finder_centering(f)))
            abort();
    }
    ndm_finder_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    struct ls_cursor c = ls_cursor_over(data, len_bytes);
    struct ndm_geometry g;
    struct ndm_map m;
    uint64_t len;
    if (!ls_cursor_read(&c, &len, sizeof(len)) || len > ls_cursor_left(&c)) return 0;
    const struct ls_span geometry = {ls_cursor_take(&c, len), len};
    const struct ls_span map = {data + c.pos_bytes, ls_cursor_left(&c)};
    if (ndm_geometry_get(geometry, &g) != LS_OK) return 0;
    fuzz_geometry(&g);
    if (ndm_map_get(map, &m) == LS_OK) {
        if (ndm_map_check(&m, &g, "fuzz") == LS_OK && m.kind != NDM_MAP_CALLBACK) fuzz_map(&m, &g);
        ndm_map_fini(&m);
    }
    ndm_geometry_fini(&g);
    return 0;
}
