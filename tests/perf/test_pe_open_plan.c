/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans become channels: leaders in front, gears of growing periods, one layout; on hybrid processors each CPU
 * has the events of its PMU. The kernel is the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_clock.h"
#include "perf/pe_open_plan.h"
#include "tests/perf/machine_root.h"
#include "tests/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FD_BASE = 100, CALLS_MAX = 64, GEARS = 4 };

static struct {
    struct perf_event_attr attrs[CALLS_MAX];
    int pids[CALLS_MAX], cpus[CALLS_MAX], groups[CALLS_MAX];
    bool is_on[CALLS_MAX];
    unsigned on_least; /* fewest events that were on at once */
    int len, open;
    size_t mapped[CALLS_MAX]; /* number of rings, by the calls */
    int ring_fds[CALLS_MAX], maps;
    size_t longest_map;       /* 0: as long as you like */
    uint64_t lost[CALLS_MAX]; /* the kernel's counts, by event */
    unsigned atom_from;       /* CPUs from here on have cpu_atom (type 10), the others cpu_core (type 4) */
} kernel;

static long fake_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
    const bool is_atom = attr->type == 10;
    if (cpu >= 0 && is_atom != ((unsigned)cpu >= kernel.atom_from)) return -ENOENT;
    assert_true(kernel.len < CALLS_MAX);
    assert_true(attr->disabled);
    kernel.attrs[kernel.len] = *attr;
    kernel.pids[kernel.len] = pid;
    kernel.cpus[kernel.len] = cpu;
    kernel.groups[kernel.len] = group_fd;
    kernel.open++;
    return FD_BASE + kernel.len++;
}

static long fake_control(int fd, unsigned long request, unsigned long argument)
{
    assert_true(fd >= FD_BASE && fd < FD_BASE + kernel.len);
    if (request == PERF_EVENT_IOC_ID) *(uint64_t *)argument = (uint64_t)fd * 10;
    if (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE)
        kernel.is_on[fd - FD_BASE] = request == PERF_EVENT_IOC_ENABLE;
    unsigned on = 0;
    for (int i = 0; i < kernel.len; i++)
        on += kernel.is_on[i];
    if (on < kernel.on_least) kernel.on_least = on;
    return 0;
}

