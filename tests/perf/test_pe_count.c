/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting: memory controllers as made-up sysfs trees describe them, counters that a made-up kernel keeps,
 * and page faults of the running one. */
#include "perf/pe_count.h"
#include "tests/unit.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct root {
    char path[64];
};

static int begin(void **state)
{
    struct root *r = calloc(1, sizeof(*r));
    strcpy(r->path, "/tmp/loadstone-count-XXXXXX");
    *state = r;
    return mkdtemp(r->path) ? 0 : -1;
}

static int end(void **state)
{
    char command[128];
    struct root *r = *state;
    snprintf(command, sizeof(command), "rm -rf %s", r->path);
    const int status = system(command);
    free(r);
    return status;
}

/* "uncore_imc_0/events/x": its folders too. */
static void put(const struct root *r, const char *file, const char *content)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s", r->path, file);
    for (char *p = path + strlen(r->path) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(path, 0755);
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "%s\n", content);
    fclose(out);
}

static void put_server_controller(const struct root *r, const char *pmu, const char *type,
                                  const char *cpumask)
{
    static const char *const files[][2] = {{"events/cas_count_read", "event=0x04,umask=0x03"},
                                           {"events/cas_count_read.scale", "6.103515625e-5"},
                                           {"events/cas_count_read.unit", "MiB"},
                                           {"events/cas_count_write", "event=0x04,umask=0x0c"},
                                           {"events/cas_count_write.scale", "6.103515625e-5"},
                                           {"events/cas_count_write.unit", "MiB"},
                                           {"format/event", "config:0-7"},
                                           {"format/umask", "config:8-15"}};
    char file[96];
    snprintf(file, sizeof(file), "%s/type", pmu);
    put(r, file, type);
    snprintf(file, sizeof(file), "%s/cpumask", pmu);
    put(r, file, cpumask);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(file, sizeof(file), "%s/%s", pmu, files[i][0]);
        put(r, file, files[i][1]);
    }
}

/* Two controllers, two sockets: eight events of 64 bytes a count. */
static void servers_have_a_counter_for_each_controller_and_socket(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put_server_controller(r, "uncore_imc_0", "14", "0,18");
    put_server_controller(r, "uncore_imc_1", "15", "0,18");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 8);
    for (size_t i = 0; i < len; i++) {
        assert_int_equal(events[i].attr.type, i < 4 ? 14 : 15);
        assert_int_equal(events[i].attr.config, events[i].direction == PE_DIRECTION_WRITE ? 0x0c04 : 0x0304);
        assert_int_equal(events[i].cpu, i % 2 ? 18 : 0);
        assert_true(fabs(events[i].bytes - 64) < 1e-9);
    }
    free(events);
}

static void clients_count_by_free_running_counters_when_there_are_any(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put(r, "uncore_imc/type", "12");
    put(r, "uncore_imc/events/data_reads", "event=0x01");
    put(r, "uncore_imc_free_running_0/type", "13");
    put(r, "uncore_imc_free_running_0/cpumask", "0");
    put(r, "uncore_imc_free_running_0/format/event", "config:0-7");
    put(r, "uncore_imc_free_running_0/format/umask", "config:8-15");
    put(r, "uncore_imc_free_running_0/events/data_read", "event=0xff,umask=0x20");
    put(r, "uncore_imc_free_running_0/events/data_read.scale", "6.103515625e-5");
    put(r, "uncore_imc_free_running_0/events/data_read.unit", "MiB");
    put(r, "uncore_imc_free_running_0/events/data_write", "event=0xff,umask=0x30");
    put(r, "uncore_imc_free_running_0/events/data_write.scale", "6.103515625e-5");
    put(r, "uncore_imc_free_running_0/events/data_write.unit", "MiB");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 2);
    assert_int_equal(events[0].attr.type, 13);
    assert_int_equal(events[0].attr.config, 0x20ff);
    assert_int_equal(events[1].attr.config, 0x30ff);
    free(events);
}

static void amd_controllers_have_no_named_events(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put(r, "amd_umc_0/type", "20");
    put(r, "amd_umc_0/cpumask", "0");
    put(r, "amd_umc_0/format/event", "config:0-7");
    put(r, "amd_umc_0/format/rdwrmask", "config:8-9");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 2);
    assert_int_equal(events[0].attr.config, 0x10a);
    assert_int_equal(events[1].attr.config, 0x20a);
    assert_true(events[0].bytes == 64 && events[1].direction == PE_DIRECTION_WRITE);
    free(events);
}

