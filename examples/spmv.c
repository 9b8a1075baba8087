/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrix-vector product, y = A x: x is accessed through the column index, so that the numbering of the
 * unknowns decides how far apart the loads of x are.
 *
 * usage: spmv [N|FILE.mtx [ORDER [REPEATS]]]     (default 1000 given 20)
 * build: cc -O2 -g spmv.c spmv_matrix.c spmv_order.c $(pkg-config --cflags --libs loadstone) -lm
 * record: loadstone record -- ./spmv 1000 given && loadstone report
 *
 * N x N points of a mesh, or a matrix of the Matrix Market; ORDER: given (as the mesh or the file has it: a
 * mesh at random), rcm (reverse Cuthill-McKee), or refined (like rcm, but the points in the middle of
 * the mesh come last and in random order, as if this region had been refined later). */
#include "spmv.h"

#include <math.h>
#include <string.h>

static void multiply(const struct spmv_matrix *a, const double *x, double *y)
{
    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int32_t k = a->first[i]; k < a->first[i + 1]; k++)
            sum += a->value[k] * x[a->column[k]];
        y[i] = sum;
    }
}

/* The problem that is described: the matrix in its final numbering, the mesh in its original one, and the map
 * between them. */
struct problem {
    struct spmv_matrix a;
    struct spmv_mesh mesh;
    int32_t *order; /* order[row now] = row before */
    double *x, *y;
};

static void map(smr_node *node, ndm_domain *domain, const int32_t *target, size_t count)
{
    const struct ndm_indirection through = {
        .target = target, .targets_len = count, .index_size_bytes = sizeof(*target)};
    if (node && domain && ndm_map_indirect(node, domain, &through) != LS_OK)
        example_refused(smr_node_label(node));
}

/* Positions of the unknowns: regions of the square that the mesh covers, or a line of rows if there is no
 * mesh. A million points would have more places than a short recording has samples. */
enum { REGIONS = 64 };
static ndm_domain *domain_of_unknowns(const struct problem *p)
{
    const double size = 1.0 / REGIONS;
    const struct ndm_grid square = {.label = "square",
                                    .dims = 2,
                                    .extents = {REGIONS, REGIONS},
                                    .spacing = {size, size}},
                          line = {.label = "rows", .dims = 1, .extents = {p->a.rows}, .axes = {"row"}};
    ndm_domain *domain = NULL;
    if (ndm_domain_new_grid(p->mesh.points_len ? &square : &line, &domain) != LS_OK)
        example_refused("the unknowns");
    return domain;
}

static int32_t region_along(double coordinate)
{
    const int32_t at = (int32_t)(coordinate * REGIONS);
    return at < 0 ? 0 : at < REGIONS ? at : REGIONS - 1;
}

/* The place of each unknown of now: numbers of before, where a mesh has coordinates for them. */
static int32_t *places_of_unknowns(const struct problem *p)
{
    int32_t *place = example_allocate(p->a.rows, sizeof(*place));
    for (size_t i = 0; i < p->a.rows; i++) {
        const int32_t before = p->order[i];
        place[i] = !p->mesh.points_len
                       ? before
                       : region_along(p->mesh.x[before]) + REGIONS * region_along(p->mesh.y[before]);
    }
    return place;
}

/* The picture of the matrix itself: tiles of rows and columns. */
enum { TILES = 128 };
static ndm_domain *domain_of_matrix(void)
{
    const struct ndm_grid grid = {
        .label = "matrix", .dims = 2, .extents = {TILES, TILES}, .axes = {"column", "row"}};
    ndm_domain *domain = NULL;
    if (ndm_domain_new_grid(&grid, &domain) != LS_OK) example_refused("the matrix");
    return domain;
}

static void map_values(const struct problem *p, smr_node *values)
{
    int32_t *tile = example_allocate(p->a.entries, sizeof(*tile));
    for (size_t i = 0; i < p->a.rows; i++)
        for (int32_t k = p->a.first[i]; k < p->a.first[i + 1]; k++)
            tile[k] = (int32_t)((size_t)p->a.column[k] * TILES / p->a.rows + TILES * (i * TILES / p->a.rows));
    map(values, domain_of_matrix(), tile, p->a.entries);
    free(tile);
}

/* A column index belongs where the unknown is that it leads to. */
static void map_columns(const struct problem *p, smr_node *columns, ndm_domain *unknowns,
                        const int32_t *place)
{
    int32_t *target = example_allocate(p->a.entries, sizeof(*target));
    for (size_t k = 0; k < p->a.entries; k++)
        target[k] = place[p->a.column[k]];
    map(columns, unknowns, target, p->a.entries);
    free(target);
}

static smr_tree *describe(const struct problem *p)
{
    const struct spmv_matrix *a = &p->a;
    const struct example_array rows = {"first", a->first, a->rows, sizeof(int32_t), 1},
                               columns = {"column", a->column, a->entries, sizeof(int32_t), 1},
                               values = {"value", a->value, a->entries, sizeof(double), 1},
                               x = {"x", p->x, a->rows, sizeof(double), 1},
                               y = {"y", p->y, a->rows, sizeof(double), 1};
    smr_tree *tree = example_tree();
    smr_node *matrix = example_group(tree, "matrix"), *vectors = example_group(tree, "vectors");
    ndm_domain *unknowns = domain_of_unknowns(p);
    int32_t *place = places_of_unknowns(p);
    map(example_range(tree, matrix, &rows), unknowns, place, a->rows);
    map_columns(p, example_range(tree, matrix, &columns), unknowns, place);
    map_values(p, example_range(tree, matrix, &values));
    map(example_range(tree, vectors, &x), unknowns, place, a->rows);
    map(example_range(tree, vectors, &y), unknowns, place, a->rows);
    free(place);
    return tree;
}

