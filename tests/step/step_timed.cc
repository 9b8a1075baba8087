// SPDX-License-Identifier: BSD-3-Clause
// Loops with the instructions of ordinary programs, one per mode: calls and returns, divisions, short string
// instructions.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <unordered_map>
#include <vector>

namespace
{

constexpr size_t entries = size_t{1} << 21;
uint64_t table[entries];
uint64_t state = 88172645463325252u;
volatile uint64_t sink;

__attribute__((noinline)) uint64_t next(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    return x ^ x << 17;
}

// ret
void call()
{
    state = next(state);
    sink = sink + table[state % entries];
}

// div and idiv, by a register and by memory
volatile uint64_t prime = entries - 9;
volatile int64_t small_prime = 1021;
void modulo()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    uint64_t quotient = state, remainder = 0;
    __asm__ volatile("divq %2" : "+a"(quotient), "+d"(remainder) : "m"(prime) : "cc");
    sink = sink + table[remainder] + table[state % prime] +
           static_cast<uint64_t>(static_cast<int64_t>(state) / small_prime);
}

// rep movs, stos, scas, cmps and lods of a few elements
void repeat()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    static uint64_t copy[8];
    const void *from = &table[state % entries & ~size_t{7}];
    void *to = copy;
    uint64_t count = 8, a = 0;
    __asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    to = copy;
    count = 7;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(a) : "memory");
    to = copy;
    count = 16;
    __asm__ volatile("repe scasb" : "+D"(to), "+c"(count) : "a"(a) : "memory", "cc");
    from = &table[state % entries & ~size_t{7}];
    to = copy;
    count = 3;
    __asm__ volatile("repne cmpsl" : "+S"(from), "+D"(to), "+c"(count) : : "memory", "cc");
    count = 2;
    from = copy;
    __asm__ volatile("rep lodsq" : "+S"(from), "+a"(a), "+c"(count) : : "memory");
    sink = sink + a;
}

// a modulo and calls, as the library has them
std::unordered_map<uint64_t, uint64_t> lookups;
void lookup()
{
    constexpr uint64_t keys = 100000;
    if (lookups.empty())
        for (uint64_t i = 0; i < keys; i++)
            lookups[i * 7919] = i;
    state = next(state);
    sink = sink + lookups.find(state % keys * 7919)->second;
}

struct shape {
    uint64_t number = 1;
    virtual ~shape() = default;
    virtual uint64_t value(uint64_t x)
    {
        return x + number;
    }
};
struct round_shape : shape {
    uint64_t value(uint64_t x) override
    {
        return x ^ number;
    }
};
std::vector<std::unique_ptr<shape>> shapes;
void virtual_call()
{
    if (shapes.empty())
        for (size_t i = 0; i < 100000; i++)
            shapes.emplace_back(next(i + 1) & 1 ? new shape : static_cast<shape *>(new round_shape));
    state = next(state);
    sink = shapes[state % shapes.size()]->value(sink);
}

// jecxz, which the engine steps in place, before each load
void in_place()
{
    uint64_t sum = 0;
    __asm__ volatile("mov $16, %%rdx\n"
                     "1:\tjecxz 2f\n"
                     "2:\tadd (%[from],%%rdx,8), %[sum]\n\tdec %%rdx\n\tjnz 1b"
                     : [sum] "+r"(sum)
                     : [from] "r"(table)
                     : "rdx", "cc", "memory");
    sink = sum;
}

const struct {
    const char *name;
    void (*once)();
} modes[] = {{"call", call},     {"modulo", modulo},        {"repeat", repeat},
             {"lookup", lookup}, {"virtual", virtual_call}, {"in-place", in_place}};

} // namespace

int main(int argc, char **argv)
{
    for (const auto &mode : modes) {
        if (argc < 2 || strcmp(argv[1], mode.name) != 0) continue;
        while (clock() < CLOCKS_PER_SEC)
            for (int i = 0; i < 100000; i++)
                mode.once();
        return 0;
    }
    fprintf(stderr, "usage: step_timed MODE\n");
    return 2;
}
