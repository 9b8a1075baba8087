/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_nearest.h"

#include <stdint.h>
#include <string.h>

enum { CLI_WORD_MAX = 40 };

struct cli_nearest cli_nearest_to(const char *word, size_t len)
{
    return (struct cli_nearest){.word = word, .len = len, .best_distance = SIZE_MAX};
}

static size_t cli_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insert, delete, replace, swap of neighbours (Damerau 1964). */
static size_t cli_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t d[CLI_WORD_MAX + 1][CLI_WORD_MAX + 1];
    for (size_t i = 0; i <= a_len; i++) {
        for (size_t j = 0; j <= b_len; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const size_t replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = cli_min(replace, cli_min(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = cli_min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a_len][b_len];
}

void cli_nearest_offer(struct cli_nearest *n, const char *candidate)
{
    const size_t len = strlen(candidate);
    if (len > CLI_WORD_MAX || n->len > CLI_WORD_MAX) return;
    /* an unfinished word is as near as one typing error */
    const size_t distance = n->len >= 2 && len > n->len && memcmp(candidate, n->word, n->len) == 0
                                ? 1
                                : cli_distance(n->word, n->len, candidate, len);
    if (distance < n->best_distance) {
        n->best_distance = distance;
        n->best = candidate;
    }
}

const char *cli_nearest_best(const struct cli_nearest *n)
{
    const size_t limit = n->len / 3 > 1 ? n->len / 3 : 1;
    return n->best_distance <= limit ? n->best : NULL;
}
