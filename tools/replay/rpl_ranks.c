/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_ranks.h"

#include "common/ls_clock.h"
#include "tools/cli/cli_install.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest time that a message may take to the launcher, and how often to look. */
#define READER_NS (5 * LS_NS_PER_S)
enum { READER_STEP_US = 1000 };

/* ---- the job ---- */

static bool asks_for(const struct kn_options *o, const char *name)
{
    return o->backend && strcasecmp(o->backend, name) == 0;
}

static ls_err explain_missing(const struct kn_ranks_launch *l, const char *file)
{
    char why[300];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    if (!l->launcher)
        return ls_fail(LS_ERR_NOT_FOUND, "%s; it is built where configure finds its library", why);
    return ls_fail(
        LS_ERR_NOT_FOUND,
        "a launcher started %u ranks (%s), which run together by %s, but it is not here: install it, or "
        "unset %s to run each of them for itself",
        l->len, l->launcher, file, l->launcher);
}

/* Find the path of the module; "" if the process runs alone. */
static ls_err find_module(const struct kn_options *o, const struct kn_ranks_launch *l, char out[PATH_MAX])
{
    const bool mpi = asks_for(o, "mpi"), shmem = asks_for(o, "shmem");
    const char *file = shmem ? l->shmem : l->mpi;
    *out = '\0';
    if (!mpi && !shmem && !l->launcher) return LS_OK;
    if (!file)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "--backend shmem: the launcher (%s) starts no OpenSHMEM programs; take oshrun",
                       l->launcher);
    if (cli_install_library(file, out) == LS_OK) return LS_OK;
    if (l->launcher || shmem || cli_install_library("loadstone-mpi-mpich.so", out) != LS_OK) {
        *out = '\0';
        return l->launcher && l->len == 1 && !mpi && !shmem ? LS_OK : explain_missing(l, file);
    }
    return LS_OK;
}

/* Wait until the launcher has read the messages of this rank: an abort ends the launcher, too. */
static void await_reader(int fd)
{
    struct stat st;
    int unread;
    if (fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode)) return;
    for (uint64_t end_ns = ls_clock_mono_ns() + READER_NS; ls_clock_mono_ns() < end_ns;
         usleep(READER_STEP_US))
        if (ioctl(fd, FIONREAD, &unread) != 0 || unread == 0) return;
}

/* Report an error that only this rank has. */
static int report_own(const struct kn_ranks_info *info, ls_err err, const char *why)
{
    cli_message_silence(false);
    const int status = cli_fail(ls_fail(err, "rank %u on %s: %s", info->rank, info->host, why));
    await_reader(STDERR_FILENO);
    return status;
}

static void rank_is_late(const struct kn_ranks_info *info, const char *why)
{
    _exit(report_own(info, LS_ERR_BUSY, why));
}

ls_err rpl_ranks_begin(struct kn_options *o, uint64_t timeout_ns)
{
    const struct kn_ranks_launch l = kn_ranks_launch_find(getenv);
    char module[PATH_MAX];
    LS_TRY(find_module(o, &l, module));
    if (asks_for(o, "mpi") || asks_for(o, "shmem")) o->backend = NULL;
    if (!*module) return LS_OK;
    const struct kn_ranks_settings s = {.module = module,
                                        .len = l.len,
                                        .rank = l.rank,
                                        .timeout_s = (double)timeout_ns / (double)LS_NS_PER_S,
                                        .pin = o->pin,
                                        .late = rank_is_late};
    const ls_err err = kn_ranks_new(&s, &o->ranks);
    if (kn_ranks_info(o->ranks)->rank == 0) return err;
    cli_message_silence(true);
    if (!freopen("/dev/null", "w", stdout)) return ls_fail(LS_ERR_IO, "/dev/null cannot be opened");
    return err;
}

ls_err rpl_ranks_same(struct kn_ranks *ranks, uint64_t hash, ls_err own)
{
    uint64_t first = hash;
    LS_TRY(kn_ranks_agree(ranks, own));
    LS_TRY(kn_ranks_broadcast(ranks, &first, sizeof(first)));
    return kn_ranks_agree(
        ranks, first == hash ? LS_OK
                             : ls_fail(LS_ERR_ARG, "its files, patterns or options are not those of rank 0"));
}