static long fake_map(int fd, size_t len_bytes, size_t offset_bytes)
{
    if (kernel.longest_map && len_bytes > kernel.longest_map) return offset_bytes ? -ENOMEM : -EPERM;
    assert_true(kernel.maps < CALLS_MAX);
    kernel.ring_fds[kernel.maps] = fd;
    kernel.mapped[kernel.maps++] = len_bytes;
    return (long)mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long fake_unmap(void *base, size_t len_bytes)
{
    return munmap(base, len_bytes);
}

static long fake_read(int fd, void *out, size_t len_bytes)
{
    const uint64_t words[2] = {4711, kernel.lost[fd - FD_BASE]}; /* value, lost */
    assert_true(fd >= FD_BASE && fd < FD_BASE + kernel.len && len_bytes >= sizeof(words));
    memcpy(out, words, sizeof(words));
    return sizeof(words);
}

static long fake_close(int fd)
{
    assert_true(fd >= FD_BASE);
    kernel.open--;
    return 0;
}

static const struct pe_kernel fake = {.open = fake_open,
                                      .control = fake_control,
                                      .map = fake_map,
                                      .unmap = fake_unmap,
                                      .read = fake_read,
                                      .close = fake_close};

static struct machine_root machine;
static struct pe_plan plan;
static struct pe_open_spec spec;
static uint64_t periods[GEARS];

static const struct perf_event_attr base = {.sample_type =
                                                PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
                                            .read_format = 16,
                                            .inherit = 1,
                                            .use_clockid = 1,
                                            .clockid = 1,
                                            .watermark = 1};

static unsigned make(const char *name, struct pe_request r)
{
    char file[512];
    const char *top = getenv("top_srcdir");
    snprintf(file, sizeof(file), "%s/tests/perf/machines/%s.sysfs", top ? top : ".", name);
    assert_int_equal(machine_root_init(&machine, file), 0);
    r.sysfs_root = machine.path;
    r.kernel = machine.kernel;
    const ls_err err = pe_encode_loads(&r, &plan);
    machine_root_fini(&machine);
    if (err != LS_OK) fail_msg("%s", ls_last_error());
    memset(&kernel, 0, sizeof(kernel));
    kernel.atom_from = UINT32_MAX;
    memset(&spec, 0, sizeof(spec));
    spec.ring_bytes = PE_RING_MIN_BYTES;
    return pe_open_plan(&plan, &base, GEARS, &spec, periods);
}

static void gears_have_growing_periods_that_the_pmu_takes(void **state)
{
    (void)state;
    assert_int_equal(
        make("zen5", (struct pe_request){.loads = true, .user_only = true, .period_events = 1000}), GEARS);
    static const uint64_t wanted[GEARS] = {992, 3968, 15872, 63488};
    for (unsigned g = 0; g < GEARS; g++) {
        assert_int_equal(periods[g], wanted[g]);
        assert_int_equal(spec.events[g].attr.sample_period, wanted[g]);
        assert_int_equal(spec.events[g].gear, g);
        assert_false(spec.events[g].may_miss);
    }
    assert_int_equal(spec.events_len, GEARS);
}

static void a_frequency_has_one_gear(void **state)
{
    (void)state;
    assert_int_equal(make("skylake", (struct pe_request){.loads = true, .freq_hz = 500}), 1);
    assert_true(spec.events[0].attr.freq);
    assert_int_equal(spec.events[0].attr.sample_freq, 500);
}

static void leaders_stand_in_front_and_agree_with_their_members(void **state)
{
    (void)state;
    assert_int_equal(
        make("sapphirerapids", (struct pe_request){.loads = true, .stores = true, .user_only = true}), 4);
    assert_int_equal(spec.events_len, 12);
    for (unsigned i = 0; i < spec.events_len; i += 3) {
        assert_int_equal(spec.events[i].attr.config, 0x8203);
        assert_int_equal(spec.events[i].attr.sample_period, 0);
        assert_int_equal(spec.events[i].attr.precise_ip, 0);
        assert_int_equal(spec.events[i + 1].attr.config, 0x1cd);
        assert_int_equal(spec.events[i + 1].leader, i);
        assert_int_equal(spec.events[i + 2].attr.config, 0x2cd);
        assert_int_equal(spec.events[i + 2].leader, -1);
        assert_int_equal(spec.events[i + 2].tag, 1);
        for (unsigned j = i; j < i + 3; j++) {
            assert_true(spec.events[j].attr.inherit && spec.events[j].attr.use_clockid);
            assert_int_equal(spec.events[j].attr.clockid, 1);
        }
        /* one layout */
        assert_int_equal(spec.events[i + 1].attr.sample_type, spec.events[i + 2].attr.sample_type);
        assert_true(spec.events[i + 1].attr.sample_type & PERF_SAMPLE_DATA_SRC);
    }
}

static void each_cpu_of_a_hybrid_processor_has_its_own_events(void **state)
{
    (void)state;
    struct pe_channel big, small;
    make("alderlake", (struct pe_request){.loads = true, .user_only = true});
    kernel.atom_from = 16;
    assert_int_equal(pe_channel_open(&big, &fake, &spec, 0, 3), 0);
    const int big_events = kernel.len;
    for (int i = 0; i < big_events; i++)
        assert_int_equal(kernel.attrs[i].type, 4);
    assert_int_equal(pe_channel_open(&small, &fake, &spec, 0, 20), 0);
    for (int i = big_events; i < kernel.len; i++)
        assert_int_equal(kernel.attrs[i].type, 10);
    assert_int_equal(big_events, 8);              /* four gears of a leader and its loads */
    assert_int_equal(kernel.len - big_events, 4); /* four gears of loads */
    /* a sampling event is found by its id, also after events that were left out */
    for (unsigned row = 0; row < spec.events_len; row++)
        if (small.fds[row] >= 0) assert_int_equal(pe_channel_event(&small, small.ids[row]), row);
    pe_channel_gear(&big, &fake, &spec, 1);
    pe_channel_gear(&small, &fake, &spec, 2);
    unsigned on = 0;
    for (int i = 0; i < kernel.len; i++)
        on += kernel.is_on[i];
    assert_int_equal(on, 2); /* leaders bring their members */
    pe_channel_close(&small, &fake);
    pe_channel_close(&big, &fake);
    assert_int_equal(kernel.open, 0);
}

/* An event without a ring, a leader that counts, hangs up at once (perf_poll). */
static void the_reader_waits_for_the_event_that_has_the_ring(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        int cpu;
        uint64_t config;
    } rows[] = {{"alderlake", 3, 0x1cd},
                {"alderlake", 20, 0x5d0},
                {"sapphirerapids", 0, 0x1cd},
                {"skylake", 0, 0x1cd}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pe_channel channel;
        make(rows[i].machine, (struct pe_request){.loads = true, .user_only = true});
        if (i < 2) kernel.atom_from = 16;
        assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, rows[i].cpu), 0);
        assert_int_equal(kernel.maps, 1);
        assert_int_equal(pe_channel_poll_fd(&channel), kernel.ring_fds[0]);
        assert_int_equal(kernel.attrs[kernel.ring_fds[0] - FD_BASE].config, rows[i].config);
        assert_true(kernel.attrs[kernel.ring_fds[0] - FD_BASE].sample_period > 0);
        pe_channel_close(&channel, &fake);
    }
}

