/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefetchers are switched by files in a folder of the test; refusals name their reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/mach_prefetch.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MSR = 0x1a4, OTHERS = 0xabc0 /* bits that are not the prefetchers' */ };

static char folder[64];

static void path_of(unsigned cpu, const char *file, char out[128])
{
    snprintf(out, 128, "%s/%u%s", folder, cpu, file);
}

static unsigned first_cpu(void)
{
    cpu_set_t cpus;
    unsigned cpu = 0;
    assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
    while (!CPU_ISSET(cpu, &cpus))
        cpu++;
    return cpu;
}

static void put_register(unsigned cpu, uint64_t value, size_t len_bytes)
{
    char path[128];
    path_of(cpu, "/msr", path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &value, len_bytes, MSR), len_bytes);
    close(fd);
}

static uint64_t register_of(unsigned cpu)
{
    char path[128];
    uint64_t value = 0;
    path_of(cpu, "/msr", path);
    const int fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &value, sizeof(value), MSR), sizeof(value));
    close(fd);
    return value;
}

/* A file for each processor that this process may use: one prefetcher is off. */
static int set_up(void **state)
{
    (void)state;
    cpu_set_t cpus;
    char path[128];
    strcpy(folder, "/tmp/loadstone-msr-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &cpus)) continue;
        path_of(cpu, "", path);
        assert_int_equal(mkdir(path, 0700), 0);
        put_register(cpu, OTHERS | 4, sizeof(uint64_t));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[128];
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        path_of(cpu, "/msr", path);
        unlink(path);
        path_of(cpu, "", path);
        rmdir(path);
    }
    return rmdir(folder);
}

static void refused(ls_err wanted, const char *words)
{
    mach_prefetch *p = NULL;
    ls_err err = mach_prefetch_new(folder, &p);
    if (err == LS_OK) err = mach_prefetch_switch(p, false);
    mach_prefetch_free(p);
    assert_int_equal(err, wanted);
    if (!strstr(ls_last_error(), words)) fail_msg("'%s' lacks '%s'", ls_last_error(), words);
}

static void all_prefetchers_are_switched_and_nothing_else(void **state)
{
    (void)state;
    mach_prefetch *p;
    const unsigned cpu = first_cpu();
    assert_int_equal(mach_prefetch_new(folder, &p), LS_OK);
    assert_int_equal(register_of(cpu), OTHERS | 4);
    assert_int_equal(mach_prefetch_switch(p, false), LS_OK);
    assert_int_equal(register_of(cpu), OTHERS | 15);
    assert_int_equal(mach_prefetch_switch(p, true), LS_OK);
    assert_int_equal(register_of(cpu), OTHERS);
    mach_prefetch_free(p);
    assert_int_equal(register_of(cpu), OTHERS | 4);
}

static void a_killed_process_restores_the_prefetchers(void **state)
{
    (void)state;
    const unsigned cpu = first_cpu();
    int ends[2], status;
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) { /* the guard inherits the pipe: its end is the end of the file */
        mach_prefetch *p;
        if (mach_prefetch_new(folder, &p) != LS_OK || mach_prefetch_switch(p, false) != LS_OK) _exit(1);
        if (register_of(cpu) != (OTHERS | 15)) _exit(2);
        raise(SIGKILL);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    assert_int_equal(register_of(cpu), OTHERS | 4);
}

static void refusals_name_the_reason(void **state)
{
    (void)state;
    const unsigned cpu = first_cpu();
    char path[128];
    path_of(cpu, "/msr", path);
    put_register(cpu, 0, 4); /* the kernel's error there is EIO */
    refused(LS_ERR_UNSUPPORTED, "has no register 0x1a4");
    unlink(path);
    refused(LS_ERR_UNSUPPORTED, "modprobe msr");
    assert_int_equal(symlink("/dev/zero", path), 0); /* as some hypervisors: writes go nowhere */
    refused(LS_ERR_UNSUPPORTED, "does not keep what is written");
    unlink(path);
    put_register(cpu, 0, sizeof(uint64_t));
    chmod(path, 0400);
    if (geteuid() != 0) refused(LS_ERR_PERMISSION, "takes root");
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_prefetchers_are_switched_and_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_process_restores_the_prefetchers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals_name_the_reason, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
