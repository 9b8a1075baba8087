/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_devices_sigsafe.h"
#include "runtime/step/rt_step_sigsafe.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool is_device(const char *path)
{
    return rt_burst_path_is_device(path, strlen(path));
}

static void step_devices_knows_memory_that_must_not_be_read_twice(void **state)
{
    (void)state;
    static const char *const devices[] = {"/dev/mem",
                                          "/dev/uio0",
                                          "/dev/dri/card0",
                                          "/dev/nvidia0",
                                          "/dev/vfio/7",
                                          "/sys/bus/pci/devices/0000:00:02.0/resource0",
                                          "anon_inode:[vfio-device]",
                                          "/dmabuf:",
                                          "/dev/hpet"};
    static const char *const memory[] = {
        "/dev/shm/x", "/dev/zero", "/dev/zero (deleted)", "/dev/hugepages/a", "/memfd:x (deleted)",
        "[heap]",     "",          "/usr/lib/libc.so.6",  "/home/dev/mem",    "/SYSV00000000 (deleted)"};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        assert_true(is_device(devices[i]));
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        assert_false(is_device(memory[i]));
}

static void step_devices_reads_map_lines(void **state)
{
    (void)state;
    static const char maps[] =
        "55d0c0000000-55d0c0021000 rw-p 00000000 00:00 0                          [heap]\n"
        "7f0000000000-7f0000001000 rw-s 10000000 00:06 5                          /dev/mem\n"
        "7f0000002000-7f0000003000 rw-s 00000000 00:1a 5                          /dev/shm/q\n"
        "garbage\n"
        "7f0000004000-7f0000006000 r--s 00000000 00:06 5                          /dev/uio0";
    struct rt_burst_devices d = {0};
    rt_burst_devices_scan(&d, maps, sizeof maps - 1);
    rt_burst_devices_scan(&d, maps, sizeof maps - 1);
    assert_int_equal(d.count, 2);
    assert_false(rt_burst_devices_may_probe(&d, 0x7f0000000000));
    assert_false(rt_burst_devices_may_probe(&d, 0x7f0000000fff));
    assert_true(rt_burst_devices_may_probe(&d, 0x7f0000001000));
    assert_true(rt_burst_devices_may_probe(&d, 0x7f0000002000));
    assert_false(rt_burst_devices_may_probe(&d, 0x7f0000005fff));
    assert_true(rt_burst_devices_may_probe(&d, 0x55d0c0000010));
}

static void step_devices_that_touch_are_one(void **state)
{
    (void)state;
    struct rt_burst_devices d = {0};
    for (uint64_t i = 0; i < 2 * (uint64_t)RT_BURST_DEVICES_MAX; i++)
        rt_burst_devices_add(&d, (1000 + i) * 4096, (1001 + i) * 4096);
    rt_burst_devices_add(&d, 999 * UINT64_C(4096), 1001 * UINT64_C(4096));
    assert_int_equal(d.count, 1);
    assert_int_equal(d.ranges[0].base, 999 * 4096);
    assert_int_equal(d.ranges[0].end, (1000 + 2 * RT_BURST_DEVICES_MAX) * 4096);
}

/* The last one is joined with the nearest; memory elsewhere is still probed. */
static void step_devices_without_room_are_joined(void **state)
{
    (void)state;
    struct rt_burst_devices d = {0};
    const uint64_t most = RT_BURST_DEVICES_MAX;
    for (uint64_t i = 0; i <= most; i++)
        rt_burst_devices_add(&d, i * 8192, i * 8192 + 4096);
    for (uint64_t i = 0; i <= most; i++)
        assert_false(rt_burst_devices_may_probe(&d, i * 8192));
    for (uint64_t i = 0; i < most; i++)
        assert_int_equal(rt_burst_devices_may_probe(&d, i * 8192 + 4096), i < most - 1);
    assert_true(rt_burst_devices_may_probe(&d, most * 8192 + 4096));
}

static void step_lines_remember_one_burst(void **state)
{
    (void)state;
    struct rt_step_lines *l = calloc(1, sizeof *l);
    assert_non_null(l);
    rt_step_lines_clear(l);
    assert_false(rt_step_lines_touch(l, 0x1000, 8));
    assert_true(rt_step_lines_touch(l, 0x1038, 8));
    assert_false(rt_step_lines_touch(l, 0x103c, 8)); /* straddles into a new line */
    assert_true(rt_step_lines_touch(l, 0x1040, 1));
    rt_step_lines_clear(l);
    assert_false(rt_step_lines_touch(l, 0x1000, 8));
    l->clock = UINT32_MAX;
    rt_step_lines_clear(l); /* the clock wraps: no old entry is valid */
    assert_false(rt_step_lines_touch(l, 0x1000, 8));
    for (uint64_t i = 0; i < 3 * RT_STEP_LINES_SLOTS; i++)
        rt_step_lines_touch(l, i * 64, 8);
    rt_step_lines_clear(l);
    for (uint64_t i = 0; i <= RT_STEP_LINES_RECENT; i++)
        assert_false(rt_step_lines_touch(l, i * 64, 8));
    assert_true(rt_step_lines_touch(l, 64, 8));
    assert_false(rt_step_lines_touch(l, 0, 8)); /* too many others since: it may have left L1 */
    free(l);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_devices_knows_memory_that_must_not_be_read_twice),
        cmocka_unit_test(step_devices_reads_map_lines),
        cmocka_unit_test(step_devices_that_touch_are_one),
        cmocka_unit_test(step_devices_without_room_are_joined),
        cmocka_unit_test(step_lines_remember_one_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
