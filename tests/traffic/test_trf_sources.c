/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of counters on made-up trees of files, a made-up kernel and a made-up library: the counters that
 * they find, and the effect of each error on a series. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit.h"
#include "traffic/trf_native.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POINTS_MAX = 64 };

/* A tree of files, and a sampler's readings of it. */
struct fixture {
    char path[64];
    struct trf_machine machine;
    struct trf_request request;
    struct trf_point points[POINTS_MAX];
    size_t points_len;
    char notes[2048];
    trf_sampler *sampler;
};

static int begin(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    strcpy(f->path, "/tmp/loadstone-series-XXXXXX");
    *state = f;
    if (!mkdtemp(f->path)) return -1;
    f->machine.sys_root = f->path;
    return 0;
}

static int end(void **state)
{
    char command[128];
    struct fixture *f = *state;
    trf_sampler_free(f->sampler);
    snprintf(command, sizeof(command), "rm -rf %s", f->path);
    const int status = system(command);
    free(f);
    return status;
}

/* A file and its folders. A file that is there is changed in place, as the kernel changes its own. */
static void put(const struct fixture *f, const char *file, const char *content)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", f->path, file);
    for (char *p = path + strlen(f->path) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(path, 0755);
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    if (*content) fprintf(out, "%s\n", content);
    fclose(out);
}

static void take_point(void *user, const struct trf_point *p)
{
    struct fixture *f = user;
    assert_true(f->points_len < POINTS_MAX);
    f->points[f->points_len++] = *p;
}

static void take_note(void *user, const char *text)
{
    struct fixture *f = user;
    strncat(f->notes, text, sizeof(f->notes) - strlen(f->notes) - 1);
}

static ls_err open_series(struct fixture *f, const char *request)
{
    const struct trf_use use = {.point = take_point, .note = take_note, .user = f};
    assert_int_equal(trf_request_parse(request, &f->request), LS_OK);
    return trf_sampler_new(&f->machine, &f->request, &use, &f->sampler);
}

/* Find the row of a series by its name. */
static uint32_t series(const struct fixture *f, const char *name)
{
    size_t len;
    const struct trf_series *rows = trf_sampler_series(f->sampler, &len);
    for (size_t i = 0; i < len; i++)
        if (strcmp(rows[i].counter.name, name) == 0) return (uint32_t)i;
    print_message("no series '%s' among %zu\n", name, len);
    fail();
    return 0;
}

static size_t series_len(const struct fixture *f)
{
    size_t len;
    trf_sampler_series(f->sampler, &len);
    return len;
}

/* Return the last point of a series. */
static const struct trf_point *last(const struct fixture *f, const char *name)
{
    const uint32_t row = series(f, name);
    for (size_t i = f->points_len; i-- > 0;)
        if (f->points[i].series == row) return &f->points[i];
    print_message("no point of '%s'\n", name);
    fail();
    return NULL;
}

static void put_net(const struct fixture *f, const char *interface, const char *received, const char *sent)
{
    char file[96];
    snprintf(file, sizeof(file), "class/net/%s/statistics/rx_bytes", interface);
    put(f, file, received);
    snprintf(file, sizeof(file), "class/net/%s/statistics/tx_bytes", interface);
    put(f, file, sent);
}

/* ---- requests ---- */

static void a_request_names_groups_sources_and_metrics(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(trf_request_parse("net,pcp:a.b,powercap,pcp:c", &f->request), LS_OK);
    for (size_t i = 0; trf_sources[i]; i++) {
        const char *name = trf_sources[i]->name;
        assert_int_equal(f->request.by_group[i], strcmp(name, "net") == 0 || strcmp(name, "infiniband") == 0);
        assert_int_equal(f->request.by_name[i], strcmp(name, "pcp") == 0 || strcmp(name, "powercap") == 0);
    }
    assert_string_equal(f->request.metrics[0], "a.b");
    assert_string_equal(f->request.metrics[1], "c");
    assert_null(f->request.metrics[2]);
}

