/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone study: the papers' series of measurements. */
#include "common/ls_hash.h"
#include "common/ls_vector.h"
#include "kernels/kn_backend.h"
#include "patterns/pat_json.h"
#include "tools/cli/cli_message.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_ranks.h"
#include "tools/replay/rpl_session.h"
#include "tools/study/std_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    STUDY_LIST,
    STUDY_SPAN,
    STUDY_SIZE,
    STUDY_MAX_COUNT,
    STUDY_KERNEL,
    STUDY_RANKS,
    STUDY_TYPE,
    STUDY_RUNS,
    STUDY_WARMUPS,
    STUDY_BACKEND,
    STUDY_DEVICE,
    STUDY_DEVICE_TIMEOUT,
    STUDY_RANK_TIMEOUT,
    STUDY_LAUNCHER,
    STUDY_COLLECT,
    STUDY_KEEP,
    STUDY_THREADS,
    STUDY_PIN,
    STUDY_METHOD,
    STUDY_STORES,
    STUDY_PAGES,
    STUDY_DENSE_BUFFERS,
    STUDY_FORMAT,
    STUDY_OUTPUT,
    STUDY_PLOT,
    STUDY_FORCE,
    STUDY_OPTIONS
};

static const struct cli_option study_options[STUDY_OPTIONS] = {
    [STUDY_LIST] = {"list", 0, CLI_FLAG, NULL, NULL, "print the studies and stop", "What to run"},
    [STUDY_SPAN] = {"span", 0, CLI_BYTES, "BYTES", NULL,
                    "extent of the study's patterns; default: eight times all last-level caches",
                    "What to run", .least = 1},
    [STUDY_SIZE] = {"size", 'n', CLI_COUNT, "ELEMENTS", NULL,
                    "elements of the largest arrays, in study weak of each rank; default: STREAM's run rule",
                    "What to run", .least = 1, .most = INT64_MAX / 64},
    [STUDY_MAX_COUNT] = {"max-count", 0, CLI_COUNT, "COUNT", NULL,
                         "run at most this many iterations of each pattern of a file", "What to run",
                         .least = 1},
    [STUDY_KERNEL] = {"kernel", 'k', CLI_TEXT, "LIST", NULL,
                      "weak and strong: kernels and groups of loadstone stream (default: " STD_KERNELS
                      ", unless there are pattern files)",
                      "What to run"},
    [STUDY_RANKS] =
        {"ranks", 0, CLI_TEXT, "LIST|MOST", NULL,
         "weak and strong: numbers of ranks, as in 1,2,4; or the largest one, which stands for all up to 8, "
         "then powers of two, and itself (default: the cores of this machine)",
         "What to run"},
    [STUDY_TYPE] = {"type", 0, CLI_CHOICE, "double|float", "double", "type of the elements", "What to run"},
    [STUDY_RUNS] = {"runs", 'r', CLI_COUNT, "RUNS", "10", "timed runs of each point", "Measurement",
                    .least = 1, .most = UINT32_MAX},
    [STUDY_WARMUPS] = {"warmups", 0, CLI_COUNT, "RUNS", NULL,
                       "largest number of untimed runs before them (default: 10, for short runs 100)",
                       "Measurement", .least = 1, .most = UINT32_MAX},
    [STUDY_BACKEND] =
        {"backend", 'b', CLI_TEXT, "NAME", NULL,
         "openmp, serial or scalar; opencl, cuda or hip: a device (a GPU), in studies stride, length and "
         "throughput; mpi or shmem: ranks of a parallel job with OpenMP threads, which a "
         "launcher of MPI selects by itself",
         "How to run"},
    [STUDY_DEVICE] = {"device", 0, CLI_TEXT, "NAME", NULL, RPL_DEVICE_HELP, "How to run"},
    [STUDY_DEVICE_TIMEOUT] = {"device-timeout", 0, CLI_DURATION, "TIME", RPL_DEVICE_TIMEOUT_DEFAULT,
                              RPL_DEVICE_TIMEOUT_HELP, "How to run", .least = 1},
    [STUDY_RANK_TIMEOUT] = {"rank-timeout", 0, CLI_DURATION, "TIME", RPL_RANKS_TIMEOUT_DEFAULT,
                            RPL_RANKS_TIMEOUT_HELP, "How to run", .least = 1},
    [STUDY_LAUNCHER] =
        {"launcher", 0, CLI_TEXT, "COMMAND", NULL,
         "weak and strong: command before that of each job, as in 'srun -n {ranks}'; default: mpirun or "
         "mpiexec, oshrun with --backend shmem",
         "How to run"},
    [STUDY_COLLECT] =
        {"collect", 0, CLI_DIR, "DIR", NULL,
         "weak and strong: run nothing, and read the files in this directory that jobs kept (option -o)",
         "How to run"},
    [STUDY_KEEP] = {"keep", 0, CLI_DIR, "DIR", NULL,
                    "weak and strong: keep the results and messages of the jobs in this directory",
                    "How to run"},
    [STUDY_THREADS] =
        {"threads", 't', CLI_COUNT, "N", NULL,
         "threads; default: all, or OMP_NUM_THREADS; in weak and strong, of each rank, default: 1",
         "How to run", .least = 1, .most = UINT32_MAX},
    [STUDY_PIN] = {"pin", 0, CLI_CHOICE, "auto|none|close|spread", "auto", "bind each thread to a processor",
                   "How to run"},
    [STUDY_METHOD] = {"method", 'm', CLI_TEXT, "NAME", "auto",
                      "auto, scalar, unrolled, jammed, avx2, avx512, neon, paired", "How to run"},
    [STUDY_STORES] = {"stores", 0, CLI_TEXT, "KIND", "auto", "auto, regular, nontemporal, atomic",
                      "How to run"},
    [STUDY_PAGES] = {"pages", 0, CLI_CHOICE, "default|huge|small", "default", "pages to request",
                     "How to run"},
    [STUDY_DENSE_BUFFERS] = {"dense-buffers", 0, CLI_FLAG, NULL, NULL,
                             "use a dense buffer for each thread, which avoids false sharing", "How to run"},
    [STUDY_FORMAT] = {"format", 'f', CLI_CHOICE, "table|csv|json", "table", "format of the output", "Output"},
    [STUDY_OUTPUT] = {"output", 'o', CLI_FILE, "FILE.h5", NULL, "keep the points in an HDF5 file", "Output"},
    [STUDY_PLOT] = {"plot", 0, CLI_FILE, "FILE", NULL,
                    "draw the curves; the suffix of the name selects .svg, .png or .html", "Output"},
    [STUDY_FORCE] = {"force", 0, CLI_FLAG, NULL, NULL, "overwrite output files", "Output"},
};

