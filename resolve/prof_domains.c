/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_domains.h"

#include "common/ls_index.h"
#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "ndm/ndm_wire.h"
#include "resolve/prof_forks.h"
#include "resolve/prof_replay.h"
#include "spool/spool_record.h"

#include <stdlib.h>
#include <string.h>

/* --- spots of functions --- */

static int prof_compare_bursts(const struct prof_spot_key *a, const struct prof_spot_key *b)
{
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->tid != b->tid) return a->tid < b->tid ? -1 : 1;
    return (a->burst_ns > b->burst_ns) - (a->burst_ns < b->burst_ns);
}

static int prof_compare_spots(const void *a, const void *b)
{
    const struct prof_spot *x = a, *y = b;
    const int burst = prof_compare_bursts(&x->burst, &y->burst);
    return burst ? burst : (x->access > y->access) - (x->access < y->access);
}

static void prof_spots_sort(prof_spot_list *l)
{
    if (l->len > 1) qsort(l->rows, l->len, sizeof(*l->rows), prof_compare_spots);
}

const struct prof_spot *prof_spots_of(const prof_spot_list *l, const struct prof_spot_key *burst,
                                      size_t *out_len)
{
    size_t first, end;
    LS_COUNT_FIRST(first, l->len, i, prof_compare_bursts(&l->rows[i].burst, burst) < 0);
    for (end = first; end < l->len && prof_compare_bursts(&l->rows[end].burst, burst) == 0;)
        end++;
    *out_len = end - first;
    return end > first ? &l->rows[first] : NULL;
}

/* More data than any program maps is damage. */
#define PROF_DATA_MAX_BYTES (UINT64_C(1) << 34)

/* An array in pieces. */
struct prof_domain_data {
    uint8_t *bytes;
    uint64_t len_bytes, version;
    size_t room_bytes;
};
struct prof_map_now {
    uint32_t domain, layout; /* rows; layout PROF_NO_LAYOUT: no such map */
};
struct prof_node_map {
    uint32_t node, map; /* spool id; number of the map, 0: none */
};
/* Registrations of one image, and their rows by the number that the program gave them. */
struct prof_image_domains {
    uint32_t process;
    LS_VECTOR(struct prof_domain_data *) data;
    LS_VECTOR(uint32_t) domains; /* rows of prof_domains */
    LS_VECTOR(struct prof_map_now) maps;
    LS_VECTOR(struct prof_node_map) map_of_node;
    struct ls_index data_row, domain_row, map_row, node_row;
    const struct prof_image_domains *parent;
};

/* --- one image --- */

static struct prof_image_domains *prof_known_image(const struct prof_domains *d, uint32_t process)
{
    for (size_t i = d->images.len; i-- > 0;)
        if (d->images.rows[i]->process == process) return d->images.rows[i];
    return NULL;
}

/* Return the nearest ancestor by forks that registered something. */
static const struct prof_image_domains *prof_parent_image(const struct prof_domains *d, uint32_t process)
{
    const struct prof_fork *fork;
    while (d->forks && (fork = prof_forks_of_child(d->forks, process)) != NULL) {
        const struct prof_image_domains *image = prof_known_image(d, fork->parent);
        if (image) return image;
        process = fork->parent;
    }
    return NULL;
}

static ls_err prof_image_of(struct prof_domains *d, uint32_t process, struct prof_image_domains **out)
{
    *out = prof_known_image(d, process);
    if (*out) return LS_OK;
    LS_TRY(LS_VECTOR_ROOM(&d->images));
    struct prof_image_domains *image = calloc(1, sizeof(*image));
    if (!image) return ls_nomem("natural domains");
    image->process = process;
    image->parent = prof_parent_image(d, process);
    d->images.rows[d->images.len++] = image;
    *out = image;
    return LS_OK;
}

static void prof_image_free(struct prof_image_domains *image)
{
    for (size_t i = 0; i < image->data.len; i++) {
        free(image->data.rows[i]->bytes);
        free(image->data.rows[i]);
    }
    ls_index_fini(&image->data_row);
    ls_index_fini(&image->domain_row);
    ls_index_fini(&image->map_row);
    ls_index_fini(&image->node_row);
    free(image->data.rows);
    free(image->domains.rows);
    free(image->maps.rows);
    free(image->map_of_node.rows);
    free(image);
}

