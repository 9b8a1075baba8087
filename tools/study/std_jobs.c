/* SPDX-License-Identifier: BSD-3-Clause */
/* study weak and strong: start a job for each number of ranks, and read its results. */
#include "tools/study/std_scale.h"
#include "common/ls_checked.h"
#include "common/ls_env.h"
#include "common/ls_private.h"
#include "common/ls_text.h"
#include "kernels/kn_memory.h"
#include "kernels/stream/kn_stream.h"
#include "machine/mach_hwloc.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_install.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/stream/stm_choose.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STD_RANKS_WORD "{ranks}"

/* ---- the launcher ---- */

/* A launcher is recognised by the text of its --version. */
struct std_launcher {
    const char *name, *sign;
    const char *module;   /* the library's */
    const char *words;    /* its options; ranks are bound by Loadstone */
    const char *too_many; /* option for more ranks than cores; NULL: needs none */
};

static const struct std_launcher std_mpi[] = {
    {"Open MPI", "Open MPI", "loadstone-mpi-openmpi.so", "--bind-to none -n {ranks}", "--oversubscribe"},
    {"Open MPI", "OpenRTE", "loadstone-mpi-openmpi.so", "--bind-to none -n {ranks}", "--oversubscribe"},
    {"Open MPI", "PRRTE", "loadstone-mpi-openmpi.so", "--bind-to none -n {ranks}", "--oversubscribe"},
    {"MPICH", "HYDRA", "loadstone-mpi-mpich.so", "-n {ranks}", NULL},
    {"Intel MPI", "Intel(R) MPI", "loadstone-mpi-mpich.so", "-n {ranks}", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* One component of Debian's Open MPI does not start programs of OpenSHMEM (doc/scale.md). */
static const struct std_launcher std_shmem[] = {{"Open MPI's OpenSHMEM", "", "loadstone-shmem.so",
                                                 "--mca osc ^rdma --bind-to none -n {ranks}",
                                                 "--oversubscribe"},
                                                {NULL, NULL, NULL, NULL, NULL}};

static const char *const std_mpi_programs[] = {"mpirun",       "mpiexec",       "mpirun.openmpi",
                                               "mpirun.mpich", "mpiexec.hydra", NULL};
static const char *const std_shmem_programs[] = {"oshrun", NULL};

/* Words of a command, in order; texts are owned. */
typedef LS_VECTOR(char *) std_words;

static void words_fini(std_words *w)
{
    for (size_t i = 0; i < w->len; i++)
        free(w->rows[i]);
    free(w->rows);
    *w = (std_words){NULL, 0, 0};
}

static ls_err words_add(std_words *w, const char *text, size_t len)
{
    char *word = strndup(text, len);
    if (!word) return ls_nomem("a command");
    const ls_err err = LS_VECTOR_ADD(w, word);
    if (err != LS_OK) free(word);
    return err;
}

static ls_err words_split(std_words *w, const char *text)
{
    for (size_t len; *(text += strspn(text, " \t")); text += len) {
        len = strcspn(text, " \t");
        LS_TRY(words_add(w, text, len));
    }
    return LS_OK;
}

/* The first lines that `program --version` prints; false: it does not run. */
static bool read_version(const char *program, char *out, size_t room)
{
    char command[128];
    snprintf(command, sizeof(command), "%s --version 2>&1 </dev/null", program);
    FILE *f = popen(command, "re");
    if (!f) return false;
    const size_t len = fread(out, 1, room - 1, f);
    out[len] = '\0';
    while (fgetc(f) != EOF) /* its end */
        ;
    return pclose(f) == 0;
}

static const struct std_launcher *launcher_of(const struct std_launcher *rows, const char *version)
{
    for (; rows->name; rows++)
        if (strstr(version, rows->sign)) return rows;
    return NULL;
}

/* Is this the launcher of one of the rows, and can its ranks run together? why: the reason for the user. */
static const struct std_launcher *try_launcher(const struct std_launcher *rows, const char *program,
                                               char *why, size_t room)
{
    char version[512], module[PATH_MAX];
    const size_t used = strlen(why);
    if (!read_version(program, version, sizeof(version))) return NULL;
    const struct std_launcher *found = launcher_of(rows, version);
    if (!found) {
        snprintf(why + used, room - used, "; %s is of an unknown library", program);
        return NULL;
    }
    if (cli_install_library(found->module, module) == LS_OK) return found;
    snprintf(why + used, room - used, "; %s (%s) needs %s, which is not here", program, found->name,
             found->module);
    return NULL;
}

static ls_err find_launcher(const struct std_scale_options *o, bool too_many, std_words *out)
{
    const struct std_launcher *rows = o->is_shmem ? std_shmem : std_mpi;
    const char *const *programs = o->is_shmem ? std_shmem_programs : std_mpi_programs;
    char why[600] = "";
    for (; *programs; programs++) {
        const struct std_launcher *found = try_launcher(rows, *programs, why, sizeof(why));
        if (!found) continue;
        LS_TRY(words_split(out, *programs));
        if (too_many && found->too_many) LS_TRY(words_split(out, found->too_many));
        return words_split(out, found->words);
    }
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "no launcher of %s is here%s: install Open MPI or MPICH, give another one as in "
                   "--launcher 'srun -n " STD_RANKS_WORD "', or read results of batch jobs by --collect",
                   o->is_shmem ? "OpenSHMEM (oshrun)" : "MPI (mpirun, mpiexec)", why);
}

static ls_err take_launcher(const struct std_scale_options *o, bool too_many, std_words *out)
{
    if (!o->launcher) return find_launcher(o, too_many, out);
    if (!strstr(o->launcher, STD_RANKS_WORD))
        return ls_fail(LS_ERR_USAGE,
                       "--launcher: '%s' has no " STD_RANKS_WORD
                       ", which stands for the number of ranks, as in "
                       "'srun -n " STD_RANKS_WORD "'",
                       o->launcher);
    return words_split(out, o->launcher);
}

static ls_err check_alone(const struct std_study *study)
{
    struct ls_rank rank;
    if (!ls_rank_find(getenv, &rank)) return LS_OK;
    return ls_fail(
        LS_ERR_USAGE,
        "study %s starts the ranks itself, but this process is a rank already (%s is set): start it "
        "without a launcher, or unset %s where it belongs to an interactive shell",
        study->name, rank.variable, rank.variable);
}

/* ---- the machine ---- */

/* The cores that this process may use. */
static unsigned cores_here(void)
{
    const hwloc_topology_t t = mach_hwloc_load();
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    int cores = 0;
    if (t && set && hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS) == 0) {
        for (hwloc_obj_t c = NULL; (c = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, c));)
            cores += hwloc_bitmap_intersects(c->cpuset, set);
        if (!cores) cores = hwloc_bitmap_weight(set);
    }
    if (t) hwloc_topology_destroy(t);
    if (set) hwloc_bitmap_free(set);
    return cores > 0 ? (unsigned)cores : 1;
}

