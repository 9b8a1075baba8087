// SPDX-License-Identifier: BSD-3-Clause
// clang-format off
// Ways to allocate in C++. A comment after a line, marked by "=", has the names that a person would give to the memory
// allocated there, in this order: idioms_check.py compares them.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#define APART __attribute__((noinline, noclone))
static const std::size_t BYTES = 65536;
static void *volatile keep;
static int key = 3;

struct big { // a value that makes a node of a container large
    char bytes[BYTES];
};
typedef double Real_t;

// --- wrappers ---
template <typename T>
APART T *Allocate(std::size_t n)
{
    return static_cast<T *>(std::malloc(sizeof(T) * n));
}
template <typename T>
APART void alloc_rows(T *&rows, std::size_t n)
{
    rows = new T[n];
}
APART static void fill(std::vector<double> &out, std::size_t n)
{
    out.assign(n, 1.0);
}
APART static std::vector<double> make_vector(std::size_t n)
{
    std::vector<double> result(n, 2.0);
    keep = result.data();
    return result;
}
template <class T>
class pvector { // as in graph benchmarks
public:
    APART explicit pvector(std::size_t n) : size_(n)
    {
        start_ = new T[size_];
    }
    ~pvector()
    {
        delete[] start_;
    }
    T *start_;
    std::size_t size_;
};
template <typename T>
struct Aligned {
    typedef T value_type;
    Aligned() = default;
    template <typename U>
    Aligned(const Aligned<U> &)
    {
    }
    APART T *allocate(std::size_t n)
    {
        void *p = std::aligned_alloc(64, n * sizeof(T));
        if (!p) throw std::bad_alloc();
        return static_cast<T *>(p);
    }
    void deallocate(T *p, std::size_t)
    {
        std::free(p);
    }
    bool operator==(const Aligned &) const
    {
        return true;
    }
    bool operator!=(const Aligned &) const
    {
        return false;
    }
};

struct Mesh {
    APART explicit Mesh(std::size_t n)
        : nodes(new double[n]), //= nodes
          edges(new int[n]), //= edges
          faces(n), //= faces
          owned_(std::make_unique<float[]>(n)) //= owned_
    {
        this->marks = static_cast<char *>(std::calloc(n, 1)); //= marks
        cells_.resize(n); //= cells_
    }
    APART Mesh *clone() const
    {
        return new Mesh(*this, 0);
    }
    APART Mesh(const Mesh &, int) : nodes(nullptr)
    {
    }
    static double *table;
    double *nodes;
    int *edges = nullptr;
    std::vector<long> faces;
    std::unique_ptr<float[]> owned_;
    char *marks = nullptr;
    std::vector<double> cells_;
    char padding[BYTES];
};
double *Mesh::table = new double[BYTES]; //= Mesh::table

struct Part {
    double values[BYTES / 8];
    APART static Part *create()
    {
        auto *part = new Part();
        part->values[0] = 1;
        return part;
    }
    void *operator new(std::size_t n)
    {
        return std::malloc(n);
    }
    void operator delete(void *p)
    {
        std::free(p);
    }
};
struct World {
    std::vector<Part> particles;
    std::map<int, std::vector<double>> fields;
    double *forces = nullptr;
};
static std::vector<double> global_table(BYTES); //= global_table

// --- idioms ---
APART static void arrays(std::size_t n)
{
    double *raw = new double[n]; //= raw
    keep = raw;
    auto *mesh = new Mesh(n); //= mesh
    keep = mesh;
    Mesh *copy = mesh->clone(); //= copy
    keep = copy;
    Real_t *dvdx = Allocate<Real_t>(n); //= dvdx
    keep = dvdx;
    double *a = new double[n], *b = new double[n + 1]; //= a, b
    keep = a, keep = b;
    int *rows;
    alloc_rows(rows, n); //= rows
    keep = rows;
    auto make = [](std::size_t m) { return new char[m]; };
    char *from_lambda = make(n); //= from_lambda
    keep = from_lambda;
    Mesh::table = new double[n]; //= Mesh::table
    Part *part = Part::create(); //= part
    keep = part;
    pvector<float> scores(n); //= scores
    keep = scores.start_;
    double **pointers = new double *[4](), **other = new double *[n](); //= other
    for (int i = 0; i < 4; i++)
        pointers[i] = new double[n]; //= pointers
    keep = pointers, keep = other;
}

APART static void smart(std::size_t n)
{
    auto unique = std::make_unique<double[]>(n); //= unique
    keep = unique.get();
    auto shared = std::make_shared<Part>(); //= shared
    keep = shared.get();
    std::unique_ptr<double[]> owned(new double[n]); //= owned
    keep = owned.get();
    owned.reset(new double[n + 1]); //= owned
    auto wrapped = std::unique_ptr<float[]>(new float[n]); //= wrapped
    keep = wrapped.get();
    std::shared_ptr<float> counted(new float[n], std::default_delete<float[]>()); //= counted
    keep = counted.get();
}

APART static void vectors(World &world, std::size_t n)
{
    std::vector<double> v(n); //= v
    std::vector<float> x(n), y(n + 1); //= x, y
    keep = x.data(), keep = y.data();
    std::vector<std::vector<double>> matrix(4);
    matrix[1].resize(n); //= matrix
    matrix.at(2).resize(n); //= matrix
    world.particles.resize(4); //= world.particles
    world.fields[key].resize(n); //= world.fields
    std::vector<double> backup;
    backup = v; //= backup
    std::vector<double> second = v; //= second
    std::vector<double> third{v}; //= third
    keep = second.data(), keep = third.data();
    std::vector<double, Aligned<double>> aligned(n); //= aligned
    keep = aligned.data();
    std::vector<double> filled;
    fill(filled, n); //= filled
    std::vector<double> got = make_vector(n); //= got
    keep = got.data();
    std::vector<big> grown;
    grown.push_back(big()); //= grown
    grown.emplace_back(); //= grown
    keep = grown.data();
    auto *heap = new std::vector<double>(n); //= heap
    keep = heap->data();
    keep = backup.data(), keep = v.data();
}

APART static void containers()
{
    std::map<int, big> ordered;
    ordered[key] = big(); //= ordered
    ordered.emplace(4, big()); //= ordered
    ordered.insert(std::make_pair(5, big())); //= ordered
    ordered.insert({6, big()}); //= ordered
    std::unordered_map<int, big> hashed;
    hashed[key].bytes[1]++; //= hashed
    ++hashed[key + 1].bytes[0]; //= hashed
    std::list<big> queue;
    queue.push_back(big()); //= queue
    queue.push_front(big()); //= queue
    std::deque<big> deque;
    deque.emplace_back(); //= deque
    std::set<std::string> names;
    names.insert(std::string(BYTES, 'x')).second ? keep = &names : keep = nullptr;
    keep = &ordered, keep = &hashed;
}

APART static void strings(const std::string &given)
{
    std::string text(BYTES, 'x'); //= text
    std::string path = given + "/" + text; //= path
    std::string copy = given; //= copy
    std::string sum;
    sum += given; //= sum
    copy.append(text); //= copy
    keep = &path[0], keep = &sum[0], keep = &copy[0], keep = &text[0];
    auto *name = strdup(given.c_str()); //= name
    keep = name;
}

int main()
{
    World world;
    arrays(BYTES);
    smart(BYTES);
    vectors(world, BYTES);
    containers();
    const std::string long_text(BYTES, 'y'); //= long_text
    strings(long_text);
    return 0;
}
