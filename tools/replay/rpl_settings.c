/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of replay, as configurations and settings of the run. */
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_ranks.h"
#include "tools/replay/rpl_session.h"
#include "patterns/pat_builder.h"
#include "patterns/pat_json.h"
#include "patterns/source/pat_unpack.h"
#include "tools/cli/cli_message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct cli_option rpl_options[RPL_OPTIONS] = {
    [RPL_PATTERN] =
        {"pattern", 'p', CLI_TEXT, "PATTERN", NULL,
         "UNIFORM:LENGTH:STRIDE[:DELTA|:NR], MS1:LENGTH:LOCATIONS:GAPS, LAPLACIAN:DIMENSIONS:ORDER:SIZE, "
         "indices as in 0,4,8, RAW=FILE of 64-bit integers, or FILE=FILE as --file",
         "Pattern"},
    [RPL_PATTERN_GATHER] = {"pattern-gather", 'g', CLI_TEXT, "PATTERN", NULL,
                            "where gs gathers; the outer level of multigather", "Pattern"},
    [RPL_PATTERN_SCATTER] = {"pattern-scatter", 'u', CLI_TEXT, "PATTERN", NULL,
                             "where gs scatters; the outer level of multiscatter", "Pattern"},
    [RPL_FILE] =
        {"file", 'f', CLI_FILE, "FILE", NULL,
         "JSON array of configurations, packed by gzip or not, - for standard input; options of a single "
         "configuration have no effect then",
         "Pattern"},
    [RPL_KERNEL] = {"kernel", 'k', CLI_TEXT, "KERNEL", "gather",
                    "gather, scatter, gs, multigather, multiscatter", "Pattern"},
    [RPL_OPERATION] =
        {"operation", 0, CLI_TEXT, "OPERATION", "copy",
         "copy: through a dense buffer, as Spatter does; gathers: reduce (loads add up in a "
         "register), chase (each element holds the address of the next); scatters: fill (a register is "
         "stored), update (load, change, store again)",
         "Pattern"},
    [RPL_DELTA] =
        {"delta", 'd', CLI_TEXT, "ELEMENTS[,ELEMENTS...]", "8",
         "distance of an iteration from the previous one; several are used in turn; negative ones move "
         "backwards",
         "Pattern"},
    [RPL_DELTA_GATHER] = {"delta-gather", 'x', CLI_TEXT, "ELEMENTS[,...]", "8", "the same where gs gathers",
                          "Pattern"},
    [RPL_DELTA_SCATTER] = {"delta-scatter", 'y', CLI_TEXT, "ELEMENTS[,...]", "8",
                           "the same where gs scatters", "Pattern"},
    [RPL_COUNT] = {"count", 'l', CLI_TEXT, "COUNT", "1024", "iterations", "Pattern"},
    [RPL_WRAP] = {"wrap", 'w', CLI_TEXT, "COUNT", "1", "rows of the dense buffer, used in turn", "Pattern"},
    [RPL_PATTERN_SIZE] = {"pattern-size", 'j', CLI_TEXT, "COUNT", NULL, "cut all patterns to this length",
                          "Pattern"},
    [RPL_BOUNDARY] = {"boundary", 'e', CLI_TEXT, "ELEMENTS", "0", "take indices modulo this; 0 changes none",
                      "Pattern"},
    [RPL_COMPRESS] = {"compress", 'c', CLI_FLAG, NULL, NULL,
                      "renumber the pages of the pattern in the order of their first use", "Pattern"},
    [RPL_NAME] = {"name", 'n', CLI_TEXT, "NAME", NULL, "name of the configuration", "Pattern"},
    [RPL_RUNS] = {"runs", 'r', CLI_TEXT, "COUNT", "10", "timed runs", "Run"},
    [RPL_MAX_COUNT] = {"max-count", 0, CLI_COUNT, "COUNT", NULL,
                       "run at most this many iterations of each configuration, for a quick look", "Run",
                       .least = 1},
    [RPL_MAX_RUNS] = {"max-runs", 0, CLI_COUNT, "COUNT", NULL,
                      "time at most this many runs of each configuration", "Run", .least = 1},
    [RPL_BACKEND] =
        {"backend", 'b', CLI_TEXT, "BACKEND", NULL,
         "openmp, serial, or scalar, the baseline without vectorisation (default: openmp if it was built); "
         "opencl, cuda or hip: a device (a GPU); mpi or shmem: ranks of a parallel job with OpenMP threads, which a "
         "launcher of MPI selects by itself",
         "Run"},
    [RPL_STRONG_SCALING] =
        {"strong-scaling", 0, CLI_CHOICE, "count|pattern", NULL,
         "ranks split the iterations of each configuration, or its indices as in Spatter 1; "
         "otherwise each rank runs all of it",
         "Run", .alone = "count"},
    [RPL_RANK_TIMEOUT] = {"rank-timeout", 0, CLI_DURATION, "TIME", RPL_RANKS_TIMEOUT_DEFAULT,
                          RPL_RANKS_TIMEOUT_HELP, "Run", .least = 1},
    [RPL_THREADS] =
        {"omp-threads", 't', CLI_COUNT, "COUNT", NULL,
         "threads (default: OMP_NUM_THREADS, else as many as the program of the pattern had, where the "
         "file has their number, else all); at most one for each processor",
         "Run", .least = 1, .most = UINT32_MAX},
    [RPL_DEVICE] = {"device", 0, CLI_TEXT, "NAME", NULL, RPL_DEVICE_HELP, "Run"},
    [RPL_LOCAL_WORK_SIZE] = {"local-work-size", 'z', CLI_COUNT, "COUNT", NULL,
                             "work items of a group on a device; default: by a short trial", "Run",
                             .least = 1, .most = 65536},
    [RPL_SHARED_MEMORY] = {"shared-memory", 'm', CLI_COUNT, "BYTES", NULL,
                           "unused local memory of each group on a device, so that fewer groups run at once",
                           "Run", .most = UINT32_MAX},
    [RPL_DEVICE_TIMEOUT] = {"device-timeout", 0, CLI_DURATION, "TIME", RPL_DEVICE_TIMEOUT_DEFAULT,
                            RPL_DEVICE_TIMEOUT_HELP, "Run", .least = 1},
    [RPL_METHOD] = {"method", 0, CLI_CHOICE, "auto|scalar|unrolled|jammed|avx2|avx512|neon|paired", "auto",
                    "instructions that move the data; auto: the fastest by a short trial", "Run"},
    [RPL_STORES] = {"stores", 0, CLI_CHOICE, "auto|regular|nontemporal|atomic|exchange|add", "auto",
                    "kind of stores", "Run"},
    [RPL_INDEX_BITS] = {"index-bits", 0, CLI_CHOICE, "auto|32|64", "auto", "width of the indices in memory",
                        "Run"},
    [RPL_ELEMENT_BYTES] =
        {"element-bytes", 0, CLI_CHOICE, "auto|8|4", "auto",
         "size of the data; auto: that of the program in which the pattern was found (4 for "
         "smaller ones), where the file has it, otherwise and with --format spatter 8",
         "Run"},
    [RPL_PAGES] = {"pages", 0, CLI_CHOICE, "default|huge|small", "default", "pages of the data", "Run"},
    [RPL_PIN] = {"pin", 0, CLI_CHOICE, "auto|none|close|spread", "auto",
                 "where threads run; auto: close with a thread for every processor", "Run"},
    [RPL_WARMUPS] =
        {"warmups", 0, CLI_COUNT, "COUNT", NULL,
         "largest number of untimed runs, which end when times are steady (default: 10, for short "
         "runs 100)",
         "Run", .least = 1, .most = UINT32_MAX},
    [RPL_MEMORY] = {"memory", 0, CLI_BYTES, "BYTES", NULL,
                    "refuse configurations that need more (default: available memory)", "Run", .least = 1},
    [RPL_ATOMIC_WRITES] =
        {"atomic-writes", 0, CLI_CHOICE, "0|1|exchange|add|store", NULL,
         "scatter by atomic operations in relaxed order: 1 and exchange exchange the element, as Spatter does on "
         "GPUs, add adds to it, store stores it; gathers keep regular stores",
         "Run", .alone = "1"},
    [RPL_FENCE] = {"atomic-thread-fence", 0, CLI_FLAG, NULL, NULL,
                   "execute a release fence after the loop, inside the timed part", "Run"},
    [RPL_DENSE_BUFFERS] = {"dense-buffers", 0, CLI_FLAG, NULL, NULL,
                           "use a dense buffer for each thread, which avoids false sharing", "Run"},
    [RPL_COPY] = {"copy", 0, CLI_FLAG, NULL, NULL,
                  "use operation copy for all configurations, as Spatter does", "Run"},
    [RPL_TOGETHER] = {"together", 0, CLI_FLAG, NULL, NULL,
                      "interleave all configurations, a few accesses of each in turn, as in the original "
                      "loop; prints one result",
                      "Run"},
    [RPL_FORGET] =
        {"forget", 0, CLI_FLAG, NULL, NULL,
         "try all variants again; otherwise the fastest variant of earlier runs of the same configuration "
         "on this machine is taken from ~/.cache/loadstone/replay-variants",
         "Run"},
    [RPL_NO_STREAM] = {"no-stream", 0, CLI_FLAG, NULL, NULL, "do not measure STREAM triad for comparison",
                       "Run"},
    [RPL_LIST] = {"list", 0, CLI_FLAG, NULL, NULL, "print all kernels, backends and methods, and stop",
                  "Output"},
    [RPL_VERBOSITY] = {"verbosity", 'v', CLI_COUNT, "0-3", "1",
                       "for --format spatter: 0 rows, 1 a banner, 2 configurations, 3 sizes", "Output",
                       .most = 3},
    [RPL_FORMAT] = {"format", 0, CLI_CHOICE, "table|spatter|json|csv", "table", "format of the output",
                    "Output"},
    [RPL_JSON] = {"json", 0, CLI_FLAG, NULL, NULL, "the same as --format json, schema 1", "Output"},
    [RPL_CSV] = {"csv", 0, CLI_FLAG, NULL, NULL, "the same as --format csv", "Output"},
    [RPL_OUTPUT] = {"output", 'o', CLI_FILE, "FILE.h5", NULL,
                    "keep the results with the machine's description in an HDF5 file", "Output"},
    [RPL_PLOT] = {"plot", 0, CLI_FILE, "FILE", NULL,
                  "draw the results; the suffix of the name selects .svg, .png or .html", "Output"},
    [RPL_WITH] = {"with", 0, CLI_TEXT, "FILE.h5[,FILE.h5...]", NULL,
                  "compare with results that other machines kept; without a pattern nothing is run",
                  "Output"},
    [RPL_FORCE] = {"force", 0, CLI_FLAG, NULL, NULL, "overwrite output files", "Output"},
    [RPL_QUIET] = {"quiet", 0, CLI_FLAG, NULL, NULL, "print errors and warnings only on standard error",
                   "Output"},
    [RPL_AGGREGATE] = {"aggregate", 'a', CLI_FLAG, NULL, NULL, "shown in Spatter's banner",
                       "Accepted for compatibility with Spatter"},
    [RPL_RANDOM] =
        {"random", 's', CLI_TEXT, "SEED", NULL,
         "seed of Spatter's random data; it is printed, but has no effect on the data here; without a value: from "
         "the clock",
         "Accepted for compatibility with Spatter", .alone = "clock"},
    [RPL_OP] = {"op", 0, CLI_TEXT, "OPERATION", NULL, "the same as -o with a number, COPY or ACCUM",
                "Accepted for compatibility with Spatter"},
};

