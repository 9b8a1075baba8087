/* SPDX-License-Identifier: BSD-3-Clause */
/* report --devices: memory of devices (GPUs), the copies to and from them, and waiting for them. */
#include "config.h"

#include "tools/report/rep_print.h"

#include "common/ls_device.h"
#include "common/ls_json.h"
#include "common/ls_text.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- blocks of one site --- */

struct rep_device_site {
    const char *label;
    uint32_t node, api, memory;
    uint64_t blocks, bytes, live_bytes, most_bytes; /* live: at the end of the run; most: at one time */
    uint64_t life_ns, in_bytes, out_bytes;          /* life_ns: summed over blocks */
};

struct rep_devices {
    const prof_profile *profile;
    struct rep_device_site *sites;
    size_t sites_len;
    uint64_t most_bytes;             /* largest size of all device memory at one time */
    struct prof_device_copy *copies; /* by call */
    size_t copies_len;
    uint64_t end_ns;
};

static const char *rep_device_label(const prof_profile *p, uint32_t node)
{
    size_t len;
    const struct prof_node *nodes = prof_nodes(p, &len);
    return node < len ? nodes[node].label : "";
}

static const char *rep_device_text(const char *const *names, uint32_t number, uint32_t len)
{
    return number < len ? names[number] : "other";
}
#define REP_API(n) rep_device_text(prof_device_api_names, n, LS_DEVICE_APIS_LEN)
#define REP_MEMORY(n) rep_device_text(prof_device_memory_names, n, LS_DEVICE_MEMORIES_LEN)
#define REP_DIRECTION(n) rep_device_text(prof_device_direction_names, n, LS_DEVICE_DIRECTIONS_LEN)

/* A begin or an end of a block's life. */
struct rep_device_change {
    uint64_t time_ns, len_bytes;
    uint32_t site;
    bool is_end;
};

static int rep_compare_changes(const void *a, const void *b)
{
    const struct rep_device_change *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? -1 : 1;
    return y->is_end - x->is_end;
}

static uint32_t rep_device_site_of(struct rep_devices *d, const struct prof_device_block *b)
{
    for (uint32_t i = (uint32_t)d->sites_len; i-- > 0;)
        if (d->sites[i].node == b->node && d->sites[i].api == b->api && d->sites[i].memory == b->memory)
            return i;
    d->sites[d->sites_len] = (struct rep_device_site){
        .label = rep_device_label(d->profile, b->node), .node = b->node, .api = b->api, .memory = b->memory};
    return (uint32_t)d->sites_len++;
}

/* Largest sizes at one time, by all begins and ends in order. */
static void rep_device_count_most(struct rep_devices *d, struct rep_device_change *changes, size_t len)
{
    uint64_t *now = calloc(d->sites_len + 1, sizeof(*now)), all = 0;
    if (!now) return;
    qsort(changes, len, sizeof(*changes), rep_compare_changes);
    for (size_t i = 0; i < len; i++) {
        const struct rep_device_change *c = &changes[i];
        struct rep_device_site *s = &d->sites[c->site];
        const uint64_t more = c->is_end ? 0 - c->len_bytes : c->len_bytes;
        now[c->site] += more;
        if (now[c->site] > s->most_bytes) s->most_bytes = now[c->site];
        if (s->memory != LS_DEVICE_MEMORY_HOST) all += more;
        if (all > d->most_bytes) d->most_bytes = all;
    }
    for (size_t i = 0; i < d->sites_len; i++)
        d->sites[i].live_bytes = now[i];
    free(now);
}

static int rep_compare_device_sites(const void *a, const void *b)
{
    const struct rep_device_site *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->label, y->label);
}