static void a_bad_request_is_refused_with_the_names(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = {"trafic", "net,", "", "net:eth0", "pcp", "pcp:", "traffic:x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(trf_request_parse(bad[i], &f->request), LS_ERR_USAGE);
        assert_non_null(strstr(ls_last_error(), "--series: "));
    }
    assert_int_equal(trf_request_parse("trafic", &f->request), LS_ERR_USAGE);
    assert_non_null(strstr(ls_last_error(), "no series 'trafic'; there are traffic, net, power, perf, "));
}

/* ---- files ---- */

static void interfaces_count_received_and_sent_bytes(void **state)
{
    struct fixture *f = *state;
    put_net(f, "lo", "5", "5");
    put_net(f, "eth0", "1000", "50");
    put(f, "class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "10");
    put(f, "class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "20");
    assert_int_equal(open_series(f, "net"), LS_OK);
    assert_int_equal(series_len(f), 4);
    trf_sampler_read(f->sampler);
    assert_int_equal(f->points_len, 0);
    put_net(f, "eth0", "1500", "50");
    put(f, "class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "13");
    trf_sampler_read(f->sampler);
    assert_int_equal(f->points_len, 4);
    assert_true(last(f, "eth0 received")->value == 500 && last(f, "eth0 sent")->value == 0);
    assert_true(last(f, "mlx5_0 port 1 received")->value == 12); /* words of four bytes */
    assert_true(last(f, "eth0 sent")->end_ns > last(f, "eth0 sent")->begin_ns);
    assert_string_equal(f->notes, "");
}

static void virtual_interfaces_count_only_where_there_is_no_hardware(void **state)
{
    struct fixture *f = *state;
    put_net(f, "eth0", "1", "1");
    put_net(f, "docker0", "1", "1");
    put(f, "class/net/eth0/device", "");
    assert_int_equal(open_series(f, "net"), LS_OK);
    assert_int_equal(series_len(f), 2);
    series(f, "eth0 sent");
    assert_string_equal(f->notes, ""); /* the group has a source */
}

static void a_device_that_disappears_is_a_gap_until_it_is_back(void **state)
{
    struct fixture *f = *state;
    put_net(f, "eth0", "100", "0");
    assert_int_equal(open_series(f, "net"), LS_OK);
    trf_sampler_read(f->sampler);
    put_net(f, "eth0", "", "0"); /* an empty file: the device is gone */
    trf_sampler_read(f->sampler);
    trf_sampler_read(f->sampler);
    assert_int_equal(f->points_len, 2); /* the total sent by eth0 */
    put_net(f, "eth0", "700", "0");
    trf_sampler_read(f->sampler);
    put_net(f, "eth0", "750", "0");
    trf_sampler_read(f->sampler);
    const uint32_t row = series(f, "eth0 received");
    const struct trf_point *of[POINTS_MAX];
    size_t len = 0;
    for (size_t i = 0; i < f->points_len; i++)
        if (f->points[i].series == row) of[len++] = &f->points[i];
    assert_int_equal(len, 2); /* one gap of three intervals, and a value */
    assert_true(of[0]->gap == LS_GAP_GONE && isnan(of[0]->value));
    assert_true(of[1]->gap == LS_GAP_NONE && of[1]->value == 50);
    assert_true(of[0]->end_ns == of[1]->begin_ns);
}

static void a_gap_that_lasts_is_closed_at_the_end(void **state)
{
    struct fixture *f = *state;
    put_net(f, "eth0", "100", "0");
    assert_int_equal(open_series(f, "net"), LS_OK);
    trf_sampler_read(f->sampler);
    put_net(f, "eth0", "nonsense", "0");
    trf_sampler_read(f->sampler);
    assert_int_equal(f->points_len, 1);
    trf_sampler_finish(f->sampler);
    assert_int_equal(last(f, "eth0 received")->gap, LS_GAP_UNREADABLE);
    trf_sampler_finish(f->sampler);
    assert_int_equal(f->points_len, 2);
}

static void a_removed_file_that_was_never_open_is_a_gap(void **state)
{
    struct fixture *f = *state;
    char command[128];
    put_net(f, "eth0", "", "");
    assert_int_equal(open_series(f, "net"), LS_OK);
    snprintf(command, sizeof(command), "rm -r %s/class/net/eth0", f->path);
    assert_int_equal(system(command), 0);
    trf_sampler_read(f->sampler);
    trf_sampler_read(f->sampler);
    trf_sampler_finish(f->sampler);
    assert_int_equal(last(f, "eth0 sent")->gap, LS_GAP_GONE);
}

static void a_counter_that_goes_backwards_is_a_gap(void **state)
{
    struct fixture *f = *state;
    put_net(f, "eth0", "4000000000", "0");
    assert_int_equal(open_series(f, "net"), LS_OK);
    trf_sampler_read(f->sampler);
    put_net(f, "eth0", "10", "0");
    trf_sampler_read(f->sampler);
    put_net(f, "eth0", "30", "0");
    trf_sampler_read(f->sampler);
    assert_true(last(f, "eth0 received")->value == 20);
    assert_true(f->points_len == 4);
    assert_int_equal(f->points[1].gap + f->points[2].gap, LS_GAP_RESET);
}

static void put_zone(const struct fixture *f, const char *zone, const char *name, const char *energy)
{
    char file[96];
    snprintf(file, sizeof(file), "class/powercap/%s/name", zone);
    put(f, file, name);
    snprintf(file, sizeof(file), "class/powercap/%s/energy_uj", zone);
    put(f, file, energy);
    snprintf(file, sizeof(file), "class/powercap/%s/max_energy_range_uj", zone);
    put(f, file, "262143328850");
}

static void energy_goes_on_where_its_range_ends(void **state)
{
    struct fixture *f = *state;
    put_zone(f, "intel-rapl:0", "package-0", "262143000000");
    put_zone(f, "intel-rapl:0:1", "dram", "5000000");
    put_zone(f, "intel-rapl-mmio:0", "package-0", "1");
    assert_int_equal(open_series(f, "power"), LS_OK);
    assert_int_equal(series_len(f), 2);
    trf_sampler_read(f->sampler);
    put_zone(f, "intel-rapl:0", "package-0", "671150");
    put_zone(f, "intel-rapl:0:1", "dram", "7500000");
    trf_sampler_read(f->sampler);
    assert_true(fabs(last(f, "package-0")->value - 1) < 1e-9);
    assert_true(fabs(last(f, "package-0 dram")->value - 2.5) < 1e-9);
}

/* Read as another user if the tests run as root, because root can read everything. */
static void a_file_without_permission_is_noted_with_the_remedy(void **state)
{
    struct fixture *f = *state;
    char path[128];
    put_zone(f, "intel-rapl:0", "package-0", "1");
    snprintf(path, sizeof(path), "%s/class/powercap/intel-rapl:0/energy_uj", f->path);
    chmod(path, 0);
    const bool is_root = geteuid() == 0;
    if (is_root) {
        chmod(f->path, 0755);
        assert_int_equal(seteuid(65534), 0);
    }
    const ls_err err = open_series(f, "power");
    if (is_root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(err, LS_OK);
    assert_int_equal(series_len(f), 0);
    assert_non_null(strstr(f->notes, "energy_uj may not be read: run as root, or chmod a+r"));
}

static void bandwidth_groups_are_sums_over_caches(void **state)
{
    struct fixture *f = *state;
    put(f, "fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "100");
    put(f, "fs/resctrl/mon_data/mon_L3_01/mbm_total_bytes", "200");
    put(f, "fs/resctrl/mon_data/mon_L3_00/mbm_local_bytes", "60");
    put(f, "fs/resctrl/mon_groups/job/mon_data/mon_L3_00/mbm_total_bytes", "Unassigned");
    assert_int_equal(open_series(f, "resctrl"), LS_OK);
    assert_int_equal(series_len(f), 3);
    trf_sampler_read(f->sampler);
    put(f, "fs/resctrl/mon_data/mon_L3_00/mbm_total_bytes", "164");
    put(f, "fs/resctrl/mon_data/mon_L3_01/mbm_total_bytes", "264");
    trf_sampler_read(f->sampler);
    assert_true(last(f, "default moved")->value == 128);
    assert_true(last(f, "default moved, local")->value == 0);
    put(f, "fs/resctrl/mon_data/mon_L3_01/mbm_total_bytes", "Unavailable");
    trf_sampler_read(f->sampler);
    trf_sampler_finish(f->sampler);
    assert_int_equal(last(f, "mon_groups/job moved")->gap, LS_GAP_UNASSIGNED);
    assert_int_equal(last(f, "default moved")->gap, LS_GAP_UNASSIGNED);
}

static void sources_that_are_not_here_are_noted_and_the_others_go_on(void **state)
{
    struct fixture *f = *state;
    put_net(f, "eth0", "1", "1");
    f->machine.nvml_library = "libno-such-nvml.so.1";
    assert_int_equal(open_series(f, "traffic,net,power"), LS_OK);
    assert_int_equal(series_len(f), 2);
    static const char *const notes[] = {"series perf: no counters of memory controllers",
                                        "series resctrl: ", "mount -t resctrl",

                                        "series powercap: ", "series nvml: libno-such-nvml.so.1 is not here"};
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
        if (!strstr(f->notes, notes[i])) fail_msg("no note '%s' in: %s", notes[i], f->notes);
}

static void gpus_have_energy_or_power(void **state)
{
    struct fixture *f = *state;
    const char *build = getenv("top_builddir");
    char library[512];
    snprintf(library, sizeof(library), "%s/tests/traffic/.libs/fake_nvml.so", build ? build : ".");
    f->machine.nvml_library = library;
    assert_int_equal(open_series(f, "nvml"), LS_OK);
    if (*f->notes) print_message("%s\n", f->notes);
    assert_int_equal(series_len(f), 11);
    const struct timespec renewed = {.tv_nsec = 101000000};
    trf_sampler_read(f->sampler);
    nanosleep(&renewed, NULL);
    trf_sampler_read(f->sampler);
    const size_t points = f->points_len;
    trf_sampler_read(f->sampler); /* too soon: nothing is read */
    assert_int_equal(f->points_len, points);
    assert_true(last(f, "GPU 0 busy")->value == 90);
    assert_true(last(f, "GPU 0 memory used")->value == 30);
    assert_true(last(f, "GPU 0 memory bandwidth used")->value == 10);
    assert_true(last(f, "GPU 0 PCIe received")->value == 21 * 1048576.0);
    assert_true(fabs(last(f, "GPU 0 energy")->value - 1) < 1e-9);
    assert_true(fabs(last(f, "GPU 1 power")->value - 250.5) < 1e-9);
    assert_true(last(f, "GPU 1 memory busy")->value == 40);
    setenv("FAKE_NVML_LOST", "1", 1);
    nanosleep(&renewed, NULL);
    trf_sampler_read(f->sampler);
    trf_sampler_finish(f->sampler);
    unsetenv("FAKE_NVML_LOST");
    assert_int_equal(last(f, "GPU 0 energy")->gap, LS_GAP_GONE);
    assert_int_equal(last(f, "GPU 0 memory bandwidth used")->gap, LS_GAP_GONE);
    assert_int_equal(last(f, "GPU 0 PCIe sent")->gap, LS_GAP_UNREADABLE);
    assert_int_equal(last(f, "GPU 1 power")->gap, LS_GAP_NONE);
}

/* ---- memory controllers, on a kernel of our own ---- */

enum { FAKE_EVENTS = 16 };
static struct {
    int cpu;
    uint64_t config;
    uint64_t value, enabled_ns, running_ns;
    bool is_offline;
} fake[FAKE_EVENTS];
static int fake_len, fake_errno;

static long fake_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
    assert_int_equal(pid, -1);
    assert_int_equal(group_fd, -1);
    if (fake_errno) return -fake_errno;
    assert_true(fake_len < FAKE_EVENTS);
    fake[fake_len].cpu = cpu;
    fake[fake_len].config = attr->config;
    return 100 + fake_len++;
}

static long fake_read(int fd, void *out, size_t len_bytes)
{
    const uint64_t count[3] = {fake[fd - 100].value, fake[fd - 100].enabled_ns, fake[fd - 100].running_ns};
    if (fake[fd - 100].is_offline) return 0;
    assert_int_equal(len_bytes, sizeof(count));
    memcpy(out, count, sizeof(count));
    return sizeof(count);
}

static long fake_close(int fd)
{
    assert_true(fd >= 100 && fd < 100 + fake_len);
    return 0;
}

static const struct pe_kernel fake_kernel = {.open = fake_open, .read = fake_read, .close = fake_close};

/* Each event was enabled for a second, and had a hardware counter for half of it. */
static void fake_second(uint64_t counts)
{
    for (int i = 0; i < fake_len; i++) {
        fake[i].value += counts;
        fake[i].enabled_ns += 1000000000;
        fake[i].running_ns += 500000000;
    }
}

static void put_controllers(struct fixture *f)
{
    static const char *const pmus[] = {"uncore_imc_0", "uncore_imc_1"};
    char file[96];
    for (int p = 0; p < 2; p++) {
        static const char *const files[][2] = {{"type", "14"},
                                               {"cpumask", "0,18"},
                                               {"format/event", "config:0-7"},
                                               {"format/umask", "config:8-15"},
                                               {"events/cas_count_read", "event=0x04,umask=0x03"},
                                               {"events/cas_count_read.scale", "6.103515625e-5"},
                                               {"events/cas_count_read.unit", "MiB"},
                                               {"events/cas_count_write", "event=0x04,umask=0x0c"}};
        for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
            snprintf(file, sizeof(file), "bus/event_source/devices/%s/%s", pmus[p], files[i][0]);
            put(f, file, files[i][1]);
        }
    }
    put(f, "devices/system/cpu/cpu0/topology/physical_package_id", "0");
    put(f, "devices/system/cpu/cpu18/topology/physical_package_id", "1");
    memset(fake, 0, sizeof(fake));
    fake_len = fake_errno = 0;
    f->machine.kernel = &fake_kernel;
}

static void controllers_are_summed_by_package(void **state)
{
    struct fixture *f = *state;
    put_controllers(f);
    assert_int_equal(open_series(f, "perf"), LS_OK);
    assert_int_equal(series_len(f), 4);
    assert_int_equal(fake_len, 8);
    fake_second(1000);
    trf_sampler_read(f->sampler);
    fake_second(10);
    trf_sampler_read(f->sampler);
    /* two controllers, 64 bytes a count, doubled because they counted for half of the time */
    assert_true(last(f, "package 0 read")->value == 2 * 10 * 64 * 2);
    assert_true(last(f, "package 1 written")->value == 2 * 10 * 64 * 2);
}

static void a_cpu_that_goes_offline_is_a_gap_of_its_package(void **state)
{
    struct fixture *f = *state;
    put_controllers(f);
    assert_int_equal(open_series(f, "perf"), LS_OK);
    fake_second(1);
    trf_sampler_read(f->sampler);
    for (int i = 0; i < fake_len; i++)
        fake[i].is_offline = fake[i].cpu == 18;
    fake_second(1);
    trf_sampler_read(f->sampler);
    for (int i = 0; i < fake_len; i++)
        fake[i].is_offline = false;
    fake_second(1);
    trf_sampler_read(f->sampler);
    trf_sampler_finish(f->sampler);
    assert_int_equal(last(f, "package 1 read")->gap, LS_GAP_GONE);
    assert_true(last(f, "package 0 read")->value == 256);
    fake_second(1);
    trf_sampler_read(f->sampler);
    assert_true(last(f, "package 1 read")->value == 256);
    trf_sampler_read(f->sampler); /* both readings at the same time */
    trf_sampler_finish(f->sampler);
    assert_int_equal(last(f, "package 0 read")->gap, LS_GAP_GONE);
}

static void an_event_without_a_counter_is_a_gap(void **state)
{
    struct fixture *f = *state;
    put_controllers(f);
    assert_int_equal(open_series(f, "perf"), LS_OK);
    fake_second(1);
    trf_sampler_read(f->sampler);
    for (int i = 0; i < fake_len; i++)
        fake[i].enabled_ns += 1000;
    trf_sampler_read(f->sampler);
    trf_sampler_finish(f->sampler);
    assert_int_equal(last(f, "package 0 written")->gap, LS_GAP_UNASSIGNED);
}

static void controllers_that_are_refused_or_unknown_are_noted(void **state)
{
    struct fixture *f = *state;
    put_controllers(f);
    fake_errno = EACCES;
    assert_int_equal(open_series(f, "perf"), LS_OK);
    assert_int_equal(series_len(f), 0);
    assert_non_null(strstr(f->notes, "perf_event_paranoid=0"));
    trf_sampler_free(f->sampler);
    fake_errno = 0;
    put(f, "bus/event_source/devices/uncore_imc_1/events/cas_count_read.unit", "Furlongs");
    assert_int_equal(open_series(f, "perf"), LS_OK);
    assert_int_equal(series_len(f), 0);
    assert_non_null(strstr(f->notes, "unknown unit: 'Furlongs'"));
}

/* ---- kernels beside counters ---- */

/* Counts grow between the two readings of each run only. */
static unsigned readings;
static long run_read(int fd, void *out, size_t len_bytes)
{
    static const uint64_t growth[] = {0,   100, 200, 300,
                                      400, 800, 1200}; /* runs of one repetition, then of four */
    if (fd == 100) readings++;
    uint64_t counts = 0;
    for (unsigned run = 1; run < sizeof(growth) / sizeof(growth[0]); run++)
        if (readings >= 2 + 2 * run) counts += growth[run];
    const bool is_write = fake[fd - 100].config >> 8 == 0x0c;
    const uint64_t count[3] = {is_write ? counts / 2 : counts, readings, readings};
    memcpy(out, count, len_bytes < sizeof(count) ? len_bytes : sizeof(count));
    return (long)len_bytes;
}

static const struct pe_kernel run_kernel = {.open = fake_open, .read = run_read, .close = fake_close};

static void measure_point(void *user, const struct trf_point *p)
{
    trf_measure_point(user, p);
}

static void kernels_are_measured_as_a_band_of_runs(void **state)
{
    struct fixture *f = *state;
    struct trf_measure measure = {NULL};
    struct trf_measured rows[TRF_SOURCES_MAX];
    const struct trf_use use = {.point = measure_point, .note = take_note, .user = &measure};
    const struct trf_size size = {.n = 64, .cap = 1, .rows = 2, .cols = 4, .stores_allocate = true};
    const struct trf_measure_options options = {.runs = 3, .repetitions = 4};
    struct trf_native native;
    size_t len = 0;
    unsigned repetitions = 0;
    put_controllers(f);
    f->machine.kernel = &run_kernel;
    readings = 0;
    assert_int_equal(trf_request_parse("perf", &f->request), LS_OK);
    assert_int_equal(trf_sampler_new(&f->machine, &f->request, &use, &f->sampler), LS_OK);
    measure.sampler = f->sampler;
    assert_int_equal(trf_native_init(&native, trf_kernel_named("gemv"), &size), LS_OK);
    readings = 0;
    assert_int_equal(trf_measure(&measure, f->sampler, &native, &options, rows, &len, &repetitions), LS_OK);
    trf_native_fini(&native);
    assert_int_equal(len, 1);
    assert_int_equal(repetitions, 4);
    assert_string_equal(rows[0].source->name, "perf");
    const double counts = 4 * 64; /* controllers, bytes of a count */
    const struct trf_band *const bands[] = {&rows[0].one_read, &rows[0].read};
    for (int i = 0; i < 2; i++) { /* four repetitions move four times as much */
        assert_int_equal(bands[i]->len, 3);
        assert_true(bands[i]->low == 100 * counts);
        assert_true(fabs(bands[i]->mean - 200 * counts) < 1e-6);
        assert_true(bands[i]->high == 300 * counts);
    }
    assert_true(rows[0].written.high == 150 * counts);
    assert_int_equal(rows[0].moved.len, 0);
}

/* The model's accesses, executed one by one. */
struct follower {
    struct trf_sink sink;
    double *arrays[TRF_ARRAYS_MAX], value, factor;
    bool is_product;
};

static void follow_load(struct trf_sink *s, unsigned array, uint64_t element)
{
    struct follower *w = (struct follower *)s;
    if (!w->is_product)
        w->value = w->arrays[array][2 * element];
    else if (array == 0)
        w->factor = w->arrays[array][element];
    else
        w->value += w->factor * w->arrays[array][element];
}

static void follow_store(struct trf_sink *s, unsigned array, uint64_t element, bool sequential)
{
    struct follower *w = (struct follower *)s;
    (void)sequential;
    w->arrays[array][w->is_product ? element : 2 * element] = w->value;
    if (w->is_product) w->value = 0;
}

static void native_loops_compute_as_the_models_do(void **state)
{
    (void)state;
    for (unsigned i = 0; i < trf_kernels_len; i++) {
        const struct trf_kernel *k = &trf_kernels[i];
        struct follower follower = {.sink = {follow_load, follow_store}, .is_product = k->element_bytes == 8};
        for (int bypass = 0; k->run && bypass < 2; bypass++) {
            const struct trf_size size = {
                .n = 24, .cap = 8, .rows = 2, .cols = 4, .stores_allocate = !bypass};
            struct trf_native n;
            assert_int_equal(trf_native_init(&n, k, &size), LS_OK);
            unsigned results = 0;
            while (results + 1 < TRF_ARRAYS_MAX && k->arrays[results + 1])
                results++;
            for (unsigned a = 0; a <= results; a++) {
                for (size_t e = 0; e < n.bytes[a] / sizeof(double); e++)
                    n.arrays[a][e] = (double)(e % 97) + a;
                follower.arrays[a] = malloc(n.bytes[a]);
                memcpy(follower.arrays[a], n.arrays[a], n.bytes[a]);
            }
            k->run(&size, &follower.sink);
            trf_native_run(&n);
            trf_native_flush(&n);
            const size_t len = n.bytes[results] / sizeof(double), step = follower.is_product ? 1 : 2;
            for (size_t e = 0; e < len; e += step)
                if (n.arrays[results][e] != follower.arrays[results][e])
                    fail_msg("%s: element %zu is %g, not %g", k->name, e, n.arrays[results][e],
                             follower.arrays[results][e]);
            for (unsigned a = 0; a <= results; a++)
                free(follower.arrays[a]);
            trf_native_fini(&n);
        }
    }
}

UNIT_GROUP()
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_request_names_groups_sources_and_metrics),
        TEST(a_bad_request_is_refused_with_the_names),
        TEST(interfaces_count_received_and_sent_bytes),
        TEST(virtual_interfaces_count_only_where_there_is_no_hardware),
        TEST(a_device_that_disappears_is_a_gap_until_it_is_back),
        TEST(a_gap_that_lasts_is_closed_at_the_end),
        TEST(a_removed_file_that_was_never_open_is_a_gap),
        TEST(a_counter_that_goes_backwards_is_a_gap),
        TEST(kernels_are_measured_as_a_band_of_runs),
        TEST(native_loops_compute_as_the_models_do),
        TEST(energy_goes_on_where_its_range_ends),
        TEST(a_file_without_permission_is_noted_with_the_remedy),
        TEST(bandwidth_groups_are_sums_over_caches),
        TEST(sources_that_are_not_here_are_noted_and_the_others_go_on),
        TEST(gpus_have_energy_or_power),
        TEST(controllers_are_summed_by_package),
        TEST(a_cpu_that_goes_offline_is_a_gap_of_its_package),
        TEST(an_event_without_a_counter_is_a_gap),
        TEST(controllers_that_are_refused_or_unknown_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