/* Options of one configuration that are a key of pattern files. */
static const struct {
    enum rpl_option option;
    const char *key;
} rpl_keys[] = {
    {RPL_PATTERN, "pattern"},
    {RPL_PATTERN_GATHER, "pattern-gather"},
    {RPL_PATTERN_SCATTER, "pattern-scatter"},
    {RPL_KERNEL, "kernel"},
    {RPL_OPERATION, "operation"},
    {RPL_DELTA, "delta"},
    {RPL_DELTA_GATHER, "delta-gather"},
    {RPL_DELTA_SCATTER, "delta-scatter"},
    {RPL_COUNT, "count"},
    {RPL_WRAP, "wrap"},
    {RPL_PATTERN_SIZE, "pattern-size"},
    {RPL_BOUNDARY, "boundary"},
    {RPL_RANDOM, "seed"},
    {RPL_NAME, "name"},
    {RPL_RUNS, "nruns"},
};
enum { RPL_KEYS = sizeof(rpl_keys) / sizeof(rpl_keys[0]) };

static void rpl_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static bool rpl_is_pattern(enum rpl_option o)
{
    return o == RPL_PATTERN || o == RPL_PATTERN_GATHER || o == RPL_PATTERN_SCATTER;
}

/* Return the kind of an error: in a pattern it is an error of input, also on the command line; in any other
 * option, of usage. */
