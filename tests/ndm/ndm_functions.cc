// SPDX-License-Identifier: BSD-3-Clause
// Natural-domain functions of C++ programs, called as the runtime calls them.
#include "SMRTree.h"

extern "C" {
#include "ndm/ndm_registry.h"
}

#include <cstdio>
#include <cstdlib>

bool ndm_keeps_unreported = true; // as in the preloaded runtime

static int failures;

#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            std::printf("%s:%d: %s is false; last error: %s\n", __FILE__, __LINE__, #what, ls_last_error()); \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

enum { ROW_SIZE = 16 };
static double globalCost[ROW_SIZE][ROW_SIZE];
static SMRNode *calledWith;

static void *matrixNDMfunc(SMRNode *smr, struct mem_sample *sample)
{
    const int bufferIndex = static_cast<int>(smr->elementalIndexOf(sample->daddr));
    globalCost[bufferIndex % ROW_SIZE][bufferIndex / ROW_SIZE] += static_cast<double>(sample->cost);
    calledWith = smr;
    return nullptr;
}

static void *whereItIs(SMRNode *smr, struct mem_sample *sample)
{
    static loadstone_point point;
    point.at[0] = static_cast<double>(smr->elementalIndexOf(sample->daddr)) + 0.5;
    return &point;
}

static void *sampled(const double *where, std::uint64_t cost)
{
    ndm_call call;
    mem_sample sample = {reinterpret_cast<std::uintptr_t>(where), cost, 0, 3, 0, 0};
    if (!ndm_call_begin(sample.daddr, &call)) return globalCost; // no function was called
    void *result = call.fn(call.node, &sample, call.user);
    ndm_call_end(&call, false);
    return result;
}

static void a_function_records_the_samples_of_a_matrix()
{
    SMRTree smrt;
    static double A[ROW_SIZE * ROW_SIZE], B[ROW_SIZE * ROW_SIZE];
    SMRNode *a = smrt.addSMR("A", sizeof(double), A, &A[ROW_SIZE * ROW_SIZE]);
    SMRNode *b = smrt.addSMR("B", sizeof(double), B, &B[ROW_SIZE * ROW_SIZE]);
    SMRNode *input = smrt.createSMRGroup("Input");
    CHECK(input->addGroupMember(a) && input->addGroupMember(b));
    CHECK(input->setNaturalDomainFunction(matrixNDMfunc));
    CHECK(sampled(&B[3 * ROW_SIZE + 5], 40) == nullptr && globalCost[5][3] == 40 && calledWith == b);
    CHECK(sampled(&A[3 * ROW_SIZE + 5], 2) == nullptr && globalCost[5][3] == 42 && calledWith == a);
    CHECK(a->setNaturalDomainFunction(whereItIs, smrt.createGrid("cells", ROW_SIZE * ROW_SIZE)));
    const loadstone_point *point = static_cast<loadstone_point *>(sampled(&A[7], 1));
    CHECK(point && point->at[0] == 7.5);
    CHECK(b->unmap() && sampled(&B[0], 1) != nullptr && calledWith == a);
}

static void a_range_that_c_registered_has_a_node_too()
{
    SMRTree smrt;
    static double C[ROW_SIZE];
    const smr_spec spec = {"C", C, C + ROW_SIZE, sizeof(double), 1};
    smr_node *n = nullptr;
    SMRNode *group = smrt.createSMRGroup("group");
    CHECK(smr_tree_insert(smrt.handle(), &spec, &n) == LS_OK &&
          smr_node_add_member(group->handle(), n) == LS_OK);
    CHECK(group->setNaturalDomainFunction(matrixNDMfunc));
    CHECK(sampled(&C[4], 9) == nullptr && globalCost[4][0] == 9);
}

int main()
{
    a_function_records_the_samples_of_a_matrix();
    a_range_that_c_registered_has_a_node_too();
    CHECK(ndm_calls_len() == 0);
    std::printf("%d checks failed\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
