/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_term.h"

#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- the terminal ---- */

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

int cli_term_height(void)
{
    const char *lines = getenv("LINES");
    const int asked = lines ? atoi(lines) : 0;
    if (asked >= 10 && asked <= 1000) return asked;
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
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

void cli_print_cut_end(const char *text, int width, FILE *out)
{
    const int have = cli_text_width(text);
    if (have <= width) {
        fprintf(out, "%s%*s", text, width - have, "");
        return;
    }
    for (int n = 0; *text; text++) {
        n += (*text & 0xc0) != 0x80;
        if (n == width) break;
        fputc(*text, out);
    }
    fputs(cli_term_utf8() ? "…" : "~", out);
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

/* ---- numbers for people ---- */

struct cli_scale {
    double above;
    double factor;
    const char *unit;
};

static const struct cli_scale cli_counts[] = {
    {0, 1, ""}, {1e4, 1e3, "k"}, {1e6, 1e6, "M"}, {1e9, 1e9, "G"}, {1e12, 1e12, "T"}};
static const struct cli_scale cli_times[] = {{0, 1, " ns"},         {1e3, 1e3, " us"},
                                             {1e6, 1e6, " ms"},     {1e9, 1e9, " s"},
                                             {600e9, 60e9, " min"}, {36000e9, 3600e9, " h"}};
static const struct cli_scale cli_sizes[] = {{0, 1, " B"},
                                             {0x1p10, 0x1p10, " KiB"},
                                             {0x1p20, 0x1p20, " MiB"},
                                             {0x1p30, 0x1p30, " GiB"},
                                             {0x1p40, 0x1p40, " TiB"}};

/* Three significant digits; whole numbers if the unit is not scaled. */
static const char *cli_format_scaled(char *out, double n, const struct cli_scale *scales, size_t len)
{
    if (!isfinite(n)) return strcpy(out, "-");
    const struct cli_scale *s = scales;
    for (size_t i = 1; i < len; i++)
        if (n >= scales[i].above * 0.9995) s = &scales[i];
    const double x = n / s->factor;
    const int digits = s->factor == 1 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
    snprintf(out, CLI_CELL_BYTES, "%.*f%s", digits, x, s->unit);
    return out;
}

#define CLI_SCALED(out, n, scales) cli_format_scaled(out, n, scales, sizeof(scales) / sizeof((scales)[0]))

const char *cli_format_count(char out[CLI_CELL_BYTES], double n)
{
    return CLI_SCALED(out, n, cli_counts);
}

const char *cli_format_time(char out[CLI_CELL_BYTES], double ns)
{
    return CLI_SCALED(out, ns, cli_times);
}

const char *cli_format_bytes(char out[CLI_CELL_BYTES], double bytes)
{
    return CLI_SCALED(out, bytes, cli_sizes);
}

/* Treat a negative difference of two readings as 0. */
const char *cli_format_cycles(char out[CLI_CELL_BYTES], double cycles)
{
    return CLI_SCALED(out, cycles < 0 ? 0 : cycles, cli_counts);
}

const char *cli_format_percent(char out[CLI_CELL_BYTES], double share)
{
    if (!isfinite(share)) return strcpy(out, "-");
    snprintf(out, CLI_CELL_BYTES, "%.1f", share > -0.0005 && share < 0 ? 0.0 : share * 100);
    return out;
}

const char *cli_format_grouped(char out[CLI_CELL_BYTES], uint64_t n)
{
    char digits[CLI_CELL_BYTES];
    const int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
    char *to = out;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}