static ls_err rpl_option_fail(enum rpl_option o, ls_err err)
{
    char why[400];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    if (err == LS_ERR_NOMEM) return ls_fail(err, "--%s: %s", rpl_options[o].name, why);
    return ls_fail(rpl_is_pattern(o) ? LS_ERR_FORMAT : LS_ERR_USAGE, "--%s: %s", rpl_options[o].name, why);
}

static ls_err rpl_apply(struct pat_builder *b, const struct cli_value *v, size_t row)
{
    const enum rpl_option o = rpl_keys[row].option;
    const struct pat_key *key = pat_key_find(rpl_keys[row].key, strlen(rpl_keys[row].key));
    const char *text = v[o].text;
    char clock[32];
    if (o == RPL_RANDOM && strcmp(text, "clock") == 0) {
        snprintf(clock, sizeof(clock), "%lld", (long long)time(NULL));
        text = clock;
    }
    ls_err err = pat_builder_text(b, key, text, strlen(text));
    if (err == LS_OK && o == RPL_PATTERN_SIZE && b->config.pattern_size == 0)
        err = ls_fail(LS_ERR_RANGE, "%s is below 1, the least allowed", text);
    if (err != LS_OK) return rpl_option_fail(o, err);
    if (*b->note) cli_warn("--%s: %s", rpl_options[o].name, b->note);
    return LS_OK;
}