static ls_err rep_devices_sites(struct rep_devices *d)
{
    size_t len, changes_len = 0;
    const struct prof_device_block *blocks = prof_device_blocks(d->profile, &len);
    struct rep_device_change *changes = calloc(2 * len + 1, sizeof(*changes));
    d->sites = calloc(len + 1, sizeof(*d->sites));
    if (!changes || !d->sites) {
        free(changes);
        return ls_nomem("%zu blocks of devices", len);
    }
    for (size_t i = 0; i < len; i++) {
        const struct prof_device_block *b = &blocks[i];
        const uint32_t at = rep_device_site_of(d, b);
        struct rep_device_site *s = &d->sites[at];
        const uint64_t end_ns = b->died_ns == UINT64_MAX ? d->end_ns : b->died_ns;
        s->blocks++;
        s->bytes += b->len_bytes;
        s->in_bytes += b->copied_in_bytes;
        s->out_bytes += b->copied_out_bytes;
        if (end_ns > b->born_ns) s->life_ns += end_ns - b->born_ns;
        changes[changes_len++] = (struct rep_device_change){b->born_ns, b->len_bytes, at, false};
        if (b->died_ns != UINT64_MAX)
            changes[changes_len++] = (struct rep_device_change){b->died_ns, b->len_bytes, at, true};
    }
    rep_device_count_most(d, changes, changes_len);
    free(changes);
    qsort(d->sites, d->sites_len, sizeof(*d->sites), rep_compare_device_sites);
    return LS_OK;
}

/* --- copies of one call --- */

/* NULL: not known. */
static const struct prof_line *rep_copy_line(const prof_profile *p, const struct prof_device_copy *c)
{
    size_t frames_len, lines_len;
    const struct prof_frame *frames = prof_frames(p, &frames_len);
    const struct prof_line *lines = prof_lines(p, &lines_len);
    if (c->label_frame >= frames_len || frames[c->label_frame].line >= lines_len) return NULL;
    return &lines[frames[c->label_frame].line];
}

static bool rep_copy_is(const prof_profile *p, const struct prof_device_copy *a,
                        const struct prof_device_copy *b)
{
    const struct prof_line *x = rep_copy_line(p, a), *y = rep_copy_line(p, b);
    if (a->api != b->api || a->direction != b->direction || a->queued != b->queued || a->to != b->to ||
        a->from != b->from || !x != !y)
        return false;
    return !x || (x->line == y->line && strcmp(x->file, y->file) == 0 && strcmp(x->symbol, y->symbol) == 0 &&
                  (x->line > 0 || x->ip == y->ip));
}

static int rep_compare_copies(const void *a, const void *b)
{
    const struct prof_device_copy *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? 1 : -1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static ls_err rep_devices_copies(struct rep_devices *d)
{
    size_t len;
    const struct prof_device_copy *rows = prof_device_copies(d->profile, &len);
    d->copies = calloc(len + 1, sizeof(*d->copies));
    if (!d->copies) return ls_nomem("%zu copies", len);
    for (size_t i = 0; i < len; i++) {
        size_t at = 0;
        while (at < d->copies_len && !rep_copy_is(d->profile, &d->copies[at], &rows[i]))
            at++;
        if (at == d->copies_len) {
            d->copies[d->copies_len++] = rows[i];
            continue;
        }
        struct prof_device_copy *c = &d->copies[at];
        c->calls += rows[i].calls;
        c->bytes += rows[i].bytes;
        c->time_ns += rows[i].time_ns;
        if (rows[i].longest_ns > c->longest_ns) c->longest_ns = rows[i].longest_ns;
        if (rows[i].first_ns < c->first_ns) c->first_ns = rows[i].first_ns;
        if (rows[i].last_ns > c->last_ns) c->last_ns = rows[i].last_ns;
    }
    qsort(d->copies, d->copies_len, sizeof(*d->copies), rep_compare_copies);
    return LS_OK;
}

/* Bytes a second while the calls lasted; NAN where they need not wait for the copy. */
static double rep_copy_rate(const struct prof_device_copy *c)
{
    return c->queued || c->direction == LS_DEVICE_WAIT || c->time_ns == 0
               ? NAN
               : (double)c->bytes / (double)c->time_ns;
}

/* --- text --- */

static void rep_device_head(const char *text, FILE *out)
{
    fprintf(out, "%s%s%s\n", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), text, cli_colour_end(STDOUT_FILENO));
}

static void rep_put_device_site(const struct rep_device_site *s, FILE *out)
{
    char all[CLI_CELL_BYTES], most[CLI_CELL_BYTES], blocks[CLI_CELL_BYTES], life[CLI_CELL_BYTES],
        in[CLI_CELL_BYTES], from[CLI_CELL_BYTES];
    fprintf(out, "%11s %8s %11s %10s %11s %11s  %-8s %-12s %.80s\n", cli_format_bytes(all, (double)s->bytes),
            cli_format_count(blocks, (double)s->blocks), cli_format_bytes(most, (double)s->most_bytes),
            cli_format_time(life, (double)s->life_ns / (double)s->blocks),
            cli_format_bytes(in, (double)s->in_bytes), cli_format_bytes(from, (double)s->out_bytes),
            REP_MEMORY(s->memory), REP_API(s->api), s->label);
}

