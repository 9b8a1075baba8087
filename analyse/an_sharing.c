/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_sharing.h"

#include "common/ls_vector.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- lines that may be shared: a coarse pass --- */

/* One slot per hash of a line: the thread that touched it first, whether other threads did, and whether any
 * thread wrote. Lines that share a slot are examined in the second pass. */
enum { AN_SLOT_SEVERAL = 1, AN_SLOT_WRITTEN = 2 };
struct an_slot {
    uint32_t thread; /* 1 + the first one, 0: untouched */
    uint32_t flags;
};

enum { AN_SLOTS_MIN_BITS = 12, AN_SLOTS_MAX_BITS = 23 };

struct an_sieve {
    struct an_slot *slots;
    uint32_t bits;
};

/* An access, or its part in one line. */
struct an_touch {
    uint64_t base;
    uint64_t sample;
    uint32_t process, thread;
    uint32_t burst;
    uint8_t offset_bytes, len_bytes;
};

struct an_finder {
    const struct an_input *in;
    const struct an_tables *tables;
    const uint8_t *keep;
    struct an_sieve sieve;
    struct an_touch *touches;
    size_t len, room;
    struct an_sharing *out;
    size_t lines_room, uses_room;
};

static struct an_slot *an_slot_of(const struct an_sieve *s, uint64_t base, uint32_t process)
{
    const uint64_t key = (base / AN_CACHE_LINE_BYTES) ^ (uint64_t)process << 48;
    return &s->slots[(key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - s->bits)];
}

/* Does sample i touch memory? If so, set the touched bytes, at least one. */
static bool an_is_touch(const struct an_finder *f, uint64_t i)
{
    const struct prof_samples *s = &f->in->samples;
    return s->op[i] <= 1 && s->addr[i] != UINT64_MAX && (!f->keep || f->keep[i]);
}

static uint64_t an_touch_end(const struct prof_samples *s, uint64_t i)
{
    const uint64_t len = s->size[i] ? s->size[i] : 1;
    return s->addr[i] > UINT64_MAX - len ? UINT64_MAX : s->addr[i] + len;
}

static uint64_t an_line_base(uint64_t addr)
{
    return addr & ~(uint64_t)(AN_CACHE_LINE_BYTES - 1);
}

static void an_sieve_add(struct an_finder *f, uint64_t i)
{
    const struct prof_samples *s = &f->in->samples;
    const uint32_t process = an_tables_process(f->tables, s->thread[i]);
    const uint64_t end = an_touch_end(s, i);
    for (uint64_t base = an_line_base(s->addr[i]); base < end; base += AN_CACHE_LINE_BYTES) {
        struct an_slot *slot = an_slot_of(&f->sieve, base, process);
        if (slot->thread == 0) slot->thread = s->thread[i] + 1;
        if (slot->thread != s->thread[i] + 1) slot->flags |= AN_SLOT_SEVERAL;
        if (s->op[i] == 1) slot->flags |= AN_SLOT_WRITTEN;
        if (base > UINT64_MAX - AN_CACHE_LINE_BYTES) break;
    }
}

static ls_err an_touch_add(struct an_finder *f, struct an_touch touch)
{
    LS_TRY(LS_GROW(f->touches, f->room, f->len + 1));
    f->touches[f->len++] = touch;
    return LS_OK;
}

/* Keep the parts of access i in lines that may be shared. */
static ls_err an_collect_touch(struct an_finder *f, uint64_t i, uint32_t burst)
{
    const struct prof_samples *s = &f->in->samples;
    const uint32_t process = an_tables_process(f->tables, s->thread[i]);
    const uint64_t end = an_touch_end(s, i);
    for (uint64_t base = an_line_base(s->addr[i]); base < end; base += AN_CACHE_LINE_BYTES) {
        const uint64_t from = s->addr[i] > base ? s->addr[i] - base : 0;
        const uint64_t to = end - base < AN_CACHE_LINE_BYTES ? end - base : AN_CACHE_LINE_BYTES;
        if (an_slot_of(&f->sieve, base, process)->flags == (AN_SLOT_SEVERAL | AN_SLOT_WRITTEN))
            LS_TRY(an_touch_add(f, (struct an_touch){base, i, process, s->thread[i], burst, (uint8_t)from,
                                                     (uint8_t)(to - from)}));
        if (base > UINT64_MAX - AN_CACHE_LINE_BYTES) break;
    }
    return LS_OK;
}