/* Apply the options in command-line order: if -d and -p UNIFORM:8:1:NR both set a delta, the later one wins,
 * as in Spatter. */
static ls_err rpl_apply_all(struct pat_builder *b, const struct cli_value *v)
{
    unsigned done = 0;
    for (;;) {
        size_t next = RPL_KEYS;
        for (size_t i = 0; i < RPL_KEYS; i++) {
            const struct cli_value *value = &v[rpl_keys[i].option];
            if (value->given && value->position > done &&
                (next == RPL_KEYS || value->position < v[rpl_keys[next].option].position))
                next = i;
        }
        if (next == RPL_KEYS) return LS_OK;
        LS_TRY(rpl_apply(b, v, next));
        done = v[rpl_keys[next].option].position;
    }
}

static ls_err rpl_suite_of_options(const struct cli_value *v, struct pat_suite *s)
{
    struct pat_builder b;
    LS_TRY(pat_builder_init(&b));
    ls_err err = rpl_apply_all(&b, v);
    if (err != LS_OK) {
        pat_builder_fini(&b);
        return err;
    }
    const bool empty = !v[RPL_PATTERN].given && !v[RPL_PATTERN_GATHER].given && !v[RPL_PATTERN_SCATTER].given;
    err = pat_builder_finish(&b, v[RPL_COMPRESS].given, s);
    if (err == LS_OK || err == LS_ERR_NOMEM) return err;
    char why[400];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    if (empty)
        return ls_fail(LS_ERR_USAGE, "no pattern: give -p PATTERN or -f FILE; see loadstone replay --help");
    return ls_fail(LS_ERR_USAGE, "%s", why);
}