static struct prof_domain_data *prof_data_find(const struct prof_image_domains *image, uint32_t number)
{
    uint32_t row = LS_INDEX_NONE;
    for (; image; image = image->parent)
        if ((row = ls_index_find(&image->data_row, number)) != LS_INDEX_NONE) return image->data.rows[row];
    return NULL;
}

static uint32_t prof_domain_find(const struct prof_image_domains *image, uint32_t number)
{
    uint32_t row = LS_INDEX_NONE;
    for (; image && number > 0; image = image->parent)
        if ((row = ls_index_find(&image->domain_row, number)) != LS_INDEX_NONE)
            return image->domains.rows[row];
    return PROF_NO_DOMAIN;
}

static struct prof_map_now prof_map_find(const struct prof_image_domains *image, uint32_t number)
{
    uint32_t row = LS_INDEX_NONE;
    for (; image && number > 0; image = image->parent)
        if ((row = ls_index_find(&image->map_row, number)) != LS_INDEX_NONE &&
            image->maps.rows[row].layout != PROF_NO_LAYOUT)
            return image->maps.rows[row];
    return (struct prof_map_now){PROF_NO_DOMAIN, PROF_NO_LAYOUT};
}

/* --- arrays --- */

/* The image's own state, which begins as a copy of its parent's if that has one. */
static ls_err prof_data_own(struct prof_image_domains *image, uint32_t number, struct prof_domain_data **out)
{
    const struct prof_domain_data *from = prof_data_find(image->parent, number);
    const uint32_t row = ls_index_find(&image->data_row, number);
    if (row != LS_INDEX_NONE) {
        *out = image->data.rows[row];
        return LS_OK;
    }
    LS_TRY(LS_VECTOR_ROOM(&image->data));
    LS_TRY(ls_index_put(&image->data_row, number, (uint32_t)image->data.len));
    struct prof_domain_data *data = calloc(1, sizeof(*data));
    if (!data) return ls_nomem("the arrays of natural domains");
    image->data.rows[image->data.len++] = data;
    if (from && from->len_bytes > 0) {
        LS_TRY(LS_GROW(data->bytes, data->room_bytes, from->len_bytes));
        memcpy(data->bytes, from->bytes, from->len_bytes);
        data->len_bytes = from->len_bytes;
    }
    *out = data;
    return LS_OK;
}

static ls_err prof_take_data(struct prof_domains *d, struct prof_image_domains *image,
                             const struct spool_domain_data *r)
{
    struct prof_domain_data *data = NULL;
    if (r->total_bytes > PROF_DATA_MAX_BYTES) {
        d->refused++;
        return LS_OK;
    }
    LS_TRY(prof_data_own(image, r->data, &data));
    if (r->first_byte > data->len_bytes) { /* the piece before it was lost */
        d->refused++;
        return LS_OK;
    }
    const uint64_t end = r->first_byte + r->bytes_len;
    LS_TRY(LS_GROW(data->bytes, data->room_bytes, end));
    if (r->bytes_len > 0) memcpy(data->bytes + r->first_byte, SPOOL_REC_TAIL(r), r->bytes_len);
    if (end > data->len_bytes) data->len_bytes = end;
    data->version++;
    return LS_OK;
}

static struct ls_span prof_data_bytes(const struct prof_domain_data *data)
{
    return (struct ls_span){data->bytes, data->len_bytes};
}

/* Damage costs a map; lack of memory costs the recording. */
static ls_err prof_refuse(struct prof_domains *d, ls_err e)
{
    if (e == LS_ERR_NOMEM) return e;
    d->refused += e != LS_OK;
    return LS_OK;
}

/* --- domains --- */

static bool prof_is_same_shape(const struct ndm_geometry *a, const struct ndm_geometry *b)
{
    return a->kind == b->kind && a->dims == b->dims && a->points_len == b->points_len &&
           a->cells_len == b->cells_len && memcmp(a->extents, b->extents, sizeof(a->extents)) == 0;
}