static ls_err an_collect_touches(struct an_finder *f)
{
    const uint64_t len = f->in->samples.len;
    f->sieve.bits = AN_SLOTS_MIN_BITS;
    while (f->sieve.bits < AN_SLOTS_MAX_BITS && (UINT64_C(1) << f->sieve.bits) < 2 * len)
        f->sieve.bits++;
    f->sieve.slots = calloc((size_t)1 << f->sieve.bits, sizeof(*f->sieve.slots));
    if (!f->sieve.slots) return ls_nomem("looking for shared lines");
    for (uint64_t i = 0; i < len; i++)
        if (an_is_touch(f, i)) an_sieve_add(f, i);
    for (size_t b = 0; b < f->in->bursts_len; b++) {
        const struct prof_burst *burst = &f->in->bursts[b];
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++)
            if (an_is_touch(f, i)) LS_TRY(an_collect_touch(f, i, (uint32_t)b));
    }
    return LS_OK;
}

/* --- one line --- */

#define AN_COMPARE(a, b)                           \
    do {                                           \
        if ((a) != (b)) return (a) < (b) ? -1 : 1; \
    } while (0)

static int an_compare_touches(const void *a, const void *b)
{
    const struct an_touch *x = a, *y = b;
    AN_COMPARE(x->process, y->process);
    AN_COMPARE(x->base, y->base);
    AN_COMPARE(x->thread, y->thread);
    AN_COMPARE(x->sample, y->sample);
    return 0;
}

/* One thread's part in a line. */
struct an_sharer {
    uint64_t read_bytes, written_bytes; /* a bit a byte */
    uint64_t first_ns, last_ns;
    uint64_t reads, writes, bursts;
};

static uint64_t an_byte_mask(const struct an_touch *t)
{
    const uint64_t ones = t->len_bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << t->len_bytes) - 1;
    return ones << t->offset_bytes;
}

/* touches[0, len) are of one thread, in the order of the samples. */
static struct an_sharer an_sharer_of(const struct an_finder *f, const struct an_touch *touches, size_t len)
{
    struct an_sharer s = {.first_ns = UINT64_MAX};
    for (size_t i = 0; i < len; i++) {
        const uint64_t time_ns = f->in->bursts[touches[i].burst].time_ns;
        const bool is_write = f->in->samples.op[touches[i].sample] == 1;
        *(is_write ? &s.written_bytes : &s.read_bytes) |= an_byte_mask(&touches[i]);
        *(is_write ? &s.writes : &s.reads) += 1;
        s.bursts += i == 0 || touches[i].burst != touches[i - 1].burst;
        if (time_ns == UINT64_MAX) continue;
        if (time_ns < s.first_ns) s.first_ns = time_ns;
        if (time_ns > s.last_ns) s.last_ns = time_ns;
    }
    return s;
}

static bool an_meet(const struct an_sharer *a, const struct an_sharer *b)
{
    return a->first_ns <= b->last_ns && b->first_ns <= a->last_ns;
}

/* Relations between the threads of one line. */
struct an_relations {
    bool several_write, same_bytes, other_bytes;
};

static void an_relate(const struct an_sharer *writer, const struct an_sharer *other, struct an_relations *r)
{
    const uint64_t touched = other->read_bytes | other->written_bytes;
    if (!writer->writes) return;
    r->several_write = true;
    if (!an_meet(writer, other)) return;
    *(writer->written_bytes & touched ? &r->same_bytes : &r->other_bytes) = true;
}