/* ---- sizes ---- */

struct std_sizes {
    uint64_t elements; /* weak scaling: a rank's; strong: all ranks' */
    unsigned most;     /* the largest number of ranks */
    unsigned here;     /* ranks that share this machine's memory at least */
};

static ls_err bytes_of(const struct std_scale_options *o, const struct stm_chosen *chosen, uint64_t elements,
                       struct kn_stream_need *out)
{
    const struct kn_stream_options with = {.run = {.element_bytes = o->run.element_bytes},
                                           .elements = elements};
    return kn_stream_need(chosen->rows, chosen->len, &with, out);
}

/* The rule's size, or the largest one with which all ranks take half of the memory. */
static ls_err fit_memory(const struct kn_stream_need *rule, struct std_sizes *s)
{
    const uint64_t half_bytes = kn_memory_available_bytes() / 2;
    const uint64_t element_bytes = rule->memory_bytes / rule->elements;
    const uint64_t most = half_bytes / (element_bytes ? element_bytes : 1) / s->most;
    s->elements = rule->elements < most ? rule->elements : most;
    if (s->elements) return LS_OK;
    return ls_nomem("arrays of %u ranks", s->most);
}

static void warn_of_size(const struct std_scale_options *o, const struct std_sizes *s,
                         const struct kn_stream_need *rule)
{
    if (s->elements >= rule->rule_elements) return;
    cli_warn("arrays of %" PRIu64 " elements %s are smaller than STREAM's run rule asks for (%" PRIu64
             "%s): rates may be those of caches",
             s->elements, o->is_strong ? "for all ranks" : "for each rank", rule->rule_elements,
             o->elements ? "" : ", which would not leave memory for all ranks");
}