struct study_session {
    struct std_report report;
    size_t room;
    bool live; /* the table is printed as it grows */
    struct kn_options run;
};

/* The point takes ownership of the result's times. */
static ls_err study_keep(void *user, const char *series, double x, const struct kn_result *r)
{
    struct study_session *s = user;
    LS_TRY(LS_GROW(s->report.points, s->room, s->report.len + 1));
    struct std_point *p = &s->report.points[s->report.len++];
    *p = (struct std_point){.x = x, .result = *r};
    p->result.run_seconds = NULL;
    p->result.rank_rows = NULL;
    snprintf(p->series, sizeof(p->series), "%s", series);
    if (s->live) {
        std_print_point(&s->report, s->report.len - 1, stdout);
        fflush(stdout);
    }
    return LS_OK;
}

static ls_err study_read_options(const struct cli_value *v, struct std_study_options *o)
{
    static const unsigned bytes[] = {8, 4};
    *o = (struct std_study_options){.span_bytes = v[STUDY_SPAN].number, .elements_max = v[STUDY_SIZE].number};
    o->run = (struct kn_options){.backend = v[STUDY_BACKEND].text,
                                 .pages = (enum kn_pages)v[STUDY_PAGES].number,
                                 .pin = (enum kn_pin)v[STUDY_PIN].number,
                                 .element_bytes = bytes[v[STUDY_TYPE].number],
                                 .threads = (unsigned)v[STUDY_THREADS].number,
                                 .clamp_threads = true,
                                 .runs = (unsigned)v[STUDY_RUNS].number,
                                 .warmups_max = (unsigned)v[STUDY_WARMUPS].number,
                                 .device = v[STUDY_DEVICE].text,
                                 .device_timeout_ns = v[STUDY_DEVICE_TIMEOUT].number,
                                 .dense_per_thread = v[STUDY_DENSE_BUFFERS].given};
    LS_TRY(kn_method_parse(v[STUDY_METHOD].text, &o->run.method));
    return kn_stores_parse(v[STUDY_STORES].text, &o->run.stores);
}

static ls_err study_read_patterns(char **files, uint64_t count_max, struct pat_suite *suite)
{
    const struct pat_json_options o = {0};
    for (; *files; files++)
        LS_TRY(pat_json_read_file(*files, &o, suite));
    for (size_t i = 0; i < suite->len; i++)
        if (count_max && suite->rows[i].count > count_max) suite->rows[i].count = count_max;
    return LS_OK;
}