/* Ends of the threads' runs of touches: *out_len of them. free(*out). */
static ls_err an_sharers(const struct an_finder *f, const struct an_touch *touches, size_t len,
                         struct an_sharer **out, size_t *out_len)
{
    size_t threads = 0;
    for (size_t i = 0; i < len; i++)
        threads += i == 0 || touches[i].thread != touches[i - 1].thread;
    *out = malloc(threads * sizeof(**out));
    if (!*out) return ls_nomem("%zu threads of a line", threads);
    *out_len = threads;
    size_t n = 0;
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && touches[to].thread == touches[from].thread; to++)
            ;
        (*out)[n++] = an_sharer_of(f, touches + from, to - from);
    }
    return LS_OK;
}

/* --- its uses --- */

static uint32_t an_line_row(const struct an_finder *f, const struct an_touch *t)
{
    return an_tables_line(f->tables, t->process, f->in->samples.ip[t->sample]);
}

static int an_compare_uses(const void *a, const void *b)
{
    const struct an_shared_use *x = a, *y = b;
    AN_COMPARE(x->offset_bytes, y->offset_bytes);
    AN_COMPARE(x->len_bytes, y->len_bytes);
    AN_COMPARE(x->thread, y->thread);
    AN_COMPARE(x->line, y->line);
    return 0;
}

/* Return the first row with the same source line, because its instructions are one use. */
static uint32_t an_same_source(const struct an_tables *t, const struct an_shared_use *uses, size_t len,
                               uint32_t row)
{
    for (size_t i = 0; row != UINT32_MAX && i < len; i++) {
        if (uses[i].line == UINT32_MAX) continue;
        const struct prof_line *a = &t->lines[uses[i].line], *b = &t->lines[row];
        if (a->line == b->line && a->line != 0 && a->process == b->process && strcmp(a->file, b->file) == 0 &&
            strcmp(a->function, b->function) == 0)
            return uses[i].line;
    }
    return row;
}

static ls_err an_use_add(struct an_finder *f, struct an_shared_use use)
{
    struct an_sharing *o = f->out;
    LS_TRY(LS_GROW(o->uses, f->uses_room, o->uses_len + 1));
    o->uses[o->uses_len++] = use;
    return LS_OK;
}

/* Search the uses of a line one by one, because there are few. */
static ls_err an_count_use(struct an_finder *f, size_t first, const struct an_touch *t)
{
    struct an_sharing *o = f->out;
    const bool is_write = f->in->samples.op[t->sample] == 1;
    struct an_shared_use use = {t->thread,    an_line_row(f, t), t->offset_bytes,
                                t->len_bytes, !is_write,         is_write};
    use.line = an_same_source(f->tables, o->uses + first, o->uses_len - first, use.line);
    for (size_t i = first; i < o->uses_len; i++) {
        if (an_compare_uses(&o->uses[i], &use) != 0) continue;
        o->uses[i].reads += use.reads;
        o->uses[i].writes += use.writes;
        return LS_OK;
    }
    return an_use_add(f, use);
}

static ls_err an_add_uses(struct an_finder *f, struct an_shared_line *line, const struct an_touch *touches,
                          size_t len)
{
    line->first_use = f->out->uses_len;
    for (size_t i = 0; i < len; i++)
        LS_TRY(an_count_use(f, line->first_use, &touches[i]));
    line->uses_len = f->out->uses_len - line->first_use;
    qsort(f->out->uses + line->first_use, line->uses_len, sizeof(*f->out->uses), an_compare_uses);
    return LS_OK;
}

static ls_err an_line_add(struct an_finder *f, const struct an_shared_line *line)
{
    struct an_sharing *o = f->out;
    LS_TRY(LS_GROW(o->lines, f->lines_room, o->lines_len + 1));
    o->lines[o->lines_len++] = *line;
    return LS_OK;
}

