/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone import: a recording of another tool becomes a profile. */
#include "patterns/source/pat_input.h"
#include "patterns/source/pat_unpack.h"
#include "tools/cli/cli_command.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/import/imp_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 4095 };
enum { IMPORT_OUTPUT, IMPORT_FORMAT, IMPORT_CLOCK, IMPORT_FORCE, IMPORT_QUIET, IMPORT_OPTIONS };

static const struct cli_option import_options[IMPORT_OPTIONS] = {
    [IMPORT_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "loadstone.h5", "profile to write", "Output"},
    [IMPORT_FORMAT] = {"format", 0, CLI_TEXT, "NAME", "auto",
                       "format of FILE; auto recognises it from the "
                       "beginning",
                       "Input"},
    [IMPORT_CLOCK] = {"ghz", 0, CLI_TEXT, "GHZ", NULL,
                      "clock frequency of the cycles in latencies, if the file does not contain it", "Input"},
    [IMPORT_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [IMPORT_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, NULL, "print errors and warnings only", "Output"},
};

/* Formats in the order in which they are tried. */
static const struct imp_source *const imp_sources[] = {&imp_source_perf_data, &imp_source_memaxes,
                                                       &imp_source_perf_script, NULL};

static void names_of_sources(char *out, size_t room)
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; imp_sources[i] && len < room; i++)
        len += (size_t)snprintf(out + len, room - len, "%s%s (%s)", i ? ", " : "", imp_sources[i]->name,
                                imp_sources[i]->words);
}

struct head {
    char bytes[HEAD_BYTES + 1]; /* unpacked, and a NUL */
    size_t len;
    const struct pat_unpacker *packer; /* NULL: the file is not packed */
};

static ls_err unpack_head(const char *path, struct head *h)
{
    size_t got = 1;
    pat_input *in;
    h->len = 0;
    LS_TRY(pat_input_open(path, &in));
    ls_err err = LS_OK;
    for (; err == LS_OK && got > 0 && h->len < HEAD_BYTES; h->len += got)
        if ((err = pat_input_read(in, h->bytes + h->len, HEAD_BYTES - h->len, &got)) != LS_OK) break;
    pat_input_free(in);
    return err == LS_ERR_TRUNCATED && h->len > 0 ? LS_OK : err; /* the reader will report the position */
}

static ls_err read_head(const char *path, struct head *h)
{
    FILE *file = fopen(path, "re");
    if (!file) return ls_fail_errno(errno, "cannot read %s", path);
    h->len = fread(h->bytes, 1, HEAD_BYTES, file);
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error) return ls_fail_errno(error, "cannot read %s", path);
    h->packer = pat_unpacker_of((const uint8_t *)h->bytes, h->len);
    if (h->packer) LS_TRY(unpack_head(path, h));
    h->bytes[h->len] = '\0';
    return LS_OK;
}

static ls_err source_by_head(const char *path, const struct imp_source **out)
{
    struct head head;
    char names[512];
    LS_TRY(read_head(path, &head));
    for (size_t i = 0; imp_sources[i]; i++) {
        if (!imp_sources[i]->probe(head.bytes, head.len)) continue;
        if (head.packer && !imp_sources[i]->takes_packed)
            return ls_fail(LS_ERR_UNSUPPORTED, "%s is %s, packed by %s: unpack it first", path,
                           imp_sources[i]->words, head.packer->name);
        *out = imp_sources[i];
        return LS_OK;
    }
    names_of_sources(names, sizeof(names));
    return ls_fail(LS_ERR_FORMAT,
                   "%s does not begin like any format that is known: %s; --format NAME selects one", path,
                   names);
}

static ls_err source_of(const char *name, const char *path, const struct imp_source **out)
{
    char names[512];
    if (strcmp(name, "auto") == 0) return source_by_head(path, out);
    for (size_t i = 0; imp_sources[i]; i++)
        if (strcmp(name, imp_sources[i]->name) == 0) {
            *out = imp_sources[i];
            return LS_OK;
        }
    names_of_sources(names, sizeof(names));
    return ls_fail(LS_ERR_USAGE, "--format %s: unknown format; use auto, %s", name, names);
}

static ls_err clock_of(const struct cli_value *v, double *out)
{
    char *end;
    *out = 0;
    if (!v->given) return LS_OK;
    *out = strtod(v->text, &end) * 1e9;
    if (end != v->text && *end == '\0' && *out >= 1e8 && *out <= 1e11) return LS_OK;
    return ls_fail(LS_ERR_USAGE, "--ghz %s: a number from 0.1 to 100 is needed, such as 2.6", v->text);
}

static int import_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    struct imp_job job = {
        .path = operands[0], .output_path = v[IMPORT_OUTPUT].text, .force = v[IMPORT_FORCE].given};
    const struct imp_source *source = NULL;
    cli_message_quiet(v[IMPORT_QUIET].given);
    ls_err err = clock_of(&v[IMPORT_CLOCK], &job.clock_hz);
    if (err == LS_OK && strcmp(job.path, "-") == 0)
        err = ls_fail(LS_ERR_USAGE,
                      "import cannot read standard input, because it reads some files twice: name a file");
    if (err == LS_OK) err = source_of(v[IMPORT_FORMAT].text, job.path, &source);
    if (err != LS_OK) return cli_fail(err);
    err = cli_output_check_profile(job.output_path, job.force);
    if (err != LS_OK) {
        cli_fail(err);
        return CLI_FAILURE;
    }
    err = source->run(&job);
    if (err != LS_OK) return cli_fail(err);
    if (job.skipped)
        cli_warn("%llu samples without an address of data were left out", (unsigned long long)job.skipped);
    if (job.remedies) cli_warn("%s", job.remedies);
    cli_note("%llu samples (%s): %s", (unsigned long long)job.samples, source->words, job.output_path);
    cli_next("loadstone report %s", cli_quote(job.output_path));
    return CLI_OK;
}

const struct cli_command cli_cmd_import = {
    .name = "import",
    .summary = "make a profile from another tool's recording",
    .operands = "FILE",
    .description =
        "Converts samples of memory accesses by another tool, possibly from another machine, to a "
        "profile for all other commands.\n\n"
        "perf-data: the file of perf mem record, perf record -d or a page-fault recording, also "
        "compressed. Addresses get names from the mapped files if this machine has the same build of "
        "these files; processes, forks and call chains are kept.\n\n"
        "perf-script: text of perf script with the field addr; data_src, weight, ip, sym, dso and "
        "srcline are used where present.\n\n"
        "memaxes: CSV of MemAxes and Mitos, columns by the names of its first line. Variables "
        "become nodes of the tree, the columns xidx, yidx and zidx a grid of the natural domain, "
        "iter a phase.\n\n"
        "Latencies are added up as if they did not overlap. If the clock frequency of their cycles "
        "is unknown (--ghz), a cycle counts as a nanosecond: shares are right then, times are not.",
    .examples = "loadstone import perf.data -o run.h5\n"
                "loadstone import samples.csv -o lulesh.h5 --ghz 2.6\n"
                "perf script -F +addr,data_src,weight >samples.txt && loadstone import samples.txt\n",
    .options = import_options,
    .options_len = IMPORT_OPTIONS,
    .operands_min = 1,
    .operands_max = 1,
    .reads_profiles = true,
    .run = import_run,
};