/* Hash of everything on which ranks must agree. */
static uint64_t study_hash(const struct std_study *study, const struct std_study_options *o)
{
    const uint64_t run[] = {o->span_bytes, o->elements_max,    o->suite ? o->suite->len : 0,
                            o->run.runs,   o->run.warmups_max, o->run.method,
                            o->run.stores, o->run.threads,     o->run.element_bytes};
    return ls_hash_text(ls_hash_bytes(LS_HASH_BEGIN, run, sizeof(run)), study->name);
}

/* Read the options and patterns, on all ranks of a job. */
static ls_err study_begin(const struct cli_value *v, char **operands, struct std_study_options *o,
                          struct pat_suite *suite)
{
    const ls_err err = study_read_options(v, o);
    return err == LS_OK ? study_read_patterns(operands + 1, v[STUDY_MAX_COUNT].number, suite) : err;
}

static ls_err study_measure(const struct cli_value *v, char **operands, struct study_session *s)
{
    struct std_study_options o = {.span_bytes = 0};
    struct pat_suite suite = {NULL, 0};
    const struct std_study *study = std_study_find(operands[0]);
    if (!study)
        return ls_fail(LS_ERR_USAGE, "there is no study '%s'; loadstone study --list names them",
                       operands[0]);
    if (operands[1] && !study->takes_patterns)
        return ls_fail(LS_ERR_USAGE, "study %s has built-in patterns and takes no file", study->name);
    LS_TRY(rpl_ranks_begin(&s->run, v[STUDY_RANK_TIMEOUT].number));
    ls_err err = study_begin(v, operands, &o, &suite);
    o.run.ranks = s->run.ranks;
    o.run.backend = s->run.backend;
    o.suite = suite.len ? &suite : NULL;
    s->report.study = study;
    s->report.run = &s->run;
    err = rpl_ranks_same(s->run.ranks, study_hash(study, &o), err);
    if (err == LS_OK) rpl_warn_of_threads(&o.run);
    if (err == LS_OK && s->live) std_print_head(&s->report, stdout);
    if (err == LS_OK) err = study->run(&o, study_keep, s);
    pat_suite_fini(&suite);
    return err;
}

static int study_print(const struct study_session *s, enum std_format format)
{
    static void (*const printers[])(const struct std_report *, FILE *) = {std_print_end, std_print_csv,
                                                                          std_print_json};
    printers[format](&s->report, stdout);
    for (size_t i = 0; i < s->report.len; i++)
        if (!s->report.points[i].result.valid) {
            cli_error("%s: %s", s->report.points[i].series, s->report.points[i].result.invalid);
            return CLI_FAILURE;
        }
    return CLI_OK;
}

/* ---- weak and strong ---- */

/* Options that the commands of jobs take as they are. NULL: that command does not have it. */
static const struct {
    unsigned option;
    const char *stream, *replay;
} study_passed[] = {
    {STUDY_RUNS, "--ntimes", "--max-runs"},
    {STUDY_WARMUPS, "--warmups", "--warmups"},
    {STUDY_MAX_COUNT, NULL, "--max-count"},
    {STUDY_BACKEND, "--backend", "--backend"},
    {STUDY_RANK_TIMEOUT, "--rank-timeout", "--rank-timeout"},
    {STUDY_PIN, "--pin", "--pin"},
    {STUDY_METHOD, "--method", "--method"},
    {STUDY_STORES, "--stores", "--stores"},
    {STUDY_PAGES, "--pages", "--pages"},
    {STUDY_DENSE_BUFFERS, NULL, "--dense-buffers"},
    {STUDY_TYPE, "--type", "--element-bytes"},
    {STUDY_FORCE, "--force", "--force"},
};
enum { STUDY_PASSED = sizeof(study_passed) / sizeof(study_passed[0]), STUDY_WORDS = 2 * STUDY_PASSED + 1 };

/* Collect the given options as words for the jobs' commands. */
static void study_words(const struct cli_value *v, bool of_replay, const char *out[STUDY_WORDS])
{
    size_t len = 0;
    for (size_t i = 0; i < STUDY_PASSED; i++) {
        const unsigned option = study_passed[i].option;
        const char *name = of_replay ? study_passed[i].replay : study_passed[i].stream;
        if (!name || !v[option].given) continue;
        out[len++] = name;
        if (study_options[option].type == CLI_FLAG) continue;
        out[len++] = option == STUDY_TYPE && of_replay ? v[option].number ? "4" : "8" : v[option].text;
    }
    out[len] = NULL;
}

