/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that call functions, beside a loop without calls. usage: calls
 * direct|virtual|plt|recursive|exceptions [AMOUNT] */
#include "bench/truth/truth.h"
#include "bench/truth/calls_plugin.h"

#include <cstdint>

extern "C" {
unsigned callee_direct(unsigned x);
unsigned callee_recursive(unsigned depth);
void call_direct(void);
void call_virtual(void);
void call_plt(void);
void call_recursive(void);
void call_exceptions(void);
}

static volatile unsigned sink;
static volatile unsigned weights[64];

__attribute__((noinline)) unsigned callee_direct(unsigned x)
{
    return x * 1664525u + weights[x >> 26];
}

__attribute__((noinline)) void call_direct(void)
{
    unsigned x = sink;
    for (int i = 0; i < 150000; i++)
        x = callee_direct(x);
    sink = x;
}

struct Shape {
    unsigned size;
    explicit Shape(unsigned s) : size(s)
    {
    }
    virtual ~Shape()
    {
    }
    virtual unsigned area_of(unsigned x) const = 0;
};

struct Square : Shape {
    using Shape::Shape;
    unsigned area_of(unsigned x) const override
    {
        return size * size + x;
    }
};

struct Circle : Shape {
    using Shape::Shape;
    unsigned area_of(unsigned x) const override
    {
        return size * size * 3 + x;
    }
};

static Shape *shapes[64];

__attribute__((noinline)) void call_virtual(void)
{
    unsigned x = sink;
    for (int i = 0; i < 60000; i++)
        x = shapes[i % 64]->area_of(x);
    sink = x;
}

__attribute__((noinline)) void call_plt(void)
{
    unsigned x = sink;
    for (int i = 0; i < 150000; i++)
        x = callee_plt(x);
    sink = x;
}

__attribute__((noinline)) unsigned callee_recursive(unsigned depth)
{
    return depth < 2 ? depth : callee_recursive(depth - 1) + callee_recursive(depth - 2);
}

__attribute__((noinline)) void call_recursive(void)
{
    sink = callee_recursive(26);
}

__attribute__((noinline)) static void thrower(unsigned x)
{
    if (x % 2 == 0) throw x;
}

void call_exceptions(void)
{
    unsigned caught = 0;
    for (unsigned i = 0; i < 1000; i++) {
        try {
            thrower(i);
        } catch (unsigned x) {
            caught += x;
        }
    }
    sink = caught;
}

struct Mode {
    const char *names;
    void (*work)(void);
    enum truth_kind kind;
    int plain; /* slices of the loop without calls, for each of the others */
};

static const Mode table[] = {
    {"call_direct+callee_direct", call_direct, TRUTH_FUNCTION, 1},
    {"call_virtual+Square::area_of+Circle::area_of", call_virtual, TRUTH_FUNCTION, 1},
    {"call_plt+callee_plt+callee_plt@plt", call_plt, TRUTH_FUNCTION, 1},
    {"call_recursive+callee_recursive", call_recursive, TRUTH_FUNCTION, 1},
    {"exceptions", call_exceptions, TRUTH_OTHER, 1},
};
static const char *const modes[] = {"direct", "virtual", "plt", "recursive", "exceptions", nullptr};

int main(int argc, char **argv)
{
    const Mode &mode = table[truth_mode(argc, argv, modes)];
    const int rounds = static_cast<int>(3000 * truth_scale(argc, argv, 2));
    struct truth_phase *calls = truth_phase_new(mode.kind, mode.names, nullptr), *plain = truth_plain_phase();
    for (unsigned i = 0; i < 64; i++) {
        weights[i] = i * 2654435761u;
        shapes[i] = i * 7 % 5 < 2 ? static_cast<Shape *>(new Square(i)) : new Circle(i);
    }
    for (int i = 0; i < rounds; i++) {
        truth_slice(calls, mode.work);
        truth_slices(plain, truth_plain, mode.plain);
    }
    truth_print();
    for (Shape *shape : shapes)
        delete shape;
    return 0;
}
