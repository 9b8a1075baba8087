/* SPDX-License-Identifier: BSD-3-Clause */
/* domain_victim: an array with a long map to a natural domain, then blocks that are recorded one by one. */
#include "loadstone/ndm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 1 << 22, BLOCKS = 300, BLOCK_BYTES = 5000 };

static void check(ls_err e)
{
    if (e == LS_OK) return;
    fprintf(stderr, "domain_victim: %s\n", ls_last_error());
    exit(1);
}

int main(void)
{
    float *values = calloc(TARGETS, sizeof(*values));
    int32_t *target = malloc(TARGETS * sizeof(*target));
    void *blocks[BLOCKS];
    smr_tree *tree = NULL;
    smr_node *node = NULL;
    ndm_domain *line = NULL;
    if (!values || !target) return 1;
    for (int32_t i = 0; i < TARGETS; i++)
        target[i] = TARGETS - 1 - i;
    const struct smr_spec spec = {"values", values, values + TARGETS, sizeof(*values), 1};
    const struct ndm_grid grid = {.label = "line", .dims = 1, .extents = {TARGETS}};
    const struct ndm_indirection back = {
        .target = target, .targets_len = TARGETS, .index_size_bytes = sizeof(*target)};
    check(smr_tree_new(&tree));
    check(smr_tree_insert(tree, &spec, &node));
    check(ndm_domain_new_grid(&grid, &line));
    check(ndm_map_indirect(node, line, &back));
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK_BYTES);
        if (blocks[i]) memset(blocks[i], i, BLOCK_BYTES);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    smr_tree_free(tree);
    free(target);
    free(values);
    return 0;
}
