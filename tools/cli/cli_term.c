/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_term.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const cli_sequences[] = {
    [CLI_PLAIN] = "",         [CLI_BOLD] = "\033[1m",     [CLI_DIM] = "\033[2m",
    [CLI_RED] = "\033[1;31m", [CLI_GREEN] = "\033[1;32m", [CLI_YELLOW] = "\033[1;33m",
};

static bool cli_takes_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0 && isatty(fd);
}

const char *cli_colour_begin(int fd, enum cli_colour colour)
{
    return cli_takes_colour(fd) ? cli_sequences[colour] : "";
}

const char *cli_colour_end(int fd)
{
    return cli_takes_colour(fd) ? "\033[0m" : "";
}

int cli_term_width(void)
{
    const char *columns = getenv("COLUMNS");
    const int asked = columns ? atoi(columns) : 0;
    if (asked >= 20 && asked <= 1000) return asked;
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
    return 100;
}

bool cli_term_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int cli_text_width(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

void cli_print_cut(const char *text, int width, FILE *out)
{
    const int have = cli_text_width(text);
    if (have <= width) {
        fprintf(out, "%s%*s", text, width - have, "");
        return;
    }
    /* names may differ at both ends: keep the last third */
    const int tail = width / 3, skip_to = have - tail;
    int n = 0;
    for (; *text; text++) {
        n += (*text & 0xc0) != 0x80;
        if (n <= width - tail - 1 || n > skip_to)
            fputc(*text, out);
        else if (n == width - tail && (*text & 0xc0) != 0x80)
            fputs(cli_term_utf8() ? "…" : "~", out);
    }
}

void cli_print_folded(const char *text, int indent, int width, FILE *out)
{
    int at = 0;
    while (*text) {
        const size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " ");
        int room = 0;
        for (size_t i = blanks; i < blanks + word; i++) {
            if (text[i] == '\033')
                i += strcspn(text + i, "m");
            else
                room += (text[i] & 0xc0) != 0x80;
        }
        if (at > indent && at + (int)blanks + room > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else {
            fprintf(out, "%*s", (int)blanks, "");
            at += (int)blanks;
        }
        fwrite(text + blanks, 1, word, out);
        at += room;
        text += blanks + word;
    }
    fputc('\n', out);
}
