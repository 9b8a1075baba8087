/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: kernel_rows RUN.H5: the rows of /kernel as lines "cause|node|function:line|calls|bytes|time_ns", and
 * events as "event|kind|count". */
#include "run_h5/prof_reader.h"

#include <inttypes.h>
#include <stdio.h>

static const char *label_of(const prof_profile *p, uint32_t id)
{
    size_t len;
    const struct prof_node *nodes = prof_nodes(p, &len);
    for (size_t i = 0; i < len; i++)
        if (nodes[i].id == id) return nodes[i].label;
    return "-";
}

static void print_row(const prof_profile *p, const struct prof_kernel *k)
{
    static const char *const causes[] = {
#define TEXT(name, text) text,
        PROF_KERNEL_CAUSES(TEXT)};
    size_t lines_len;
    const struct prof_line *lines = prof_lines(p, &lines_len);
    const struct prof_line none = {.function = "-"}, *line = k->line < lines_len ? &lines[k->line] : &none;
    printf("%s|%s|%s:%u|%" PRIu64 "|%" PRIu64 "|%.0f\n", causes[k->cause], label_of(p, k->node),
           line->function, line->line, k->calls, k->bytes, k->time_ns);
}

int main(int argc, char **argv)
{
    prof_profile *p = NULL;
    size_t len;
    if (argc != 2 || prof_open(argv[1], &p) != LS_OK) {
        fprintf(stderr, "%s\n", argc == 2 ? ls_last_error() : "usage: kernel_rows RUN.H5");
        return 1;
    }
    const struct prof_kernel *rows = prof_kernels(p, &len);
    for (size_t i = 0; i < len; i++)
        print_row(p, &rows[i]);
    const struct prof_event *events = prof_events(p, &len);
    for (size_t i = 0; i < len; i++)
        printf("event|%s|%" PRIu64 "\n", events[i].kind, events[i].count);
    prof_close(p);
    return 0;
}
