/* SPDX-License-Identifier: BSD-3-Clause */
/* Works on arrays, in functions, phases, threads and on a grid whose names would control a terminal or be
 * evaluated by a spreadsheet.  usage: names_victim [ROUNDS [STRIDE]] */
#include "loadstone/loadstone.h"
#include "loadstone/ndm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

enum { LABELS = 8, WIDTH = 256, ELEMENTS = WIDTH * WIDTH };

static const char *const labels[LABELS] = {
    "=1+1\x1b]0;title\x07",        "+cmd|'/c calc'!A1\r",
    "@SUM(A1)\xc2\x9b;31m",        "-2+3\x9b",
    "\t=HYPERLINK(\"x\",\"y\")",   "\r=1\n=2\b\x7f",
    " =DDE();=A1\xe2\x80\xaetxt.", "\xe2\x81\xa6left\xe2\x80\xaa\xc2\x85\x01,=B1",
};
static double data[LABELS][ELEMENTS];

static void check(ls_err e)
{
    if (e == LS_OK) return;
    fprintf(stderr, "names_victim: %s\n", ls_last_error());
    exit(1);
}

/* The symbol's name contains a CSI of two bytes. */
double sum_of(const double *of, uint64_t stride) __asm__("\"=sum\xc2\x9b\"");

#line 1 "=source\x1b[2J.c"
__attribute__((noinline)) double sum_of(const double *of, uint64_t stride)
{
    double sum = 0;
    for (uint64_t i = 0, at = 0; i < ELEMENTS; i++, at = (at + stride) % ELEMENTS)
        sum += of[at];
    return sum;
}

static void register_all(void)
{
    const struct ndm_grid grid = {
        .label = "=grid\x1b[1m\xe2\x80\xae", .dims = 2, .extents = {WIDTH, WIDTH}, .unit = "=m\r"};
    smr_tree *tree;
    smr_node *group, *node = NULL;
    ndm_domain *domain;
    check(smr_tree_new(&tree));
    check(smr_tree_insert_group(tree, "=group\x1b[7m\r", &group));
    check(ndm_domain_new_grid(&grid, &domain));
    for (int i = 0; i < LABELS; i++) {
        const struct smr_spec spec = {labels[i], data[i], data[i] + ELEMENTS, sizeof(double), 1};
        check(smr_tree_insert(tree, &spec, &node));
        check(smr_node_add_member(group, node));
        check(ndm_map_grid(node, domain, NULL));
    }
}

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 1;
    const uint64_t stride = argc > 2 ? strtoul(argv[2], NULL, 10) : 4099; /* no constant: no clone */
    double sum = 0;
    register_all();
    prctl(PR_SET_NAME, "=comm\x1b[5m\xc2\x9b\r");
    for (long r = 0; r < rounds; r++)
        for (int i = 0; i < LABELS; i++) {
            loadstone_phase_begin(labels[i]);
            for (int k = 0; k < ELEMENTS; k++)
                data[i][k] += k;
            sum += sum_of(data[i], stride);
            loadstone_phase_end(labels[i]);
        }
    printf("%g\n", sum);
    return 0;
}
