/* SPDX-License-Identifier: BSD-3-Clause */
/* Launchers are recognised by their environment; configurations are split among ranks without a rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/kn_ranks.h"
#include "kernels/replay/kn_replay.h"
#include "patterns/pat_extent.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const *variables; /* name, value, ..., NULL */

static char *get(const char *name)
{
    for (size_t i = 0; variables[i]; i += 2)
        if (strcmp(variables[i], name) == 0) return (char *)variables[i + 1];
    return NULL;
}

static struct kn_ranks_launch launch_of(const char *const *environment)
{
    variables = environment;
    return kn_ranks_launch_find(get);
}

static void launchers_name_their_module(void **state)
{
    (void)state;
    struct kn_ranks_launch l = launch_of((const char *[]){NULL});
    assert_null(l.launcher);
    assert_int_equal(l.len, 1);
    l = launch_of(
        (const char *[]){"OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "8", "PMIX_RANK", "3", NULL});
    assert_string_equal(l.mpi, "loadstone-mpi-openmpi.so");
    assert_string_equal(l.shmem, "loadstone-shmem.so");
    assert_int_equal(l.len, 8);
    l = launch_of((const char *[]){"PMI_RANK", "0", "PMI_SIZE", "4", NULL});
    assert_string_equal(l.mpi, "loadstone-mpi-mpich.so");
    assert_null(l.shmem);
    l = launch_of((const char *[]){"PMIX_RANK", "2", NULL});
    assert_string_equal(l.mpi, "loadstone-mpi-openmpi.so");
    assert_int_equal(l.len, 0);
    /* srun without PMI starts independent programs */
    l = launch_of((const char *[]){"SLURM_STEP_ID", "0", "SLURM_PROCID", "1", "SLURM_NTASKS", "2", NULL});
    assert_null(l.launcher);
}

static void one_rank_runs_alone(void **state)
{
    (void)state;
    double value = 2;
    assert_int_equal(kn_ranks_info(NULL)->len, 1);
    assert_int_equal(kn_ranks_agree(NULL, LS_ERR_IO), LS_ERR_IO);
    assert_int_equal(kn_ranks_max(NULL, &value, 1), LS_OK);
    assert_true(value == 2);
    assert_false(kn_ranks_is_alone(NULL));
    kn_ranks_free(NULL);
}

static void missing_module_is_refused(void **state)
{
    (void)state;
    kn_ranks *r = NULL;
    const struct kn_ranks_settings s = {.module = "/nowhere/loadstone-mpi.so", .len = 2, .timeout_s = 1};
    assert_int_equal(kn_ranks_new(&s, &r), LS_ERR_NOT_FOUND);
    assert_null(r);
}

static void another_version_names_its_rank(void **state)
{
    (void)state;
    const char *build = getenv("top_builddir");
    char module[512];
    kn_ranks *r = NULL;
    snprintf(module, sizeof(module), "%s/tests/kernels/.libs/fake_ranks.so", build ? build : ".");
    if (access(module, R_OK) != 0) skip(); /* built without shared libraries */
    const struct kn_ranks_settings s = {.module = module, .len = 3, .timeout_s = 1};
    assert_int_equal(kn_ranks_new(&s, &r), LS_ERR_VERSION);
    if (!strstr(ls_last_error(), "rank 1 runs another version of Loadstone than rank 0"))
        fail_msg("'%s' does not name rank 1", ls_last_error());
    assert_string_equal(kn_ranks_info(r)->library, "made-up ranks");
    kn_ranks_free(r);
}

/* The base of iteration i as the parts of all ranks have it, one after the other. */
static void check_parts(const struct pat_config *whole, unsigned ranks)
{
    uint64_t i = 0;
    for (unsigned rank = 0; rank < ranks; rank++) {
        const struct kn_ranks_info info = {.rank = rank, .len = ranks};
        struct kn_split part;
        assert_int_equal(kn_split_init(&part, whole, KN_SCALING_COUNT, &info), LS_OK);
        assert_true(part.config.count == whole->count / ranks ||
                    part.config.count == whole->count / ranks + 1);
        const int64_t first = pat_base(whole->delta, &whole->deltas, i);
        for (uint64_t k = 0; k < part.config.count; k++, i++)
            assert_int_equal(first + pat_base(part.config.delta, &part.config.deltas, k),
                             pat_base(whole->delta, &whole->deltas, i));
        kn_split_fini(&part);
    }
    assert_int_equal(i, whole->count);
}

static void counts_are_split_without_a_rest(void **state)
{
    (void)state;
    int64_t deltas[] = {1, 10, -3, 7, 2};
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    for (c.count = 7; c.count < 40; c.count += 3)
        for (unsigned ranks = 1; ranks <= 7; ranks++)
            check_parts(&c, ranks);
    c.deltas = (struct pat_indices){deltas, 5};
    for (c.count = 7; c.count < 40; c.count += 3)
        for (unsigned ranks = 1; ranks <= 7; ranks++)
            check_parts(&c, ranks);
    c.deltas = (struct pat_indices){NULL, 0};
    pat_config_fini(&c);
}

static void indices_are_split_without_a_rest(void **state)
{
    (void)state;
    int64_t indices[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.kernel = PAT_GS;
    c.gather = c.scatter = (struct pat_indices){indices, 9};
    size_t seen = 0;
    for (unsigned rank = 0; rank < 4; rank++) {
        const struct kn_ranks_info info = {.rank = rank, .len = 4};
        struct kn_split part;
        assert_int_equal(kn_split_init(&part, &c, KN_SCALING_PATTERN, &info), LS_OK);
        assert_int_equal(part.config.gather.len, part.config.scatter.len);
        assert_int_equal(part.config.count, c.count);
        for (size_t j = 0; j < part.config.gather.len; j++)
            assert_int_equal(part.config.gather.data[j], (int64_t)seen++);
        kn_split_fini(&part);
    }
    assert_int_equal(seen, 9);
    c.gather = c.scatter = (struct pat_indices){NULL, 0};
    pat_config_fini(&c);
}

static void more_ranks_than_parts_are_refused(void **state)
{
    (void)state;
    int64_t indices[] = {0, 1};
    const struct kn_ranks_info info = {.rank = 1, .len = 3};
    struct kn_split part;
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.count = 2;
    c.pattern = (struct pat_indices){indices, 2};
    assert_int_equal(kn_split_init(&part, &c, KN_SCALING_COUNT, &info), LS_ERR_RANGE);
    kn_split_fini(&part);
    assert_int_equal(kn_split_init(&part, &c, KN_SCALING_PATTERN, &info), LS_ERR_RANGE);
    kn_split_fini(&part);
    assert_int_equal(kn_split_init(&part, &c, KN_SCALING_WEAK, &info), LS_OK);
    assert_int_equal(part.config.count, 2);
    kn_split_fini(&part);
    c.pattern = (struct pat_indices){NULL, 0};
    pat_config_fini(&c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers_name_their_module),
        cmocka_unit_test(one_rank_runs_alone),
        cmocka_unit_test(missing_module_is_refused),
        cmocka_unit_test(another_version_names_its_rank),
        cmocka_unit_test(counts_are_split_without_a_rest),
        cmocka_unit_test(indices_are_split_without_a_rest),
        cmocka_unit_test(more_ranks_than_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
