// SPDX-License-Identifier: BSD-3-Clause
// Blocked matrix multiplication, C = A B: the same sums, tile by tile and along the
// rows of B, so that a tile of B is used again while the cache still holds it.
//
// usage: matmul_blocked_cxx [N [REPEATS]]        (default 1024 1)
// build: c++ -O2 -g matmul_blocked_cxx.cc $(pkg-config --cflags --libs loadstone)
// record: loadstone record -- ./matmul_blocked_cxx && loadstone report
#include <SMRTree.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{
// A tile of B of 64 x 64 doubles is 32 KiB: the nearest caches hold it while all rows of A pass by.
enum { BLOCK = 64 };

size_t end_of(size_t begin, size_t n)
{
    return begin + BLOCK < n ? begin + BLOCK : n;
}

void multiply_tile(size_t n, size_t kk, size_t jj, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = kk; k < end_of(kk, n); k++) {
            const double a = A[i * n + k];
            for (size_t j = jj; j < end_of(jj, n); j++)
                C[i * n + j] += a * B[k * n + j];
        }
}

void multiply(size_t n, const double *A, const double *B, double *C)
{
    for (size_t kk = 0; kk < n; kk += BLOCK)
        for (size_t jj = 0; jj < n; jj += BLOCK)
            multiply_tile(n, kk, jj, A, B, C);
}

// Names for the data, as the problem sees it: two inputs and an output.
void describe(SMRTree &smrt, size_t n, double *A, double *B, double *C)
{
    SMRNode *A_SMR = smrt.addSMR("A", sizeof(double), A, &A[n * n]);
    SMRNode *B_SMR = smrt.addSMR("B", sizeof(double), B, &B[n * n]);
    SMRNode *C_SMR = smrt.addSMR("C", sizeof(double), C, &C[n * n]);

    SMRNode *input_group = smrt.createSMRGroup("Input");
    SMRNode *output_group = smrt.createSMRGroup("Output");
    input_group->addGroupMember(A_SMR);
    input_group->addGroupMember(B_SMR);
    output_group->addGroupMember(C_SMR);

    // The natural domain: n columns and n rows, the column running fastest.
    SMRDomain *matrix = smrt.createGrid("matrix", n, n);
    if (!input_group->mapGrid(matrix, NDM_ROW_MAJOR) || !output_group->mapGrid(matrix, NDM_ROW_MAJOR))
        std::fprintf(stderr, "%s\n", ls_last_error());
}
} // namespace

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1024;
    const unsigned long repeats = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
    if (n == 0 || n > 20000 || repeats == 0) {
        std::fprintf(stderr, "usage: %s [N [REPEATS]]   with N from 1 to 20000\n", argv[0]);
        return 2;
    }
    std::vector<double> A(n * n), B(n * n), C(n * n, 0.0);
    for (size_t i = 0; i < n * n; i++) {
        A[i] = static_cast<double>(i % 7);
        B[i] = static_cast<double>(i % 5);
    }
    SMRTree smrt;
    describe(smrt, n, A.data(), B.data(), C.data());
    for (unsigned long r = 0; r < repeats; r++) {
        C.assign(n * n, 0.0);
        multiply(n, A.data(), B.data(), C.data());
    }

    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += C[i];
    std::printf("N = %zu, sum of C = %.0f\n", n, sum);
    return 0;
}
