/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns that were found in a program, as comparison sees them. */
#ifndef PAT_COMPARE_FOUND_H
#define PAT_COMPARE_FOUND_H

#include "patterns/compare/pat_compare_item.h"
#include "patterns/compact/pat_found.h"

/* Append an item for each row of f: its sequence as it was seen, with its breaks, or its configuration where
 * no index was kept. The key is what it does, with which data, in which function: not addresses, not lines.
 * Owns:   items; f and s must outlive them.
 * Errors: LS_ERR_NOMEM, those of pat_walk_config; items then hold those that were appended. */
ls_err pat_items_add_findings(const struct pat_findings *f, const struct pat_sequences *s,
                              struct pat_items *items);

#endif