/* Refuse values that the study would ignore, or that are too small for it. */
static ls_err study_check_sizes(const struct cli_value *v, const struct std_study *study, bool has_files)
{
    static const struct {
        unsigned option, effect;
    } sizes[] = {{STUDY_SPAN, STD_SPAN}, {STUDY_SIZE, STD_SIZE}, {STUDY_MAX_COUNT, STD_COUNT}};
    const unsigned used = has_files ? study->of_files : study->own;
    const uint64_t span_bytes = study->span_elements * (v[STUDY_TYPE].number ? UINT64_C(4) : UINT64_C(8));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (v[sizes[i].option].given && !(used & sizes[i].effect))
            return ls_fail(LS_ERR_USAGE, "--%s has no effect in study %s%s",
                           study_options[sizes[i].option].name, study->name,
                           !((study->own | study->of_files) & sizes[i].effect) ? ""
                           : has_files                                         ? " with pattern files"
                                                                               : " without pattern files");
    if (v[STUDY_SPAN].given && v[STUDY_SPAN].number < span_bytes)
        return ls_fail(LS_ERR_USAGE, "--span: %s is too little for study %s; give %" PRIu64 " or more",
                       v[STUDY_SPAN].text, study->name, span_bytes);
    if (v[STUDY_SIZE].given && v[STUDY_SIZE].number < study->size_elements)
        return ls_fail(LS_ERR_USAGE, "--size: %s is too little for study %s; give %u or more",
                       v[STUDY_SIZE].text, study->name, study->size_elements);
    return LS_OK;
}

/* Options that only these two studies have, or that they do not have. */
static ls_err study_check_given(const struct cli_value *v, const struct std_study *study, bool has_files)
{
    static const unsigned own[] = {STUDY_KERNEL, STUDY_RANKS, STUDY_LAUNCHER, STUDY_COLLECT, STUDY_KEEP};
    static const unsigned others[] = {STUDY_SPAN, STUDY_DEVICE, STUDY_DEVICE_TIMEOUT};
    const unsigned *list = study->run ? own : others;
    const size_t len = study->run ? sizeof(own) / sizeof(own[0]) : sizeof(others) / sizeof(others[0]);
    for (size_t i = 0; i < len; i++)
        if (v[list[i]].given)
            return ls_fail(LS_ERR_USAGE, "study %s has no option --%s", study->name,
                           study_options[list[i]].name);
    return study_check_sizes(v, study, has_files);
}

static ls_err study_check_jobs(const struct cli_value *v, char **operands)
{
    static const unsigned alone[] = {STUDY_LAUNCHER, STUDY_KEEP};
    const struct kn_backend *b;
    const char *backend = v[STUDY_BACKEND].text;
    unsigned threads;
    for (size_t i = 0; v[STUDY_COLLECT].given && i < 2; i++)
        if (v[alone[i]].given)
            return ls_fail(LS_ERR_USAGE,
                           "--%s has no effect with --collect, which runs nothing: give one of them",
                           study_options[alone[i]].name);
    if (v[STUDY_COLLECT].given && operands[1])
        return ls_fail(LS_ERR_USAGE, "--collect runs nothing and takes no pattern file (%s)", operands[1]);
    if (!backend || strcasecmp(backend, "mpi") == 0 || strcasecmp(backend, "shmem") == 0) return LS_OK;
    const struct kn_options run = {.backend = backend};
    LS_TRY(kn_backend_choose(&run, &b, &threads));
    if (!b->device) return LS_OK;
    return ls_fail(LS_ERR_UNSUPPORTED, "ranks run on processors: choose another backend than %s", b->name);
}

static int study_run_jobs(const struct cli_value *v, char **operands, const struct std_study *study)
{
    static const unsigned bytes[] = {8, 4};
    const char *backend = v[STUDY_BACKEND].text, *of_stream[STUDY_WORDS], *of_replay[STUDY_WORDS];
    study_words(v, false, of_stream);
    study_words(v, true, of_replay);
    const struct std_scale_options o = {
        .study = study,
        .is_strong = strcmp(study->name, "strong") == 0,
        .ranks = v[STUDY_RANKS].text,
        .kernels = v[STUDY_KERNEL].text,
        .launcher = v[STUDY_LAUNCHER].text,
        .collect = v[STUDY_COLLECT].text,
        .keep = v[STUDY_KEEP].text,
        .patterns = operands + 1,
        .of_stream = of_stream,
        .of_replay = of_replay,
        .run = {.threads = (unsigned)v[STUDY_THREADS].number, .element_bytes = bytes[v[STUDY_TYPE].number]},
        .elements = v[STUDY_SIZE].number,
        .is_shmem = backend && strcasecmp(backend, "shmem") == 0,
        .force = v[STUDY_FORCE].given};
    const ls_err err = study_check_jobs(v, operands);
    if (err != LS_OK) return cli_fail(err);
    return std_files->run_jobs(&o, (enum std_format)v[STUDY_FORMAT].number, v[STUDY_PLOT].text,
                               v[STUDY_OUTPUT].text);
}