int rpl_ranks_fail(struct kn_ranks *ranks, ls_err err)
{
    char why[700];
    int status;
    if (err == LS_OK) return CLI_OK;
    if (!kn_ranks_is_alone(ranks)) {
        status = cli_fail(err);
        if (ranks) await_reader(STDERR_FILENO);
        return status;
    }
    snprintf(why, sizeof(why), "%s", ls_last_error());
    status = report_own(kn_ranks_info(ranks), err, why);
    kn_ranks_abort(ranks, status);
    return status;
}

void rpl_ranks_end(struct kn_options *o)
{
    fflush(stdout); /* the launcher may end this process when it leaves */
    kn_ranks_free(o->ranks);
    o->ranks = NULL;
}

/* ---- results ---- */

struct rpl_ranks_means rpl_ranks_means_of(const struct kn_result *r)
{
    struct rpl_ranks_means m = {0};
    for (unsigned i = 0; i < r->ranks && r->rank_rows; i++) {
        const struct kn_rank_row *row = &r->rank_rows[i];
        m.bytes += (double)row->bytes / r->ranks;
        m.seconds += row->seconds_min / r->ranks;
        m.mb_per_s += (double)row->bytes / row->seconds_min / 1e6 / r->ranks;
    }
    return m;
}

void rpl_ranks_json(struct ls_json *j, const struct kn_result *r)
{
    if (!r->ranks) return;
    const struct rpl_ranks_means m = rpl_ranks_means_of(r);
    ls_json_open(j, "by_rank", '{');
    ls_json_u64(j, "count", r->ranks);
    ls_json_u64(j, "nodes", r->nodes);
    ls_json_double(j, "bytes_mean", m.bytes);
    ls_json_double(j, "seconds_mean", m.seconds);
    ls_json_double(j, "mb_per_s_mean", m.mb_per_s);
    ls_json_open(j, "rows", '[');
    for (unsigned i = 0; i < r->ranks && r->rank_rows; i++) {
        const struct kn_rank_row *row = &r->rank_rows[i];
        ls_json_open(j, NULL, '{');
        ls_json_u64(j, "rank", i);
        ls_json_text(j, "host", row->host);
        ls_json_text(j, "processors", row->processors);
        ls_json_u64(j, "threads", row->threads);
        ls_json_text(j, "variant", row->variant);
        ls_json_u64(j, "bytes", row->bytes);
        ls_json_u64(j, "memory_bytes", row->memory_bytes);
        ls_json_double(j, "seconds_min", row->seconds_min);
        ls_json_double(j, "seconds_mean", row->seconds_mean);
        ls_json_double(j, "mb_per_s", (double)row->bytes / row->seconds_min / 1e6);
        ls_json_bool(j, "valid", !*row->invalid);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

void rpl_ranks_print(const struct kn_options *o, FILE *out)
{
    const struct kn_ranks_info *info = kn_ranks_info(o->ranks);
    if (!o->ranks) return;
    fprintf(out, "ranks      %u on %u node%s by %s", info->len, info->nodes, info->nodes == 1 ? "" : "s",
            info->library);
    if (info->bound)
        fprintf(out, "; rank 0 runs on processors %s\n", info->processors);
    else
        fprintf(out, "; ranks of a node share its processors\n");
}

void rpl_ranks_print_spread(const struct kn_result *r, FILE *out)
{
    char least[CLI_CELL_BYTES], mean[CLI_CELL_BYTES], most[CLI_CELL_BYTES];
    double low = INFINITY, high = 0;
    if (!r->ranks || !r->rank_rows) return;
    for (unsigned i = 0; i < r->ranks; i++) {
        const double rate = (double)r->rank_rows[i].bytes / r->rank_rows[i].seconds_min / 1e6;
        low = fmin(low, rate);
        high = fmax(high, rate);
    }
    fprintf(out, "%u ranks: each %s to %s MB/s, %s on average", r->ranks,
            cli_format_grouped(least, (uint64_t)low), cli_format_grouped(most, (uint64_t)high),
            cli_format_grouped(mean, (uint64_t)rpl_ranks_means_of(r).mb_per_s));
    for (unsigned i = 0; i < r->ranks; i++)
        if (strcmp(r->rank_rows[i].variant, r->rank_rows[0].variant) != 0) {
            fprintf(out, "; rank %u runs %s", i, r->rank_rows[i].variant);
            break;
        }
    fputc('\n', out);
}
