// SPDX-License-Identifier: BSD-3-Clause
// The instrumentation calls of C++ programs, with every kind of argument they are written with.
#include "SMRTree.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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

static void arrays_with_a_count_and_labels_of_strings()
{
    SMRTree tree;
    static double numbers[64];
    static const CustomType records[8] = {};
    std::vector<double> grown(10), late[2];
    const std::string label = "data";
    const auto named = [&label](const char *end) { return label + "/" + end; };
    late[0].resize(3);
    SMRNode *n = tree.addSMR("numbers", numbers, 64);
    CHECK(n && smr_node_elements(n->handle()) == 64 && n->elementalIndexOf(&numbers[63]) == 63);
    SMRNode *r = tree.addSMR("records", records, sizeof(records) / sizeof(records[0]));
    CHECK(r && r->elementalIndexOf(&records[7].tag) == 7);
    CHECK(!tree.addSMR("nothing", numbers, 0) && !tree.addSMR("less", numbers, -1));
    SMRNode *group = tree.addSMR("late", &late[0], 2), *part = tree.addSMR("part", late, 1);
    CHECK(group && group->isGroup() && part && part->isGroup());

    SMRNode *v = tree.addSMR(label, grown);
    CHECK(v && std::strcmp(v->label(), "data") == 0);
    CHECK(tree.addSMR(named("a"), numbers, numbers + 8, sizeof(double)));
    CHECK(tree.addSMR(named("b"), sizeof(double), numbers, numbers + 4));
    CHECK(tree.addSMR(named("c"), numbers, 2));
    CHECK(tree.addSMR(named("d"), late));
    SMRNode *g = tree.createSMRGroup(named("group"));
    CHECK(g && g->isGroup() && std::strcmp(g->label(), "data/group") == 0);
    SMRDomain *grid = tree.createGrid(named("grid"), 8, 8);
    const std::vector<double> x{0, 1}, none;
    CHECK(grid && n->mapGrid(grid) && tree.createMesh(named("mesh"), x, none, none));
    tree.setExecutableName(label);
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
    smrt.dumpAllSamples(std::string("samples.out"), 10, 10, 10);
    smrt.dumpAllSamples(nullptr, 1, 1, 1);
}

static void nodes_lie_in_grids()
{
    enum { NX = 6, NY = 4 };
    SMRTree smrt;
    static double a[NY][NX], b[NY * NX], ghosted[(NY + 2) * (NX + 2)];
    SMRNode *A = smrt.addSMR("A", sizeof(double), a, a + NY);
    SMRNode *B = smrt.addSMR("B", b, b + NX * NY, sizeof(double));
    SMRNode *G = smrt.addSMR("G", ghosted, ghosted + (NY + 2) * (NX + 2), sizeof(double));
    SMRNode *both = smrt.createSMRGroup("both");
    SMRDomain *plate = smrt.createGrid("plate", NX, NY);
    SMRDomain *line = smrt.createGrid("line", NX * NY), *cube = smrt.createGrid("cube", 2, 3, 4);
    CHECK(A && B && G && plate && line && cube && std::strcmp(plate->label(), "plate") == 0);
    CHECK(A->mapGrid(plate) && A->mapGrid(plate, NDM_COLUMN_MAJOR) && B->mapGrid(line) && B->mapGrid(cube));
    CHECK(!G->mapGrid(plate));
    CHECK(std::strstr(ls_last_error(), "\"G\"") && std::strstr(ls_last_error(), "element 24 is not covered"));
    ndm_layout ghosts = ndm_layout();
    for (int k = 0; k < 2; k++)
        ghosts.ghost_low[k] = ghosts.ghost_high[k] = 1;
    CHECK(G->mapGrid(plate, ghosts));
    CHECK(!both->mapGrid(plate));
    CHECK(both->addGroupMember(A) && both->addGroupMember(B) && both->mapGrid(plate));
    CHECK(both->addGroupMember(G) && !both->mapGrid(plate) && both->unmap());
    CHECK(!smrt.createGrid("plate", 3) && std::strstr(ls_last_error(), "already"));
    CHECK(!smrt.createGrid("negative", static_cast<std::uint64_t>(-3)) && !smrt.createGrid("none", 3, 0));
    CHECK(!A->mapGrid(nullptr));
    const std::vector<int> targets(NX * NY, 5);
    const std::vector<long> short_targets(3, 5);
    CHECK(A->mapIndirect(plate, targets) && !A->mapIndirect(plate, short_targets));
    CHECK(smrt.removeDomain(plate) && !smrt.removeDomain(plate) && smrt.createGrid("plate", 3));
}

