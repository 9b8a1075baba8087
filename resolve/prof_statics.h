/* SPDX-License-Identifier: BSD-3-Clause */
/* Homes of global and static data: the variable or, without symbols, the section that contains an address of
 * a module. Only variables and sections with samples become nodes. */
#ifndef PROF_STATICS_H
#define PROF_STATICS_H

#include "common/ls_error.h"
#include "resolve/prof_modules.h"
#include "resolve/prof_place.h"
#include "run_h5/prof_tree.h"

/* Zeroed is empty. */
struct prof_statics {
    const struct prof_modules *modules; /* borrowed, as tree is */
    prof_tree *tree;
    uint64_t start_ns;
    struct prof_static_slot *slots, *recent; /* caches of earlier lookups */
    size_t recent_next;
};

/* Errors: LS_ERR_NOMEM.  End with prof_statics_fini. */
ls_err prof_statics_init(struct prof_statics *s, const struct prof_modules *modules, prof_tree *tree,
                         uint64_t start_ns);
void prof_statics_fini(struct prof_statics *s);

/* addr is in a mapping of the file path (from names) whose home is place->node: make *place more precise if
 * the file has symbols or sections for it. Out of memory leaves it as it is. */
void prof_statics_find(struct prof_statics *s, const char *path, uint64_t addr, struct prof_place *place);

#endif
