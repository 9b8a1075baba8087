/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_message.h"
#include "common/ls_text.h"
#include "tools/cli/cli_term.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool cli_quiet, cli_silent;

void cli_message_quiet(bool quiet)
{
    cli_quiet = quiet;
}

void cli_message_silence(bool silent)
{
    cli_silent = silent;
}

static void cli_say(enum cli_colour colour, const char *kind, const char *format, va_list args)
{
    char line[2048]; /* one write, so that lines of the program and ours do not mix */
    size_t len =
        (size_t)snprintf(line, sizeof(line), "%sloadstone:%s %s", cli_colour_begin(STDERR_FILENO, colour),
                         cli_colour_end(STDERR_FILENO), kind);
    const size_t head = len;
    if (cli_silent) return;
    const int more = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
    len = more < 0 ? len : len + (size_t)more;
    if (len > sizeof(line) - 2) len = sizeof(line) - 2;
    ls_text_clean(line + head, len - head, ""); /* names in files are untrusted */
    line[len++] = '\n';
    if (write(STDERR_FILENO, line, len) < 0) return; /* a failure cannot be reported anywhere else */
}

#define CLI_SAY(colour, kind)                \
    do {                                     \
        va_list args;                        \
        va_start(args, format);              \
        cli_say(colour, kind, format, args); \
        va_end(args);                        \
    } while (0)

void cli_error(const char *format, ...)
{
    CLI_SAY(CLI_RED, "");
}

void cli_warn(const char *format, ...)
{
    CLI_SAY(CLI_YELLOW, "warning: ");
}

void cli_note(const char *format, ...)
{
    if (!cli_quiet) CLI_SAY(CLI_BOLD, "");
}

void cli_next(const char *format, ...)
{
    if (!cli_quiet) CLI_SAY(CLI_GREEN, "next: ");
}

static int cli_status_of(ls_err e)
{
    switch (e) {
    case LS_OK:
        return CLI_OK;
    case LS_ERR_USAGE:
        return CLI_USAGE;
    case LS_ERR_NOT_FOUND:
    case LS_ERR_FORMAT:
    case LS_ERR_TRUNCATED:
    case LS_ERR_VERSION:
        return CLI_BAD_INPUT;
    default:
        return CLI_FAILURE;
    }
}

int cli_fail(ls_err e)
{
    const char *text = ls_last_error();
    cli_error("%s", *text ? text : ls_err_text(e));
    return cli_status_of(e);
}

void cli_progress(const char *what, double done)
{
    if (cli_quiet || cli_silent || !isatty(STDERR_FILENO)) return;
    if (done >= 1)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\rloadstone: %s %3.0f %%", what, done * 100);
    fflush(stderr);
}

static bool cli_is_plain_word(const char *text)
{
    return *text &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^")] ==
               '\0';
}

const char *cli_quote(const char *text)
{
    static char buffers[4][1024];
    static unsigned turn;
    if (cli_is_plain_word(text)) return text;
    char *out = buffers[turn++ % 4];
    size_t n = 0;
    out[n++] = '\'';
    for (; *text && n < sizeof(buffers[0]) - 6; text++) {
        if (*text == '\'') {
            memcpy(out + n, "'\\''", 4);
            n += 4;
        } else {
            out[n++] = *text;
        }
    }
    out[n++] = '\'';
    out[n] = '\0';
    return out;
}

const char *cli_shown(const char *name)
{
    static char buffers[4][PATH_MAX];
    static unsigned turn;
    char *out = buffers[turn++ % 4];
    snprintf(out, PATH_MAX, "%s", name);
    ls_text_clean(out, strlen(out), "");
    return out;
}
