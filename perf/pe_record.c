/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_record.h"

/* linux/perf_event.h of later kernels than the one this is built with. */
#define PE_FORMAT_LOST (UINT64_C(1) << 4)       /* 6.0 */
#define PE_BRANCH_HW_INDEX (UINT64_C(1) << 17)  /* 5.7 */
#define PE_BRANCH_COUNTERS (UINT64_C(1) << 19)  /* 6.8 */
#define PE_SAMPLE_AUX (UINT64_C(1) << 20)       /* 5.4 */
#define PE_SAMPLE_CGROUP (UINT64_C(1) << 21)    /* 5.7 */
#define PE_SAMPLE_DATA_PAGE (UINT64_C(1) << 22) /* 5.11 */
#define PE_SAMPLE_CODE_PAGE (UINT64_C(1) << 23) /* 5.11 */

struct pe_layout pe_layout_of(const struct perf_event_attr *attr)
{
    return (struct pe_layout){.sample_type = attr->sample_type,
                              .read_format = attr->read_format,
                              .regs_user = attr->sample_regs_user,
                              .regs_intr = attr->sample_regs_intr,
                              .branch_type = attr->branch_sample_type,
                              .sample_id_all = attr->sample_id_all};
}

bool pe_record_next(struct ls_cursor *c, struct pe_record *out, uint64_t *broken)
{
    struct perf_event_header h;
    const size_t left = ls_cursor_left(c);
    if (left == 0) return false;
    const uint8_t *at = c->span.data + c->pos_bytes;
    if (left >= sizeof(h)) memcpy(&h, at, sizeof(h));
    if (left < sizeof(h) || h.size < sizeof(h) || h.size > left) {
        if (broken) ++*broken;
        c->pos_bytes = c->span.len_bytes;
        return false;
    }
    c->pos_bytes += h.size;
    *out = (struct pe_record){.type = h.type, .misc = h.misc, .bytes = {.data = at, .len_bytes = h.size}};
    return true;
}

static struct ls_cursor body_of(const struct pe_record *r)
{
    struct ls_cursor c = {.span = r->bytes, .pos_bytes = sizeof(struct perf_event_header)};
    return c;
}

static bool read_word(struct ls_cursor *c, uint64_t *out)
{
    return ls_cursor_read(c, out, sizeof(*out));
}

/* Two halves of a word. */
static bool read_pair(struct ls_cursor *c, uint32_t *first, uint32_t *second)
{
    return ls_cursor_read(c, first, sizeof(*first)) && ls_cursor_read(c, second, sizeof(*second));
}

/* Take len elements of each_bytes, without overflow. */
static const uint8_t *take_array(struct ls_cursor *c, uint64_t len, size_t each_bytes)
{
    if (len > ls_cursor_left(c) / each_bytes) return NULL;
    return ls_cursor_take(c, (size_t)len * each_bytes);
}