static bool study_needs_full(const struct cli_value *v, char *const *operands)
{
    const struct std_study *study = operands[0] ? std_study_find(operands[0]) : NULL;
    if (v[STUDY_PLOT].given || v[STUDY_OUTPUT].given || (study && !study->run)) return true;
    for (size_t i = 1; operands[0] && operands[i]; i++)
        if (rpl_file_needs_full(operands[i])) return true;
    return false;
}

static int study_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    if (v[STUDY_LIST].given) {
        std_print_studies(stdout);
        return CLI_OK;
    }
    if (!operands[0]) {
        cli_error("STUDY is missing; loadstone study --list names them");
        return CLI_USAGE;
    }
    const struct std_study *study = std_study_find(operands[0]);
    const char *plot = v[STUDY_PLOT].text, *output = v[STUDY_OUTPUT].text;
    ls_err err = study ? study_check_given(v, study, operands[1]) : LS_OK;
    if (err == LS_OK && (plot || output)) err = std_files->check(plot, output, v[STUDY_FORCE].given);
    if (err == LS_OK && study && !study->run) return study_run_jobs(v, operands, study);
    const enum std_format format = (enum std_format)v[STUDY_FORMAT].number;
    struct study_session s = {.live = format == STD_TABLE,
                              .run = {.backend = v[STUDY_BACKEND].text,
                                      .device = v[STUDY_DEVICE].text,
                                      .pin = (enum kn_pin)v[STUDY_PIN].number}};
    if (err == LS_OK) err = study_measure(v, operands, &s);
    int status = err == LS_OK ? study_print(&s, format) : rpl_ranks_fail(s.run.ranks, err);
    fflush(stdout);
    if (err == LS_OK && (plot || output) && kn_ranks_info(s.run.ranks)->rank == 0) {
        err = std_files->publish(&s.report, plot, output);
        if (err != LS_OK) status = rpl_ranks_fail(s.run.ranks, err);
    }
    free(s.report.points);
    rpl_ranks_end(&s.run);
    return status;
}

const struct cli_command cli_cmd_study = {
    .name = "study",
    .summary = "vary stride, threads, ranks, instructions or size, and measure each",
    .operands = "STUDY [FILE.json...]",
    .description =
        "Runs a series of measurements in which one parameter varies, as in the papers on Spatter "
        "and RaiderSTREAM, and prints one point per line: stride, prefetch, simd, threads, size, length, throughput, weak, "
        "strong. "
        "--list describes each and names the figure that it repeats.\n\n"
        "threads, length and throughput take pattern files and then run these patterns instead of the built-in "
        "ones. threads also prints Pearson's R of each pattern with STREAM's triad. csv and json "
        "name the machine and hold every statistic of every point.\n\n"
        "weak and strong start a job of loadstone stream, and one of loadstone replay if there are pattern files, for each "
        "number of ranks, or read the results of jobs that ran elsewhere (--collect). They print the rate, "
        "its ratio to one rank, the rates of single ranks, and the number of ranks at which memory saturates: rates are "
        "fitted by min(ranks x rate of one, roof). A job that fails is printed with its command, and the others count.",
    .examples = "loadstone study stride                      gather and scatter by strides 1 to 128\n"
                "loadstone study threads lulesh.json         patterns of a file by 1, 2, 4, ... threads\n"
                "loadstone study size -t 1 --format csv      the caches of one core\n"
                "loadstone study weak --plot weak.svg        1, 2, 4, ... ranks of MPI, started by mpirun\n"
                "loadstone study strong --collect jobs       results of batch jobs\n",
    .exit_status =
        "0 measured; 1 a result is wrong, a job failed, or it could not run here; 2 wrong usage; 3 a "
        "pattern file or a result that cannot be read, is missing, or does not fit the others.",
    .options = study_options,
    .options_len = STUDY_OPTIONS,
    .operands_max = SIZE_MAX,
    .is_benchmark = true,
    .needs_full = study_needs_full,
    .run = study_run,
};
