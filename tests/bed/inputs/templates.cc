// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
template <int N> struct chain {
    std::map<std::string, std::vector<std::variant<int, std::string, double>>> table;
    std::unordered_map<int, std::function<int(int)>> calls;
    int run(int x)
    {
        calls[N] = [x](int y) { return x * y + N; };
        table[std::to_string(N)].push_back(x);
        std::vector<int> v(N + 10, x);
        std::sort(v.begin(), v.end(), [](int a, int b) { return a % (N + 2) < b % (N + 2); });
        return calls[N](v[0]) + chain<N - 1>().run(x + 1);
    }
};
template <> struct chain<0> {
    int run(int x)
    {
        return x;
    }
};
int main(int argc, char **argv)
{
    return chain<24>().run(argc) + std::regex_match(argv[0], std::regex("(a|b)*c+[0-9]{2,5}"));
}
