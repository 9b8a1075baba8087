/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings for other programs: results of SARIF 2.1.0, which code hosts and editors show beside the code, and
 * annotations of GitHub Actions. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <stddef.h>
#include <stdio.h>

struct cli_finding {
    const char *rule;    /* its name, such as "memory-regression" */
    const char *message; /* one sentence */
    const char *file;    /* NULL: without a file */
    unsigned line;       /* 0: not known */
};

/* Write findings in a format. Files below the current directory are named relative to it.
 * The worst come first, because GitHub shows at most ten: of more, the last annotation counts the others.
 * Errors: none; errors of out stay in it. */
void cli_findings_sarif(const struct cli_finding *rows, size_t len, FILE *out);
void cli_findings_github(const struct cli_finding *rows, size_t len, FILE *out);

#endif
