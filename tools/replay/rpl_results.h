/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a session as rows that can be kept, compared and drawn. */
#ifndef RPL_RESULTS_H
#define RPL_RESULTS_H

#include "tools/replay/rpl_session.h"
#include "viz-export/vx_results.h"

/* All results of s with its machine.
 * Owns:   the caller ends *out with vx_results_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err rpl_results_of(const struct rpl_session *s, struct vx_results *out);

/* Machine, command line, version and study ("" for none) of out, which must be all zero; no rows.
 * Owns, Errors: as rpl_results_of. */
ls_err rpl_results_head(const struct mach_machine *m, const char *study, struct vx_results *out);

/* All of a row but its configuration, called name; out->x is left alone.
 * Errors: LS_ERR_NOMEM. */
ls_err rpl_row_of_result(const struct kn_result *r, const char *name, struct vx_result *out);

/* Label a row for pictures: its name, or kernel, shape and delta if it has none. */
void rpl_row_label(const struct vx_result *r, char *out, size_t room);

/* Harmonic mean of the rates of r; NAN when there are none. */
double rpl_results_hmean(const struct vx_results *r);

#endif
