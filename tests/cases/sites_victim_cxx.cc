/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of C++ at known call sites. */
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

static void *volatile keep; // or the compiler leaves allocations out
static const std::size_t MIB = std::size_t(1) << 20;

struct Field {
    explicit Field(std::size_t n) : data(new double[n])
    {
    }
    ~Field()
    {
        delete[] data;
    }
    double *data;
};

struct Mesh {
    std::vector<double> coords;
    void grow(std::size_t n);
};

__attribute__((noinline)) void Mesh::grow(std::size_t n)
{
    coords.resize(n);
    coords[0] = 1; // no jump into the container
}

__attribute__((noinline)) static double containers()
{
    std::vector<double> v(3 * MIB / 8);
    Mesh mesh;
    mesh.grow(4 * MIB / 8);
    std::string text(5 * MIB, 'x');
    return v[1] + mesh.coords[2] + text[3];
}

__attribute__((noinline)) static double pointers()
{
    double *raw = new double[6 * MIB / 8];
    std::unique_ptr<double[]> owned(new double[7 * MIB / 8]);
    Field field(8 * MIB / 8);
    keep = raw;
    keep = owned.get();
    keep = field.data;
    raw[0] = owned[0] = field.data[0] = 1;
    const double sum = raw[0] + owned[0] + field.data[0];
    delete[] raw;
    return sum;
}

int main()
{
    std::printf("%g\n", containers() + pointers());
    return 0;
}
