/* SPDX-License-Identifier: BSD-3-Clause */
/* pprof's profile.proto (github.com/google/pprof), compressed by gzip: for each stack and thread the bursts, the CPU time
 * and the waiting. Protocol buffers: a number is 7 bits a byte, the lowest first; a field is number << 3 | type, with
 * type 0 a number, 2 a length and bytes. */
#include "viz-export/export/vx_stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef LS_VECTOR(uint8_t) vx_bytes;

/* Fields of the messages. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5 };
enum { PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2, SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* Strings before the names of frames, modules and threads. */
static const char *const vx_pprof_words[] = {"",        "bursts",      "count", "cpu",
                                             "waiting", "nanoseconds", "thread"};
enum { WORD_NONE, WORD_BURSTS, WORD_COUNT, WORD_CPU, WORD_WAITING, WORD_NANOSECONDS, WORD_THREAD, WORDS };

struct vx_pprof {
    vx_bytes out, part, inner; /* the profile, a message in it, a message in that */
    ls_err err;
};

static void vx_pb_byte(struct vx_pprof *p, vx_bytes *to, uint8_t byte)
{
    if (p->err == LS_OK) p->err = LS_VECTOR_ADD(to, byte);
}

static void vx_pb_varint(struct vx_pprof *p, vx_bytes *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        vx_pb_byte(p, to, (uint8_t)(value | 0x80));
    vx_pb_byte(p, to, (uint8_t)value);
}

static void vx_pb_number(struct vx_pprof *p, vx_bytes *to, int field, uint64_t value)
{
    vx_pb_varint(p, to, (uint64_t)field << 3);
    vx_pb_varint(p, to, value);
}

static void vx_pb_bytes(struct vx_pprof *p, vx_bytes *to, int field, const void *bytes, size_t len)
{
    vx_pb_varint(p, to, (uint64_t)field << 3 | 2);
    vx_pb_varint(p, to, len);
    for (size_t i = 0; i < len; i++)
        vx_pb_byte(p, to, ((const uint8_t *)bytes)[i]);
}

/* End the message `from` and begin the next one. */
static void vx_pb_message(struct vx_pprof *p, vx_bytes *to, int field, vx_bytes *from)
{
    vx_pb_bytes(p, to, field, from->rows, from->len);
    from->len = 0;
}

static void vx_pprof_type(struct vx_pprof *p, int type, int unit)
{
    vx_pb_number(p, &p->part, TYPE_TYPE, (uint64_t)type);
    vx_pb_number(p, &p->part, TYPE_UNIT, (uint64_t)unit);
    vx_pb_message(p, &p->out, PROFILE_SAMPLE_TYPE, &p->part);
}

/* Locations and functions have the numbers of frames, from 1 on. */
static void vx_pprof_sample(struct vx_pprof *p, const struct vx_stacks *s, const struct vx_stack_cost *c)
{
    for (uint32_t at = c->stack; at < s->stacks.len; at = s->stacks.rows[at].parent)
        vx_pb_varint(p, &p->inner, s->stacks.rows[at].frame + 1u);
    vx_pb_message(p, &p->part, SAMPLE_LOCATION, &p->inner);
    const uint64_t values[] = {c->bursts, (uint64_t)llround(c->cpu_ns), (uint64_t)llround(c->wait_ns)};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        vx_pb_varint(p, &p->inner, values[i]);
    vx_pb_message(p, &p->part, SAMPLE_VALUE, &p->inner);
    vx_pb_number(p, &p->inner, LABEL_KEY, WORD_THREAD);
    vx_pb_number(p, &p->inner, LABEL_TEXT, WORDS + 2 * s->frames.len + c->thread);
    vx_pb_message(p, &p->part, SAMPLE_LABEL, &p->inner);
    vx_pb_message(p, &p->out, PROFILE_SAMPLE, &p->part);
}

static void vx_pprof_frame(struct vx_pprof *p, uint64_t frame)
{
    vx_pb_number(p, &p->part, LOCATION_ID, frame + 1);
    vx_pb_number(p, &p->inner, LINE_FUNCTION, frame + 1);
    vx_pb_message(p, &p->part, LOCATION_LINE, &p->inner);
    vx_pb_message(p, &p->out, PROFILE_LOCATION, &p->part);
    vx_pb_number(p, &p->part, FUNCTION_ID, frame + 1);
    vx_pb_number(p, &p->part, FUNCTION_NAME, WORDS + 2 * frame);
    vx_pb_number(p, &p->part, FUNCTION_SYSTEM_NAME, WORDS + 2 * frame);
    vx_pb_number(p, &p->part, FUNCTION_FILE, WORDS + 2 * frame + 1);
    vx_pb_message(p, &p->out, PROFILE_FUNCTION, &p->part);
}