static ls_err rpl_read_file(const char *path, const struct cli_value *v, struct pat_suite *s)
{
    const struct pat_json_options o = {.compress = v[RPL_COMPRESS].given, .note = rpl_note};
    return pat_json_read_file(path, &o, s);
}

/* -p FILE=suite.json is Spatter 1's spelling of -f. */
static const char *rpl_file_of_pattern(const struct cli_value *v)
{
    const char *text = v[RPL_PATTERN].given ? v[RPL_PATTERN].text : "";
    return strncasecmp(text, "FILE=", 5) == 0 ? text + 5 : NULL;
}

static void rpl_warn_of_ignored(const struct cli_value *v, const char *file, bool by_pattern)
{
    for (size_t i = 0; i < RPL_KEYS; i++) {
        const enum rpl_option o = rpl_keys[i].option;
        if (v[o].given && !(by_pattern && o == RPL_PATTERN))
            cli_warn("--%s has no effect: %s defines the run", rpl_options[o].name, file);
    }
}

static ls_err rpl_suite_read(const struct cli_value *v, char *const *operands, struct pat_suite *s)
{
    const char *by_pattern = rpl_file_of_pattern(v);
    const char *first = v[RPL_FILE].given ? v[RPL_FILE].text : by_pattern ? by_pattern : operands[0];
    if (!first) return rpl_suite_of_options(v, s);
    rpl_warn_of_ignored(v, first, by_pattern != NULL);
    if (v[RPL_FILE].given) LS_TRY(rpl_read_file(v[RPL_FILE].text, v, s));
    if (by_pattern) LS_TRY(rpl_read_file(by_pattern, v, s));
    for (; *operands; operands++)
        LS_TRY(rpl_read_file(*operands, v, s));
    return LS_OK;
}

/* Find the file of remembered variants, and make its directories; "": the user has no directory for it. */
static void rpl_choices_path(char *out, size_t room)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool is_cache = cache && *cache == '/';
    *out = '\0';
    if (!is_cache && !(home && *home == '/')) return;
    int len = is_cache ? snprintf(out, room, "%s", cache) : snprintf(out, room, "%s/.cache", home);
    if (len < 0 || (size_t)len + sizeof("/loadstone/replay-variants") > room) {
        *out = '\0';
        return;
    }
    mkdir(out, 0700);
    len += snprintf(out + len, room - (size_t)len, "/loadstone");
    mkdir(out, 0700);
    snprintf(out + len, room - (size_t)len, "/replay-variants");
}

static bool rpl_is_op(const char *text)
{
    return strcasecmp(text, "copy") == 0 || strcasecmp(text, "accum") == 0 ||
           text[strspn(text, "0123456789")] == '\0';
}

/* The file of results. Spatter's -o is an operation. */
static const char *rpl_output(const struct cli_value *v)
{
    return v[RPL_OUTPUT].given && !rpl_is_op(v[RPL_OUTPUT].text) ? v[RPL_OUTPUT].text : NULL;
}

static ls_err rpl_format_find(const struct cli_value *v, const struct rpl_format **out)
{
    const char *name = v[RPL_JSON].given ? "json" : v[RPL_CSV].given ? "csv" : v[RPL_FORMAT].text;
    for (const struct rpl_format *const *f = rpl_formats; *f; f++)
        if (strcasecmp((*f)->name, name) == 0) {
            *out = *f;
            return LS_OK;
        }
    return ls_fail(LS_ERR_USAGE, "--format: there is no format '%s'", name);
}

