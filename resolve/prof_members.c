/* SPDX-License-Identifier: BSD-3-Clause */
/* The members that accesses hit: the columns member and type_offset of /samples, once all types are known. */
#include "resolve/prof_types.h"

#include "run_h5/prof_file.h"

#include <stdlib.h>

/* An access inside a type. */
struct prof_inside {
    uint64_t at, len_bytes;
};

static bool prof_member_holds(const struct prof_member *m, uint64_t at)
{
    /* an array of open length holds all that follows */
    return at >= m->offset_bytes &&
           (m->len_bytes == 0 ? m->elem_len_bytes > 0 : at - m->offset_bytes < m->len_bytes);
}

/* The innermost member around the access, below row; rows before end are of the type. Members that overlap (of
 * a union) differ by the size of the access. */
static uint32_t prof_member_inside(const struct prof_typing *t, uint32_t row, uint32_t end,
                                   struct prof_inside x, int depth)
{
    enum { DEPTH_MAX = 64 };
    const struct prof_member *all = t->members.rows, *m = &all[row];
    uint32_t best = row;
    bool is_exact = false;
    unsigned bits = 0;
    if (depth > DEPTH_MAX) return row;
    if (m->elem_len_bytes > 0 && x.at >= m->offset_bytes)
        x.at = m->offset_bytes + (x.at - m->offset_bytes) % m->elem_len_bytes;
    for (uint32_t i = row + 1; i < end; i++) {
        if (all[i].parent != row) continue;
        if (m->kind == PROF_MEMBER_BITS) { /* one of them, if the access touches no other */
            const bool touches =
                all[i].offset_bytes < x.at + x.len_bytes && x.at < all[i].offset_bytes + all[i].len_bytes;
            if (touches && bits++ == 0) best = i;
            continue;
        }
        if (!prof_member_holds(&all[i], x.at)) continue;
        const uint32_t inner = prof_member_inside(t, i, end, x, depth + 1);
        const uint64_t len = all[inner].elem_len_bytes ? all[inner].elem_len_bytes : all[inner].len_bytes;
        if (best == row || (!is_exact && len == x.len_bytes)) best = inner;
        is_exact = is_exact || len == x.len_bytes;
    }
    return bits > 1 ? row : best;
}

/* Programs touch few places of few types: a direct-mapped cache spares nearly all searches. */
enum { PROF_PLACES_LEN = 4096 };
struct prof_place {
    uint64_t at;
    uint32_t type; /* plus 1; 0: empty */
    uint32_t member;
    uint16_t len_bytes;
};

static uint32_t prof_member_at(const struct prof_typing *t, struct prof_place *cache, uint32_t type,
                               struct prof_inside x)
{
    struct prof_place *p = &cache[ls_index_key(type, x.at * 64 + x.len_bytes) % PROF_PLACES_LEN];
    if (p->type != type + 1 || p->at != x.at || p->len_bytes != x.len_bytes)
        *p = (struct prof_place){.at = x.at,
                                 .type = type + 1,
                                 .member = prof_member_inside(t, t->first_members.rows[type],
                                                              t->first_members.rows[type + 1], x, 0),
                                 .len_bytes = (uint16_t)x.len_bytes};
    return p->member;
}

/* The two columns of an access. */
struct prof_typed {
    uint32_t *member;
    uint64_t *offset;
    uint64_t ip;
};

/* The smallest variable of a frame that holds the offset, which becomes one from its begin. */
static struct prof_type_origin prof_slot_at(const struct prof_typing *t, const struct prof_type_origin *frame,
                                            uint64_t *offset)
{
    struct prof_type_origin found = {.type = PROF_NO_TYPE, .is_array = true};
    const struct sym_slot *best = NULL;
    if (frame->is_access) { /* the one slot has the offset of the access */
        if (frame->slots_len == 0) return found;
        best = &t->slots.rows[frame->first_slot];
        found.type = best->type;
        *offset = (uint64_t)best->offset_bytes;
        return found;
    }
    for (uint32_t i = 0; i < frame->slots_len; i++) {
        const struct sym_slot *s = &t->slots.rows[frame->first_slot + i];
        const uint64_t inside = *offset - (uint64_t)s->offset_bytes;
        if (inside < s->len_bytes && (!best || s->len_bytes < best->len_bytes)) best = s;
    }
    if (!best) return found;
    *offset -= (uint64_t)best->offset_bytes;
    found.type = best->type;
    return found;
}