/* host, or the block's label */
static const char *rep_copy_end(const struct rep_devices *d, uint32_t node, bool is_host)
{
    const char *label = rep_device_label(d->profile, node);
    return *label ? label : is_host ? "host" : "?";
}

static void rep_put_copy(const struct rep_devices *d, const struct prof_device_copy *c, FILE *out)
{
    char bytes[CLI_CELL_BYTES], calls[CLI_CELL_BYTES], time[CLI_CELL_BYTES], longest[CLI_CELL_BYTES],
        rate[CLI_CELL_BYTES] = "-";
    const struct prof_line *line = rep_copy_line(d->profile, c);
    const bool is_wait = c->direction == LS_DEVICE_WAIT;
    if (!isnan(rep_copy_rate(c))) snprintf(rate, sizeof(rate), "%.2f", rep_copy_rate(c));
    fprintf(out, "%11s %8s %10s %10s %8s  %-12s", is_wait ? "-" : cli_format_bytes(bytes, (double)c->bytes),
            cli_format_count(calls, (double)c->calls), cli_format_time(time, (double)c->time_ns),
            cli_format_time(longest, (double)c->longest_ns), rate, REP_DIRECTION(c->direction));
    fputs(c->queued ? "q " : "  ", out);
    if (!is_wait)
        fprintf(out, "%.40s -> %.40s  ", rep_copy_end(d, c->from, c->direction == LS_DEVICE_TO_DEVICE),
                rep_copy_end(d, c->to, c->direction == LS_DEVICE_FROM_DEVICE));
    if (line && line->line > 0)
        fprintf(out, "%.60s  %.80s:%u", line->function, ls_base_name(line->file), line->line);
    else if (line)
        fprintf(out, "%.100s", line->symbol);
    fputc('\n', out);
}

static void rep_put_devices(const struct rep_devices *d, uint64_t limit, FILE *out)
{
    char most[CLI_CELL_BYTES];
    rep_device_head("  allocated   blocks     at once       life   copied in  copied out  memory   by"
                    "           allocation site",
                    out);
    for (size_t i = 0; i < d->sites_len && i < limit; i++)
        rep_put_device_site(&d->sites[i], out);
    if (d->sites_len > limit) fprintf(out, "%24s(%zu more, not shown)\n", "", d->sites_len - (size_t)limit);
    fprintf(out, "At most %s of device and managed memory at once.\n\n",
            cli_format_bytes(most, (double)d->most_bytes));
    rep_device_head("      bytes    calls       time    longest     GB/s  direction     from -> to, call",
                    out);
    for (size_t i = 0; i < d->copies_len && i < limit; i++)
        rep_put_copy(d, &d->copies[i], out);
    if (d->copies_len > limit) fprintf(out, "%24s(%zu more, not shown)\n", "", d->copies_len - (size_t)limit);
    fputs(
        "\nTime is the wall time of the calls in their threads; q: queued, the call need not wait for the copy, "
        "whose rate is not known.\n",
        out);
}

/* --- JSON --- */

static void rep_json_copy(const struct rep_devices *d, const struct prof_device_copy *c, struct ls_json *j)
{
    const struct prof_line *line = rep_copy_line(d->profile, c);
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "direction", REP_DIRECTION(c->direction));
    ls_json_text(j, "api", REP_API(c->api));
    ls_json_bool(j, "queued", c->queued);
    if (*rep_device_label(d->profile, c->from))
        ls_json_text(j, "from", rep_device_label(d->profile, c->from));
    if (*rep_device_label(d->profile, c->to)) ls_json_text(j, "to", rep_device_label(d->profile, c->to));
    ls_json_u64(j, "calls", c->calls);
    ls_json_u64(j, "bytes", c->bytes);
    ls_json_u64(j, "time_ns", c->time_ns);
    ls_json_u64(j, "longest_ns", c->longest_ns);
    ls_json_u64(j, "first_ns", c->first_ns);
    ls_json_u64(j, "last_ns", c->last_ns);
    ls_json_double(j, "gb_per_s", rep_copy_rate(c));
    if (line) ls_json_text(j, "function", line->function);
    if (line && line->line > 0) {
        ls_json_text(j, "file", line->file);
        ls_json_u64(j, "line", line->line);
    }
    ls_json_close(j, '}');
}

