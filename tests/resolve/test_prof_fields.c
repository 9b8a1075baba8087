/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of mapped nodes are on their domain, at the time and with the amount of the report. */
#include "analyse/an_cost.h"
#include "ndm/ndm_wire.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_atlas.h"
#include "spool/spool_put_domains_sigsafe.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIRE_BYTES = 8192, NX = 8, NY = 4, CELLS = NX * NY };
#define ARRAY_A (FIXTURE_BLOCK)
#define ARRAY_B (FIXTURE_BLOCK + 0x10000)

static struct spool_fixture fixture;
static struct prof_fixture_thread main_thread;
static uint32_t last_data;

struct resolved {
    prof_profile *profile;
    struct ndm_atlas atlas;
};

static void begin(void)
{
    spool_fixture_init(&fixture);
    main_thread = (struct prof_fixture_thread){.now_ns = FIXTURE_START_NS};
    last_data = 0;
    spool_fixture_open(&fixture, &main_thread.writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(&main_thread, FIXTURE_PID, "app");
    prof_fixture_maps(&main_thread, fixture_maps);
    prof_fixture_alloc(&main_thread, FIXTURE_BLOCK, FIXTURE_BLOCK_BYTES);
}

static struct resolved finish(uint32_t slices)
{
    struct resolved r = {0};
    char path[400];
    const struct mach_calibration calibration = fixture_calibration();
    snprintf(path, sizeof(path), "%s/run.h5", fixture.root);
    const struct prof_resolve_options options = {.spool_dir = fixture.spool,
                                                 .output_path = path,
                                                 .force = 1,
                                                 .slices = slices,
                                                 .calibration = &calibration};
    spool_writer_close(&main_thread.writer);
    if (prof_resolve(&options, NULL) != LS_OK || prof_open(path, &r.profile) != LS_OK ||
        prof_atlas_read(r.profile, &r.atlas) != LS_OK)
        fail_msg("%s", ls_last_error());
    return r;
}

static void end(struct resolved *r)
{
    ndm_atlas_fini(&r->atlas);
    prof_close(r->profile);
    spool_fixture_fini(&fixture);
}

/* --- coordinates that the program would return --- */

static uint64_t tick(void)
{
    return main_thread.now_ns += 100;
}

struct wire {
    uint8_t bytes[WIRE_BYTES];
    size_t len;
};
static void put_wire(void *user, const void *bytes, size_t len_bytes)
{
    struct wire *w = user;
    assert_true(w->len + len_bytes <= sizeof(w->bytes));
    memcpy(w->bytes + w->len, bytes, len_bytes);
    w->len += len_bytes;
}

static uint32_t put_data(const struct wire *w)
{
    const size_t first = w->len / 3 & ~(size_t)7;
    const size_t begins[] = {0, first, w->len};
    last_data++;
    for (int i = 0; i < 2; i++) {
        const struct spool_domain_data r = {
            .time_ns = tick(), .total_bytes = w->len, .first_byte = begins[i], .data = last_data};
        assert_true(spool_put_domain_data(
            &main_thread.writer, r,
            (struct spool_text){w->bytes + begins[i], (uint32_t)(begins[i + 1] - begins[i])}));
    }
    return last_data;
}

static void report_domain(uint32_t number, const struct ndm_geometry *g)
{
    struct wire w = {.len = 0};
    ndm_geometry_put(g, put_wire, &w);
    const struct spool_domain r = {.domain = number, .data = put_data(&w), .time_ns = tick()};
    spool_put_domain(&main_thread.writer, r);
}

static void report_map(uint32_t number, uint32_t domain, const struct ndm_map *m)
{
    struct wire w = {.len = 0};
    ndm_map_put(m, put_wire, &w);
    const struct spool_map r = {.map = number, .domain = domain, .data = put_data(&w), .time_ns = tick()};
    spool_put_map(&main_thread.writer, r);
}

static void put_node_map(uint32_t node, uint32_t map)
{
    spool_put_node_map(&main_thread.writer, tick(), node, map);
}

static void report_node(uint32_t node, uint64_t base, uint64_t elements, const char *label)
{
    prof_fixture_node(
        &main_thread,
        (struct spool_node){
            .node = node, .base = base, .end = base + 8 * elements, .elem_size_bytes = 8, .dims = 1},
        label);
}

static struct ndm_geometry grid(const char *label, uint64_t nx, uint64_t ny)
{
    return (struct ndm_geometry){.kind = NDM_GRID,
                                 .label = (char *)(uintptr_t)label,
                                 .unit = "",
                                 .dims = 2,
                                 .axes = {"x", "y", "z"},
                                 .extents = {nx, ny, 1},
                                 .spacing = {1, 1, 1},
                                 .cells_len = nx * ny};
}

/* a[y][x] */
static const struct ndm_map x_fastest = {.kind = NDM_MAP_LAYOUT,
                                         .layout = {.order = NDM_X_FASTEST, .elements_per_cell = 1},
                                         .elements_per_entity = 1};

/* One burst with a load of each of these elements. */
static void touch(uint64_t base, const uint64_t *elements, size_t len, uint32_t latency)
{
    prof_fixture_burst_begin(&main_thread);
    for (size_t i = 0; i < len; i++)
        prof_fixture_access(&main_thread, base + 8 * elements[i], SPOOL_OP_LOAD, latency);
    prof_fixture_burst_end(&main_thread);
}

static void touch_one(uint64_t base, uint64_t element, uint32_t latency)
{
    touch(base, &element, 1, latency);
}

static const struct ndm_field *field(const struct resolved *r, const char *name)
{
    for (uint32_t i = 0; i < r->atlas.fields_len; i++)
        if (strcmp(r->atlas.fields[i].name, name) == 0) return &r->atlas.fields[i];
    fail_msg("no field %s", name);
    return NULL;
}

static double sum(const struct ndm_field *f, enum ndm_metric m)
{
    double all = 0;
    for (uint64_t i = 0; i < f->values_len; i++)
        all += f->values[m][i];
    return all;
}

/* --- tests --- */

static void samples_lie_where_their_elements_are(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("plate", NX, NY);
    report_node(1, ARRAY_A, CELLS, "A");
    report_node(2, ARRAY_B, CELLS, "B");
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    put_node_map(1, 1);
    put_node_map(2, 1);
    touch_one(ARRAY_A, 3 + 2 * NX, 305); /* (3, 2), from memory */
    touch_one(ARRAY_A, 3 + 2 * NX, 105); /* L3 */
    touch_one(ARRAY_B, 7 + 3 * NX, 5);
    touch_one(ARRAY_B, 5 + 2 * NX, 1000000); /* interrupted: counts as one from memory */
    struct resolved r = finish(0);
    assert_int_equal(r.atlas.domains_len, 1);
    assert_int_equal(r.atlas.fields_len, 3);
    const struct ndm_field *a = field(&r, "plate.A"), *b = field(&r, "plate.B"), *all = field(&r, "plate");
    assert_int_equal(a->mapped_len, 2);
    assert_int_equal(b->mapped_len, 2);
    assert_int_equal(all->mapped_len, 4);
    assert_true(b->values[NDM_LATENCY_MEAN][5 + 2 * NX] < 1000 &&
                b->values[NDM_LATENCY_MAX][5 + 2 * NX] < 1000);
    assert_int_equal(all->node, UINT32_MAX);
    const uint64_t hot = 3 + 2 * NX, cold = 7 + 3 * NX;
    assert_true(a->values[NDM_SAMPLES][hot] == 2 && all->values[NDM_SAMPLES][hot] == 2);
    assert_true(b->values[NDM_SAMPLES][cold] == 1 && a->values[NDM_SAMPLES][cold] == 0);
    assert_true(a->values[NDM_LATENCY_MEAN][hot] == 205 && a->values[NDM_LATENCY_MAX][hot] == 305);
    assert_true(isnan(a->values[NDM_LATENCY_MEAN][cold]));
    assert_true(a->values[NDM_LEVEL_L3][hot] == 0.5 && a->values[NDM_LEVEL_MEMORY][hot] == 0.5);
    assert_true(b->values[NDM_LEVEL_L1][cold] == 1);
    assert_int_equal(a->steps_len, 0);
    end(&r);
}

/* Stall and time of a node, as analysis has them for the report. */
static void report_of(const struct resolved *r, const char *label, double *stall_ns, double *time_ns)
{
    size_t nodes_len, bursts_len;
    struct an_input in;
    struct an_costs costs;
    const struct prof_node *nodes = prof_nodes(r->profile, &nodes_len);
    const struct prof_burst *bursts = prof_bursts(r->profile, &bursts_len);
    an_input_init(&in, prof_run_of(r->profile), bursts, bursts_len);
    assert_int_equal(prof_load_samples(r->profile, ~UINT64_C(0), &in.samples), LS_OK);
    assert_int_equal(an_costs_init(&costs, &in), LS_OK);
    *stall_ns = *time_ns = 0;
    for (uint64_t i = 0; i < in.samples.len; i++)
        if (strcmp(nodes[in.samples.node[i]].label, label) == 0) {
            *stall_ns += (double)costs.stall_ns[i];
            *time_ns += (double)costs.time_ns[i];
        }
    an_costs_fini(&costs);
}

static void a_field_sums_up_to_the_reports_figures(void **state)
{
    (void)state;
    double stall_ns, time_ns;
    uint64_t elements[13], seed = 1;
    begin();
    const struct ndm_geometry g = grid("plate", NX, NY);
    report_node(1, ARRAY_A, CELLS, "A");
    report_node(2, ARRAY_B, CELLS, "B");
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    put_node_map(1, 1);
    put_node_map(2, 1);
    for (int burst = 0; burst < 3000; burst++) {
        for (int i = 0; i < 13; i++)
            elements[i] = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 59;
        touch(burst % 3 ? ARRAY_A : ARRAY_B, elements, 1 + (size_t)(seed >> 33) % 13,
              burst % 7 ? (uint32_t)(seed >> 40) % 400 : 0);
    }
    struct resolved r = finish(0);
    const char *const labels[] = {"A", "B"};
    const struct ndm_field *fields[] = {field(&r, "plate.A"), field(&r, "plate.B")};
    double both_ns = 0;
    for (int i = 0; i < 2; i++) {
        report_of(&r, labels[i], &stall_ns, &time_ns);
        assert_true(stall_ns > 0 && fabs(sum(fields[i], NDM_STALL) / stall_ns - 1) < 1e-12);
        assert_true(time_ns > 0 && fabs(sum(fields[i], NDM_TIME) / time_ns - 1) < 1e-12);
        both_ns += stall_ns;
    }
    assert_true(fabs(sum(field(&r, "plate"), NDM_STALL) / both_ns - 1) < 1e-12);
    end(&r);
}

static void ghosts_and_padding_are_beside_the_field(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("inner", 4, 2);
    struct ndm_map m = x_fastest; /* 7 x 4 elements: a ghost layer around, one of padding */
    m.layout.ghost_low[0] = m.layout.ghost_low[1] = m.layout.ghost_high[0] = m.layout.ghost_high[1] = 1;
    m.layout.padded[0] = 7;
    report_node(1, ARRAY_A, 28, "A");
    report_domain(1, &g);
    report_map(1, 1, &m);
    put_node_map(1, 1);
    touch_one(ARRAY_A, 0, 300);         /* ghost */
    touch_one(ARRAY_A, 7 + 6, 300);     /* padding */
    touch_one(ARRAY_A, 7 + 1, 300);     /* (0, 0) */
    touch_one(ARRAY_A, 2 * 7 + 4, 300); /* (3, 1) */
    struct resolved r = finish(0);
    const struct ndm_field *a = field(&r, "inner.A");
    assert_int_equal(a->mapped_len, 2);
    assert_int_equal(a->outside_len, 2);
    assert_true(a->values[NDM_SAMPLES][0] == 1 && a->values[NDM_SAMPLES][3 + 4] == 1);
    end(&r);
}

static void a_map_holds_from_its_time_to_the_next(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("first", NX, NY), h = grid("second", NX, NY);
    report_node(1, ARRAY_A, CELLS, "A");
    report_domain(1, &g);
    report_domain(2, &h);
    report_map(1, 1, &x_fastest);
    report_map(2, 2, &x_fastest);
    touch_one(ARRAY_A, 1, 300); /* not mapped yet */
    put_node_map(1, 1);
    touch_one(ARRAY_A, 2, 300);
    put_node_map(1, 2);
    touch_one(ARRAY_A, 3, 300);
    put_node_map(1, 0);
    touch_one(ARRAY_A, 4, 300); /* no more */
    struct resolved r = finish(0);
    assert_int_equal(field(&r, "first.A")->mapped_len, 1);
    assert_int_equal(field(&r, "second.A")->mapped_len, 1);
    assert_true(field(&r, "first.A")->values[NDM_SAMPLES][2] == 1);
    assert_true(field(&r, "second.A")->values[NDM_SAMPLES][3] == 1);
    assert_true(field(&r, "second.A")->values[NDM_SAMPLES][4] == 0);
    end(&r);
}

static void a_mesh_gathers_at_targets_that_may_change(void **state)
{
    (void)state;
    double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const struct ndm_geometry g = {.kind = NDM_MESH,
                                   .label = "mesh",
                                   .unit = "m",
                                   .dims = 2,
                                   .axes = {"x", "y", "z"},
                                   .points_len = 4,
                                   .points = points,
                                   .extents = {1, 1, 1},
                                   .spacing = {1, 1, 1}};
    uint64_t targets[] = {3, 0, NDM_NOWHERE, 1};
    struct ndm_map m = {.kind = NDM_MAP_TARGETS,
                        .centering = NDM_POINTS,
                        .elements_per_entity = 2,
                        .targets_len = 4,
                        .targets = targets};
    (void)state;
    begin();
    report_node(1, ARRAY_A, 8, "edges");
    report_domain(1, &g);
    report_map(1, 1, &m);
    put_node_map(1, 1);
    touch_one(ARRAY_A, 1, 300); /* point 3 */
    touch_one(ARRAY_A, 5, 300); /* nowhere */
    targets[0] = 2;
    report_map(1, 1, &m);
    touch_one(ARRAY_A, 1, 300); /* now point 2 */
    struct resolved r = finish(0);
    const struct ndm_field *f = field(&r, "mesh.edges (points)");
    assert_int_equal(f->centering, NDM_POINTS);
    assert_int_equal(f->mapped_len, 2);
    assert_int_equal(f->outside_len, 1);
    assert_true(f->values[NDM_SAMPLES][3] == 1 && f->values[NDM_SAMPLES][2] == 1);
    end(&r);
}

/* Array A is mapped to a plate by a function of the program. */
static void begin_with_callback(void)
{
    const struct ndm_geometry g = grid("plate", NX, NY);
    const struct ndm_map m = {.kind = NDM_MAP_CALLBACK};
    begin();
    report_node(1, ARRAY_A, CELLS, "A");
    report_domain(1, &g);
    report_map(1, 1, &m);
    put_node_map(1, 1);
}

static void points_returned_late_find_their_access(void **state)
{
    (void)state;
    begin_with_callback();
    const uint64_t elements[] = {1, 2, 3};
    const uint64_t burst_ns = main_thread.now_ns + 1000; /* the fixture's clock */
    touch(ARRAY_A, elements, 3, 300);
    touch(ARRAY_A, elements, 3, 300); /* nodes without any map */
    const struct spool_point_row rows[] = {{.access = 0, .at = {5.5, 1.5, 0}},
                                           {.access = 2, .at = {-1, 0, 0}}}; /* outside */
    const struct spool_point p = {
        .time_ns = tick(), .burst_ns = burst_ns, .tid = FIXTURE_PID, .node = 1, .map = 1, .points_len = 2};
    assert_true(spool_put_points(&main_thread.writer, p, rows));
    struct resolved r = finish(0);
    const struct ndm_field *a = field(&r, "plate.A");
    assert_int_equal(a->mapped_len, 1);
    assert_int_equal(a->outside_len, 1);
    assert_true(a->values[NDM_SAMPLES][5 + NX] == 1);
    end(&r);
}

/* The reader of a ring may write a record of a later time first. */
static void a_sample_written_late_keeps_its_time(void **state)
{
    (void)state;
    begin_with_callback();
    const struct spool_sample sample = {
        .time_ns = tick(), .tid = FIXTURE_PID, .addr = ARRAY_A, .kind = SPOOL_SAMPLE_ACCESS};
    main_thread.now_ns += 10000;
    assert_true(spool_put_cost(&main_thread.writer, (struct spool_cost){.time_ns = tick()}));
    assert_true(spool_put_sample(&main_thread.writer, SPOOL_OP_LOAD, &sample));
    const struct spool_point_row rows[] = {{.access = 0, .at = {5.5, 1.5, 0}}};
    const struct spool_point p = {.time_ns = tick(),
                                  .burst_ns = sample.time_ns,
                                  .tid = FIXTURE_PID,
                                  .node = 1,
                                  .map = 1,
                                  .points_len = 1};
    assert_true(spool_put_points(&main_thread.writer, p, rows));
    struct resolved r = finish(0);
    assert_true(field(&r, "plate.A")->values[NDM_SAMPLES][5 + NX] == 1);
    end(&r);
}

static void phases_at_the_top_are_steps(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("plate", NX, NY);
    report_node(1, ARRAY_A, CELLS, "A");
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    put_node_map(1, 1);
    for (uint64_t i = 0; i < 3; i++) {
        spool_put_phase(&main_thread.writer, tick(), true, i < 2 ? "step" : "output");
        spool_put_phase(&main_thread.writer, tick(), true, "inner");
        touch_one(ARRAY_A, i, 300);
        spool_put_phase(&main_thread.writer, tick(), false, "inner");
        spool_put_phase(&main_thread.writer, tick(), false, i < 2 ? "step" : "output");
    }
    touch_one(ARRAY_A, 9, 300); /* in no step */
    struct resolved r = finish(0);
    const struct ndm_field *a = field(&r, "plate.A");
    assert_int_equal(a->steps_len, 3);
    assert_string_equal(a->step_labels[0], "step #1");
    assert_string_equal(a->step_labels[1], "step #2");
    assert_string_equal(a->step_labels[2], "output");
    assert_true(a->step_begin_s[0] < a->step_begin_s[1]);
    for (uint64_t s = 0; s < 3; s++)
        for (uint64_t i = 0; i < CELLS; i++)
            assert_true(a->step_values[NDM_SAMPLES][s * CELLS + i] == (i == s));
    assert_int_equal(a->mapped_len, 4);
    end(&r);
}

static void many_phases_are_joined_and_slices_asked_for_are_equal(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("plate", NX, NY);
    report_node(1, ARRAY_A, CELLS, "A");
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    put_node_map(1, 1);
    for (uint64_t i = 0; i < 1000; i++) {
        const char *name = i % 2 ? "move" : "force"; /* an iteration is both */
        spool_put_phase(&main_thread.writer, tick(), true, name);
        touch_one(ARRAY_A, i % CELLS, 300);
        spool_put_phase(&main_thread.writer, tick(), false, name);
    }
    struct resolved r = finish(0);
    const struct ndm_field *a = field(&r, "plate.A");
    double all = 0;
    assert_int_equal(a->steps_len, 167);
    assert_string_equal(a->step_labels[1], "force #4 .. move #6");
    for (uint64_t i = 0; i < 167 * CELLS; i++)
        all += a->step_values[NDM_SAMPLES][i];
    assert_true(all == 1000);
    ndm_atlas_fini(&r.atlas);
    prof_close(r.profile);
    r = finish(4);
    a = field(&r, "plate.A");
    assert_int_equal(a->steps_len, 4);
    end(&r);
}

static void a_large_grid_is_kept_in_larger_cells(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("huge", 1 << 16, 1 << 14);
    const uint64_t x = 40000, y = 12345;
    report_node(1, ARRAY_A, UINT64_C(1) << 30, "A");
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    put_node_map(1, 1);
    for (int i = 0; i < 2; i++) {
        spool_put_phase(&main_thread.writer, tick(), true, "step");
        if (i == 0) touch_one(ARRAY_A, x + y * (1 << 16), 300);
        spool_put_phase(&main_thread.writer, tick(), false, "step");
    }
    struct resolved r = finish(0);
    const struct ndm_geometry *kept = &r.atlas.domains[0];
    const struct ndm_field *a = field(&r, "huge.A");
    assert_true(kept->cells_len <= 1 << 21);
    const uint64_t block = (1 << 16) / kept->extents[0];
    assert_true(kept->spacing[0] == (double)block);
    assert_true(a->values[NDM_SAMPLES][x / block + y / block * kept->extents[0]] == 1);
    /* there were phases, but fields of this size have no steps, which is reported */
    size_t events_len, said = 0;
    const struct prof_event *events = prof_events(r.profile, &events_len);
    for (size_t i = 0; i < events_len; i++)
        said +=
            strcmp(events[i].kind, "NO_STEPS") == 0 && strstr(events[i].text, "fields on huge are") != NULL;
    assert_int_equal(a->steps_len, 0);
    assert_int_equal(said, 1);
    end(&r);
}

static void lives_of_one_label_are_one_field(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("plate", NX, NY);
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    for (uint32_t life = 1; life <= 3; life++) {
        report_node(life, life % 2 ? ARRAY_A : ARRAY_B, CELLS, "temporary");
        put_node_map(life, 1);
        touch_one(life % 2 ? ARRAY_A : ARRAY_B, life, 300);
        spool_put_node_remove(&main_thread.writer, tick(), life, 0);
    }
    struct resolved r = finish(0);
    assert_int_equal(r.atlas.fields_len, 2);
    assert_int_equal(field(&r, "plate.temporary")->mapped_len, 3);
    end(&r);
}

static void invalid_records_change_nothing(void **state)
{
    (void)state;
    begin();
    const struct ndm_geometry g = grid("plate", NX, NY);
    report_node(1, ARRAY_A, CELLS, "A");
    put_node_map(1, 7);           /* no such map */
    report_map(2, 5, &x_fastest); /* no such domain */
    put_node_map(99, 1);          /* no such node */
    struct wire junk = {.len = 64};
    memset(junk.bytes, 0xab, junk.len);
    const struct spool_domain bad = {.domain = 3, .data = put_data(&junk), .time_ns = tick()};
    spool_put_domain(&main_thread.writer, bad);
    report_domain(1, &g);
    report_map(1, 1, &x_fastest);
    put_node_map(1, 1);
    touch_one(ARRAY_A, 6, 300);
    struct resolved r = finish(0);
    assert_int_equal(r.atlas.domains_len, 1);
    assert_true(field(&r, "plate.A")->values[NDM_SAMPLES][6] == 1);
    size_t events_len;
    const struct prof_event *events = prof_events(r.profile, &events_len);
    uint64_t refused = 0;
    for (size_t i = 0; i < events_len; i++)
        if (strcmp(events[i].kind, "MAP_DAMAGED") == 0) refused += events[i].count;
    assert_int_equal(refused, 4);
    end(&r);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_where_their_elements_are),
        cmocka_unit_test(a_field_sums_up_to_the_reports_figures),
        cmocka_unit_test(ghosts_and_padding_are_beside_the_field),
        cmocka_unit_test(a_map_holds_from_its_time_to_the_next),
        cmocka_unit_test(a_mesh_gathers_at_targets_that_may_change),
        cmocka_unit_test(points_returned_late_find_their_access),
        cmocka_unit_test(a_sample_written_late_keeps_its_time),
        cmocka_unit_test(phases_at_the_top_are_steps),
        cmocka_unit_test(many_phases_are_joined_and_slices_asked_for_are_equal),
        cmocka_unit_test(a_large_grid_is_kept_in_larger_cells),
        cmocka_unit_test(lives_of_one_label_are_one_field),
        cmocka_unit_test(invalid_records_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
