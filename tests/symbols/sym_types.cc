// SPDX-License-Identifier: BSD-3-Clause
// Types in name spaces, templates, classes and functions, for test_sym_walk and test_sym_files: compiled with type units, and with a
// split file.
#include <cstdio>
#include <map>
#include <string>

namespace shapes
{
template <class T> struct point {
    T x, y;
    T sum() const
    {
        return x + y;
    }
};
class box
{
  public:
    enum class side { left, right };
    explicit box(int size) : corner{size, size}
    {
    }
    struct inner {
        point<double> middle;
        box *next;
    };
    int width() const
    {
        return corner.x;
    }
    static int made;

  private:
    point<int> corner;
    inner within{};
};
int box::made = 3;
} // namespace shapes

static std::map<std::string, shapes::box> boxes;
static thread_local int used;

static inline __attribute__((always_inline)) int inlined_into_local(const volatile int *from)
{
    return from[0] * from[1];
}

int main(int argc, char **argv)
{
    struct local {
        static __attribute__((noinline)) int product(int x)
        {
            const struct only_there {
                volatile int pair[2];
            } there = {{x, x + 1}};
            return inlined_into_local(there.pair);
        }
    };
    boxes.emplace(argv[0], shapes::box(argc));
    for (const auto &named : boxes)
        used += named.second.width();
    return std::printf("%d\n", used + shapes::box::made + local::product(argc)) < 0;
}
