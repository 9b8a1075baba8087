/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_facts.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS_KEY_WIDTH = 11 };

/* Escape sequences of a terminal, "\033[...m", go. */
static void view_plain(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        if (*c != '\033') {
            *to++ = *c;
            continue;
        }
        while (c[1] && *c != 'm')
            c++;
    }
    *to = 0;
}

static size_t view_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void view_split(struct view_facts *f)
{
    char *rest = f->text;
    for (char *line; (line = strsep(&rest, "\n")) && rest;) {
        if (strlen(line) < FACTS_KEY_WIDTH) continue;
        line[FACTS_KEY_WIDTH - 1] = 0;
        line[strcspn(line, " ")] = 0;
        f->facts[f->len++] = (struct vx_fact){line, line + FACTS_KEY_WIDTH};
    }
}

ls_err view_facts_init(struct view_facts *out, const struct rep_view *v)
{
    size_t len = 0;
    *out = (struct view_facts){0};
    FILE *memory = open_memstream(&out->text, &len);
    if (!memory) return ls_nomem("the head of the page");
    rep_print_header_lines(v, memory);
    rep_print_how_lines(v, memory);
    if (fclose(memory) != 0) return ls_nomem("the head of the page");
    view_plain(out->text);
    out->facts = calloc(view_lines(out->text) + 1, sizeof(*out->facts));
    if (!out->facts) return ls_nomem("the head of the page");
    view_split(out);
    return LS_OK;
}

void view_facts_fini(struct view_facts *f)
{
    free(f->facts);
    free(f->text);
}
