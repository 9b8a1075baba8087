/* SPDX-License-Identifier: BSD-3-Clause */
/* report --tree: the semantic tree with a bar beside each node. */
#ifndef REP_TREE_H
#define REP_TREE_H

#include "tools/report/rep_view.h"

#include <stdio.h>

/* Print the rows of v, whose first dimension is a tree of nodes: bar, share of time, stall, mean latency,
 * levels. The numbers are the same as in the table. */
void rep_tree_print(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);

enum { REP_BAR_MAX = 24, REP_BAR_BYTES = 4 * REP_BAR_MAX + 1 };

#endif