static void rep_json_devices(const struct rep_devices *d, FILE *out)
{
    size_t len;
    const struct prof_device_block *blocks = prof_device_blocks(d->profile, &len);
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_u64(&j, "most_bytes", d->most_bytes);
    ls_json_open(&j, "blocks", '[');
    for (size_t i = 0; i < len; i++) {
        const struct prof_device_block *b = &blocks[i];
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "site", rep_device_label(d->profile, b->node));
        ls_json_text(&j, "api", REP_API(b->api));
        ls_json_text(&j, "memory", REP_MEMORY(b->memory));
        ls_json_u64(&j, "process", b->process);
        ls_json_u64(&j, "bytes", b->len_bytes);
        ls_json_u64(&j, "born_ns", b->born_ns);
        if (b->died_ns != UINT64_MAX) ls_json_u64(&j, "died_ns", b->died_ns);
        ls_json_u64(&j, "copied_in_bytes", b->copied_in_bytes);
        ls_json_u64(&j, "copied_out_bytes", b->copied_out_bytes);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_open(&j, "copies", '[');
    for (size_t i = 0; i < d->copies_len; i++)
        rep_json_copy(d, &d->copies[i], &j);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}

/* --- all --- */

static bool rep_devices_has(const prof_profile *p)
{
    size_t blocks, copies;
    prof_device_blocks(p, &blocks);
    prof_device_copies(p, &copies);
    return blocks > 0 || copies > 0;
}

void rep_print_devices(const struct rep_view *v, FILE *out)
{
    char in[CLI_CELL_BYTES], from[CLI_CELL_BYTES], time[CLI_CELL_BYTES], most[CLI_CELL_BYTES];
    struct rep_devices d = {.profile = v->profile, .end_ns = v->run->duration_ns};
    uint64_t to_bytes = 0, from_bytes = 0, time_ns = 0;
    size_t len;
    const struct prof_device_copy *copies = prof_device_copies(v->profile, &len);
    if (!rep_devices_has(v->profile) || rep_devices_sites(&d) != LS_OK) return;
    for (size_t i = 0; i < len; i++) {
        time_ns += copies[i].time_ns;
        if (copies[i].direction == LS_DEVICE_TO_DEVICE) to_bytes += copies[i].bytes;
        if (copies[i].direction == LS_DEVICE_FROM_DEVICE) from_bytes += copies[i].bytes;
    }
    rep_key(out, "device");
    fprintf(out, "at most %s of its memory at once", cli_format_bytes(most, (double)d.most_bytes));
    if (to_bytes || from_bytes)
        fprintf(out, ", %s copied to it and %s back", cli_format_bytes(in, (double)to_bytes),
                cli_format_bytes(from, (double)from_bytes));
    if (time_ns) fprintf(out, ", %s in copies and waits", cli_format_time(time, (double)time_ns));
    fputs(": report --devices\n", out);
    free(d.sites);
}

static ls_err rep_devices_put(struct rep_devices *d, const struct rep_options *o, bool json, FILE *out)
{
    if (!rep_devices_has(d->profile))
        return ls_fail(LS_ERR_USAGE,
                       "%s has no memory of devices: the program called no function of CUDA, HIP "
                       "or OpenCL that is recorded",
                       o->path);
    LS_TRY(rep_devices_sites(d));
    LS_TRY(rep_devices_copies(d));
    if (json)
        rep_json_devices(d, out);
    else
        rep_put_devices(d, o->limit, out);
    return LS_OK;
}

ls_err rep_devices(const struct rep_options *o, bool json, FILE *out)
{
    prof_profile *p;
    LS_TRY(prof_open(o->path, &p));
    struct rep_devices d = {.profile = p, .end_ns = prof_run_of(p)->duration_ns};
    const ls_err err = rep_devices_put(&d, o, json, out);
    free(d.sites);
    free(d.copies);
    prof_close(p);
    return err;
}
