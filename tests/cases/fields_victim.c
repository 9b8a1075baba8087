/* SPDX-License-Identifier: BSD-3-Clause */
/* fields_victim: a plate of N x N cells whose hot corner (high x, low y) gets nine of ten accesses. The same cells are in four arrays: dense, backwards and apart (strides), inside ghost
 * layers and padding, and shuffled (through an index array). Ghost cells are read, too. Then a phase each for the left and the right
 * half of a fifth array, twice; a child then reads the dense one, which it
 * inherits from its parent. usage: fields_victim [TIMES]: a factor for the amount of work. */
#include "loadstone/loadstone.h"
#include "loadstone/ndm.h"
#include "loadstone/smr.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64, CELLS = N * N, CORNER = 16, GHOST = 2, PADDED = 72, APART = 3 };
static double dense[CELLS], apart[CELLS * APART], ghosted[PADDED * (N + 2 * GHOST)], shuffled[CELLS],
    halves[CELLS];
static int32_t cell_of[CELLS], element_of[CELLS];
static double sum;
static long accesses = 40000000;

static uint32_t pick(uint32_t len)
{
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) * len >> 31);
}

static void check(ls_err e)
{
    if (e == LS_OK) return;
    fprintf(stderr, "fields_victim: %s\n", ls_last_error());
    exit(99);
}

static smr_node *range(smr_tree *t, const char *label, double *array, size_t len)
{
    smr_node *n;
    const struct smr_spec spec = {
        .label = label, .start = array, .end = array + len, .elem_size_bytes = sizeof(double), .dims = 1};
    check(smr_tree_insert(t, &spec, &n));
    return n;
}

static void shuffle(void)
{
    for (int i = 0; i < CELLS; i++)
        cell_of[i] = i;
    for (int i = CELLS - 1; i > 0; i--) {
        const uint32_t other = pick((uint32_t)i + 1);
        const int32_t kept = cell_of[i];
        cell_of[i] = cell_of[other];
        cell_of[other] = kept;
    }
    for (int i = 0; i < CELLS; i++)
        element_of[cell_of[i]] = i;
}

static void report_domain(void)
{
    smr_tree *t;
    check(smr_tree_new(&t));
    ndm_domain *plate;
    const struct ndm_grid grid = {
        .label = "plate", .dims = 2, .extents = {N, N}, .unit = "m", .spacing = {0.5, 0.5}};
    check(ndm_domain_new_grid(&grid, &plate));
    check(ndm_map_grid(range(t, "dense", dense, CELLS), plate, NULL));
    check(ndm_map_grid(range(t, "halves", halves, CELLS), plate, NULL));
    const struct ndm_layout backwards = {
        .order = NDM_STRIDED, .offset = (CELLS - 1) * APART, .stride = {-APART, -N * APART}};
    check(ndm_map_grid(range(t, "apart", apart, CELLS * APART), plate, &backwards));
    const struct ndm_layout ghosts = {
        .padded = {PADDED}, .ghost_low = {GHOST, GHOST}, .ghost_high = {GHOST, GHOST}};
    check(ndm_map_grid(range(t, "ghosted", ghosted, PADDED * (N + 2 * GHOST)), plate, &ghosts));
    const struct ndm_indirection indirection = {
        .target = cell_of, .targets_len = CELLS, .index_size_bytes = sizeof(int32_t)};
    check(ndm_map_indirect(range(t, "shuffled", shuffled, CELLS), plate, &indirection));
}

/* Nine of ten in the corner. */
static void pick_cell(uint32_t *x, uint32_t *y)
{
    const int is_hot = pick(10) != 0;
    *x = is_hot ? N - CORNER + pick(CORNER) : pick(N);
    *y = is_hot ? pick(CORNER) : pick(N);
}

static void read_corner(void)
{
    uint32_t x, y;
    for (long i = 0; i < accesses / 4; i++) {
        pick_cell(&x, &y);
        sum += dense[y * N + x];
        pick_cell(&x, &y);
        sum += apart[(CELLS - 1 - (y * N + x)) * APART];
        pick_cell(&x, &y);
        sum += ghosted[(y + GHOST) * PADDED + x + GHOST];
        if (pick(8) == 0) sum += ghosted[x]; /* a ghost */
        pick_cell(&x, &y);
        sum += shuffled[element_of[y * N + x]];
    }
}

static void read_half(uint32_t first, const char *name)
{
    loadstone_phase_begin(name);
    for (long i = 0; i < accesses / 8; i++)
        sum += halves[pick(N) * N + first + pick(N / 2)];
    loadstone_phase_end(name);
}

static void read_in_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        for (long i = 0; i < accesses / 4; i++) {
            uint32_t x, y;
            pick_cell(&x, &y);
            sum += dense[y * N + x];
        }
        _exit(sum == 0 ? 0 : 1);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) accesses *= atoi(argv[1]);
    shuffle();
    report_domain();
    read_corner();
    for (int i = 0; i < 2; i++) {
        read_half(0, "left");
        read_half(N / 2, "right");
    }
    read_in_child();
    printf("sum %g\n", sum);
    return 0;
}