static void rings_are_halved_with_what_wakes_the_reader(void **state)
{
    (void)state;
    enum { WISHED = 1 << 20, FOUND = 1 << 18 };
    struct pe_channel channel;
    make("skylake", (struct pe_request){.loads = true, .user_only = true});
    spec.ring_bytes = WISHED;
    kernel.longest_map = FOUND + 4096;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), 0);
    assert_int_equal(channel.ring.data_len_bytes, FOUND);
    assert_int_equal(channel.ring_bytes, FOUND);
    for (int i = kernel.len - (int)spec.events_len; i < kernel.len; i++)
        assert_int_equal(kernel.attrs[i].wakeup_watermark, FOUND / 4);
    assert_int_equal(kernel.open, spec.events_len); /* descriptors of earlier tries are closed */
    pe_channel_close(&channel, &fake);
    /* whoever opens many halves them all */
    spec.is_exact = true;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), EPERM);
    assert_true(pe_refusal_is_of_memory(&channel.refusal));
    assert_int_equal(kernel.open, 0);
    /* no room at all */
    spec.is_exact = false;
    spec.ring_bytes = 4 * PE_RING_MIN_BYTES;
    kernel.longest_map = 4096;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), EPERM);
    assert_int_equal(kernel.open, 0);
}

static void areas_are_halved_first_down_to_what_spe_takes(void **state)
{
    (void)state;
    struct pe_channel channel;
    make("neoverse-n1", (struct pe_request){.loads = true, .user_only = true});
    assert_int_equal(spec.ring_bytes, 64 << 10);
    kernel.longest_map = (64 << 10) + 4096;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), 0);
    assert_int_equal(channel.ring.data_len_bytes, 64 << 10);
    assert_int_equal(channel.aux.len_bytes, 64 << 10);
    pe_channel_close(&channel, &fake);
    kernel.longest_map = 8192;
    kernel.len = 0;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), 0);
    assert_int_equal(channel.ring.data_len_bytes, 4096);
    assert_int_equal(channel.aux.len_bytes, 8192);
    pe_channel_close(&channel, &fake);
    kernel.longest_map = 4096;
    kernel.len = 0;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), EPERM);
    size_t ring_bytes = 64 << 10, aux_bytes = 0;
    unsigned steps = 0;
    while (pe_sizes_halve(&ring_bytes, &aux_bytes))
        steps++;
    assert_int_equal(steps, 4);
    assert_int_equal(aux_bytes, 0);
    assert_int_equal(kernel.open, 0);
}

static void losses_of_the_kernel_are_reported_once(void **state)
{
    (void)state;
    struct pe_channel channel;
    make("sapphirerapids", (struct pe_request){.loads = true, .user_only = true});
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), 0);
    kernel.lost[0] = 1000; /* attributes of a leader, which does not sample */
    kernel.lost[1] = 30;
    kernel.lost[3] = 7; /* another gear's */
    assert_int_equal(pe_channel_lost(&channel, &fake, &spec), 37);
    assert_int_equal(pe_channel_lost(&channel, &fake, &spec), 0);
    kernel.lost[1] = 31;
    assert_int_equal(pe_channel_lost(&channel, &fake, &spec), 1);
    for (unsigned i = 0; i < spec.events_len; i++)
        spec.events[i].attr.read_format = 0; /* an older kernel's */
    kernel.lost[1] = 99;
    assert_int_equal(pe_channel_lost(&channel, &fake, &spec), 0);
    pe_channel_close(&channel, &fake);
}

static void a_cpu_without_the_pmus_is_like_a_missing_one(void **state)
{
    (void)state;
    struct pe_channel channel;
    make("alderlake", (struct pe_request){.event = "cpu_atom/mem-loads/P", .user_only = true});
    kernel.atom_from = 16;
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 3), ENODEV);
    assert_int_equal(kernel.open, 0);
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 16), 0);
    pe_channel_close(&channel, &fake);
    /* for a thread all are opened, wherever it runs */
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 7, -1), 0);
    pe_channel_close(&channel, &fake);
    assert_int_equal(kernel.open, 0);
}

static void a_pmu_that_every_cpu_has_may_not_be_missing(void **state)
{
    (void)state;
    struct pe_channel channel;
    make("skylake", (struct pe_request){.loads = true, .user_only = true});
    kernel.atom_from = 0; /* no CPU has type 4 */
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), ENOENT);
    assert_int_equal(kernel.open, 0);
}

