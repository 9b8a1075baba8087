/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/record/rec_target.h"
#include "tests/unit.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void rec_privileged_programs_are_reported(void **state)
{
    (void)state;
    const struct rec_privilege base = {
        .mode = 0755, .owner = 0, .user = 1000, .group = 0, .user_group = 1000};
    struct rec_privilege p = base;
    assert_null(rec_privilege_reason(&p));
    p.mode = 04755;
    assert_string_equal(rec_privilege_reason(&p), "setuid");
    p.user = 0; /* root runs its own setuid program: nothing changes */
    assert_null(rec_privilege_reason(&p));
    p = base;
    p.mode = 02755;
    assert_string_equal(rec_privilege_reason(&p), "setgid");
    p.mode = 02745; /* without group execution the bit means locking */
    assert_null(rec_privilege_reason(&p));
    p = base;
    p.has_capabilities = true;
    assert_non_null(rec_privilege_reason(&p));
    p.nosuid = true;
    assert_null(rec_privilege_reason(&p));
}

static enum rec_kind kind_of(const void *bytes, size_t len)
{
    char path[] = "/tmp/loadstone-target-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    close(fd);
    struct rec_image image;
    assert_int_equal(rec_image_read(path, &image), LS_OK);
    unlink(path);
    return image.kind;
}

/* A copy of our own header with one loadable segment and no interpreter. */
static void rec_images_are_distinguished(void **state)
{
    (void)state;
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
    } elf;
    const int fd = open("/proc/self/exe", O_RDONLY);
    assert_int_equal(read(fd, &elf, sizeof(elf)), sizeof(elf));
    close(fd);
    elf.header.e_phoff = sizeof(elf.header);
    elf.header.e_phnum = 1;
    elf.segment = (Elf64_Phdr){.p_type = PT_LOAD};
    assert_int_equal(kind_of(&elf, sizeof(elf)), REC_STATIC);
    assert_int_equal(kind_of(&elf, sizeof(elf) - 1), REC_NOT_A_PROGRAM);
    assert_int_equal(kind_of(&elf, 20), REC_NOT_A_PROGRAM);
    elf.header.e_machine = EM_RISCV;
    assert_int_equal(kind_of(&elf, sizeof(elf)), REC_OTHER_MACHINE);
    assert_int_equal(kind_of("#! /bin/sh -e\n", 14), REC_SCRIPT);
    assert_int_equal(kind_of("echo\n", 5), REC_SCRIPT);
    assert_int_equal(kind_of("", 0), REC_NOT_A_PROGRAM);
    struct rec_image self;
    assert_int_equal(rec_image_read("/proc/self/exe", &self), LS_OK);
    assert_int_equal(self.kind, REC_DYNAMIC);
    assert_int_equal(rec_target_check("/proc/self/exe"), LS_OK);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rec_privileged_programs_are_reported),
        cmocka_unit_test(rec_images_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
