/* SPDX-License-Identifier: BSD-3-Clause */
/* make_view OUTPUT: a profile with something for every panel of the page: several threads and lines, data in
 * groups, all levels, changes with time, fields on grids and meshes. Labels and texts are as hostile as a
 * program can make them. */
#include "run_h5/prof_atlas.h"
#include "tests/run_h5/prof_write_fixture.h"
#include "tests/xorshift.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BURSTS = 600, COMPUTING = 90, ACCESSES = 60, WINDOW = 600, INSTRUCTIONS = 1200, THREADS = 3 };
enum { ROOT, MESH, TEMPERATURE, VELOCITY, MATERIAL, SOLVER, MATRIX, HOSTILE, UNREGISTERED, STACK, NODES };
#define DURATION_NS UINT64_C(6000000000)

#define RANGE(number, above, text)                                                                           \
    {                                                                                                        \
        .id = number, .parent = above, .kind = PROF_NODE_RANGE, .label = text, .base = 0x10000000u * number, \
        .end = 0x10000000u * number + 0x800000, .elem_size_bytes = 8, .dims = 1, .died_ns = UINT64_MAX       \
    }
static const struct prof_node nodes[NODES] = {
    {.id = ROOT,
     .parent = UINT32_MAX,
     .kind = PROF_NODE_ROOT,
     .process = UINT32_MAX,
     .label = "",
     .died_ns = UINT64_MAX},
    {.id = MESH, .kind = PROF_NODE_GROUP, .label = "mesh", .died_ns = UINT64_MAX},
    RANGE(TEMPERATURE, MESH, "temperature"),
    RANGE(VELOCITY, MESH, "velocity"),
    RANGE(MATERIAL, MESH, "material index"),
    {.id = SOLVER, .kind = PROF_NODE_GROUP, .label = "solver", .died_ns = UINT64_MAX},
    RANGE(MATRIX, SOLVER, "matrix"),
    RANGE(HOSTILE, SOLVER, "</script><script>document.body.dataset.broken=1</script>"),
    {.id = UNREGISTERED, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered", .died_ns = UINT64_MAX},
    {.id = STACK,
     .parent = UNREGISTERED,
     .kind = PROF_NODE_STACK,
     .label = "stack of main thread",
     .died_ns = UINT64_MAX},
};
static const struct prof_thread threads[THREADS] = {
    {.tid = 4000, .name = "flow", .end_ns = DURATION_NS, .cpu_ns = DURATION_NS},
    {.tid = 4001, .name = "<img src=x onerror=\"document.body.dataset.broken=1\">", .end_ns = DURATION_NS},
    {.tid = 4002, .name = "worker \xff\xfe 2", .end_ns = DURATION_NS},
};
static const struct prof_process processes[] = {{.pid = 4000,
                                                 .image = 1,
                                                 .parent = PROF_NO_PROCESS,
                                                 .origin = PROF_ORIGIN_START,
                                                 .rank = -1,
                                                 .rank_from = "",
                                                 .peak_bytes = UINT64_MAX,
                                                 .exe = "/bin/flow",
                                                 .cmdline = "flow",
                                                 .engine = "step",
                                                 .trigger = "perf",
                                                 .why = "",
                                                 .end_ns = DURATION_NS}};
#define LINE(address, name, number)                                                                    \
    {                                                                                                  \
        .ip = address, .module = "/bin/flow", .function = name, .symbol = name, .file = "/src/flow.c", \
        .line = number, .until_ns = UINT64_MAX                                                         \
    }
static const struct prof_line lines[] = {
    LINE(0x401000, "gather<int&&>", 31), LINE(0x401010, "diffuse", 52), LINE(0x401020, "advance", 70),
    LINE(0x401030, "multiply", 88),      LINE(0x401040, "sum", 97),     LINE(0x401050, "relax", 110),
    LINE(0x401060, "main", 200),         LINE(0x401070, "step", 150),   LINE(0x401080, "solve", 160),
};
/* main calls step and solve, which call the functions that bursts begin in. */
enum { FRAME_MAIN, FRAME_STEP, FRAME_SOLVE, FRAME_LEAVES };
#define FRAME(above, row)                                       \
    {                                                           \
        .parent = above, .ip = 0x401000 + 16 * row, .line = row \
    }
static const struct prof_frame frames[] = {
    FRAME(UINT32_MAX, 6),  FRAME(FRAME_MAIN, 7), FRAME(FRAME_MAIN, 8),
    FRAME(FRAME_STEP, 0),  FRAME(FRAME_STEP, 1), FRAME(FRAME_STEP, 2),
    FRAME(FRAME_SOLVE, 3), FRAME(FRAME_MAIN, 4), FRAME(FRAME_MAIN, 5),
};
static const struct prof_source sources[] = {
    {"/src/flow.c", 29, "static double gather(const mesh *m, int cell) /* </script><b> & \"quotes\" */"},
    {"/src/flow.c", 30, "{"},
    {"/src/flow.c", 31, "\treturn m->temperature[m->material[cell]];"},
    {"/src/flow.c", 32, "}"},
    {"/src/flow.c", 51, "    for (int i = 1; i < n - 1; i++)"},
    {"/src/flow.c", 52, "        next[i] = t[i] + k * (t[i - 1] - 2 * t[i] + t[i + 1]);"},
    {"/src/flow.c", 70, "    v[i] += dt * force[i];"},
    {"/src/flow.c", 88, "        y[row] += a[k] * x[column[k]];"},
    {"/src/flow.c", 97, "    total += partial[t];"},
};
/* Accesses of a burst: data, source line, distance, time. */
static const struct pattern {
    uint32_t node, line, stride_bytes, latency_cycles, weight;
    uint8_t op, level;
} patterns[] = {
    {TEMPERATURE, 0, 4096, 420, 26, 0, PROF_LEVEL_DRAM}, {TEMPERATURE, 1, 8, 6, 16, 0, PROF_LEVEL_L1},
    {VELOCITY, 2, 64, 20, 14, 0, PROF_LEVEL_L2},         {VELOCITY, 2, 64, 0, 6, 1, UINT8_MAX},
    {MATERIAL, 0, 4, 48, 12, 0, PROF_LEVEL_L3},          {MATRIX, 3, 8, 70, 14, 0, PROF_LEVEL_L3},
    {HOSTILE, 3, 1024, 240, 7, 0, PROF_LEVEL_DRAM},      {STACK, 4, 8, 5, 5, 0, PROF_LEVEL_L1}};
enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

static uint64_t random_state = XORSHIFT_SEED;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(xorshift(&random_state) >> 16) % n;
}