static void prof_domain_change(struct prof_domains *d, uint32_t row, struct ndm_geometry *g)
{
    struct prof_domain *domain = &d->domains.rows[row];
    if (!prof_is_same_shape(&domain->geometry, g)) {
        d->refused++;
        ndm_geometry_fini(g);
        return;
    }
    ndm_finder_free(domain->finder);
    domain->finder = NULL;
    ndm_geometry_fini(&domain->geometry);
    domain->geometry = *g;
}

static ls_err prof_domain_add(struct prof_domains *d, struct prof_image_domains *image, uint32_t number,
                              const struct ndm_geometry *g)
{
    LS_TRY(LS_VECTOR_ROOM(&d->domains));
    LS_TRY(LS_VECTOR_ADD(&image->domains, (uint32_t)d->domains.len));
    LS_TRY(ls_index_put(&image->domain_row, number, (uint32_t)image->domains.len - 1));
    d->domains.rows[d->domains.len++] = (struct prof_domain){.process = image->process, .geometry = *g};
    return LS_OK;
}

static ls_err prof_take_domain(struct prof_domains *d, struct prof_image_domains *image,
                               const struct spool_domain *r)
{
    struct ndm_geometry g;
    const struct prof_domain_data *data = prof_data_find(image, r->data);
    if (!data) {
        d->refused++;
        return LS_OK;
    }
    const ls_err e = ndm_geometry_get(prof_data_bytes(data), &g);
    if (e != LS_OK) return prof_refuse(d, e);
    ls_text_clean(g.label, strlen(g.label), ""); /* as readers do: they find fields by this name */
    const uint32_t row = prof_domain_find(image, r->domain);
    if (row != PROF_NO_DOMAIN && d->domains.rows[row].process == image->process) {
        prof_domain_change(d, row, &g);
        return LS_OK;
    }
    const ls_err added = prof_domain_add(d, image, r->domain, &g);
    if (added != LS_OK) ndm_geometry_fini(&g);
    return added;
}

/* --- maps --- */

static ls_err prof_layout_add(struct prof_domains *d, const struct prof_domain_data *data, uint32_t domain,
                              uint32_t *out)
{
    const struct ndm_geometry *g = domain == PROF_NO_DOMAIN ? NULL : &d->domains.rows[domain].geometry;
    struct ndm_map map;
    *out = PROF_NO_LAYOUT;
    ls_err e = ndm_map_get(prof_data_bytes(data), &map);
    if (e != LS_OK) return prof_refuse(d, e);
    e = ndm_map_check(&map, g, "of a recording");
    if (e == LS_OK) e = LS_VECTOR_ROOM(&d->layouts);
    if (e != LS_OK) {
        ndm_map_fini(&map);
        return prof_refuse(d, e);
    }
    *out = (uint32_t)d->layouts.len;
    d->layouts.rows[d->layouts.len++] = (struct prof_layout){map, data, data->version};
    return LS_OK;
}

/* Return the layout of these bytes: the map's present one if domain and bytes are unchanged, else a new
 * one. */
static ls_err prof_layout_of(struct prof_domains *d, const struct prof_domain_data *data,
                             const struct prof_map_now *before, uint32_t domain, uint32_t *out)
{
    if (before->layout != PROF_NO_LAYOUT && before->domain == domain) {
        const struct prof_layout *l = &d->layouts.rows[before->layout];
        if (l->data == data && l->data_version == data->version) {
            *out = before->layout;
            return LS_OK;
        }
    }
    return prof_layout_add(d, data, domain, out);
}

static ls_err prof_span_add(struct prof_domains *d, struct prof_map_span span)
{
    LS_TRY(LS_VECTOR_ROOM(&d->spans));
    span.order = (uint32_t)d->spans.len;
    d->spans.rows[d->spans.len++] = span;
    return LS_OK;
}

/* A tree's node of a spool id, PROF_NO_NODE: none. */
static uint32_t prof_tree_id(const struct prof_replay *r, uint32_t spool_id)
{
    const struct prof_survey_node *n = prof_survey_known(r->survey, spool_id);
    return n ? n->node : PROF_NO_NODE;
}

