/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of a report as pairs of key and text. */
#ifndef VIEW_FACTS_H
#define VIEW_FACTS_H

#include "tools/report/rep_print.h"
#include "viz-export/vx_view.h"

struct view_facts {
    char *text; /* storage of the texts of facts */
    struct vx_fact *facts;
    size_t len;
};

/* Owns:   the caller ends out with view_facts_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err view_facts_init(struct view_facts *out, const struct rep_view *v);
/* Owns:   frees the members of f. */
void view_facts_fini(struct view_facts *f);

#endif