/* The solver works in the second half of the run only. */
static const struct pattern *pick_pattern(uint32_t burst)
{
    for (;;) {
        const struct pattern *p = &patterns[random_below(PATTERNS)];
        if (p->weight <= random_below(26)) continue;
        if (nodes[p->node].parent != SOLVER || burst > BURSTS / 2) return p;
    }
}

enum { FIELD_MATRIX, FIELD_ROOM, FIELD_MATERIAL, FIELD_VELOCITY, FIELDS };
enum { MATRIX_SIDE = 300, ROOM_X = 32, ROOM_Y = 24, ROOM_Z = 16, PLATE = 24, BALL = 14 };

/* Addresses of accesses: 16 columns of 8 rows of the matrix; anywhere on plate and ball, some of them
 * outside. The CPU differs between the left and right half of the first four of these rows, so that a report
 * can select them. */
static void set_value(struct prof_sample *s, uint32_t number, uint32_t i)
{
    switch (s->node) {
    case MATRIX:
        s->field = FIELD_MATRIX;
        s->value = (120 + number % 8) * MATRIX_SIDE + 80 + i % 16;
        if (number % 8 < 4) s->cpu = i % 16 < 8 ? 7 : 8;
        break;
    case MATERIAL:
        s->field = FIELD_MATERIAL;
        s->value = (number * 7 + i) % (PLATE * PLATE);
        break;
    case VELOCITY:
        s->field = FIELD_VELOCITY;
        if (i % 10) s->value = (number * 31 + i) % (BALL * BALL * BALL);
        break;
    default:
        break;
    }
}

