/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory map of a process, built from records of mappings and written to a spool in the format of
 * /proc/PID/maps. */
#ifndef IMP_MAPS_H
#define IMP_MAPS_H

#include "common/ls_error.h"
#include "spool/spool_put_sigsafe.h"

struct imp_mapping {
    uint64_t base, end, offset_bytes, inode;
    uint32_t prot; /* PROT_READ, PROT_WRITE, PROT_EXEC */
    char *path;    /* "": anonymous */
};

/* All zero is an empty one. */
struct imp_maps {
    struct imp_mapping *rows; /* sorted by base, disjoint */
    size_t len, room;
    bool is_untold; /* changed since imp_maps_tell */
};

/* Add a mapping, which replaces older ones at its addresses; path is copied.  Errors: LS_ERR_NOMEM. */
ls_err imp_maps_add(struct imp_maps *m, const struct imp_mapping *mapping);
/* Errors: LS_ERR_NOMEM. */
ls_err imp_maps_copy(const struct imp_maps *from, struct imp_maps *out);
void imp_maps_fini(struct imp_maps *m);
/* Write the map if it changed since the last call.  Errors: LS_ERR_NOMEM. */
ls_err imp_maps_tell(struct imp_maps *m, struct spool_writer *w, uint64_t time_ns);

#endif
