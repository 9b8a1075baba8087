// SPDX-License-Identifier: BSD-3-Clause
// The examples in C++ of doc/natural-domain.md.
#include "SMRTree.h"

#include <cstdio>

enum { ROWS = 5, COLUMNS = 7 };
static double globalCost[ROWS][COLUMNS];

static void *matrixNDMfunc(SMRNode *smr, struct mem_sample *sample)
{
    const long bufferIndex = static_cast<long>(smr->elementalIndexOf(sample->daddr));
    globalCost[bufferIndex / COLUMNS][bufferIndex % COLUMNS] += static_cast<double>(sample->cost);
    return nullptr;
}

int main()
{
    static double a[ROWS * COLUMNS];
    SMRTree *smrt = new SMRTree();
    SMRNode *A = smrt->addSMR("A", sizeof(double), a, &a[ROWS * COLUMNS]);
    SMRDomain *matrix = smrt->createGrid("matrix", COLUMNS, ROWS);
    if (!A->mapGrid(matrix)) std::fprintf(stderr, "%s\n", ls_last_error());
    const bool mapped = A->mapGrid(matrix);
    A->setNaturalDomainFunction(matrixNDMfunc);
    mem_sample sample = {reinterpret_cast<std::uintptr_t>(&a[COLUMNS + 2]), 40, 0, 2, 0, 0};
    const bool recorded = matrixNDMfunc(A, &sample) == nullptr && globalCost[1][2] == 40;
    delete smrt;
    return mapped && recorded ? 0 : 1;
}
