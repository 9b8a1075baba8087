/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit tests: one program per folder, tests/FOLDER/unit, one group of cases per file. A file ends with
 *
 *     UNIT_GROUP()
 *     {
 *         const struct CMUnitTest tests[] = {cmocka_unit_test(a), cmocka_unit_test(b)};
 *         return cmocka_run_group_tests(tests, NULL, NULL);
 *     }
 *
 * and registers itself: its line in local.mk is the only one it needs. A group returns the number of failed
 * cases, or UNIT_SKIPPED if nothing of it can be tested on this machine. */
#ifndef UNIT_H
#define UNIT_H

enum { UNIT_SKIPPED = 77 };

struct unit_group {
    const char *file; /* its name without folder and extension is the group's name */
    int (*run)(void);
    struct unit_group *next;
};

/* Add a group, before main. */
void unit_add(struct unit_group *group);

#define UNIT_GROUP()                                                          \
    static int unit_run(void);                                                \
    __attribute__((constructor)) static void unit_register(void)              \
    {                                                                         \
        static struct unit_group group = {.file = __FILE__, .run = unit_run}; \
        unit_add(&group);                                                     \
    }                                                                         \
    static int unit_run(void)

#endif
