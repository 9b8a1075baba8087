/* SPDX-License-Identifier: BSD-3-Clause */
/* make_domains OUTPUT: a recording with fields on every kind of domain, whose values a formula gives, and a
 * tree, samples, phases and counters to go with them. tests/viz-export/read_back.py compares the exported files
 * with it. */
#include "run_h5/prof_atlas.h"
#include "tests/run_h5/prof_write_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BURSTS = 40, ACCESSES = 25, STEPS = 3, CUBE = 3 };

static const struct prof_node nodes[] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = 1, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered", .died_ns = UINT64_MAX},
    {.id = 2, .kind = PROF_NODE_GROUP, .label = "Input", .died_ns = UINT64_MAX},
    {.id = 3,
     .parent = 2,
     .kind = PROF_NODE_RANGE,
     .label = "A",
     .base = 0x1000,
     .end = 0x9000,
     .elem_size_bytes = 8,
     .dims = 1,
     .died_ns = UINT64_MAX},
    {.id = 4,
     .parent = 2,
     .kind = PROF_NODE_RANGE,
     .label = "B, \"the <other>\" & more",
     .base = 0x10000,
     .end = 0x18000,
     .elem_size_bytes = 8,
     .dims = 1,
     .died_ns = UINT64_MAX},
    {.id = 5, .parent = 1, .kind = PROF_NODE_STACK, .label = "stack of main thread", .died_ns = UINT64_MAX},
};
static const struct prof_thread threads[] = {
    {.tid = 100, .name = "app", .end_ns = 2000000000, .cpu_ns = 1900000000, .spent_ns = 50000000},
    {.tid = 101,
     .name = "worker \"1\"",
     .begin_ns = 100000,
     .end_ns = 1500000000,
     .cpu_ns = 700,
     .spent_ns = 9}};
static const struct prof_process processes[] = {{.pid = 100,
                                                 .parent_pid = 1,
                                                 .parent = PROF_NO_PROCESS,
                                                 .exit_code = UINT32_MAX,
                                                 .exit_signal = UINT32_MAX,
                                                 .rank = -1,
                                                 .peak_bytes = UINT64_MAX,
                                                 .exe = "/bin/app",
                                                 .cmdline = "app --size \"8\"",
                                                 .engine = "step",
                                                 .trigger = "perf",
                                                 .why = "no PMU",
                                                 .end_ns = 2000000000}};
static const struct prof_line lines[] = {
    {.ip = 0x401000,
     .module = "/bin/app",
     .function = "f(int, char)",
     .symbol = "run",
     .file = "/src/a,b.c",
     .line = 17},
    {.ip = 0x401004, .module = "/bin/app", .function = "g", .symbol = "g", .file = "/src/g.c", .line = 3}};
static const struct prof_phase phases[] = {{.id = 0, .parent = UINT32_MAX, .name = "outer"},
                                           {.id = 1, .parent = 0, .name = "inner <1>"}};
static const struct prof_phase_span spans[] = {
    {.phase = 0, .thread = 0, .begin_ns = 1000, .end_ns = UINT64_MAX},
    {.phase = 1, .thread = 0, .begin_ns = 2001, .end_ns = 900000000}};
static const struct prof_point resident[] = {{.time_ns = 5, .value = 4096},
                                             {.time_ns = 10000000, .value = 1 << 30}};

static char *axes_of(int d)
{
    static char *const axes[] = {"x", "y", "z"};
    return axes[d];
}

static struct ndm_geometry grid(char *label, uint32_t dims, uint64_t nx, uint64_t ny, uint64_t nz)
{
    struct ndm_geometry g = {.kind = NDM_GRID,
                             .label = label,
                             .unit = "mm",
                             .dims = dims,
                             .extents = {nx, ny, nz},
                             .origin = {1, -2, 0.5},
                             .spacing = {0.5, 2, 0.25},
                             .cells_len = nx * ny * nz};
    for (int d = 0; d < NDM_AXES_MAX; d++)
        g.axes[d] = axes_of(d);
    return g;
}

/* CUBE^3 hexahedra, as a structured code would number them. */
static struct ndm_geometry cube(char *label)
{
    enum { P = CUBE + 1, POINTS = P * P * P, CELLS = CUBE * CUBE * CUBE };
    static double points[3 * POINTS];
    static uint64_t offsets[CELLS + 1], connectivity[8 * CELLS];
    static uint8_t shapes[CELLS];
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < POINTS; i++)
        for (int d = 0, rest = i; d < 3; d++, rest /= P)
            points[3 * i + d] = 0.1 * (rest % P) * (d + 1);
    for (int c = 0; c < CELLS; c++) {
        const int x = c % CUBE, y = c / CUBE % CUBE, z = c / CUBE / CUBE;
        shapes[c] = NDM_HEXAHEDRON;
        offsets[c + 1] = 8 * (uint64_t)(c + 1);
        for (int k = 0; k < 8; k++)
            connectivity[8 * c + k] =
                (uint64_t)((x + corner[k][0]) + P * ((y + corner[k][1]) + P * (z + corner[k][2])));
    }
    return (struct ndm_geometry){.kind = NDM_MESH,
                                 .label = label,
                                 .unit = "m",
                                 .dims = 3,
                                 .points_len = POINTS,
                                 .points = points,
                                 .cells_len = CELLS,
                                 .offsets = offsets,
                                 .connectivity = connectivity,
                                 .shapes = shapes};
}