static ls_err add_access(prof_writer *w, const struct prof_burst *b, uint32_t number, uint32_t i,
                         const struct pattern *p)
{
    struct prof_sample s = prof_sample_missing;
    s.time_ns = b->time_ns + i;
    s.thread = b->thread;
    s.cpu = b->thread;
    s.ip = lines[p->line].ip;
    s.addr = nodes[p->node].base + (uint64_t)(number * 977 + i) * p->stride_bytes % 0x800000;
    s.size = 8;
    s.op = p->op;
    s.position = i * INSTRUCTIONS / ACCESSES;
    if (p->op == 0 && s.position >= WINDOW) {
        s.latency_cycles = (int32_t)(p->latency_cycles + random_below(p->latency_cycles / 2 + 1));
        s.latency_valid = 1;
        s.level = p->level;
    }
    s.weight_ns = b->weight_ns;
    s.node = p->node;
    s.burst = number;
    set_value(&s, number, i);
    return prof_writer_add(w, &s);
}

static ls_err add_burst(prof_writer *w, uint32_t number, struct prof_burst *b)
{
    const struct pattern *p = pick_pattern(number), *other = pick_pattern(number);
    *b = (struct prof_burst){.frame = FRAME_LEAVES + p->line,
                             .phase = UINT32_MAX,
                             .thread = random_below(THREADS),
                             .time_ns = DURATION_NS / BURSTS * number,
                             .weight_ns = 25000000 + random_below(5000000),
                             .spent_ns = 250000,
                             .ip = lines[p->line].ip,
                             .instructions = INSTRUCTIONS,
                             .first_sample = (uint64_t)number * ACCESSES,
                             .samples_len = ACCESSES};
    b->data_weight_ns = b->weight_ns;
    for (uint32_t i = 0; i < ACCESSES; i++)
        LS_TRY(add_access(w, b, number, i, i % 3 ? p : other));
    return LS_OK;
}

/* relax computes without accesses. */
static struct prof_burst computing(uint32_t number)
{
    return (struct prof_burst){.frame = FRAME_LEAVES + 5,
                               .phase = UINT32_MAX,
                               .thread = number % THREADS,
                               .time_ns = DURATION_NS / COMPUTING * number,
                               .weight_ns = 26000000,
                               .data_weight_ns = 26000000,
                               .spent_ns = 250000,
                               .ip = lines[5].ip,
                               .instructions = INSTRUCTIONS,
                               .first_sample = (uint64_t)BURSTS * ACCESSES};
}

/* --- fields: a hot spot somewhere, nothing far from it --- */

static double *domain_points(uint64_t n, double (*at)(uint64_t i, int axis))
{
    double *points = malloc(n * 3 * sizeof(*points));
    for (uint64_t i = 0; points && i < n; i++)
        for (int a = 0; a < 3; a++)
            points[3 * i + (uint64_t)a] = at(i, a);
    return points;
}

static void fill_values(double *values[NDM_METRICS_LEN], uint64_t i, double heat)
{
    const double samples = floor(heat * 40);
    const double all[NDM_METRICS_LEN] = {[NDM_SAMPLES] = samples,
                                         [NDM_TIME] = samples * 45000,
                                         [NDM_STALL] = samples * 38000 * heat,
                                         [NDM_LATENCY_MEAN] = 20 + 400 * heat,
                                         [NDM_LATENCY_MAX] = 60 + 900 * heat,
                                         [NDM_LEVEL_L1] = (1 - heat) * 0.75,
                                         [NDM_LEVEL_L2] = (1 - heat) * 0.25,
                                         [NDM_LEVEL_L3] = heat * 0.5,
                                         [NDM_LEVEL_MEMORY] = heat * 0.5,
                                         [NDM_TIMED] = samples};
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        values[m][i] = samples > 0 || !prof_atlas_may_miss((enum ndm_metric)m) ? all[m] : NAN;
}