static ls_err choose_size(const struct std_scale_options *o, const struct stm_chosen *chosen,
                          struct std_sizes *s)
{
    struct kn_stream_need need;
    uint64_t all_bytes;
    char label[128];
    LS_TRY(bytes_of(o, chosen, o->elements, &need));
    s->elements = need.elements;
    if (!o->elements && !o->is_strong) LS_TRY(fit_memory(&need, s));
    warn_of_size(o, s, &need);
    if (o->launcher) return LS_OK; /* perhaps on other machines: the jobs check their memory */
    LS_TRY(bytes_of(o, chosen, s->elements, &need));
    if (!ls_mul_u64(need.memory_bytes, o->is_strong ? 1 : s->here, &all_bytes)) all_bytes = UINT64_MAX;
    if (o->is_strong)
        snprintf(label, sizeof(label), "study strong");
    else
        snprintf(label, sizeof(label),
                 "study weak with %u ranks on this machine, each with arrays of %" PRIu64 " elements,",
                 s->here, s->elements);
    return kn_memory_check(label, all_bytes, 0);
}

/* ---- jobs ---- */

/* A command of each number of ranks: stream or replay. */
struct std_job {
    const char *command;
    std_words words; /* with {ranks}, {elements} and {output} */
};

struct std_jobs {
    struct std_scale *scale;
    std_words launcher;
    struct std_job jobs[2];
    size_t len;
    struct std_sizes sizes;
    char self[PATH_MAX];
    char dir[PATH_MAX]; /* directory for the results */
    bool is_temporary;
};

#define STD_ELEMENTS_WORD "{elements}"
#define STD_OUTPUT_WORD "{output}"

static ls_err job_add(struct std_job *job, const char *word)
{
    return words_add(&job->words, word, strlen(word));
}

static ls_err job_add_all(struct std_job *job, const char *const *list)
{
    for (; *list; list++)
        LS_TRY(job_add(job, *list));
    return LS_OK;
}

static ls_err job_begin(struct std_jobs *j, const char *command, struct std_job **out)
{
    struct std_job *job = &j->jobs[j->len++];
    char threads[16];
    *job = (struct std_job){.command = command};
    *out = job;
    for (size_t i = 0; i < j->launcher.len; i++)
        LS_TRY(job_add(job, j->launcher.rows[i]));
    snprintf(threads, sizeof(threads), "%u",
             j->scale->options->run.threads ? j->scale->options->run.threads : 1);
    return job_add_all(job,
                       (const char *const[]){j->self, command, "-o", STD_OUTPUT_WORD, "-t", threads, NULL});
}

static ls_err prepare_stream(struct std_jobs *j, const struct stm_chosen *chosen, const char *kernels)
{
    struct std_job *job;
    LS_TRY(choose_size(j->scale->options, chosen, &j->sizes));
    LS_TRY(job_begin(j, "stream", &job));
    LS_TRY(job_add_all(job, (const char *const[]){"-k", kernels, "-n", STD_ELEMENTS_WORD, NULL}));
    return job_add_all(job, j->scale->options->of_stream);
}

