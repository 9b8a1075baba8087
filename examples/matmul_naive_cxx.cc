// SPDX-License-Identifier: BSD-3-Clause
// Naive matrix multiplication, C = A B: the inner loop walks B by column, one cache line for each element.
// With a third argument the program maps sampled accesses to the matrix by itself, in a natural-domain
// function, and leaves the sum of their latencies (cycles) at each row and column as a text file: all zeros
// when nobody records.
//
// usage: matmul_naive_cxx [N [REPEATS [COSTS]]]        (default 1024 1)
// build: c++ -O2 -g matmul_naive_cxx.cc $(pkg-config --cflags --libs loadstone)
// record: loadstone record -- ./matmul_naive_cxx 512 4 costs.txt && loadstone report
#include <SMRTree.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

void multiply(size_t n, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
}

// Sums of the latencies at each position of the matrices. Loadstone calls the function from a separate
// thread, one call at a time, and has finished all calls when endMemoryLoadSampling returns.
size_t rowSize;
std::vector<std::uint64_t> globalCost;

void *matrixNDMfunc(SMRNode *smr, struct mem_sample *sample)
{
    const std::int64_t bufferIndex = smr->elementalIndexOf(sample->daddr);
    if (bufferIndex < 0) return nullptr;
    const size_t x = static_cast<size_t>(bufferIndex) % rowSize,
                 y = static_cast<size_t>(bufferIndex) / rowSize;
    globalCost[y * rowSize + x] += sample->cost;
    return nullptr; // recorded here; nothing for Loadstone to keep
}

bool writeCosts(const char *path)
{
    std::FILE *file = std::fopen(path, "w");
    if (!file) return false;
    for (size_t i = 0; i < globalCost.size(); i++)
        std::fprintf(file, "%llu%c", static_cast<unsigned long long>(globalCost[i]),
                     (i + 1) % rowSize ? ' ' : '\n');
    return std::fclose(file) == 0;
}

// Names for the data, as the problem sees it: two inputs and an output.
SMRNode *describe(SMRTree &smrt, size_t n, double *A, double *B, double *C)
{
    SMRNode *A_SMR = smrt.addSMR("A", sizeof(double), A, &A[n * n]);
    SMRNode *B_SMR = smrt.addSMR("B", sizeof(double), B, &B[n * n]);
    SMRNode *C_SMR = smrt.addSMR("C", sizeof(double), C, &C[n * n]);

    SMRNode *input_group = smrt.createSMRGroup("Input");
    SMRNode *output_group = smrt.createSMRGroup("Output");
    input_group->addGroupMember(A_SMR);
    input_group->addGroupMember(B_SMR);
    output_group->addGroupMember(C_SMR);
    return input_group;
}
} // namespace

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1024;
    const unsigned long repeats = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
    if (n == 0 || n > 20000 || repeats == 0 || argc > 4) {
        std::fprintf(stderr, "usage: %s [N [REPEATS [COSTS]]]   with N from 1 to 20000\n", argv[0]);
        return 2;
    }
    std::vector<double> A(n * n), B(n * n), C(n * n, 0.0);
    for (size_t i = 0; i < n * n; i++) {
        A[i] = static_cast<double>(i % 7);
        B[i] = static_cast<double>(i % 5);
    }
    SMRTree smrt;
    SMRNode *inputs = describe(smrt, n, A.data(), B.data(), C.data());
    if (argc > 3) {
        rowSize = n;
        globalCost.assign(n * n, 0);
        if (!inputs->setNaturalDomainFunction(matrixNDMfunc)) std::fprintf(stderr, "%s\n", ls_last_error());
    }
    smrt.beginMemoryLoadSampling();
    for (unsigned long r = 0; r < repeats; r++) {
        C.assign(n * n, 0.0);
        multiply(n, A.data(), B.data(), C.data());
    }
    smrt.endMemoryLoadSampling();

    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += C[i];
    std::printf("N = %zu, sum of C = %.0f\n", n, sum);
    if (argc > 3 && !writeCosts(argv[3])) {
        std::perror(argv[3]);
        return 1;
    }
    return 0;
}