/* Set the nodes at the two ends of the touched range. */
static void an_line_nodes(const struct an_finder *f, struct an_shared_line *line,
                          const struct an_touch *touches, size_t len)
{
    const struct an_touch *first = &touches[0], *last = &touches[0];
    for (size_t i = 1; i < len; i++) {
        if (touches[i].offset_bytes < first->offset_bytes) first = &touches[i];
        if (touches[i].offset_bytes > last->offset_bytes) last = &touches[i];
    }
    line->node = f->in->samples.node[first->sample];
    line->node_last = f->in->samples.node[last->sample];
}

static ls_err an_line_found(struct an_finder *f, const struct an_touch *touches, size_t len,
                            const struct an_sharer *sharers, size_t sharers_len, const struct an_relations *r)
{
    struct an_shared_line line = {.base = touches->base,
                                  .process = touches->process,
                                  .threads = (uint32_t)sharers_len,
                                  .kind = !r->same_bytes    ? AN_SHARING_FALSE
                                          : !r->other_bytes ? AN_SHARING_TRUE
                                                            : AN_SHARING_BOTH};
    for (size_t i = 0; i < sharers_len; i++) {
        line.reads += sharers[i].reads;
        line.writes += sharers[i].writes;
        line.bursts += sharers[i].bursts;
    }
    an_line_nodes(f, &line, touches, len);
    LS_TRY(an_add_uses(f, &line, touches, len));
    for (size_t i = 0; i < len; i++)
        f->out->row_of_sample[touches[i].sample] = f->out->lines_len;
    return an_line_add(f, &line);
}

/* All touches of one line, sorted by thread. */
static ls_err an_look_at_line(struct an_finder *f, const struct an_touch *touches, size_t len)
{
    struct an_sharer *sharers = NULL;
    size_t sharers_len = 0;
    struct an_relations r = {0};
    LS_TRY(an_sharers(f, touches, len, &sharers, &sharers_len));
    for (size_t i = 0; i < sharers_len; i++)
        for (size_t k = 0; k < sharers_len; k++)
            if (i != k) an_relate(&sharers[i], &sharers[k], &r);
    ls_err err = LS_OK;
    if (r.same_bytes || r.other_bytes)
        err = an_line_found(f, touches, len, sharers, sharers_len, &r);
    else
        f->out->unclear += r.several_write;
    free(sharers);
    return err;
}

static ls_err an_look_at_lines(struct an_finder *f)
{
    if (f->len) qsort(f->touches, f->len, sizeof(*f->touches), an_compare_touches);
    for (size_t from = 0, to; from < f->len; from = to) {
        for (to = from + 1; to < f->len && f->touches[to].base == f->touches[from].base &&
                            f->touches[to].process == f->touches[from].process;
             to++)
            ;
        LS_TRY(an_look_at_line(f, f->touches + from, to - from));
    }
    return LS_OK;
}

ls_err an_sharing_init(struct an_sharing *out, const struct an_input *in, const struct an_tables *t,
                       const uint8_t *keep)
{
    struct an_finder f = {.in = in, .tables = t, .keep = keep, .out = out};
    memset(out, 0, sizeof(*out));
    out->row_of_sample = malloc((in->samples.len + 1) * sizeof(*out->row_of_sample));
    ls_err err = out->row_of_sample ? LS_OK : ls_nomem("looking for shared lines");
    if (err == LS_OK) {
        memset(out->row_of_sample, 0xff, in->samples.len * sizeof(*out->row_of_sample));
        err = an_collect_touches(&f);
    }
    if (err == LS_OK) err = an_look_at_lines(&f);
    free(f.sieve.slots);
    free(f.touches);
    return err;
}

void an_sharing_fini(struct an_sharing *s)
{
    free(s->lines);
    free(s->uses);
    free(s->row_of_sample);
    memset(s, 0, sizeof(*s));
}
