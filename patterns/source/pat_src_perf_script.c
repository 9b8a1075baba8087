/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of perf script: samples with data addresses. Each is a single access: the accesses between two
 * samples of a thread are missing. */
#include "patterns/source/pat_script_line.h"
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ls_err script_line(struct pat_text *t, const char *line, bool *is_known)
{
    struct pat_script_sample s;
    char label[32];
    enum pat_op op;
    uint32_t thread;
    *is_known = *line && *line != '#' && pat_script_sample_of(line, &s) && s.data.addr != UINT64_MAX &&
                s.code.addr != UINT64_MAX;
    if (!*is_known) return LS_OK;
    snprintf(label, sizeof(label), "%u", s.tid);
    LS_TRY(pat_collect_thread(&t->collect, s.tid, label, &thread));
    pat_script_op(&s, &op); /* most events that give no operation are loads */
    const struct pat_site site = {.ip = s.code.addr, .module = PAT_NONE, .op = op};
    t->periods += s.period_events;
    LS_TRY(pat_collect_one(&t->collect, thread, &site, s.data.addr));
    return pat_collect_event(&t->collect, &(struct pat_event){.kind = PAT_EVENT_BREAK, .thread = thread});
}

static ls_err script_end(struct pat_text *t)
{
    struct pat_source_counts *c = &t->collect.counts;
    c->scale = t->periods && c->accesses ? (double)t->periods / (double)c->accesses : NAN;
    return LS_OK;
}

/* Require an address: any text may have a number and a word with a colon. */
static bool has_address(const char *line)
{
    struct pat_script_sample s;
    return pat_script_is_sample(line) && pat_script_sample_of(line, &s) &&
           (s.data.addr != UINT64_MAX || s.code.addr != UINT64_MAX);
}

static bool script_recognise(const void *bytes, size_t len, const char *path)
{
    size_t lines;
    (void)path;
    return pat_text_count(bytes, len, has_address, &lines) > 0;
}

static const struct pat_text_format script = {
    .line = script_line,
    .end = script_end,
    .expects = "samples with addresses of data and instruction: perf script -F +addr,data_src,weight,ip"};

static ls_err script_open(const char *path, const struct pat_source_options *o, void **out)
{
    LS_TRY(pat_text_open(path, o, &script, out));
    struct pat_text *t = *out;
    t->collect.counts.is_sampled = true;
    t->collect.counts.scale = NAN;
    pat_text_note(
        t, "samples of perf are single accesses: they show which instruction accesses which data, but no "
           "order");
    return LS_OK;
}

const struct pat_source_format pat_source_perf_script = {.name = "perf-script",
                                                         .text = "text of perf script",
                                                         .recognise = script_recognise,
                                                         .open = script_open,
                                                         PAT_TEXT_ROW};
