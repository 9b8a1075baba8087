// SPDX-License-Identifier: BSD-3-Clause
// C++ names and inlined functions: comments marked with @ contain the expectations for the profile.
#include "sym_victim.h"

#include <cstdlib>

namespace shop
{
struct Item {
    double price, weight;
};
Item items[512]; // @variable shop::items
class Store
{
  public:
    static long visits[512]; // @variable shop::Store::visits
    __attribute__((always_inline)) double price(unsigned i) const;
    __attribute__((noinline)) double total(unsigned first) const;
};
long Store::visits[512];
} // namespace shop

namespace
{
int hidden[512]; // @variable (anonymous namespace)::hidden
template <typename T> __attribute__((always_inline)) inline T innermost(const volatile T *from, unsigned i)
{
    return from[i]; // @line innermost
}
} // namespace

inline double shop::Store::price(unsigned i) const
{
    return innermost(&items[i].price, 0); // @call innermost
}

double shop::Store::total(unsigned first) const
{
    static volatile unsigned rounds[512]; // @variable shop::Store::total(unsigned int) const::rounds
    double sum = 0;
    for (unsigned i = 0; i < 512; i++) {
        sum += price((first + i) % 512); // @call price
        visits[i]++;
        rounds[i]++;
        *(volatile int *)&hidden[i] += 1;
    }
    static bool is_reported = false;
    if (!is_reported)
        SYM_REPORT("shop::Store::total(unsigned_int)_const::rounds", "MAIN", "symbol", rounds,
                   sizeof(rounds[0]), 0, SYM_EVER);
    is_reported = true;
    return sum;
}

int main(int argc, char **argv)
{
    const unsigned long long end_ns =
        sym_now_ns() + (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100) * 1000000ull;
    volatile double sum = 0;
    const shop::Store store;
    SYM_REPORT("shop::items", "MAIN", "symbol", shop::items, sizeof(shop::Item), 0, SYM_EVER);
    SYM_REPORT("shop::Store::visits", "MAIN", "symbol", shop::Store::visits, sizeof(long), 0, SYM_EVER);
    SYM_REPORT("(anonymous_namespace)::hidden", "MAIN", "symbol", hidden, sizeof(int), 0, SYM_EVER);
    for (unsigned i = 0; sym_now_ns() < end_ns; i++)
        sum = sum + store.total(i);
    return 0;
}
