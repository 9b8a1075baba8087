/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of each sample on its natural domain, and coarser places, for the tiles of a page. */
#include "viz-export/view/vx_view.h"
#include "viz-export/view/vx_places.h"
#include "viz-export/view/vx_view_parts.h"

#include <stdlib.h>
#include <string.h>

static ls_err vx_no_memory_for_places(void)
{
    return ls_nomem("the places of samples on the page's maps");
}

/* Find the field of all data of the same domain, otherwise its first field. */
static uint32_t vx_base_of(const struct ndm_atlas *a, uint32_t field)
{
    uint32_t base = field;
    for (uint32_t i = a->fields_len; i-- > 0;) {
        const struct ndm_field *f = &a->fields[i];
        if (f->domain != a->fields[field].domain || f->centering != a->fields[field].centering) continue;
        if (!vx_field_is_sound(a, f)) continue;
        const bool is_kept = a->fields[base].node == UINT32_MAX && f->node != UINT32_MAX;
        if (!is_kept) base = i;
    }
    return base;
}

static ls_err vx_bases_number(struct vx_view_places *p, const struct ndm_atlas *a, struct vx_places *places)
{
    for (uint32_t i = 0; i < a->fields_len; i++) {
        p->base[i] = vx_field_is_sound(a, &a->fields[i]) ? vx_base_of(a, i) : UINT32_MAX;
        if (p->base[i] != i) continue;
        LS_TRY(vx_field_places(a, &a->fields[i], p->places_max, &places[i]));
        p->first[i] = p->len;
        p->len += (uint32_t)places[i].len;
    }
    for (uint32_t i = 0; i < a->fields_len; i++)
        if (p->base[i] != UINT32_MAX) p->first[i] = p->first[p->base[i]];
    return LS_OK;
}

static ls_err vx_places_find(struct vx_view_places *p, const struct ndm_atlas *a,
                             const struct vx_places *places, const struct prof_samples *s)
{
    uint64_t found = 0;
    if (p->len == 0) return LS_OK;
    p->of_field = calloc(s->len + 1, sizeof(*p->of_field));
    p->of_place = calloc(s->len + 1, sizeof(*p->of_place));
    if (!p->of_field || !p->of_place) return vx_no_memory_for_places();
    for (uint64_t i = 0; i < s->len; i++) {
        const uint32_t field = s->field[i];
        if (field >= a->fields_len || p->base[field] == UINT32_MAX) continue;
        const struct vx_places *of = &places[p->base[field]];
        p->of_field[i] = 1 + field;
        if (s->value[i] < of->values_len)
            p->of_place[i] = 1 + p->first[field] + of->place_of_value[s->value[i]];
        found++;
    }
    if (found == 0) p->len = 0;
    return LS_OK;
}

static ls_err vx_places_coarsen(struct vx_view_places *p, const struct ndm_atlas *a,
                                const struct vx_places *places)
{
    for (unsigned level = 0; level < AN_PLACE_LEVELS; level++) {
        p->coarser[level] = malloc((p->len + 1u) * sizeof(uint32_t));
        if (!p->coarser[level]) return vx_no_memory_for_places();
        for (uint32_t i = 0; i < a->fields_len; i++) {
            if (p->base[i] != i) continue;
            uint32_t *to = p->coarser[level] + p->first[i];
            LS_TRY(vx_places_coarser(&places[i], &a->domains[a->fields[i].domain], level + 1, to));
            for (size_t k = 0; k < places[i].len; k++)
                to[k] += p->first[i];
        }
    }
    return LS_OK;
}

static ls_err vx_view_places_make(struct vx_view_places *p, const struct ndm_atlas *a,
                                  struct vx_places *places, const struct prof_samples *s)
{
    LS_TRY(vx_fields_places_max(a, &p->places_max));
    LS_TRY(vx_bases_number(p, a, places));
    LS_TRY(vx_places_find(p, a, places, s));
    return p->len ? vx_places_coarsen(p, a, places) : LS_OK;
}

ls_err vx_view_places_init(struct vx_view_places *out, const struct ndm_atlas *a,
                           const struct prof_samples *s)
{
    *out = (struct vx_view_places){.base = calloc(a->fields_len + 1u, sizeof(*out->base)),
                                   .first = calloc(a->fields_len + 1u, sizeof(*out->first))};
    struct vx_places *places = calloc(a->fields_len + 1u, sizeof(*places)); /* set only for bases */
    const ls_err err = out->base && out->first && places ? vx_view_places_make(out, a, places, s)
                                                         : vx_no_memory_for_places();
    for (uint32_t i = 0; places && i < a->fields_len; i++)
        vx_places_fini(&places[i]);
    free(places);
    return err;
}

void vx_view_places_fini(struct vx_view_places *p)
{
    for (int level = 0; level < AN_PLACE_LEVELS; level++)
        free(p->coarser[level]);
    free(p->base);
    free(p->first);
    free(p->of_field);
    free(p->of_place);
    memset(p, 0, sizeof(*p));
}

struct an_places vx_view_places_of(const struct vx_view_places *p)
{
    struct an_places out = {.field_of_sample = p->of_field, .place_of_sample = p->of_place, .len = p->len};
    for (int level = 0; level < AN_PLACE_LEVELS; level++)
        out.coarser[level] = p->coarser[level];
    return out;
}
