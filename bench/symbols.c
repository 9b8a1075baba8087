/* SPDX-License-Identifier: BSD-3-Clause */
/* How long it takes to name many addresses of a large file: functions, lines and inlining.
 * usage: symbols FILE [ADDRESSES] */
#include "common/ls_clock.h"
#include "symbols/sym_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { ADDRESSES = 100000 };

static int fail(const char *what)
{
    fprintf(stderr, "symbols: %s: %s\n", what, ls_last_error());
    return 1;
}

/* Distinct addresses, evenly over the code; the first one inside it. */
static uint64_t *spread(const sym_file *f, size_t len)
{
    uint64_t linked = 0;
    struct sym_thing text = {.row = SYM_NONE};
    for (uint64_t offset = 0; offset < UINT64_C(1) << 32 && text.row == SYM_NONE; offset += 4096)
        for (uint64_t at = 0; sym_file_linked(f, offset, &linked) && at < 4096 && text.row == SYM_NONE;
             at += 16) {
            text = sym_file_find_section(f, linked + at);
            if (text.row != SYM_NONE && (text.name[0] != '.' || text.name[1] != 't')) text.row = SYM_NONE;
        }
    uint64_t *all = text.row == SYM_NONE ? NULL : malloc(len * sizeof(*all));
    for (size_t i = 0; all && i < len; i++)
        all[i] = text.base + (text.end - text.base) / len * i;
    return all;
}

static void tell(const struct sym_answer *a, double took_s)
{
    size_t functions = 0, lines = 0, inlined = 0;
    for (size_t i = 0; i < a->lines_len; i++) {
        functions += a->lines[i].symbol != 0;
        lines += a->lines[i].line != 0;
        inlined += a->lines[i].inlines_len != 0;
    }
    printf("%zu addresses in %.2f s, %.0f a second; %zu have a function, %zu a line, %zu are inlined\n",
           a->lines_len, took_s, (double)a->lines_len / took_s, functions, lines, inlined);
}

static int measure(const char *path, size_t len)
{
    sym_files *files;
    sym_file *f;
    struct sym_answer a;
    struct stat st;
    if (sym_files_new((struct sym_limits){0}, &files) != LS_OK || sym_files_get(files, path, &f) != LS_OK)
        return fail(path);
    uint64_t *linked = stat(path, &st) == 0 ? spread(f, len) : NULL;
    if (!linked) return fail("no code, or no such file");
    const uint64_t begin_ns = ls_clock_mono_ns();
    if (sym_file_lines(files, f, linked, len, &a) != LS_OK) return fail(path);
    const double took_s = (double)(ls_clock_mono_ns() - begin_ns) / 1e9;
    printf("%s, %.0f MB%s%s: ", path, (double)st.st_size / 1e6, *sym_file_problem(f) ? ", " : "",
           sym_file_problem(f));
    tell(&a, took_s);
    sym_answer_fini(&a);
    free(linked);
    sym_files_free(files);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: symbols FILE [ADDRESSES]\n");
        return 2;
    }
    return measure(argv[1], argc > 2 ? strtoul(argv[2], NULL, 10) : ADDRESSES);
}