static void nodes_lie_on_meshes()
{
    SMRTree smrt;
    const std::vector<double> x{0, 1, 2, 0, 1, 2}, y{0, 0, 0, 1, 1, 1}, none, odd{1, 2};
    const std::vector<int> quads{0, 1, 4, 3, 1, 2, 5, 4};
    const std::vector<unsigned long> from_1{1, 2, 5, 4, 2, 3, 6, 5};
    static double mass[6], pressure[2 * 3];
    SMRNode *m = smrt.addSMR("mass", mass, mass + 6, sizeof(double));
    SMRNode *p = smrt.addSMR("pressure", pressure, pressure + 6, sizeof(double));
    SMRDomain *mesh = smrt.createMesh("mesh", x, y, none, NDM_QUAD, quads);
    CHECK(mesh && m->mapPoints(mesh) && p->mapCells(mesh, 3) && !p->mapCells(mesh));
    CHECK(smrt.createMesh("from 1", x, y, none, NDM_QUAD, from_1, 1) &&
          smrt.createMesh("points", x, none, none));
    CHECK(mesh->refreshAtPhases() && mesh->refreshAtPhases(false));
    CHECK(!smrt.createMesh("base", x, y, none, NDM_QUAD, from_1) &&
          std::strstr(ls_last_error(), "index_base"));
    CHECK(!smrt.createMesh("rest", x, y, none, NDM_TRIANGLE, quads) &&
          std::strstr(ls_last_error(), "8 indices"));
    CHECK(!smrt.createMesh("odd", x, odd, none, NDM_QUAD, quads) &&
          std::strstr(ls_last_error(), "2 values of y"));
    CHECK(!smrt.createMesh("empty", none, none, none));
    CHECK(!smrt.createMesh("shape", x, y, none, static_cast<ndm_shape>(2), quads));
}

static void natural_domain_functions_attach_to_ranges_and_groups()
{
    SMRTree smrt;
    static double a[16], b[16];
    SMRNode *A = smrt.addSMR("A", sizeof(double), a, &a[16]),
            *B = smrt.addSMR("B", sizeof(double), b, &b[16]);
    SMRNode *group = smrt.createSMRGroup("group");
    CHECK(A->setNaturalDomainFunction(matrixNDMfunc) && A->setNaturalDomainFunction(nullptr));
    CHECK(!group->setNaturalDomainFunction(matrixNDMfunc));
    CHECK(group->addGroupMember(A) && group->addGroupMember(B));
    CHECK(smrt.setNaturalDomainFunction(group, matrixNDMfunc, smrt.createGrid("line", 16)));
    CHECK(!smrt.setNaturalDomainFunction(nullptr, matrixNDMfunc));
    CHECK(smrt.removeSMR(A));
}

int main()
{
    ranges_of_scalars_vectors_and_custom_types();
    matrices_in_groups_and_their_natural_domain();
    every_argument_kind_resolves();
    arrays_with_a_count_and_labels_of_strings();
    an_array_of_vectors_that_does_not_fit_leaves_nothing();
    session_calls_are_harmless_when_nobody_records();
    nodes_lie_in_grids();
    nodes_lie_on_meshes();
    natural_domain_functions_attach_to_ranges_and_groups();
    std::printf("%d checks failed\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
