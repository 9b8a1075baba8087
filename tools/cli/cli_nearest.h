/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": the word nearest to a misspelt one, if one is near enough. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

struct cli_nearest {
    const char *word;
    size_t len;
    const char *best;
    size_t best_distance;
};

struct cli_nearest cli_nearest_to(const char *word, size_t len);
void cli_nearest_offer(struct cli_nearest *n, const char *candidate);
/* NULL when nothing is within a third of the word's letters (at least one). */
const char *cli_nearest_best(const struct cli_nearest *n);

#endif