static ls_err rpl_kernel_options(const struct cli_value *v, struct kn_options *o)
{
    static const enum kn_stores atomic[] = {KN_STORES_AUTO, KN_STORES_EXCHANGE, KN_STORES_EXCHANGE,
                                            KN_STORES_ADD, KN_STORES_ATOMIC};
    static const unsigned element_bytes[] = {0, 8, 4};
    LS_TRY(kn_method_parse(v[RPL_METHOD].text, &o->method));
    LS_TRY(kn_stores_parse(v[RPL_STORES].text, &o->stores));
    if (v[RPL_ATOMIC_WRITES].given && v[RPL_ATOMIC_WRITES].number)
        o->stores = atomic[v[RPL_ATOMIC_WRITES].number];
    o->backend = v[RPL_BACKEND].text;
    o->pages = (enum kn_pages)v[RPL_PAGES].number;
    o->pin = (enum kn_pin)v[RPL_PIN].number;
    o->index_bits = v[RPL_INDEX_BITS].number * 32;
    o->element_bytes = element_bytes[v[RPL_ELEMENT_BYTES].number];
    o->warmups_max = (unsigned)v[RPL_WARMUPS].number;
    o->memory_bytes = v[RPL_MEMORY].number;
    o->dense_per_thread = v[RPL_DENSE_BUFFERS].given;
    o->fence = v[RPL_FENCE].given;
    o->threads = (unsigned)v[RPL_THREADS].number;
    o->device = v[RPL_DEVICE].text;
    o->group_items = (unsigned)v[RPL_LOCAL_WORK_SIZE].number;
    o->shared_bytes = v[RPL_SHARED_MEMORY].number;
    o->device_timeout_ns = v[RPL_DEVICE_TIMEOUT].number;
    o->clamp_threads = true;
    return LS_OK;
}

/* Accept "--atomic-writes 1" as in Spatter's help, with the number as a separate word. */
static char *const *rpl_operands(const struct cli_value *v, char *const *operands)
{
    const bool apart = v[RPL_ATOMIC_WRITES].given && operands[0] &&
                       (strcmp(operands[0], "0") == 0 || strcmp(operands[0], "1") == 0);
    return apart ? operands + 1 : operands;
}

static bool rpl_names_pattern(const struct cli_value *v, char *const *files)
{
    return v[RPL_PATTERN].given || v[RPL_PATTERN_GATHER].given || v[RPL_PATTERN_SCATTER].given ||
           v[RPL_FILE].given || *files;
}

/* 0: no limit. */
static void rpl_limit(struct pat_suite *s, uint64_t count, uint64_t runs)
{
    for (size_t i = 0; i < s->len; i++) {
        if (count && s->rows[i].count > count) s->rows[i].count = count;
        if (runs && s->rows[i].runs > runs) s->rows[i].runs = runs;
    }
}

static bool rpl_has_empty_name(const char *names)
{
    return !*names || *names == ',' || strstr(names, ",,") || names[strlen(names) - 1] == ',';
}

/* Without a pattern nothing is run, so --output has no results to keep. */
static ls_err rpl_check_with(const struct rpl_settings *t, bool has_pattern)
{
    if (!t->with) return LS_OK;
    if (rpl_has_empty_name(t->with))
        return ls_fail(LS_ERR_USAGE, "--with: a name of a file is empty in '%s'", t->with);
    if (t->output && !has_pattern)
        return ls_fail(LS_ERR_USAGE,
                       "--output: nothing is run without a pattern, so there are no results to keep");
    return LS_OK;
}