static ls_err prepare_replay(struct std_jobs *j)
{
    const struct std_scale_options *o = j->scale->options;
    struct std_job *job;
    LS_TRY(job_begin(j, "replay", &job));
    LS_TRY(job_add(job, "--no-stream"));
    if (o->is_strong) LS_TRY(job_add(job, "--strong-scaling"));
    LS_TRY(job_add_all(job, o->of_replay));
    for (char **file = o->patterns; *file; file++)
        if (access(*file, R_OK) != 0) return ls_fail_errno(errno, "%s cannot be read", *file);
    return job_add_all(job, (const char *const *)o->patterns);
}

static ls_err prepare_jobs(struct std_jobs *j)
{
    const struct std_scale_options *o = j->scale->options;
    struct stm_chosen chosen = {.len = 0};
    const char *kernels = o->kernels ? o->kernels : *o->patterns ? NULL : STD_KERNELS;
    if (kernels) LS_TRY(stm_choose(kernels, &chosen));
    if (kernels) LS_TRY(prepare_stream(j, &chosen, kernels));
    return *o->patterns ? prepare_replay(j) : LS_OK;
}

/* ---- one job ---- */

static const char *replace(const char *word, const char *what, const char *by, char *out, size_t room)
{
    const char *at = strstr(word, what);
    if (!at) return word;
    snprintf(out, room, "%.*s%s%s", (int)(at - word), word, by, at + strlen(what));
    return out;
}

/* The words of a job with ranks ranks, and its files. */
struct std_call {
    char **argv; /* [len], ends with NULL; owned */
    size_t len;
    char output[PATH_MAX], log[PATH_MAX];
};

static void call_fini(struct std_call *c)
{
    for (char **word = c->argv; word && *word; word++)
        free(*word);
    free(c->argv);
}

static ls_err call_files(const struct std_jobs *j, const struct std_job *job, unsigned ranks,
                         struct std_call *c)
{
    static const char *const ends[] = {"h5", "log"};
    char *const names[] = {c->output, c->log};
    for (int i = 0; i < 2; i++)
        if (snprintf(names[i], PATH_MAX, "%s/%s-%u.%s", j->dir, job->command, ranks, ends[i]) >= PATH_MAX)
            return ls_fail(LS_ERR_RANGE, "%s: the name is too long", j->dir);
    return LS_OK;
}

static ls_err call_init(const struct std_jobs *j, const struct std_job *job, unsigned ranks,
                        struct std_call *c)
{
    char number[24], elements[24], word[PATH_MAX + 64];
    *c = (struct std_call){.argv = calloc(job->words.len + 1, sizeof(*c->argv))};
    if (!c->argv) return ls_nomem("a command");
    LS_TRY(call_files(j, job, ranks, c));
    snprintf(number, sizeof(number), "%u", ranks);
    snprintf(elements, sizeof(elements), "%" PRIu64,
             j->scale->options->is_strong ? j->sizes.elements : j->sizes.elements * ranks);
    for (size_t i = 0; i < job->words.len; i++) {
        const char *text = replace(job->words.rows[i], STD_RANKS_WORD, number, word, sizeof(word));
        if (strcmp(text, STD_ELEMENTS_WORD) == 0) text = elements;
        if (strcmp(text, STD_OUTPUT_WORD) == 0) text = c->output;
        c->argv[i] = strdup(text);
        if (!c->argv[i]) return ls_nomem("a command");
        c->len++;
    }
    return LS_OK;
}

/* The job that runs, for the handler. */
static volatile pid_t std_child;
static volatile sig_atomic_t std_signal;

static void on_signal(int number)
{
    std_signal = number;
    if (std_child > 0) kill(std_child, SIGTERM);
}