static void spe_has_one_event_an_area_and_slower_gears_by_time(void **state)
{
    (void)state;
    struct pe_channel channel;
    assert_int_equal(make("neoverse-n1", (struct pe_request){.loads = true, .stores = true}), GEARS);
    assert_int_equal(spec.events_len, 1);
    assert_true(spec.aux_bytes >= PE_AUX_MIN_BYTES);
    assert_int_equal(spec.sources, PE_SPE_SOURCES_COMMON);
    for (unsigned g = 1; g < GEARS; g++)
        assert_int_equal(periods[g], 4 * periods[g - 1]);
    /* records of areas name their thread; nothing else is in the ring */
    assert_true(spec.events[0].attr.sample_id_all);
    assert_int_equal(spec.events[0].attr.sample_type,
                     PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), 0);
    assert_non_null(channel.aux.data);
    assert_int_equal(channel.ring.page->aux_offset, 4096 + channel.ring.data_len_bytes);
    assert_int_equal(channel.ring.page->aux_size, channel.aux.len_bytes);
    pe_channel_close(&channel, &fake);
    assert_int_equal(kernel.open, 0);
}

static void ibs_before_linux_6_2_is_of_whole_cpus(void **state)
{
    (void)state;
    struct pe_channel channel;
    assert_int_equal(make("zen3", (struct pe_request){.loads = true, .user_only = true}), GEARS);
    assert_true(spec.cpu_wide);
    for (unsigned i = 0; i < spec.events_len; i++)
        assert_false(spec.events[i].attr.inherit || spec.events[i].attr.inherit_thread ||
                     spec.events[i].attr.remove_on_exec);
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 1), 0);
    assert_int_equal(kernel.pids[0], -1);
    pe_channel_close(&channel, &fake);
    make("zen5", (struct pe_request){.loads = true, .user_only = true});
    assert_false(spec.cpu_wide);
}

/* Whoever changes the gear may lose its processor between two calls. */
static void no_software_event_is_missed_while_the_gear_changes(void **state)
{
    (void)state;
    struct pe_channel channel;
    const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .disabled = 1, .sample_period = 1};
    memset(&kernel, 0, sizeof(kernel));
    kernel.atom_from = 1;
    spec = (struct pe_open_spec){.events_len = 3};
    for (unsigned i = 0; i < 3; i++)
        spec.events[i] = (struct pe_open_event){
            .attr = attr, .leader = -1, .gear = (uint8_t)(i < 2 ? i : PE_GEAR_ANY), .tag = (uint8_t)i};
    assert_int_equal(pe_channel_open(&channel, &fake, &spec, 0, 0), 0);
    pe_channel_gear(&channel, &fake, &spec, 0);
    struct pe_sample s = {.id = channel.ids[0], .time = ls_clock_mono_ns()};
    assert_false(pe_channel_counted_twice(&channel, &spec, &s)); /* nothing was on before */
    kernel.on_least = CALLS_MAX;
    pe_channel_gear(&channel, &fake, &spec, 1);
    assert_int_equal(kernel.on_least, 2); /* one gear and the event of any gear */
    assert_true(!kernel.is_on[0] && kernel.is_on[1] && kernel.is_on[2]);
    /* while both were on, only the samples of the old gear count */
    s.time = channel.overlap.begin_ns;
    assert_false(pe_channel_counted_twice(&channel, &spec, &s));
    s.id = channel.ids[2];
    assert_false(pe_channel_counted_twice(&channel, &spec, &s));
    s.id = channel.ids[1];
    assert_true(pe_channel_counted_twice(&channel, &spec, &s));
    s.time = channel.overlap.end_ns;
    assert_false(pe_channel_counted_twice(&channel, &spec, &s));
    pe_channel_close(&channel, &fake);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_have_growing_periods_that_the_pmu_takes),
        cmocka_unit_test(a_frequency_has_one_gear),
        cmocka_unit_test(leaders_stand_in_front_and_agree_with_their_members),
        cmocka_unit_test(each_cpu_of_a_hybrid_processor_has_its_own_events),
        cmocka_unit_test(no_software_event_is_missed_while_the_gear_changes),
        cmocka_unit_test(a_cpu_without_the_pmus_is_like_a_missing_one),
        cmocka_unit_test(spe_has_one_event_an_area_and_slower_gears_by_time),
        cmocka_unit_test(ibs_before_linux_6_2_is_of_whole_cpus),
        cmocka_unit_test(a_pmu_that_every_cpu_has_may_not_be_missing),
        cmocka_unit_test(the_reader_waits_for_the_event_that_has_the_ring),
        cmocka_unit_test(rings_are_halved_with_what_wakes_the_reader),
        cmocka_unit_test(areas_are_halved_first_down_to_what_spe_takes),
        cmocka_unit_test(losses_of_the_kernel_are_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