ls_err rpl_settings_read(const struct cli_value *v, char **operands, struct rpl_session *s)
{
    struct rpl_settings *t = &s->settings;
    char *const *files = rpl_operands(v, operands);
    LS_TRY(rpl_format_find(v, &t->format));
    LS_TRY(rpl_kernel_options(v, &t->kernel));
    const bool is_off = files != operands && **operands == '0';
    if (is_off) t->kernel.stores = KN_STORES_AUTO;
    t->atomic_writes = v[RPL_ATOMIC_WRITES].given && v[RPL_ATOMIC_WRITES].number && !is_off;
    const bool is_spatter = t->format == &rpl_format_spatter;
    if (is_spatter && !t->kernel.element_bytes) t->kernel.element_bytes = 8; /* as Spatter does */
    t->own_threads = !is_spatter && !v[RPL_THREADS].given && !getenv("OMP_NUM_THREADS");
    t->verbosity = (unsigned)v[RPL_VERBOSITY].number;
    t->aggregate = v[RPL_AGGREGATE].given;
    t->together = v[RPL_TOGETHER].given;
    if (t->together && t->format == &rpl_format_spatter)
        return ls_fail(
            LS_ERR_USAGE,
            "--together: Spatter's columns have a row for each configuration; take another --format");
    if (v[RPL_STRONG_SCALING].given)
        t->scaling = v[RPL_STRONG_SCALING].number ? KN_SCALING_PATTERN : KN_SCALING_COUNT;
    t->force = v[RPL_FORCE].given;
    t->plot = v[RPL_PLOT].text;
    t->with = v[RPL_WITH].text;
    t->output = rpl_output(v);
    t->kernel.times_only = t->format == &rpl_format_spatter && !t->output && !t->plot;
    rpl_choices_path(t->choices, sizeof(t->choices));
    if (*t->choices && v[RPL_FORGET].given) unlink(t->choices);
    if (*t->choices) t->kernel.choices = t->choices;
    t->measure_stream = !v[RPL_NO_STREAM].given && (t->format->shows_stream || t->output || t->plot);
    const bool has_pattern = rpl_names_pattern(v, files);
    LS_TRY(rpl_check_with(t, has_pattern));
    if (t->with && !has_pattern) return LS_OK;
    LS_TRY(rpl_suite_read(v, files, &s->suite));
    for (size_t i = 0; v[RPL_COPY].given && i < s->suite.len; i++)
        s->suite.rows[i].operation = PAT_OPERATION_COPY;
    rpl_limit(&s->suite, v[RPL_MAX_COUNT].number, v[RPL_MAX_RUNS].number);
    return LS_OK;
}

/* ---- the program that a call needs ---- */

enum { NEEDS_PART = 1 << 16, NEEDS_BEFORE = 3 /* letters before the equals sign */ };

/* Return whether text[0, len) has "RAW=": a pattern that is another file. */
static bool names_raw_file(const char *text, size_t len)
{
    const char *end = text + len;
    for (const char *at = text; (at = memchr(at, '=', (size_t)(end - at))); at++)
        if (at - text >= NEEDS_BEFORE && strncasecmp(at - NEEDS_BEFORE, "raw", NEEDS_BEFORE) == 0)
            return true;
    return false;
}

static bool content_needs_full(FILE *f)
{
    static char part[NEEDS_PART + NEEDS_BEFORE];
    size_t kept = 0, got;
    for (bool is_first = true; (got = fread(part + kept, 1, NEEDS_PART, f)) > 0; is_first = false) {
        const size_t len = kept + got;
        if (is_first && pat_unpacker_of((const uint8_t *)part, len)) return true;
        if (names_raw_file(part, len)) return true;
        kept = len < NEEDS_BEFORE ? len : NEEDS_BEFORE;
        memmove(part, part + len - kept, kept);
    }
    return false;
}

bool rpl_file_needs_full(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return true;
    if (stat(path, &st) != 0) return false;
    if (!S_ISREG(st.st_mode)) return true; /* bytes of a pipe could not be read a second time */
    FILE *f = fopen(path, "re");
    const bool needs_full = f && content_needs_full(f);
    if (f) fclose(f);
    return needs_full;
}

bool rpl_needs_full(const struct cli_value *v, char *const *operands)
{
    static const enum rpl_option patterns[] = {RPL_PATTERN, RPL_PATTERN_GATHER, RPL_PATTERN_SCATTER};
    if (v[RPL_PLOT].given || v[RPL_WITH].given || rpl_output(v)) return true;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        if (v[patterns[i]].given && names_raw_file(v[patterns[i]].text, strlen(v[patterns[i]].text)))
            return true;
    if (rpl_file_of_pattern(v) && rpl_file_needs_full(rpl_file_of_pattern(v))) return true;
    if (v[RPL_FILE].given && rpl_file_needs_full(v[RPL_FILE].text)) return true;
    for (operands = rpl_operands(v, operands); *operands; operands++)
        if (rpl_file_needs_full(*operands)) return true;
    return false;
}
