// SPDX-License-Identifier: BSD-3-Clause
// The instrumentation calls of C++ programs, with every kind of argument they are written with.
#include "SMRTree.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static int failures;

#define CHECK(what)                                                                                          \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            std::printf("%s:%d: %s is false; last error: %s\n", __FILE__, __LINE__, #what, ls_last_error()); \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

struct CustomType {
    double x, y;
    int tag;
};

static double globalCost[16][16];

static void *matrixNDMfunc(SMRNode *smr, struct mem_sample *sample)
{
    int bufferIndex = static_cast<int>(smr->elementalIndexOf(sample->daddr));
    globalCost[bufferIndex % 16][bufferIndex / 16] += static_cast<double>(sample->cost);
    return nullptr;
}

static void ranges_of_scalars_vectors_and_custom_types()
{
    SMRTree *smrt = new SMRTree();
    const int N = 1024;
    const int D = 3;
    static double scalar[N];
    static double vector[N * D];
    static std::vector<CustomType> custom[N];
    for (int i = 0; i < N; i += 2)
        custom[i].resize(static_cast<std::size_t>(i) + 1);

    SMRNode *s = smrt->addSMR("Scalar Data", scalar, scalar + N, sizeof(double));
    SMRNode *v = smrt->addSMR("Vector Data", vector, vector + N * D, sizeof(double), D);
    SMRNode *c = smrt->addSMR("Custom Data", custom);
    CHECK(s && v && c);
    CHECK(c && c->isGroup());
    CHECK(v && v->elementalIndexOf(&vector[3 * 700 + 2]) == 700);
    CHECK(v && v->componentOf(reinterpret_cast<std::uintptr_t>(&vector[3 * 700 + 2])) == 2);
    SMRNode *member = smrt->findSMR(&custom[10][4].y);
    CHECK(member && std::strcmp(member->label(), "Custom Data[10]") == 0);
    CHECK(member && member->elementalIndexOf(&custom[10][4].y) == 4);
    int members = 0;
    for (smr_node *n = c ? smr_node_first_child(c->handle()) : nullptr; n; n = smr_node_next(n))
        members++;
    CHECK(members == N / 2);
    CHECK(smr_tree_is_valid(smrt->handle()));
    delete smrt;
}

static void matrices_in_groups_and_their_natural_domain()
{
    const int N = 16;
    SMRTree *smrt = new SMRTree();
    double *A = new double[N * N], *B = new double[N * N], *C = new double[N * N];
    SMRNode *A_SMR = smrt->addSMR("A", sizeof(double), A, &A[N * N]);
    SMRNode *B_SMR = smrt->addSMR("B", sizeof(double), B, &B[N * N]);
    SMRNode *C_SMR = smrt->addSMR("C", sizeof(double), C, &C[N * N]);
    SMRNode *input_group = smrt->createSMRGroup("Input");
    SMRNode *output_group = smrt->createSMRGroup("Output");
    CHECK(input_group->addGroupMember(A_SMR));
    CHECK(input_group->addGroupMember(B_SMR));
    CHECK(output_group->addGroupMember(C_SMR));
    CHECK(input_group->addGroupMember(output_group));
    CHECK(!output_group->addGroupMember(input_group));
    CHECK(!input_group->addGroupMember(nullptr));

    mem_sample sample = {reinterpret_cast<std::uintptr_t>(&B[3 * 16 + 5]), 40, 0, 2, 0, 0};
    void *(*map)(SMRNode *, struct mem_sample *) = matrixNDMfunc;
    CHECK(map(B_SMR, &sample) == nullptr && globalCost[5][3] == 40);
    CHECK(A_SMR->elementalIndexOf(&B[0]) == -1);
    delete smrt;
    delete[] A;
    delete[] B;
    delete[] C;
}

// Overload resolution: none of these may be ambiguous.
static void every_argument_kind_resolves()
{
    SMRTree tree;
    static double d[64];
    static const float f[64] = {};
    static volatile int vol[64];
    const double *cd = d;
    void *raw = d;
    int size = 8;
    unsigned short small = 4;
    const std::vector<int> fixed(5);
    std::vector<int> empty, grown(10), late[2];

    CHECK(tree.addSMR("const", cd, cd + 64, 8));
    CHECK(tree.addSMR("float", small, f, &f[64]));
    CHECK(tree.addSMR("volatile", vol, vol + 64, sizeof(int)));
    SMRNode *again = tree.addSMR("const", size, d, d + 32);
    CHECK(again && again == tree.findSMR(&d[31]) && tree.findSMR(&d[32]) == nullptr);
    CHECK(tree.addSMR("const", raw, static_cast<char *>(raw) + 64, size, 2) == again);
    CHECK(tree.addSMR("fixed", fixed));
    CHECK(tree.addSMR("grown", grown));
    CHECK(tree.addSMR("late", late, 2) && tree.addSMR("late", &late[0], size / 4));
    CHECK(!tree.addSMR("empty", empty));
    CHECK(!tree.addSMR("zero", 0, d, d + 4));
    CHECK(!tree.addSMR("zero", d, d + 4, 0));
    CHECK(!tree.addSMR("null", 0, 0, 0));
    CHECK(!tree.addSMR("null", nullptr, nullptr, 8));
    CHECK(again->elementalIndexOf(0) == -1);
    CHECK(again->resize(d, d + 64) && again->elementalIndexOf(&d[63]) == 31);
    CHECK(!tree.addSMR("across", 8, &d[8], reinterpret_cast<char *>(&d[64]) + 1));
    CHECK(std::strstr(ls_last_error(), "across") && std::strstr(ls_last_error(), "const"));
    CHECK(tree.removeSMR(again) && !tree.findSMR(&d[0]) && !tree.removeSMR(nullptr));
}

static void an_array_of_vectors_that_does_not_fit_leaves_nothing()
{
    SMRTree tree;
    std::vector<double> rows[3] = {std::vector<double>(8), std::vector<double>(8), std::vector<double>(8)};
    CHECK(tree.addSMR("in the way", 8, &rows[1][4], &rows[1][0] + 9));
    CHECK(!tree.addSMR("rows", rows));
    CHECK(!tree.findSMR(&rows[0][0]) && smr_node_next(smr_tree_first(tree.handle())) == nullptr);
}

static void session_calls_are_harmless_when_nobody_records()
{
    SMRTree smrt;
    smrt.setExecutableName("lulesh");
    smrt.setSamplingThreshold(7);
    smrt.setSamplingPeriod(4000);
    smrt.beginMemoryLoadSampling();
    {
        SMRPhase solve("solve");
        SMRPhase smooth("smooth");
    }
    smrt.endMemoryLoadSampling();
    smrt.dumpAllSamples("samples.out", 10, 10, 10);
    smrt.dumpAllSamples(nullptr, 1, 1, 1);
}

int main()
{
    ranges_of_scalars_vectors_and_custom_types();
    matrices_in_groups_and_their_natural_domain();
    every_argument_kind_resolves();
    an_array_of_vectors_that_does_not_fit_leaves_nothing();
    session_calls_are_harmless_when_nobody_records();
    std::printf("%d checks failed\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