static double heat_near(double x, double y, double z)
{
    return exp(-(x * x + y * y + z * z) * 12);
}

static void make_field(struct ndm_field *f, uint64_t len, uint32_t steps)
{
    f->values_len = len;
    f->steps_len = steps;
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        f->values[m] = calloc(len, sizeof(double));
        if (steps) f->step_values[m] = calloc(len * steps, sizeof(double));
    }
}

static void fill_grid(struct ndm_field *f, const struct ndm_geometry *g)
{
    uint64_t i = 0;
    for (uint64_t z = 0; z < g->extents[2]; z++)
        for (uint64_t y = 0; y < g->extents[1]; y++)
            for (uint64_t x = 0; x < g->extents[0]; x++)
                fill_values(f->values, i++,
                            heat_near((double)x / (double)g->extents[0] - 0.3,
                                      (double)y / (double)g->extents[1] - 0.4,
                                      (double)z / (double)g->extents[2] - 0.5 * (g->dims > 2)));
    for (uint32_t s = 0; s < f->steps_len; s++) {
        double *values[NDM_METRICS_LEN];
        for (int m = 0; m < NDM_METRICS_LEN; m++)
            values[m] = f->step_values[m] + s * f->values_len;
        for (i = 0; i < f->values_len; i++)
            fill_values(values, i, f->values[NDM_SAMPLES][i] / 40 / (s + 2));
    }
}

static double plate_at(uint64_t i, int axis)
{
    const double r = 1 + (double)(i % (PLATE + 1)) / PLATE, angle = (double)(i / (PLATE + 1)) / PLATE * 2.5;
    return axis == 0 ? r * cos(angle) : axis == 1 ? r * sin(angle) : 0;
}

static double ball_at(uint64_t i, int axis)
{
    const uint64_t at[3] = {i % (BALL + 1), i / (BALL + 1) % (BALL + 1), i / (BALL + 1) / (BALL + 1)};
    return (double)at[axis] / BALL + 0.02 * sin((double)i);
}

/* Quadrilaterals, or hexahedra, between the points of a lattice. */
static void make_cells(struct ndm_geometry *g, uint64_t side)
{
    static const uint64_t corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const uint64_t per = g->dims == 2 ? 4 : 8, n = side + 1, layers = g->dims == 2 ? 1 : side;
    g->cells_len = side * side * layers;
    g->offsets = calloc(g->cells_len + 1, sizeof(uint64_t));
    g->connectivity = calloc(g->cells_len * per, sizeof(uint64_t));
    g->shapes = calloc(g->cells_len, 1);
    for (uint64_t c = 0; c < g->cells_len; c++) {
        const uint64_t x = c % side, y = c / side % side, z = c / side / side;
        g->offsets[c + 1] = (c + 1) * per;
        g->shapes[c] = per == 4 ? NDM_QUAD : NDM_HEXAHEDRON;
        for (uint64_t k = 0; k < per; k++)
            g->connectivity[c * per + k] =
                ((z + corners[k][2]) * n + y + corners[k][1]) * n + x + corners[k][0];
    }
}

static char *step_labels[] = {"begin", "<b>middle</b>", "end"};
static double step_begins[] = {0, 2, 4};
static struct ndm_geometry domains[] = {{.kind = NDM_GRID,
                                         .label = "matrix <i>A</i>",
                                         .unit = "",
                                         .dims = 2,
                                         .axes = {"column", "row", "z"},
                                         .extents = {MATRIX_SIDE, MATRIX_SIDE, 1},
                                         .spacing = {1, 1, 1},
                                         .cells_len = MATRIX_SIDE * MATRIX_SIDE},
                                        {.kind = NDM_GRID,
                                         .label = "room",
                                         .unit = "m",
                                         .dims = 3,
                                         .axes = {"x", "y", "z"},
                                         .extents = {ROOM_X, ROOM_Y, ROOM_Z},
                                         .spacing = {0.25, 0.25, 0.25},
                                         .cells_len = ROOM_X * ROOM_Y * ROOM_Z},
                                        {.kind = NDM_MESH,
                                         .label = "plate",
                                         .unit = "mm",
                                         .dims = 2,
                                         .axes = {"x", "y", "z"},
                                         .points_len = (PLATE + 1) * (PLATE + 1)},
                                        {.kind = NDM_MESH,
                                         .label = "ball",
                                         .unit = "m",
                                         .dims = 3,
                                         .axes = {"x", "y", "z"},
                                         .points_len = (BALL + 1) * (BALL + 1) * (BALL + 1)}};