/* Update the nodes of a map that changed. */
static ls_err prof_spans_change(struct prof_replay *r, const struct prof_image_domains *image,
                                uint32_t number, uint64_t from_ns)
{
    struct prof_domains *d = &r->run->domains;
    const struct prof_map_now now = prof_map_find(image, number);
    for (size_t i = 0; i < image->map_of_node.len; i++) {
        const uint32_t node = prof_tree_id(r, image->map_of_node.rows[i].node);
        if (image->map_of_node.rows[i].map != number || node == PROF_NO_NODE) continue;
        LS_TRY(prof_span_add(d, (struct prof_map_span){.process = image->process,
                                                       .node = node,
                                                       .from_ns = from_ns,
                                                       .domain = now.domain,
                                                       .layout = now.layout}));
    }
    return LS_OK;
}

static ls_err prof_take_map(struct prof_replay *r, struct prof_image_domains *image,
                            const struct spool_map *m)
{
    struct prof_domains *d = &r->run->domains;
    const struct prof_domain_data *data = prof_data_find(image, m->data);
    const uint32_t domain = prof_domain_find(image, m->domain);
    if (!data || (m->domain != 0 && domain == PROF_NO_DOMAIN)) {
        d->refused++;
        return LS_OK;
    }
    uint32_t row = ls_index_find(&image->map_row, m->map);
    if (row == LS_INDEX_NONE) {
        row = (uint32_t)image->maps.len;
        LS_TRY(LS_VECTOR_ADD(&image->maps, (struct prof_map_now){PROF_NO_DOMAIN, PROF_NO_LAYOUT}));
        LS_TRY(ls_index_put(&image->map_row, m->map, row));
    }
    struct prof_map_now *now = &image->maps.rows[row];
    const struct prof_map_now before = *now;
    uint32_t layout;
    LS_TRY(prof_layout_of(d, data, &before, domain, &layout));
    if (layout == PROF_NO_LAYOUT) return LS_OK;
    *now = (struct prof_map_now){domain, layout};
    const bool is_changed = before.layout != PROF_NO_LAYOUT && before.layout != layout;
    return is_changed ? prof_spans_change(r, image, m->map, prof_since_start(r->run, m->time_ns)) : LS_OK;
}

static ls_err prof_take_node_map(struct prof_replay *r, struct prof_image_domains *image,
                                 const struct spool_node_map *m)
{
    struct prof_domains *d = &r->run->domains;
    const uint32_t node = prof_tree_id(r, m->node);
    const struct prof_map_now now = prof_map_find(image, m->map);
    if (node == PROF_NO_NODE || (m->map != 0 && now.layout == PROF_NO_LAYOUT)) {
        d->refused++;
        return LS_OK;
    }
    uint32_t row = ls_index_find(&image->node_row, m->node);
    if (row == LS_INDEX_NONE) {
        row = (uint32_t)image->map_of_node.len;
        LS_TRY(LS_VECTOR_ADD(&image->map_of_node, (struct prof_node_map){m->node, 0}));
        LS_TRY(ls_index_put(&image->node_row, m->node, row));
    }
    image->map_of_node.rows[row].map = m->map;
    return prof_span_add(d, (struct prof_map_span){.process = image->process,
                                                   .node = node,
                                                   .from_ns = prof_since_start(r->run, m->time_ns),
                                                   .domain = m->map ? now.domain : PROF_NO_DOMAIN,
                                                   .layout = m->map ? now.layout : PROF_NO_LAYOUT});
}

/* --- results of callbacks --- */

static ls_err prof_take_points(struct prof_replay *r, struct prof_image_domains *image,
                               const struct spool_point *p)
{
    struct prof_domains *d = &r->run->domains;
    const struct spool_point_row *rows = (const void *)SPOOL_REC_TAIL(p);
    const struct prof_map_now now = prof_map_find(image, p->map);
    if (now.domain == PROF_NO_DOMAIN) {
        d->refused++;
        return LS_OK;
    }
    struct prof_domain *domain = &d->domains.rows[now.domain];
    if (!domain->finder) LS_TRY(ndm_finder_new(&domain->geometry, &domain->finder));
    for (uint32_t i = 0; i < p->points_len; i++) {
        uint64_t value;
        if (!ndm_finder_find(domain->finder, rows[i].at, &value)) value = NDM_NOWHERE;
        LS_TRY(LS_VECTOR_ADD(&d->spots, (struct prof_spot){.burst = {image->process, p->tid,
                                                                     prof_since_start(r->run, p->burst_ns)},
                                                           .access = rows[i].access,
                                                           .domain = now.domain,
                                                           .value = value}));
    }
    return LS_OK;
}

