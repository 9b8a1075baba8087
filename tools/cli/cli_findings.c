/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/cli/cli_findings.h"
#include "common/ls_json.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Return the path relative to the repository. */
static const char *relative_path(const char *file)
{
    static char folder[PATH_MAX];
    if (!getcwd(folder, sizeof(folder))) return file;
    const size_t len = strlen(folder);
    return strncmp(file, folder, len) == 0 && file[len] == '/' ? file + len + 1 : file;
}

/* ---- SARIF ---- */

/* RFC 3986: characters that are neither unreserved nor a slash are written as %XX. */
static const char *uri_of(const char *path, char *out, size_t out_bytes)
{
    size_t used = 0;
    for (const char *c = path; *c && used + 4 < out_bytes; c++) {
        const unsigned char byte = (unsigned char)*c;
        const int is_plain = (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z') ||
                             strchr("-._~/", byte) != NULL;
        used += (size_t)snprintf(out + used, out_bytes - used, is_plain ? "%c" : "%%%02X", byte);
    }
    out[used] = '\0';
    return out;
}

static void sarif_location(struct ls_json *j, const struct cli_finding *f)
{
    char path[3 * PATH_MAX], uri[3 * PATH_MAX + 8];
    if (!f->file) return;
    const char *relative = relative_path(f->file);
    snprintf(uri, sizeof(uri), "%s%s", *relative == '/' ? "file://" : "",
             uri_of(relative, path, sizeof(path)));
    ls_json_open(j, "locations", '[');
    ls_json_open(j, NULL, '{');
    ls_json_open(j, "physicalLocation", '{');
    ls_json_open(j, "artifactLocation", '{');
    ls_json_text(j, "uri", uri);
    ls_json_close(j, '}');
    if (f->line) {
        ls_json_open(j, "region", '{');
        ls_json_u64(j, "startLine", f->line);
        ls_json_close(j, '}');
    }
    ls_json_close(j, '}');
    ls_json_close(j, '}');
    ls_json_close(j, ']');
}

static void sarif_result(struct ls_json *j, const struct cli_finding *f)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "ruleId", f->rule);
    ls_json_text(j, "level", "error");
    ls_json_open(j, "message", '{');
    ls_json_text(j, "text", f->message);
    ls_json_close(j, '}');
    sarif_location(j, f);
    ls_json_close(j, '}');
}

/* Each rule once. */
static void sarif_rules(struct ls_json *j, const struct cli_finding *rows, size_t len)
{
    ls_json_open(j, "rules", '[');
    for (size_t i = 0; i < len; i++) {
        size_t before = 0;
        while (before < i && strcmp(rows[before].rule, rows[i].rule) != 0)
            before++;
        if (before < i) continue;
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "id", rows[i].rule);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

void cli_findings_sarif(const struct cli_finding *rows, size_t len, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_text(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    ls_json_text(&j, "version", "2.1.0");
    ls_json_open(&j, "runs", '[');
    ls_json_open(&j, NULL, '{');
    ls_json_open(&j, "tool", '{');
    ls_json_open(&j, "driver", '{');
    ls_json_text(&j, "name", "loadstone");
    ls_json_text(&j, "version", PACKAGE_VERSION);
    sarif_rules(&j, rows, len);
    ls_json_close(&j, '}');
    ls_json_close(&j, '}');
    ls_json_open(&j, "results", '[');
    for (size_t i = 0; i < len; i++)
        sarif_result(&j, &rows[i]);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

/* ---- GitHub ---- */

/* Escape a text of a workflow command, which ends at the end of the line, and whose properties end at a comma
 * or colon. */
static void github_text(const char *text, int is_property, FILE *out)
{
    for (; *text; text++) {
        const int is_special =
            *text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ',' || *text == ':'));
        fprintf(out, is_special ? "%%%02X" : "%c", (unsigned char)*text);
    }
}

static void github_annotation(const struct cli_finding *f, FILE *out)
{
    fputs("::error ", out);
    if (f->file) {
        fputs("file=", out);
        github_text(relative_path(f->file), 1, out);
        if (f->line) fprintf(out, ",line=%u", f->line);
        fputc(',', out);
    }
    fputs("title=", out);
    github_text(f->rule, 1, out);
    fputs("::", out);
    github_text(f->message, 0, out);
    fputc('\n', out);
}

/* GitHub shows the first ten errors of a step and drops the others silently. */
enum { GITHUB_ANNOTATIONS = 10 };

void cli_findings_github(const struct cli_finding *rows, size_t len, FILE *out)
{
    const size_t shown = len <= GITHUB_ANNOTATIONS ? len : GITHUB_ANNOTATIONS - 1;
    char text[80];
    for (size_t i = 0; i < shown; i++)
        github_annotation(&rows[i], out);
    if (shown == len) return;
    snprintf(text, sizeof(text), "%zu more, not shown: --format text prints all", len - shown);
    github_annotation(&(const struct cli_finding){.rule = rows[shown].rule, .message = text}, out);
}