static unsigned bits_set(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

/* Skip the counts of one event or of a group: perf_event_open(2), read_format. */
static bool skip_read(const struct pe_layout *l, struct ls_cursor *c)
{
    const uint64_t times = l->read_format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    const uint64_t each = l->read_format & (PERF_FORMAT_ID | PE_FORMAT_LOST);
    uint64_t len = 1;
    if (!(l->read_format & PERF_FORMAT_GROUP))
        return take_array(c, 1 + bits_set(times) + bits_set(each), sizeof(uint64_t));
    return read_word(c, &len) && take_array(c, bits_set(times), sizeof(uint64_t)) &&
           take_array(c, len, (1 + bits_set(each)) * sizeof(uint64_t));
}

static bool read_callchain(struct ls_cursor *c, struct pe_sample *s)
{
    uint64_t len;
    if (!read_word(c, &len) || len > UINT32_MAX || !(s->callchain = take_array(c, len, sizeof(uint64_t))))
        return false;
    s->callchain_len = (uint32_t)len;
    return true;
}

static bool read_raw(struct ls_cursor *c, struct pe_sample *s)
{
    return ls_cursor_read(c, &s->raw_len_bytes, sizeof(s->raw_len_bytes)) &&
           (s->raw = ls_cursor_take(c, s->raw_len_bytes));
}

static bool skip_branches(const struct pe_layout *l, struct ls_cursor *c)
{
    enum { ENTRY_BYTES = 24 };
    uint64_t len, index;
    if (!read_word(c, &len)) return false;
    if ((l->branch_type & PE_BRANCH_HW_INDEX) && !read_word(c, &index)) return false;
    if (!take_array(c, len, ENTRY_BYTES)) return false;
    return !(l->branch_type & PE_BRANCH_COUNTERS) || take_array(c, len, sizeof(uint64_t));
}

static bool read_regs(struct ls_cursor *c, uint64_t mask, uint64_t *abi, const uint8_t **regs)
{
    *regs = NULL;
    if (!read_word(c, abi)) return false;
    return *abi == PERF_SAMPLE_REGS_ABI_NONE || (*regs = take_array(c, bits_set(mask), sizeof(uint64_t)));
}

/* The bytes are followed by the number of valid ones. */
static bool read_stack(struct ls_cursor *c, struct pe_sample *s)
{
    uint64_t len, valid;
    if (!read_word(c, &len)) return false;
    if (len == 0) return true;
    if (!(s->stack = take_array(c, len, 1)) || !read_word(c, &valid)) return false;
    s->stack_len_bytes = valid < len ? valid : len;
    return true;
}

static bool skip_sized(struct ls_cursor *c)
{
    uint64_t len;
    return read_word(c, &len) && take_array(c, len, 1);
}

/* The fields of a sample in their order: perf_event_open(2), PERF_RECORD_SAMPLE. */
static bool read_where(uint64_t type, struct ls_cursor *c, struct pe_sample *s)
{
    uint32_t reserved;
    if ((type & PERF_SAMPLE_IDENTIFIER) && !read_word(c, &s->id)) return false;
    if ((type & PERF_SAMPLE_IP) && !read_word(c, &s->ip)) return false;
    if ((type & PERF_SAMPLE_TID) && !read_pair(c, &s->pid, &s->tid)) return false;
    if ((type & PERF_SAMPLE_TIME) && !read_word(c, &s->time)) return false;
    if ((type & PERF_SAMPLE_ADDR) && !read_word(c, &s->addr)) return false;
    if ((type & PERF_SAMPLE_ID) && !read_word(c, &s->id)) return false;
    if ((type & PERF_SAMPLE_STREAM_ID) && !read_word(c, &s->stream_id)) return false;
    if ((type & PERF_SAMPLE_CPU) && !read_pair(c, &s->cpu, &reserved)) return false;
    return !(type & PERF_SAMPLE_PERIOD) || read_word(c, &s->period_events);
}

static bool read_context(const struct pe_layout *l, struct ls_cursor *c, struct pe_sample *s)
{
    const uint64_t type = l->sample_type;
    if ((type & PERF_SAMPLE_READ) && !skip_read(l, c)) return false;
    if ((type & PERF_SAMPLE_CALLCHAIN) && !read_callchain(c, s)) return false;
    if ((type & PERF_SAMPLE_RAW) && !read_raw(c, s)) return false;
    if ((type & PERF_SAMPLE_BRANCH_STACK) && !skip_branches(l, c)) return false;
    if ((type & PERF_SAMPLE_REGS_USER) && !read_regs(c, l->regs_user, &s->regs_abi, &s->regs)) return false;
    return !(type & PERF_SAMPLE_STACK_USER) || read_stack(c, s);
}

static bool read_memory(const struct pe_layout *l, struct ls_cursor *c, struct pe_sample *s)
{
    const uint64_t type = l->sample_type;
    const uint8_t *intr;
    uint64_t abi;
    if ((type & PE_SAMPLE_WEIGHTS) && !read_word(c, &s->weight)) return false;
    if ((type & PERF_SAMPLE_DATA_SRC) && !read_word(c, &s->data_src)) return false;
    if ((type & PERF_SAMPLE_TRANSACTION) && !read_word(c, &s->transaction)) return false;
    if ((type & PERF_SAMPLE_REGS_INTR) && !read_regs(c, l->regs_intr, &abi, &intr)) return false;
    if ((type & PERF_SAMPLE_PHYS_ADDR) && !read_word(c, &s->phys_addr)) return false;
    if ((type & PE_SAMPLE_CGROUP) && !read_word(c, &s->cgroup)) return false;
    if ((type & PE_SAMPLE_DATA_PAGE) && !read_word(c, &s->data_page_bytes)) return false;
    if ((type & PE_SAMPLE_CODE_PAGE) && !read_word(c, &s->code_page_bytes)) return false;
    return !(type & PE_SAMPLE_AUX) || skip_sized(c);
}

bool pe_sample_read(const struct pe_layout *layout, const struct pe_record *r, struct pe_sample *out)
{
    struct ls_cursor c = body_of(r);
    *out = pe_sample_missing();
    out->misc = r->misc;
    out->has = layout->sample_type;
    return read_where(layout->sample_type, &c, out) && read_context(layout, &c, out) &&
           read_memory(layout, &c, out);
}

bool pe_sample_time(const struct pe_layout *layout, const struct pe_record *r, uint64_t *out)
{
    const uint64_t before = layout->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
    struct ls_cursor c = body_of(r);
    return (layout->sample_type & PERF_SAMPLE_TIME) && take_array(&c, bits_set(before), sizeof(uint64_t)) &&
           read_word(&c, out);
}

/* --- the trailer of every other record: struct sample_id of perf_event_open(2) --- */

/* Its fields, in their order; a pair of halves is one word. */
static const uint64_t pe_trailer_fields[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
                                             PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

static bool read_trailer_field(uint64_t field, struct ls_cursor *c, struct pe_sample *s)
{
    uint32_t reserved;
    switch (field) {
    case PERF_SAMPLE_TID:
        return read_pair(c, &s->pid, &s->tid);
    case PERF_SAMPLE_TIME:
        return read_word(c, &s->time);
    case PERF_SAMPLE_CPU:
        return read_pair(c, &s->cpu, &reserved);
    case PERF_SAMPLE_STREAM_ID:
        return read_word(c, &s->stream_id);
    default:
        return read_word(c, &s->id);
    }
}

static bool read_trailer(const struct pe_layout *l, struct ls_cursor *c, struct pe_sample *s)
{
    uint64_t all = 0;
    if (!l->sample_id_all) return true;
    for (size_t i = 0; i < sizeof(pe_trailer_fields) / sizeof(pe_trailer_fields[0]); i++)
        all |= pe_trailer_fields[i];
    s->has = l->sample_type & all;
    if (ls_cursor_left(c) < bits_set(s->has) * sizeof(uint64_t)) return false;
    c->pos_bytes = c->span.len_bytes - bits_set(s->has) * sizeof(uint64_t);
    for (size_t i = 0; i < sizeof(pe_trailer_fields) / sizeof(pe_trailer_fields[0]); i++)
        if (s->has & pe_trailer_fields[i] && !read_trailer_field(pe_trailer_fields[i], c, s)) return false;
    return true;
}

static bool sample_id(uint64_t type, struct ls_cursor *c, uint64_t *out)
{
    const uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    if (type & PERF_SAMPLE_IDENTIFIER) return read_word(c, out);
    return (type & PERF_SAMPLE_ID) && take_array(c, bits_set(type & before), sizeof(uint64_t)) &&
           read_word(c, out);
}

bool pe_record_id(const struct pe_layout *layout, const struct pe_record *r, uint64_t *out)
{
    struct ls_cursor c = body_of(r);
    struct pe_sample s = pe_sample_missing();
    if (r->type == PERF_RECORD_SAMPLE) return sample_id(layout->sample_type, &c, out);
    if (!read_trailer(layout, &c, &s) || !(s.has & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))) return false;
    *out = s.id;
    return true;
}

bool pe_trailer_read(const struct pe_layout *layout, const struct pe_record *r, struct pe_sample *out)
{
    struct ls_cursor c = body_of(r);
    *out = pe_sample_missing();
    return read_trailer(layout, &c, out);
}

bool pe_trailer_time(const struct pe_layout *layout, const struct pe_record *r, uint64_t *out)
{
    struct pe_sample s;
    if (!pe_trailer_read(layout, r, &s) || !(s.has & PERF_SAMPLE_TIME)) return false;
    *out = s.time;
    return true;
}

bool pe_aux_record_read(const struct pe_layout *layout, const struct pe_record *r, struct pe_aux_record *out)
{
    struct ls_cursor c = body_of(r);
    *out = (struct pe_aux_record){.of = pe_sample_missing()};
    return read_word(&c, &out->offset) && read_word(&c, &out->size_bytes) && read_word(&c, &out->flags) &&
           read_trailer(layout, &c, &out->of);
}

/* --- records that only count --- */

/* A record type whose number at word adds to a count; 0: each record counts as one. */
struct pe_count_row {
    uint32_t type;
    uint32_t word; /* index of the word in the body */
    size_t offset; /* in pe_counts */
};

enum { PE_RECORD_LOST_SAMPLES = 13 }; /* 4.2 */

static const struct pe_count_row pe_count_rows[] = {
    {PERF_RECORD_LOST, 1, offsetof(struct pe_counts, lost)}, /* id, lost */
    {PE_RECORD_LOST_SAMPLES, 0, offsetof(struct pe_counts, lost_samples)},
};

static void count_words(const struct pe_count_row *row, const struct pe_record *r, struct pe_counts *counts)
{
    struct ls_cursor c = body_of(r);
    uint64_t number = 0;
    if (!take_array(&c, row->word, sizeof(number)) || !read_word(&c, &number)) {
        counts->broken++;
        return;
    }
    *(uint64_t *)(void *)((char *)counts + row->offset) += number;
}

/* PERF_RECORD_AUX: offset, size, flags. */
static void count_aux(const struct pe_record *r, struct pe_counts *counts)
{
    enum { AUX_TRUNCATED = 1, AUX_PARTIAL = 4, AUX_COLLISION = 8 };
    struct ls_cursor c = body_of(r);
    uint64_t flags = 0;
    if (!take_array(&c, 2, sizeof(flags)) || !read_word(&c, &flags)) {
        counts->broken++;
        return;
    }
    counts->aux_truncated += (flags & AUX_TRUNCATED) != 0;
    counts->aux_partial += (flags & AUX_PARTIAL) != 0;
    counts->aux_collided += (flags & AUX_COLLISION) != 0;
}

void pe_record_count(const struct pe_record *r, struct pe_counts *counts)
{
    for (size_t i = 0; i < sizeof(pe_count_rows) / sizeof(pe_count_rows[0]); i++)
        if (pe_count_rows[i].type == r->type) {
            count_words(&pe_count_rows[i], r, counts);
            return;
        }
    if (r->type == PERF_RECORD_AUX)
        count_aux(r, counts);
    else if (r->type == PERF_RECORD_THROTTLE)
        counts->throttled++;
    else if (r->type == PERF_RECORD_UNTHROTTLE)
        counts->unthrottled++;
    else
        counts->others++;
}

bool pe_sample_reg(const struct pe_layout *layout, const struct pe_sample *s, unsigned number, uint64_t *out)
{
    if (!s->regs || number >= 64 || !(layout->regs_user >> number & 1)) return false;
    *out = pe_word_at(s->regs, bits_set(layout->regs_user & ((UINT64_C(1) << number) - 1)));
    return true;
}