static struct ndm_field fields[FIELDS] = {
    {.name = "matrix", .label = "matrix", .domain = 0, .node = MATRIX, .mapped_len = 5000, .outside_len = 12},
    {.name = "room",
     .label = "room",
     .domain = 1,
     .node = UINT32_MAX,
     .mapped_len = 9000,
     .step_labels = step_labels,
     .step_begin_s = step_begins},
    {.name = "plate.material", .label = "material index", .domain = 2, .node = MATERIAL, .mapped_len = 800},
    {.name = "ball.velocity",
     .label = "velocity",
     .domain = 3,
     .node = VELOCITY,
     .centering = NDM_CELLS,
     .mapped_len = 800}};

static ls_err write_atlas(prof_writer *w)
{
    domains[2].points = domain_points(domains[2].points_len, plate_at);
    domains[3].points = domain_points(domains[3].points_len, ball_at);
    make_cells(&domains[2], PLATE);
    make_cells(&domains[3], BALL);
    for (int i = 0; i < 4; i++)
        make_field(&fields[i], domains[i].cells_len, i == 1 ? 3 : 0);
    fill_grid(&fields[0], &domains[0]);
    fill_grid(&fields[1], &domains[1]);
    for (uint64_t c = 0; c < domains[2].cells_len; c++)
        fill_values(fields[2].values, c,
                    heat_near((double)(c % PLATE) / PLATE - 0.5, (double)(c / PLATE) / PLATE - 0.5, 0));
    for (uint64_t c = 0; c < domains[3].cells_len; c++)
        fill_values(fields[3].values, c,
                    heat_near((double)(c % BALL) / BALL, (double)(c / BALL % BALL) / BALL,
                              (double)(c / BALL / BALL) / BALL));
    const struct ndm_atlas atlas = {domains, 4, fields, 4};
    return prof_atlas_write(w, &atlas);
}

static ls_err write_all(prof_writer *w)
{
    static struct prof_burst bursts[BURSTS + COMPUTING];
    struct prof_run run = prof_fixture_run(
        "flow --name '</title><script>document.body.dataset.broken=1</script>'", DURATION_NS);
    run.version = "0.1.0";
    run.level_limit_cycles[2] = 220;
    run.coverage_precise = 0.95;
    run.coverage_coarse = 0.05;
    for (uint32_t b = 0; b < BURSTS; b++)
        LS_TRY(add_burst(w, b, &bursts[b]));
    for (uint32_t b = 0; b < COMPUTING; b++)
        bursts[BURSTS + b] = computing(b);
    const struct prof_fixture_table filled[PROF_TABLE_COUNT] = {
        [PROF_TABLE_nodes] = {nodes, NODES},
        [PROF_TABLE_threads] = {threads, THREADS},
        [PROF_TABLE_processes] = {processes, 1},
        [PROF_TABLE_bursts] = {bursts, BURSTS + COMPUTING},
        [PROF_TABLE_lines] = {lines, sizeof(lines) / sizeof(lines[0])},
        [PROF_TABLE_frames] = {frames, sizeof(frames) / sizeof(frames[0])},
        [PROF_TABLE_sources] = {sources, sizeof(sources) / sizeof(sources[0])},
    };
    LS_TRY(prof_fixture_tables(w, filled));
    LS_TRY(write_atlas(w));
    LS_TRY(prof_writer_run(w, &run));
    return prof_writer_finish(w);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_view OUTPUT\n");
        return 2;
    }
    return prof_fixture_write("make_view", argv[1], write_all);
}
