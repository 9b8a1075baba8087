/* SPDX-License-Identifier: BSD-3-Clause */
/* Hash tables and strings, beside a loop without either. usage: tables unordered|probing|strings
 * [AMOUNT] */
#include "bench/truth/truth.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" {
void probe_table(void);
}

static volatile std::uint64_t sink;
static std::uint64_t state = 1;

static std::uint64_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static std::unordered_map<std::uint64_t, std::uint64_t> map;
enum { MAP_LEN = 500000 };

static void look_up(void)
{
    std::uint64_t sum = 0;
    for (int i = 0; i < 10000; i++) {
        const auto found = map.find(next_random() % (2 * MAP_LEN));
        if (found != map.end()) sum += found->second;
    }
    sink = sum;
}

/* Open addressing with linear probing; 0 is an empty slot, half of the slots are. */
static std::uint64_t probed_slots[1 << 21];
enum { SLOT_MASK = (1 << 21) - 1 };

static std::uint64_t slot_of(std::uint64_t key)
{
    return (key * 0x9e3779b97f4a7c15u) >> 43;
}

__attribute__((noinline)) void probe_table(void)
{
    std::uint64_t found = 0, s = sink + 1;
    for (int i = 0; i < 20000; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        const std::uint64_t key = (s >> 43) + 1;
        std::uint64_t at = slot_of(key);
        while (probed_slots[at] != 0 && probed_slots[at] != key)
            at = (at + 1) & SLOT_MASK;
        found += probed_slots[at] == key;
    }
    sink = found + s;
}

static void fill_slots(void)
{
    for (std::uint64_t key = 1; key < SLOT_MASK; key += 2) {
        std::uint64_t at = slot_of(key);
        while (probed_slots[at] != 0)
            at = (at + 1) & SLOT_MASK;
        probed_slots[at] = key;
    }
}

static void build_strings(void)
{
    std::vector<std::string> words;
    for (int i = 0; i < 1000; i++)
        words.push_back("the number " + std::to_string(next_random() % 1000000) + " as a word");
    std::sort(words.begin(), words.end());
    std::size_t found = 0;
    for (const std::string &word : words)
        found += word.find("99") != std::string::npos;
    sink = found;
}

struct Mode {
    enum truth_kind kind;
    const char *names, *data;
    void (*work)(void);
};

static const Mode table[] = {
    {TRUTH_OTHER, "unordered_map", nullptr, look_up},
    {TRUTH_FUNCTION, "probe_table", "probed_slots", probe_table},
    {TRUTH_OTHER, "strings", nullptr, build_strings},
};
static const char *const modes[] = {"unordered", "probing", "strings", nullptr};

int main(int argc, char **argv)
{
    const Mode &mode = table[truth_mode(argc, argv, modes)];
    const int rounds = static_cast<int>(3000 * truth_scale(argc, argv, 2));
    struct truth_phase *phase = truth_phase_new(mode.kind, mode.names, mode.data),
                       *plain = truth_plain_phase();
    if (mode.work == look_up)
        for (std::uint64_t i = 0; i < MAP_LEN; i++)
            map[i * 2] = i;
    if (mode.work == probe_table) fill_slots();
    for (int i = 0; i < rounds; i++) {
        truth_slice(phase, mode.work);
        truth_slice(plain, truth_plain);
    }
    truth_print();
    return 0;
}
