/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by the examples: names for their data, arguments, a clock. A description that fails is
 * reported and changes nothing else: the program computes the same, recorded or not. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <loadstone/loadstone.h>
#include <loadstone/ndm.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double example_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Argument i as a number from 1 to most; fallback where it is missing, 0 where it is not such a number. */
static inline size_t example_argument(int argc, char **argv, int i, size_t fallback, size_t most)
{
    if (i >= argc) return fallback;
    char *end = NULL;
    errno = 0;
    const unsigned long value = strtoul(argv[i], &end, 10);
    return errno || end == argv[i] || *end || value > most ? 0 : value;
}

static inline void *example_allocate(size_t count, size_t size_bytes)
{
    void *p = calloc(count, size_bytes);
    if (p) return p;
    fprintf(stderr, "no memory for %zu x %zu bytes\n", count, size_bytes);
    exit(1);
}

/* The error that Loadstone returned, and its reason. */
static inline void example_refused(const char *what)
{
    fprintf(stderr, "%s is not described: %s\n", what, ls_last_error());
}

static inline smr_tree *example_tree(void)
{
    smr_tree *tree = NULL;
    if (smr_tree_new(&tree) != LS_OK) example_refused("the tree");
    return tree;
}

static inline smr_node *example_group(smr_tree *tree, const char *label)
{
    smr_node *group = NULL;
    if (tree && smr_tree_insert_group(tree, label, &group) != LS_OK) example_refused(label);
    return group;
}

/* count elements of dims components of size_bytes each, as a member of group. */
struct example_array {
    const char *label;
    const void *start;
    size_t count, size_bytes, dims;
};
static inline smr_node *example_range(smr_tree *tree, smr_node *group, const struct example_array *a)
{
    if (!tree) return NULL;
    const char *start = a->start;
    const struct smr_spec spec = {.label = a->label,
                                  .start = start,
                                  .end = start + a->count * a->size_bytes * a->dims,
                                  .elem_size_bytes = a->size_bytes,
                                  .dims = a->dims};
    smr_node *node = NULL;
    if (smr_tree_insert(tree, &spec, &node) != LS_OK || (group && smr_node_add_member(group, node) != LS_OK))
        example_refused(a->label);
    return node;
}

#endif