/* One cell of each shape side by side. */
static struct ndm_geometry mixed(char *label)
{
    static const struct {
        uint8_t shape, points;
    } cells[] = {{NDM_VERTEX, 1}, {NDM_LINE, 2},       {NDM_TRIANGLE, 3}, {NDM_QUAD, 4},
                 {NDM_TETRA, 4},  {NDM_HEXAHEDRON, 8}, {NDM_WEDGE, 6},    {NDM_PYRAMID, 5}};
    enum { CELLS = sizeof(cells) / sizeof(cells[0]), POINTS = 33 };
    static double points[3 * POINTS];
    static uint64_t offsets[CELLS + 1], connectivity[POINTS];
    static uint8_t shapes[CELLS];
    for (int i = 0; i < POINTS; i++) {
        connectivity[i] = (uint64_t)i;
        points[3 * i] = i % 2;
        points[3 * i + 1] = i / 2 % 2;
        points[3 * i + 2] = i / 4;
    }
    for (int c = 0; c < CELLS; c++) {
        shapes[c] = cells[c].shape;
        offsets[c + 1] = offsets[c] + cells[c].points;
    }
    return (struct ndm_geometry){.kind = NDM_MESH,
                                 .label = label,
                                 .unit = "",
                                 .dims = 3,
                                 .points_len = POINTS,
                                 .points = points,
                                 .cells_len = CELLS,
                                 .offsets = offsets,
                                 .connectivity = connectivity,
                                 .shapes = shapes};
}

/* Points without cells. */
static struct ndm_geometry cloud(char *label)
{
    enum { POINTS = 12 };
    static double points[3 * POINTS];
    for (int i = 0; i < POINTS; i++) {
        points[3 * i] = cos(i);
        points[3 * i + 1] = sin(i);
    }
    return (struct ndm_geometry){
        .kind = NDM_MESH, .label = label, .unit = "", .dims = 2, .points_len = POINTS, .points = points};
}

/* Every third value has no sample. The formula is repeated in no reader: they compare with run.h5 itself. */
static double value_of(uint32_t field, int step, enum ndm_metric m, uint64_t i)
{
    if (i % 3 == 1) return prof_atlas_may_miss(m) ? NAN : 0;
    if (m == NDM_TIMED) return (double)(1 + (i + field) % 5);
    if (m >= NDM_LEVEL_L1) return (double)((i + field + (uint64_t)m) % 11) / 10;
    return (double)(field + 1) * 1000.1 + (double)i * 7.77 + (double)(step + 1) * 0.001 + (double)m * 1e6;
}

static void fill(struct ndm_field *f, uint32_t number, uint64_t values_len)
{
    f->values_len = values_len;
    f->mapped_len = values_len;
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        f->values[m] = calloc(values_len, sizeof(double));
        f->step_values[m] = calloc(values_len * STEPS, sizeof(double));
        if (!f->values[m] || !f->step_values[m]) exit(1);
        for (uint64_t i = 0; i < values_len; i++)
            f->values[m][i] = value_of(number, -1, m, i);
        for (uint64_t i = 0; f->steps_len && i < values_len * STEPS; i++)
            f->step_values[m][i] = value_of(number, (int)(i / values_len), m, i % values_len);
    }
}

