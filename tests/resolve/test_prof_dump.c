/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a program to resolve, and records beside the samples. */
#include "resolve/prof_resolve.h"
#include "run_h5/prof_reader.h"
#include "tests/resolve/prof_fixture.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct recording {
    struct spool_fixture f;
    struct prof_fixture_thread t;
    char run_path[400], dump_path[400];
    struct prof_resolve_stats stats;
};

static void begin(struct recording *r)
{
    memset(r, 0, sizeof(*r));
    spool_fixture_init(&r->f);
    snprintf(r->run_path, sizeof(r->run_path), "%s/run.h5", r->f.root);
    snprintf(r->dump_path, sizeof(r->dump_path), "%s/all, samples.csv", r->f.root);
    r->t.now_ns = FIXTURE_START_NS;
    spool_fixture_open(&r->f, &r->t.writer, FIXTURE_PID, 0, FIXTURE_PID);
    prof_fixture_process(&r->t, FIXTURE_PID, "app");
    prof_fixture_maps(&r->t, fixture_maps);
}

static void resolve(struct recording *r, int force)
{
    const struct mach_calibration calibration = fixture_calibration();
    const struct prof_resolve_options options = {.spool_dir = r->f.spool,
                                                 .output_path = r->run_path,
                                                 .force = force,
                                                 .command = "app",
                                                 .calibration = &calibration};
    if (prof_resolve(&options, &r->stats) != LS_OK) fail_msg("%s", ls_last_error());
}

static struct spool_dump grid(const struct recording *r, uint32_t nx, uint32_t ny, uint32_t nz)
{
    return (struct spool_dump){.time_ns = r->t.now_ns, .extents = {nx, ny, nz}};
}

/* Elements are 80 bytes: element 7 of a 3 x 2 x 2 grid is at 1, 0, 1. */
static void load_element(struct recording *r, uint64_t element, uint32_t latency_cycles)
{
    prof_fixture_load(&r->t, FIXTURE_OTHER + 80 * element, latency_cycles);
}

static char *read_dump(const struct recording *r)
{
    size_t len;
    uint8_t *bytes = fixture_read_file(r->dump_path, &len);
    char *text = calloc(len + 1, 1);
    memcpy(text, bytes, len);
    free(bytes);
    return text;
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void dump_has_the_samples_up_to_its_request(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    prof_fixture_node(
        &r.t,
        (struct spool_node){
            .node = 1, .base = FIXTURE_OTHER, .end = FIXTURE_OTHER + 8000, .elem_size_bytes = 80, .dims = 10},
        "say \"A\", B");
    load_element(&r, 7, 320);
    load_element(&r, 50, 12); /* outside of the grid */
    spool_put_dump(&r.t.writer, grid(&r, 3, 2, 2), r.dump_path);
    load_element(&r, 1, 320); /* later than the request */
    spool_writer_close(&r.t.writer);
    resolve(&r, 0);
    assert_int_equal(r.stats.dumps, 1);
    assert_int_equal(r.stats.dumps_failed, 0);
    char *text = read_dump(&r);
    assert_int_equal(lines_of(text), 3);
    assert_int_equal(
        strncmp(text,
                "variable,source,line,time,iter,latency,dataSource,cpu,node,index,map3D,xidx,yidx,zidx\n",
                86),
        0);
    assert_non_null(strstr(text, "\nsay  A   B,??,0,"));
    assert_non_null(strstr(text, ",0,320,a,1,0,7,1,1,0,1\n"));
    assert_non_null(strstr(text, ",0,12,3,1,0,50,0,0,0,0\n"));
    free(text);
    /* an existing file is kept without force */
    unlink(r.run_path);
    resolve(&r, 0);
    assert_int_equal(r.stats.dumps_failed, 1);
    assert_non_null(strstr(ls_last_error(), "--force"));
    resolve(&r, 1);
    assert_int_equal(r.stats.dumps, 1);
    spool_fixture_fini(&r.f);
}

static void threshold_leaves_fast_loads_out(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    load_element(&r, 0, 12);
    load_element(&r, 1, 320);
    load_element(&r, 2, 0); /* not measured */
    spool_put_setting(&r.t.writer, r.t.now_ns, "threshold=100");
    spool_put_dump(&r.t.writer, grid(&r, 0, 0, 0), r.dump_path);
    spool_writer_close(&r.t.writer);
    resolve(&r, 0);
    char *text = read_dump(&r);
    assert_int_equal(lines_of(text), 2);
    assert_non_null(strstr(text, ",320,a,"));
    free(text);
    prof_profile *p;
    size_t len, settings = 0;
    assert_int_equal(prof_open(r.run_path, &p), LS_OK);
    const struct prof_event *events = prof_events(p, &len);
    for (size_t i = 0; i < len; i++)
        settings += strcmp(events[i].kind, "SETTING") == 0 && strcmp(events[i].text, "threshold=100") == 0;
    assert_int_equal(settings, 1);
    prof_close(p);
    spool_fixture_fini(&r.f);
}

static void a_path_that_cannot_be_written_has_no_other_effect(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    load_element(&r, 0, 12);
    spool_put_dump(&r.t.writer, grid(&r, 0, 0, 0), "/no/such/directory/all.csv");
    spool_writer_close(&r.t.writer);
    resolve(&r, 0);
    assert_int_equal(r.stats.dumps_failed, 1);
    assert_non_null(strstr(ls_last_error(), "/no/such/directory/all.csv"));
    prof_profile *p;
    assert_int_equal(prof_open(r.run_path, &p), LS_OK);
    prof_close(p);
    spool_fixture_fini(&r.f);
}

static void series_contain_recorded_values_by_time(void **state)
{
    struct recording r;
    (void)state;
    begin(&r);
    for (uint64_t i = 0; i < 3; i++)
        spool_put_resources(&r.t.writer, (struct spool_resources){.time_ns = r.t.now_ns + 10 * i,
                                                                  .resident_bytes = 4096 * (i + 1),
                                                                  .minor_faults = 7 * i,
                                                                  .major_faults = i});
    spool_writer_close(&r.t.writer);
    resolve(&r, 0);
    prof_profile *p;
    size_t resident_len, minor_len, major_len;
    assert_int_equal(prof_open(r.run_path, &p), LS_OK);
    const struct prof_point *resident = prof_resident_bytes(p, &resident_len);
    const struct prof_point *minor = prof_minor_faults(p, &minor_len);
    const struct prof_point *major = prof_major_faults(p, &major_len);
    assert_true(resident_len == 3 && minor_len == 3 && major_len == 3);
    assert_true(resident[2].value == 3 * 4096 && minor[2].value == 14 && major[2].value == 2);
    assert_true(resident[1].time_ns == resident[0].time_ns + 10);
    assert_int_equal(minor[0].process, 0);
    prof_close(p);
    spool_fixture_fini(&r.f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dump_has_the_samples_up_to_its_request),
        cmocka_unit_test(threshold_leaves_fast_loads_out),
        cmocka_unit_test(a_path_that_cannot_be_written_has_no_other_effect),
        cmocka_unit_test(series_contain_recorded_values_by_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
