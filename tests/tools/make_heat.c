/* SPDX-License-Identifier: BSD-3-Clause */
/* make_heat OUTPUT: a profile whose fields have their hot areas where the goldens expect them: a matrix
 * (high x, low y), a box (the layer 1 of 3), a line, and points of a mesh (a ring whose right side is
 * hot). */
#include "run_h5/prof_atlas.h"
#include "tests/run_h5/prof_write_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 96, BOX = 6, LINE = 40, RING = 400, NODES = 5 };
static const char *const labels[NODES] = {"", "A", "T", "temperature", "edges"};

static double *values(uint64_t len)
{
    double *v = calloc(len, sizeof(*v));
    if (!v) exit(99);
    return v;
}

/* A place with heat above 0 has this number of samples, of 100 cycles and more, not all of them timed. */
static void fill(struct ndm_field *f, const double *heat, uint64_t len)
{
    f->values_len = len;
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        f->values[m] = values(len);
    for (uint64_t i = 0; i < len; i++) {
        const double samples = heat[i] > 0 ? ceil(heat[i]) : 0, missing = samples > 0 ? 0 : NAN;
        f->mapped_len += (uint64_t)samples;
        f->values[NDM_SAMPLES][i] = samples;
        f->values[NDM_TIME][i] = 2e6 * heat[i];
        f->values[NDM_STALL][i] = 1e6 * heat[i];
        f->values[NDM_LATENCY_MEAN][i] = missing + 100 + heat[i];
        f->values[NDM_LATENCY_MAX][i] = missing + 100 + 2 * heat[i];
        f->values[NDM_LEVEL_L1][i] = missing + 0.75;
        f->values[NDM_LEVEL_L2][i] = f->values[NDM_LEVEL_L3][i] = missing;
        f->values[NDM_LEVEL_MEMORY][i] = missing + 0.25;
        f->values[NDM_TIMED][i] = ceil(samples / 2) + (samples > 0 ? (double)(i % 3) : 0);
    }
}

static double bump(double x, double y, double at_x, double at_y, double width)
{
    const double d = ((x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)) / (width * width);
    return d < 9 ? 20 * exp(-d) : 0;
}

static double matrix[N * N], box[BOX * BOX * 3], line[LINE], ring[RING], points[3 * RING];

static void make_heat(void)
{
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            matrix[y * N + x] = (x + y) % 3 == 2 ? 0 : bump(x, y, 80, 16, 12) + bump(x, y, 20, 70, 6) / 4;
    for (int z = 0; z < 3; z++)
        for (int i = 0; i < BOX * BOX; i++)
            box[z * BOX * BOX + i] = z == 1 ? i % BOX + 1 : (i / BOX) / 4.0;
    for (int i = 0; i < LINE; i++)
        line[i] = i > 30 ? i : 1;
    for (int i = 0; i < RING; i++) {
        const double angle = 2 * 3.14159265358979 * i / RING, radius = 1 + 0.2 * (i % 5);
        points[3 * i] = radius * cos(angle);
        points[3 * i + 1] = radius * sin(angle);
        ring[i] = 1 + 5 * cos(angle) > 0 ? 1 + 5 * cos(angle) : 0;
    }
}

static struct ndm_geometry grid(char *label, const uint64_t extents[3], uint32_t dims)
{
    struct ndm_geometry g = {.kind = NDM_GRID, .label = label, .unit = "", .dims = dims, .cells_len = 1};
    static char *axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        g.axes[i] = axes[i];
        g.extents[i] = extents[i];
        g.spacing[i] = 1;
        g.cells_len *= extents[i];
    }
    return g;
}

static const struct ndm_atlas *atlas;

static ls_err write_all(prof_writer *w)
{
    struct prof_node nodes[NODES];
    const struct prof_run run = {.schema = PROF_SCHEMA, .command = "hot"};
    const struct prof_fixture_table filled[PROF_TABLE_COUNT] = {[PROF_TABLE_nodes] = {nodes, NODES}};
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i] = (struct prof_node){.id = i,
                                      .parent = i ? 0 : UINT32_MAX,
                                      .kind = i ? PROF_NODE_RANGE : PROF_NODE_ROOT,
                                      .process = UINT32_MAX,
                                      .label = labels[i]};
    LS_TRY(prof_fixture_tables(w, filled));
    LS_TRY(prof_atlas_write(w, atlas));
    LS_TRY(prof_writer_run(w, &run));
    return prof_writer_finish(w);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    make_heat();
    struct ndm_geometry domains[] = {
        grid("matrix", (uint64_t[]){N, N, 1}, 2),
        grid("box", (uint64_t[]){BOX, BOX, 3}, 3),
        grid("rod", (uint64_t[]){LINE, 1, 1}, 1),
        {.kind = NDM_MESH,
         .label = "ring",
         .unit = "m",
         .dims = 2,
         .axes = {"x", "y", "z"},
         .points_len = RING,
         .points = points},
    };
    domains[1].spacing[0] = 0.25;
    domains[2].unit = "mm";
    struct ndm_field fields[] = {
        {.name = "matrix", .label = "matrix", .domain = 0, .node = UINT32_MAX},
        {.name = "matrix.A", .label = "A", .domain = 0, .node = 1, .outside_len = 12},
        {.name = "box.T", .label = "T", .domain = 1, .node = 2},
        {.name = "rod.temperature", .label = "temperature", .domain = 2, .node = 3},
        {.name = "ring.edges (points)", .label = "edges", .domain = 3, .node = 4, .centering = NDM_POINTS},
    };
    fill(&fields[0], matrix, N * N);
    fill(&fields[1], matrix, N * N);
    fill(&fields[2], box, BOX * BOX * 3);
    fill(&fields[3], line, LINE);
    fill(&fields[4], ring, RING);
    fields[1].values[NDM_LATENCY_MEAN][16 * N + 80] *= 1000; /* a load that was interrupted */
    const struct ndm_atlas a = {.domains = domains, .domains_len = 4, .fields = fields, .fields_len = 5};
    atlas = &a;
    const int status = prof_fixture_write("make_heat", argv[1], write_all);
    for (int i = 0; i < 5; i++)
        for (int m = 0; m < NDM_METRICS_LEN; m++)
            free(fields[i].values[m]);
    return status;
}