/* Zen 1 to 3 count both directions together; the wider umask of Zen 4 separates them. */
static void amd_data_fabric_counts_where_there_are_no_controllers(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put(r, "amd_df/type", "21");
    put(r, "amd_df/cpumask", "0,64");
    put(r, "amd_df/format/event", "config:0-7,32-35,59-60");
    put(r, "amd_df/format/umask", "config:8-15");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 16);
    assert_int_equal(events[15].attr.config, 0x1000038c7);
    assert_int_equal(events[15].cpu, 64);
    for (size_t i = 0; i < len; i++)
        assert_true(events[i].direction == PE_DIRECTION_BOTH && events[i].bytes == 64);
    free(events);
    put(r, "amd_df/format/event", "config:0-7,32-37");
    put(r, "amd_df/format/umask", "config:8-15,24-27");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 48);
    assert_int_equal(events[0].direction, PE_DIRECTION_READ);
    assert_int_equal(events[0].attr.config, 0x0f00fe1f);
    assert_int_equal(events[2].attr.config, 0x0f00ff1f);
    assert_int_equal(events[2].direction, PE_DIRECTION_WRITE);
    free(events);
}

static void arm_and_power_count_what_sysfs_names(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put(r, "nest_mba5_imc/type", "40");
    put(r, "nest_mba5_imc/cpumask", "0,8");
    put(r, "nest_mba5_imc/format/event", "config:0-31");
    put(r, "nest_mba5_imc/events/PM_MBA5_READ_BYTES", "event=0x118");
    put(r, "nest_mba5_imc/events/PM_MBA5_READ_BYTES.scale", "64");
    put(r, "nest_mba5_imc/events/PM_MBA5_WRITE_BYTES", "event=0x120");
    put(r, "nest_mba5_imc/events/PM_MBA5_CLK_CYC", "event=0x110");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 4);
    assert_true(events[0].bytes == 64 && events[0].attr.config == 0x118 && events[1].cpu == 8);
    assert_true(events[2].bytes == 1 && events[2].direction == PE_DIRECTION_WRITE);
    free(events);
    put(r, "nvidia_scf_pmu_0/type", "30");
    put(r, "nvidia_scf_pmu_0/cpumask", "0");
    put(r, "nvidia_scf_pmu_0/format/event", "config:0-31");
    put(r, "nvidia_scf_pmu_0/events/cmem_rd_data", "event=0x1a5");
    put(r, "nvidia_scf_pmu_0/events/cmem_wr_total_bytes", "event=0x1db");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 2);
    assert_true(events[0].bytes == 32 && events[1].bytes == 1);
    free(events);
}

static void an_unknown_unit_is_an_error(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put_server_controller(r, "uncore_imc_0", "14", "0");
    put(r, "uncore_imc_0/events/cas_count_write.unit", "Furlongs");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "cas_count_write.unit has an unknown unit: 'Furlongs'"));
}

static void a_damaged_description_names_the_file(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len;
    put_server_controller(r, "uncore_imc_0", "14", "0;18");
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_ERR_FORMAT);
    assert_non_null(strstr(ls_last_error(), "uncore_imc_0"));
}

static void nothing_there_is_no_error(void **state)
{
    const struct root *r = *state;
    struct pe_traffic_event *events;
    size_t len = 9;
    assert_int_equal(pe_traffic_find(r->path, &events, &len), LS_OK);
    assert_int_equal(len, 0);
    free(events);
}

/* --- a kernel of our own: descriptor 100 + n counts 1000 n while it is on, and ran half of the time --- */

enum { FAKE_EVENTS = 256 };
static struct {
    struct perf_event_attr attr;
    int cpu, ons;
    bool is_open;
} fake[FAKE_EVENTS];
static unsigned fake_len;
static int fake_refuses_hardware; /* errno */

static long fake_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
    assert_int_equal(group_fd, -1);
    assert_true((pid == -1) == (cpu >= 0)); /* whole CPUs, or a thread anywhere */
    assert_true(fake_len < FAKE_EVENTS);
    if (fake_refuses_hardware && attr->type != PERF_TYPE_SOFTWARE) return -fake_refuses_hardware;
    fake[fake_len].attr = *attr;
    fake[fake_len].cpu = cpu;
    fake[fake_len].is_open = true;
    return 100 + (long)fake_len++;
}

static long fake_control(int fd, unsigned long request, unsigned long argument)
{
    (void)argument;
    fake[fd - 100].ons += request == PERF_EVENT_IOC_ENABLE;
    return 0;
}

static long fake_read(int fd, void *out, size_t len_bytes)
{
    const uint64_t ons = (uint64_t)fake[fd - 100].ons;
    const uint64_t words[3] = {1000 * ons, 2000000 * ons, 1000000 * ons};
    assert_int_equal(len_bytes, sizeof(words));
    memcpy(out, words, sizeof(words));
    return (long)len_bytes;
}

