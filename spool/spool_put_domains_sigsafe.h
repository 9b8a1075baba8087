/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of the natural domain, as spool_put_sigsafe.h writes the others: the caller fills every field
 * but rec and the *_len of strings.
 * Each returns false when the record was dropped (and counted).  Thread: the owner of w.  Signal: safe; errno
 * is kept. */
#ifndef SPOOL_PUT_DOMAINS_SIGSAFE_H
#define SPOOL_PUT_DOMAINS_SIGSAFE_H

#include "spool/spool_put_sigsafe.h"

enum {
    SPOOL_DOMAIN_TEXT_MAX_BYTES = 4096,
    SPOOL_DATA_PIECE_BYTES = 57344, /* bytes of data in one record; a multiple of all element sizes */
    SPOOL_POINTS_MAX = 1024,        /* in one record */
};

static inline bool spool_put_domain(struct spool_writer *w, struct spool_domain r)
{
    return spool_put(w, SPOOL_WHAT(DOMAIN, 0, r), &r, NULL, 0);
}

static inline bool spool_put_domain_end(struct spool_writer *w, uint64_t time_ns, uint32_t domain)
{
    const struct spool_domain_end r = {.time_ns = time_ns, .domain = domain};
    return spool_put(w, SPOOL_WHAT(DOMAIN_END, 0, r), &r, NULL, 0);
}

/* piece: at most SPOOL_DATA_PIECE_BYTES */
static inline bool spool_put_domain_data(struct spool_writer *w, struct spool_domain_data r,
                                         struct spool_text piece)
{
    r.bytes_len = piece.len_bytes;
    return spool_put(w, SPOOL_WHAT(DOMAIN_DATA, 0, r), &r, &piece, 1);
}

static inline bool spool_put_map(struct spool_writer *w, struct spool_map r)
{
    return spool_put(w, SPOOL_WHAT(MAP, 0, r), &r, NULL, 0);
}

/* map 0: no more */
static inline bool spool_put_node_map(struct spool_writer *w, uint64_t time_ns, uint32_t node, uint32_t map)
{
    const struct spool_node_map r = {.time_ns = time_ns, .node = node, .map = map};
    return spool_put(w, SPOOL_WHAT(NODE_MAP, 0, r), &r, NULL, 0);
}

/* r.points_len rows, at most SPOOL_POINTS_MAX */
static inline bool spool_put_points(struct spool_writer *w, struct spool_point r,
                                    const struct spool_point_row *rows)
{
    const struct spool_text text = {rows, r.points_len * (uint32_t)sizeof(*rows)};
    return spool_put(w, SPOOL_WHAT(POINT, 0, r), &r, &text, 1);
}

static inline bool spool_put_callback(struct spool_writer *w, enum spool_callback_what what,
                                      struct spool_callback r, const char *label, const char *name)
{
    const struct spool_text all[] = {spool_text_of(label, SPOOL_DOMAIN_TEXT_MAX_BYTES),
                                     spool_text_of(name, SPOOL_DOMAIN_TEXT_MAX_BYTES)};
    r.label_len = all[0].len_bytes;
    r.name_len = all[1].len_bytes;
    return spool_put(w, SPOOL_WHAT(CALLBACK, what, r), &r, all, 2);
}

#endif