/* Set *member and *offset of an access with this origin; its column offset is from the block's begin. */
static void prof_typing_place(const struct prof_typing *t, struct prof_place *cache, uint16_t len_bytes,
                              struct prof_typed *out)
{
    uint32_t *const member = out->member;
    uint64_t *const offset = out->offset;
    const struct prof_type_origin *o = *member - 1u < t->origins.len ? &t->origins.rows[*member - 1u] : NULL;
    struct prof_type_origin in_frame;
    if (o && (o->is_frame || o->is_access)) {
        in_frame = prof_slot_at(t, o, offset);
        o = &in_frame;
    }
    const struct prof_vote *v = o && !o->file && !(o->type != PROF_NO_TYPE && o->is_array)
                                    ? prof_typing_vote_of(t, *member, out->ip)
                                    : NULL;
    const uint64_t whole_len = len_bytes ? len_bytes : 1;
    uint64_t at = o ? *offset - o->first_bytes : 0;
    *member = UINT32_MAX;
    if (o && o->type != PROF_NO_TYPE && *offset >= o->first_bytes) {
        const uint64_t one = t->types.rows[o->type].len_bytes;
        if (o->is_array) at %= one;
        const uint32_t found = prof_member_at(t, cache, o->type, (struct prof_inside){at, whole_len});
        if (at < one || found != t->first_members.rows[o->type]) *member = found; /* not after the object */
    }
    if (*member == UINT32_MAX && v &&
        v->type != PROF_NO_TYPE) { /* the pointer that was used shows the object */
        at = v->place_bytes;
        *member = prof_member_at(t, cache, v->type, (struct prof_inside){at, whole_len});
    }
    *offset = *member == UINT32_MAX ? UINT64_MAX : at;
}

ls_err prof_typing_rewrite(const struct prof_typing *t, prof_writer *w, uint64_t samples_len)
{
    enum { ROWS = 1 << 16 };
    uint32_t *members = malloc(ROWS * sizeof(*members));
    uint64_t *offsets = malloc(ROWS * sizeof(*offsets));
    uint64_t *ips = malloc(ROWS * sizeof(*ips));
    uint16_t *sizes = malloc(ROWS * sizeof(*sizes));
    struct prof_place *cache = calloc(PROF_PLACES_LEN, sizeof(*cache));
    ls_err e = members && offsets && ips && sizes && cache ? LS_OK : ls_nomem("the types of samples");
    if (t->origins.len == 0) samples_len = 0;
    for (uint64_t first = 0; e == LS_OK && first < samples_len; first += ROWS) {
        const uint64_t left = samples_len - first;
        const struct prof_slice slice = {first, left < ROWS ? left : ROWS};
        e = prof_writer_read(w, PROF_COL_member, slice, members);
        if (e == LS_OK) e = prof_writer_read(w, PROF_COL_type_offset, slice, offsets);
        if (e == LS_OK) e = prof_writer_read(w, PROF_COL_size, slice, sizes);
        if (e == LS_OK) e = prof_writer_read(w, PROF_COL_ip, slice, ips);
        for (uint64_t i = 0; e == LS_OK && i < slice.len; i++)
            prof_typing_place(t, cache, sizes[i], &(struct prof_typed){&members[i], &offsets[i], ips[i]});
        if (e == LS_OK) e = prof_writer_rewrite(w, PROF_COL_member, slice, members);
        if (e == LS_OK) e = prof_writer_rewrite(w, PROF_COL_type_offset, slice, offsets);
    }
    free(members);
    free(offsets);
    free(ips);
    free(sizes);
    free(cache);
    return e;
}