static long fake_close(int fd)
{
    assert_true(fake[fd - 100].is_open);
    fake[fd - 100].is_open = false;
    return 0;
}

static const struct pe_kernel fake_kernel = {
    .open = fake_open, .control = fake_control, .read = fake_read, .close = fake_close};

static void counts_of_all_controllers_are_added_and_scaled(void **state)
{
    const struct root *r = *state;
    pe_counter *c;
    struct pe_tally counts;
    fake_len = 0;
    fake_refuses_hardware = 0;
    memset(fake, 0, sizeof(fake));
    put_server_controller(r, "uncore_imc_0", "14", "0,18");
    put_server_controller(r, "uncore_imc_1", "15", "0,18");
    assert_int_equal(pe_counter_new(&fake_kernel, r->path, &c), LS_OK);
    assert_null(pe_counter_why_not(c, PE_COUNT_CORE));
    assert_null(pe_counter_why_not(c, PE_COUNT_TRAFFIC));
    for (int round = 0; round < 2; round++) { /* a second start begins at zero */
        pe_counter_start(c);
        pe_counter_stop(c, &counts);
        assert_true(counts.values[PE_COUNT_CYCLES] == 2000); /* one thread, on half of the time */
        assert_true(fabs(counts.values[PE_COUNT_READ_BYTES] - 4 * 2000 * 64.0) < 1e-6);
        assert_true(fabs(counts.values[PE_COUNT_WRITE_BYTES] - 4 * 2000 * 64.0) < 1e-6);
    }
    pe_counter_free(c);
    for (unsigned i = 0; i < fake_len; i++) {
        assert_false(fake[i].is_open);
        assert_true(fake[i].attr.disabled);
        assert_int_equal(fake[i].attr.inherit, fake[i].cpu < 0);
    }
}

static void what_is_refused_is_missing_and_said(void **state)
{
    static const struct {
        int error;
        const char *says;
    } cases[] = {{ENOENT, "virtual machine"}, {EACCES, "perf_event_paranoid"}, {EPERM, "--cap-add PERFMON"}};
    const struct root *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pe_counter *c;
        struct pe_tally counts;
        fake_len = 0;
        fake_refuses_hardware = cases[i].error;
        memset(fake, 0, sizeof(fake));
        assert_int_equal(pe_counter_new(&fake_kernel, r->path, &c), LS_OK);
        assert_non_null(strstr(pe_counter_why_not(c, PE_COUNT_CORE), cases[i].says));
        assert_non_null(strstr(pe_counter_why_not(c, PE_COUNT_TRAFFIC), "no counters of memory controllers"));
        assert_null(pe_counter_why_not(c, PE_COUNT_SOFTWARE));
        pe_counter_start(c);
        pe_counter_stop(c, &counts);
        assert_true(isnan(counts.values[PE_COUNT_CYCLES]) && isnan(counts.values[PE_COUNT_READ_BYTES]));
        assert_true(counts.values[PE_COUNT_FAULTS] == 2000);
        pe_counter_free(c);
    }
}

static void the_running_kernel_counts_page_faults(void **state)
{
    enum { PAGES = 300 };
    const struct root *r = *state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pe_counter *c;
    struct pe_tally counts;
    assert_int_equal(pe_counter_new(NULL, r->path, &c), LS_OK);
    if (pe_counter_why_not(c, PE_COUNT_SOFTWARE)) {
        printf("skipped: %s\n", pe_counter_why_not(c, PE_COUNT_SOFTWARE));
        pe_counter_free(c);
        skip();
    }
    volatile char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    madvise((void *)p, PAGES * page, MADV_NOHUGEPAGE);
    pe_counter_start(c);
    for (int i = 0; i < PAGES; i++)
        p[(size_t)i * page] = 1;
    pe_counter_stop(c, &counts);
    for (int i = 0; i < PAGES; i++)
        p[(size_t)i * page] = 2; /* after the stop */
    assert_in_range((uint64_t)counts.values[PE_COUNT_FAULTS], PAGES, PAGES + 20);
    munmap((void *)p, PAGES * page);
    pe_counter_free(c);
}

UNIT_GROUP()
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(servers_have_a_counter_for_each_controller_and_socket),
        TEST(clients_count_by_free_running_counters_when_there_are_any),
        TEST(amd_controllers_have_no_named_events),
        TEST(amd_data_fabric_counts_where_there_are_no_controllers),
        TEST(arm_and_power_count_what_sysfs_names),
        TEST(an_unknown_unit_is_an_error),
        TEST(a_damaged_description_names_the_file),
        TEST(nothing_there_is_no_error),
        TEST(counts_of_all_controllers_are_added_and_scaled),
        TEST(what_is_refused_is_missing_and_said),
        TEST(the_running_kernel_counts_page_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