/* Protocol buffers demand UTF-8: other bytes become question marks. */
static void vx_pprof_string(struct vx_pprof *p, const char *text)
{
    for (const char *c = text; *c;) {
        const uint8_t first = (uint8_t)*c;
        const size_t more = first < 0x80                    ? 0
                            : first >= 0xc2 && first < 0xe0 ? 1
                            : first >= 0xe0 && first < 0xf0 ? 2
                                                            : 3;
        size_t len = 1;
        while (len <= more && ((uint8_t)c[len] & 0xc0) == 0x80)
            len++;
        const bool is_valid =
            len == more + 1 && first < 0xf5 && !(first >= 0x80 && first < 0xc2) &&
            !(first == 0xe0 && (uint8_t)c[1] < 0xa0) && !(first == 0xed && (uint8_t)c[1] > 0x9f) &&
            !(first == 0xf0 && (uint8_t)c[1] < 0x90) && !(first == 0xf4 && (uint8_t)c[1] > 0x8f);
        for (size_t i = 0; is_valid && i < len; i++)
            vx_pb_byte(p, &p->part, (uint8_t)c[i]);
        if (!is_valid) vx_pb_byte(p, &p->part, '?');
        c += is_valid ? len : 1;
    }
    vx_pb_message(p, &p->out, PROFILE_STRING, &p->part);
}

static void vx_pprof_strings(struct vx_pprof *p, const struct vx_stacks *s, const struct vx_source *from)
{
    for (int w = 0; w < WORDS; w++)
        vx_pprof_string(p, vx_pprof_words[w]);
    for (size_t f = 0; f < s->frames.len; f++) {
        vx_pprof_string(p, s->frames.rows[f].name);
        vx_pprof_string(p, s->frames.rows[f].module);
    }
    for (size_t t = 0; t < from->tables->threads_len; t++)
        vx_pprof_string(p, from->tables->threads[t].name);
}

static void vx_pprof_profile(struct vx_pprof *p, const struct vx_stacks *s, const struct vx_source *from)
{
    vx_pprof_type(p, WORD_BURSTS, WORD_COUNT);
    vx_pprof_type(p, WORD_CPU, WORD_NANOSECONDS);
    vx_pprof_type(p, WORD_WAITING, WORD_NANOSECONDS);
    for (size_t i = 0; i < s->costs.len; i++)
        if (s->costs.rows[i].thread < from->tables->threads_len) vx_pprof_sample(p, s, &s->costs.rows[i]);
    for (size_t f = 0; f < s->frames.len; f++)
        vx_pprof_frame(p, f);
    vx_pprof_strings(p, s, from);
    if (from->run->start_realtime_ns != UINT64_MAX)
        vx_pb_number(p, &p->out, PROFILE_TIME, from->run->start_realtime_ns);
    if (from->run->duration_ns != UINT64_MAX)
        vx_pb_number(p, &p->out, PROFILE_DURATION, from->run->duration_ns);
    vx_pb_number(p, &p->out, PROFILE_DEFAULT_TYPE, WORD_CPU);
}

enum {
    GZIP_WINDOW = 15 + 16,
    GZIP_MEMORY = 8,
    GZIP_CHUNK = 1 << 14
}; /* + 16: a head of gzip, as zlib.h has it */

static ls_err vx_pprof_write(const vx_bytes *bytes, FILE *out)
{
    z_stream z = {.next_in = bytes->rows, .avail_in = (uInt)bytes->len};
    uint8_t chunk[GZIP_CHUNK];
    if (bytes->len > UINT32_MAX) return ls_fail(LS_ERR_RANGE, "the profile exceeds 4 GB");
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return ls_nomem("packing the profile");
    do {
        z.next_out = chunk;
        z.avail_out = sizeof(chunk);
        deflate(&z, Z_FINISH);
        fwrite(chunk, 1, sizeof(chunk) - z.avail_out, out);
    } while (z.avail_out == 0);
    deflateEnd(&z);
    return LS_OK;
}

static ls_err vx_pprof_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_pprof p = {.err = LS_OK};
    struct vx_stacks stacks;
    FILE *out;
    ls_err err = vx_stacks_init(&stacks, s);
    if (err == LS_OK) {
        vx_stacks_sum(&stacks);
        vx_pprof_profile(&p, &stacks, s);
        err = p.err == LS_OK ? ls_outputs_open(files, r->path, &out) : ls_nomem("the profile");
    }
    if (err == LS_OK) err = vx_pprof_write(&p.out, out);
    free(p.out.rows);
    free(p.part.rows);
    free(p.inner.rows);
    vx_stacks_fini(&stacks);
    return err;
}

const struct vx_exporter vx_exporter_pprof = {.name = "pprof",
                                              .ends = ".pb.gz|.pprof",
                                              .words =
                                                  "call stacks: bursts, CPU time, waiting by data (pprof)",
                                              .needs = VX_NEEDS_TREE,
                                              .one_file = true,
                                              .write = vx_pprof_export};