static void become_job(const struct std_call *c, pid_t parent)
{
    const int log = open(c->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (log < 0 || none < 0 || getppid() != parent) _exit(CLI_LAUNCHER);
    dup2(none, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(c->argv[0], c->argv);
    dprintf(STDERR_FILENO, "%s cannot be started: %s\n", c->argv[0], strerror(errno));
    _exit(CLI_NO_PROGRAM);
}

/* Run a job and return its status as from wait(2). */
static ls_err run_job(const struct std_call *c, int *status)
{
    const pid_t parent = getpid();
    fflush(NULL);
    std_child = fork();
    if (std_child == 0) become_job(c, parent);
    if (std_child < 0) return ls_fail_errno(errno, "cannot start a process");
    if (std_signal) kill(std_child, SIGTERM);
    while (waitpid(std_child, status, 0) < 0 && errno == EINTR)
        ;
    std_child = 0;
    return LS_OK;
}

/* The command as a line, words quoted where needed. */
static char *line_of(char *const *words, size_t len)
{
    char *line = NULL;
    size_t len_bytes;
    FILE *f = open_memstream(&line, &len_bytes);
    for (size_t i = 0; f && i < len; i++) {
        const bool is_placeholder = words[i][0] == '{' && strchr(words[i], '}');
        fprintf(f, "%s%s", i ? " " : "", is_placeholder ? words[i] : cli_quote(words[i]));
    }
    if (f) fclose(f);
    return line;
}

enum { LOG_LINES = 12, LOG_BYTES = 4096 };

/* Print the last lines that a job printed. */
static void print_log(const char *path)
{
    char text[LOG_BYTES + 1];
    FILE *f = fopen(path, "re");
    if (!f) return;
    if (fseek(f, -(long)LOG_BYTES, SEEK_END) != 0) rewind(f);
    size_t len = fread(text, 1, LOG_BYTES, f);
    fclose(f);
    text[len] = '\0';
    ls_text_clean(text, len, "\n\t");
    size_t begin = len;
    for (int lines = 0; begin > 0; begin--)
        if (text[begin - 1] == '\n' && begin < len && ++lines == LOG_LINES) break;
    for (char *rest = text + begin, *line; (line = strsep(&rest, "\n"));)
        if (*line) fprintf(stderr, "    %s\n", line);
}

static void report_failure(struct std_scale *s, unsigned ranks, const struct std_call *c, const char *why)
{
    struct std_job_failure failure = {.ranks = ranks, .command = line_of(c->argv, c->len)};
    snprintf(failure.why, sizeof(failure.why), "%s", why);
    cli_error("the job of %u rank%s failed (%s): %s", ranks, ranks == 1 ? "" : "s", why,
              failure.command ? failure.command : "");
    print_log(c->log);
    s->status = CLI_FAILURE;
    if (LS_VECTOR_ADD(&s->failures, failure) != LS_OK) free(failure.command);
}

/* Note a job that failed. It may have kept results that are wrong. */
static void judge(struct std_scale *s, unsigned ranks, const struct std_call *c, int status)
{
    char why[64];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof(why), "killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status));
    else if (access(c->output, R_OK) != 0)
        snprintf(why, sizeof(why), "no results here; does rank 0 run elsewhere? --keep");
    else
        return;
    report_failure(s, ranks, c, why);
}

static ls_err take_results(struct std_scale *s, const struct std_call *c)
{
    struct vx_results r;
    char *path = strdup(c->output);
    const ls_err err = path ? vx_results_read(c->output, &r) : ls_nomem("%s", c->output);
    if (err != LS_OK) {
        free(path);
        return err;
    }
    return std_scale_add(s, path, &r);
}

static ls_err run_one(struct std_jobs *j, const struct std_job *job, unsigned ranks)
{
    struct std_call call;
    int status = 0;
    ls_err err = call_init(j, job, ranks, &call);
    if (err == LS_OK) err = run_job(&call, &status);
    if (err == LS_OK && std_signal) err = ls_fail(LS_ERR_IO, "ended by signal %d", (int)std_signal);
    if (err == LS_OK) {
        judge(j->scale, ranks, &call, status);
        if (access(call.output, R_OK) == 0) err = take_results(j->scale, &call);
    }
    if (j->is_temporary) {
        unlink(call.output);
        unlink(call.log);
    }
    call_fini(&call);
    return err;
}

/* ---- all jobs ---- */

static ls_err check_kept(const struct std_jobs *j)
{
    struct std_call c;
    for (size_t k = 0; k < j->len; k++)
        for (size_t i = 0; i < j->scale->ranks.len; i++) {
            LS_TRY(call_files(j, &j->jobs[k], j->scale->ranks.rows[i], &c));
            LS_TRY(cli_output_check_profile(c.output, j->scale->options->force));
        }
    return LS_OK;
}

static ls_err make_dir(struct std_jobs *j)
{
    const char *keep = j->scale->options->keep;
    if (keep) {
        if (mkdir(keep, 0777) != 0 && errno != EEXIST) return ls_fail_errno(errno, "cannot make %s", keep);
        snprintf(j->dir, sizeof(j->dir), "%s", keep);
        return check_kept(j);
    }
    const int fd = ls_private_make_somewhere("loadstone-study", j->dir, sizeof(j->dir));
    if (fd < 0) return ls_fail_errno(-fd, "cannot make a directory for the results of jobs");
    close(fd);
    j->is_temporary = true;
    return LS_OK;
}

static ls_err prepare(struct std_jobs *j)
{
    struct std_scale *s = j->scale;
    const unsigned threads = s->options->run.threads ? s->options->run.threads : 1;
    const unsigned cores = cores_here();
    LS_TRY(std_scale_ranks(s->options->ranks, cores >= threads ? cores / threads : 1, s));
    j->sizes.most = s->ranks.rows[s->ranks.len - 1];
    j->sizes.here = j->sizes.most < cores ? j->sizes.most : cores;
    const ssize_t len = readlink("/proc/self/exe", j->self, sizeof(j->self) - 1);
    if (len < 0) return ls_fail_errno(errno, "this program cannot be found");
    j->self[len] = '\0';
    LS_TRY(take_launcher(s->options, (uint64_t)j->sizes.most * threads > cores, &j->launcher));
    LS_TRY(prepare_jobs(j));
    LS_TRY(make_dir(j));
    s->command = line_of(j->jobs[0].words.rows, j->jobs[0].words.len);
    return LS_OK;
}

static ls_err run_all(struct std_jobs *j)
{
    const struct std_scale *s = j->scale;
    char label[64];
    for (size_t i = 0; i < s->ranks.len; i++)
        for (size_t k = 0; k < j->len; k++) {
            snprintf(label, sizeof(label), "%s by %u ranks", j->jobs[k].command, s->ranks.rows[i]);
            cli_progress(label, (double)(i * j->len + k) / (double)(s->ranks.len * j->len + 1));
            LS_TRY(run_one(j, &j->jobs[k], s->ranks.rows[i]));
        }
    return LS_OK;
}

ls_err std_jobs_run(struct std_scale *s)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before[3];
    const struct sigaction ours = {.sa_handler = on_signal};
    struct std_jobs *j = calloc(1, sizeof(*j));
    if (!j) return ls_nomem("jobs");
    j->scale = s;
    ls_err err = check_alone(s->options->study);
    if (err == LS_OK) err = prepare(j);
    for (size_t i = 0; i < 3; i++) {
        sigaction(ends[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) sigaction(ends[i], &ours, NULL);
    }
    if (err == LS_OK) err = run_all(j);
    for (size_t i = 0; i < 3; i++)
        sigaction(ends[i], &before[i], NULL);
    cli_progress("", 1);
    if (j->is_temporary) rmdir(j->dir);
    words_fini(&j->launcher);
    for (size_t k = 0; k < j->len; k++)
        words_fini(&j->jobs[k].words);
    free(j);
    if (std_signal) cli_end_by_signal(std_signal);
    return err;
}