/* --- all --- */

ls_err prof_domains_take(struct prof_replay *r, const struct spool_rec_header *rec)
{
    struct prof_image_domains *image;
    r->run->domains.forks = r->run->forks;
    r->run->domains.start_ns = r->run->start_ns;
    LS_TRY(prof_image_of(&r->run->domains, r->process, &image));
    switch (rec->type) {
    case SPOOL_REC_DOMAIN_DATA:
        return prof_take_data(&r->run->domains, image, (const void *)rec);
    case SPOOL_REC_DOMAIN:
        return prof_take_domain(&r->run->domains, image, (const void *)rec);
    case SPOOL_REC_MAP:
        return prof_take_map(r, image, (const void *)rec);
    case SPOOL_REC_NODE_MAP:
        return prof_take_node_map(r, image, (const void *)rec);
    case SPOOL_REC_POINT:
        return prof_take_points(r, image, (const void *)rec);
    default:
        return LS_OK;
    }
}

static int prof_compare_nodes(const struct prof_map_span *a, const struct prof_map_span *b)
{
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return (a->process > b->process) - (a->process < b->process);
}

static int prof_compare_spans(const void *a, const void *b)
{
    const struct prof_map_span *x = a, *y = b;
    const int nodes = prof_compare_nodes(x, y);
    if (nodes) return nodes;
    if (x->from_ns != y->from_ns) return x->from_ns < y->from_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void prof_domains_sort(struct prof_domains *d)
{
    if (d->spans.len > 1) qsort(d->spans.rows, d->spans.len, sizeof(*d->spans.rows), prof_compare_spans);
    prof_spots_sort(&d->spots);
}

/* Is the span of an earlier node, or of the key's node and begun at the key's time? */
static bool prof_is_begun(const struct prof_map_span *span, const struct prof_map_span *key)
{
    const int nodes = prof_compare_nodes(span, key);
    return nodes < 0 || (nodes == 0 && span->from_ns <= key->from_ns);
}

const struct prof_map_span *prof_domains_find(const struct prof_domains *d, uint32_t process, uint32_t node,
                                              uint64_t time_ns)
{
    const struct prof_map_span key = {.process = process, .node = node, .from_ns = time_ns};
    size_t begun; /* spans up to the time */
    LS_COUNT_FIRST(begun, d->spans.len, i, prof_is_begun(&d->spans.rows[i], &key));
    if (begun > 0 && prof_compare_nodes(&d->spans.rows[begun - 1], &key) == 0)
        return &d->spans.rows[begun - 1];
    const struct prof_fork *fork = d->forks ? prof_forks_of_child(d->forks, process) : NULL;
    const uint64_t fork_ns = fork && fork->fork_ns > d->start_ns ? fork->fork_ns - d->start_ns : 0;
    return fork ? prof_domains_find(d, fork->parent, node, fork_ns < time_ns ? fork_ns : time_ns) : NULL;
}

void prof_domains_fini(struct prof_domains *d)
{
    for (size_t i = 0; i < d->domains.len; i++) {
        ndm_finder_free(d->domains.rows[i].finder);
        ndm_geometry_fini(&d->domains.rows[i].geometry);
    }
    for (size_t i = 0; i < d->layouts.len; i++)
        ndm_map_fini(&d->layouts.rows[i].map);
    for (size_t i = 0; i < d->images.len; i++)
        prof_image_free(d->images.rows[i]);
    free(d->domains.rows);
    free(d->layouts.rows);
    free(d->images.rows);
    free(d->spans.rows);
    free(d->spots.rows);
    *d = (struct prof_domains){0};
}