/* How far from the diagonal entries are. */
static void print_shape(const struct spmv_matrix *a)
{
    double sum = 0, most = 0;
    for (size_t i = 0; i < a->rows; i++)
        for (int32_t k = a->first[i]; k < a->first[i + 1]; k++) {
            const double distance = fabs((double)a->column[k] - (double)i);
            sum += distance;
            most = fmax(most, distance);
        }
    printf("%zu rows, %zu entries, bandwidth %.0f, mean distance from the diagonal %.1f\n", a->rows,
           a->entries, most, sum / (double)a->entries);
}

/* The sum of y is the sum of x with each column's sum as its weight. */
static double relative_error(const struct problem *p)
{
    double expected = 0, size = 0, found = 0;
    for (size_t k = 0; k < p->a.entries; k++) {
        expected += p->a.value[k] * p->x[p->a.column[k]];
        size += fabs(p->a.value[k] * p->x[p->a.column[k]]);
    }
    for (size_t i = 0; i < p->a.rows; i++)
        found += p->y[i];
    return fabs(found - expected) / size;
}

/* Weighted by the old numbers, so that it does not depend on the new ones but by rounding. */
static double checksum(const struct problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->a.rows; i++)
        sum += p->y[i] * (double)(1 + p->order[i] % 13);
    return sum;
}

static void run(struct problem *p, size_t repeats)
{
    p->x = example_allocate(p->a.rows, sizeof(double));
    p->y = example_allocate(p->a.rows, sizeof(double));
    for (size_t i = 0; i < p->a.rows; i++)
        p->x[i] = 1 + (double)(p->order[i] % 17) / 16;
    smr_tree *tree = describe(p);
    loadstone_start(); /* with record --paused nothing before this is sampled */
    const double began = example_seconds();
    for (size_t r = 0; r < repeats; r++) {
        loadstone_phase_begin("multiply");
        multiply(&p->a, p->x, p->y);
        loadstone_phase_end("multiply");
    }
    const double seconds = example_seconds() - began;
    loadstone_stop();
    printf("checksum %.9e, error of the sum %.1e\n", checksum(p), relative_error(p));
    printf("%.5f s a product, %.2f GFLOP/s\n", seconds / (double)repeats,
           2e-9 * (double)(p->a.entries * repeats) / seconds);
    smr_tree_free(tree);
    free(p->x);
    free(p->y);
}

enum order { GIVEN, RCM, REFINED, ORDERS };
static const char *const order_names[ORDERS] = {[GIVEN] = "given", [RCM] = "rcm", [REFINED] = "refined"};

static int is_in_the_middle(const struct spmv_mesh *m, int32_t point)
{
    return fabs(m->x[point] - 0.5) < 0.25 && fabs(m->y[point] - 0.5) < 0.25;
}

/* Move the points in the middle to the end, in the random order of the generator. */
static void append_the_middle(const struct spmv_mesh *m, int32_t *order)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->points_len; i++)
        if (!is_in_the_middle(m, order[i])) order[kept++] = order[i];
    for (size_t p = 0; p < m->points_len; p++)
        if (is_in_the_middle(m, (int32_t)p)) order[kept++] = (int32_t)p;
}

/* The requested matrix in the requested order. side 0: from the file source. */
static int load(struct problem *p, const char *source, size_t side, enum order order)
{
    struct spmv_matrix given = {0};
    if (side)
        spmv_generate(side, &p->mesh, &given);
    else if (spmv_read(source, &given) != 0)
        return -1;
    p->order = example_allocate(given.rows, sizeof(*p->order));
    for (size_t i = 0; i < given.rows; i++)
        p->order[i] = (int32_t)i;
    if (order != GIVEN) spmv_reverse_cuthill_mckee(&given, p->order);
    if (order == REFINED) append_the_middle(&p->mesh, p->order);
    spmv_renumber(&given, p->order, &p->a);
    spmv_matrix_free(&given);
    return 0;
}

static enum order order_named(const char *name)
{
    enum order order = GIVEN;
    while (order < ORDERS && strcmp(name, order_names[order]) != 0)
        order++;
    return order;
}

int main(int argc, char **argv)
{
    const char *source = argc > 1 ? argv[1] : "1000";
    const enum order order = argc > 2 ? order_named(argv[2]) : GIVEN;
    const int is_file = strspn(source, "0123456789") != strlen(source);
    const size_t side = is_file ? 0 : example_argument(argc, argv, 1, 1000, 10000);
    const size_t repeats = example_argument(argc, argv, 3, 20, 1000000);
    if ((!is_file && side < 2) || repeats == 0 || order == ORDERS || (is_file && order == REFINED)) {
        fprintf(stderr, "usage: %s [N [given|rcm|refined [REPEATS]]]   with N from 2 to 10000\n", argv[0]);
        fprintf(stderr, "       %s FILE.mtx [given|rcm [REPEATS]]\n", argv[0]);
        return 2;
    }
    struct problem p = {.order = NULL};
    if (load(&p, source, side, order) != 0) return 1;
    print_shape(&p.a);
    run(&p, repeats);
    spmv_matrix_free(&p.a);
    spmv_mesh_free(&p.mesh);
    free(p.order);
    return 0;
}
