// SPDX-License-Identifier: BSD-3-Clause
// Throws through several frames and works in the handler and in a destructor that runs on the way.
#include "common/ls_compat.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

static volatile std::uint32_t sum;

static long used_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

LS_KEPT_FUNCTION static void churn(std::uint32_t seed)
{
    volatile std::uint32_t own[64] = {};
    for (unsigned i = 0; i < 20000; i++)
        own[i % 64] += seed * i + own[(i + 5) % 64];
    sum = own[7];
}

struct Guard {
    LS_KEPT_FUNCTION ~Guard()
    {
        churn(3);
    }
};

LS_KEPT_FUNCTION static void thrower(int depth)
{
    Guard guard;
    if (depth == 0) throw std::runtime_error("on purpose");
    thrower(depth - 1);
    sum = sum + 1;
}

LS_KEPT_FUNCTION static void catcher()
{
    try {
        thrower(3);
    } catch (const std::exception &e) {
        churn(static_cast<std::uint32_t>(std::string(e.what()).size()));
    }
}

int main()
{
    const char *text = std::getenv("CALLS_MS");
    const long until = text ? std::atol(text) : 400;
    while (used_ms() < until)
        catcher();
    std::puts("thrown");
    return 0;
}