static ls_err write_atlas(prof_writer *w)
{
    static char *labels[] = {"begin", "middle <&>", "end"};
    static double begins[] = {0.25, 1.5, 3};
    enum { LINE, PLANE, BOX, CUBES, MIXED, CLOUD, LARGE };
    struct ndm_geometry domains[] = {
        [LINE] = grid("line", 1, 7, 1, 1),
        [PLANE] = grid("plane & more", 2, 5, 4, 1),
        [BOX] = grid("box", 3, 4, 3, 2),
        [CUBES] = cube("cube"),
        [MIXED] = mixed("mixed"),
        [CLOUD] = cloud("cloud"),
        [LARGE] = grid("large", 2, 700, 500, 1),
    };
    struct ndm_field fields[] = {
        {.name = "line.A", .label = "A", .domain = LINE, .node = 3},
        {.name = "plane & more.A", .label = "A", .domain = PLANE, .node = 3, .steps_len = STEPS},
        {.name = "plane & more.B, \"the <other>\" & more",
         .label = nodes[4].label ? (char *)nodes[4].label : "",
         .domain = PLANE,
         .node = 4,
         .steps_len = STEPS},
        {.name = "plane & more",
         .label = "plane & more",
         .domain = PLANE,
         .node = UINT32_MAX,
         .steps_len = STEPS},
        {.name = "box.A", .label = "A", .domain = BOX, .node = 3},
        {.name = "cube.A", .label = "A", .domain = CUBES, .node = 3, .steps_len = STEPS},
        {.name = "cube.nodal",
         .label = "nodal",
         .domain = CUBES,
         .node = 4,
         .centering = NDM_POINTS,
         .steps_len = STEPS},
        {.name = "cube", .label = "cube", .domain = CUBES, .node = UINT32_MAX, .steps_len = STEPS},
        {.name = "cube (points)",
         .label = "cube",
         .domain = CUBES,
         .node = UINT32_MAX,
         .centering = NDM_POINTS,
         .steps_len = STEPS},
        {.name = "mixed.A", .label = "A", .domain = MIXED, .node = 3},
        {.name = "cloud.A", .label = "A", .domain = CLOUD, .node = 3, .centering = NDM_POINTS},
        {.name = "large.A", .label = "A", .domain = LARGE, .node = 3},
    };
    const uint32_t fields_len = sizeof(fields) / sizeof(fields[0]);
    const struct ndm_atlas atlas = {domains, sizeof(domains) / sizeof(domains[0]), fields, fields_len};
    for (uint32_t i = 0; i < fields_len; i++) {
        if (fields[i].steps_len) {
            fields[i].step_labels = labels;
            fields[i].step_begin_s = begins;
        }
        fill(&fields[i], i, ndm_geometry_values(&domains[fields[i].domain], fields[i].centering));
    }
    const ls_err err = prof_atlas_write(w, &atlas);
    for (uint32_t i = 0; i < fields_len; i++)
        for (int m = 0; m < NDM_METRICS_LEN; m++) {
            free(fields[i].values[m]);
            free(fields[i].step_values[m]);
        }
    return err;
}

static ls_err add_burst(prof_writer *w, uint32_t number, struct prof_burst *burst)
{
    *burst = (struct prof_burst){.frame = UINT32_MAX,
                                 .phase = UINT32_MAX,
                                 .thread = number % 2,
                                 .cpu = number % 2 ? 5 : 2,
                                 .time_ns = number * 10000001ull,
                                 .weight_ns = 5000000,
                                 .data_weight_ns = 5000000,
                                 .spent_ns = 250003,
                                 .ip = 0x401000,
                                 .instructions = 1200,
                                 .first_sample = (uint64_t)number * ACCESSES,
                                 .samples_len = ACCESSES};
    for (uint32_t i = 0; i < ACCESSES; i++) {
        struct prof_sample s = prof_sample_missing;
        s.time_ns = burst->time_ns + i;
        s.thread = burst->thread;
        s.cpu = burst->cpu;
        s.ip = i % 2 ? 0x401000 : 0x401004;
        s.addr = 0x1000 + i * 8;
        s.size = 8;
        s.op = i % 5 == 4;
        s.position = i * 40;
        if (i > 10 && s.op == 0) {
            s.latency_cycles = i == 11 ? -3 : (int32_t)(10 * i);
            s.latency_valid = 1;
            s.level = i % 4;
        }
        s.weight_ns = burst->weight_ns;
        s.node = i % 3 == 2 ? 5 : 3 + i % 3;
        if (s.node < 5) s.element = i;
        s.phase = number % 3 ? 1 : UINT32_MAX;
        s.burst = number;
        LS_TRY(prof_writer_add(w, &s));
    }
    return LS_OK;
}

static ls_err write_all(prof_writer *w)
{
    static struct prof_burst bursts[BURSTS];
    for (uint32_t b = 0; b < BURSTS; b++)
        LS_TRY(add_burst(w, b, &bursts[b]));
    const struct prof_fixture_table filled[PROF_TABLE_COUNT] = {
        [PROF_TABLE_nodes] = {nodes, sizeof(nodes) / sizeof(nodes[0])},
        [PROF_TABLE_threads] = {threads, 2},
        [PROF_TABLE_processes] = {processes, 1},
        [PROF_TABLE_bursts] = {bursts, BURSTS},
        [PROF_TABLE_lines] = {lines, 2},
        [PROF_TABLE_phases] = {phases, 2},
        [PROF_TABLE_phase_spans] = {spans, 2},
        [PROF_TABLE_resident_bytes] = {resident, 2},
    };
    LS_TRY(prof_fixture_tables(w, filled));
    LS_TRY(write_atlas(w));
    struct prof_run run = prof_fixture_run("app --size \"8\" <in >out", 2000000000);
    run.host = "example&co";
    run.topology =
        "1 package, 4 cores, 8 threads; L1d 48 KiB x 4, L2 1 MiB x 4, L3 32 MiB x 2; 2 NUMA nodes, 23.5 GiB";
    run.why = "no PMU here";
    run.version = "0.1.0";
    run.start_realtime_ns = 0;
    run.probe_cost_cycles = 0;
    LS_TRY(prof_writer_run(w, &run));
    return prof_writer_finish(w);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_domains OUTPUT\n");
        return 2;
    }
    return prof_fixture_write("make_domains", argv[1], write_all);
}
