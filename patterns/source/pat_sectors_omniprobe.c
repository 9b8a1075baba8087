/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of memory accesses that AMD's omniprobe writes as JSON (report_json in src/memory_analysis_handler.cc of its
 * sources): for each kernel and source line cache lines needed and used, and bank conflicts of local memory. It has a key
 * a line, does not escape texts, and leaves the outer bracket open, so it is read line by line. */
#include "patterns/source/pat_sectors.h"

#include "config.h"

#include "common/ls_hash.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_intern.h"
#include "patterns/source/pat_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024, USUAL_LINE_BYTES = 128, LINE_BYTES_MAX = 4096 };

/* Values since the last row. */
struct om {
    struct pat_sectors *out;
    struct pat_intern known;
    size_t rows_room;
    size_t first_row_seen; /* rows that have sums of lines of this kernel begin here */
    char kernel[TEXT_BYTES], file[TEXT_BYTES], type[32], instruction[64];
    uint64_t line, column, count, ir_bytes, isa_bytes, needed;
    bool is_ended; /* metadata was seen since the last kernel */
    /* sums in cache lines of the kernel so far, by row; multiplied when the length of a line is known */
    LS_VECTOR(struct pending) pending;
};
struct pending {
    uint32_t row;
    uint64_t needed, used;
};

bool pat_sectors_is_omniprobe(const void *bytes, size_t len)
{
    static const char key[] = "\"kernel_analysis\"";
    for (size_t i = 0; i + sizeof(key) - 1 <= len; i++)
        if (memcmp((const char *)bytes + i, key, sizeof(key) - 1) == 0) return true;
    return false;
}

/* ---- rows ---- */

static bool has_type(const struct om *o, const char *word)
{
    return strstr(o->type, word) != NULL;
}

static ls_err row_of(struct om *o, enum pat_warp_space space, uint32_t *out)
{
    struct pat_sectors *s = o->out;
    char where[TEXT_BYTES + 64];
    uint32_t *row;
    snprintf(where, sizeof(where), "%s:%llu:%llu", *o->file ? o->file : "?", (unsigned long long)o->line,
             (unsigned long long)o->column);
    const uint64_t size = o->isa_bytes && space == PAT_WARP_SPACE_GLOBAL ? o->isa_bytes : o->ir_bytes;
    const uint64_t place = ls_hash_text(ls_hash_text(LS_HASH_BEGIN, where), o->kernel);
    const uint64_t rest = ls_hash_text(LS_HASH_BEGIN + size, o->type) ^ (uint64_t)space;
    LS_TRY(pat_intern(&o->known, place, rest, &row));
    if (*row == PAT_NONE) {
        LS_TRY(LS_GROW(s->rows, o->rows_room, s->len + 1));
        const struct pat_sector_row made = {.id = (uint32_t)s->len,
                                            .opcode = strdup(o->instruction),
                                            .line = strdup(where),
                                            .kernel = strdup(o->kernel),
                                            .space = space,
                                            .size_bytes = size < UINT16_MAX ? (uint16_t)size : UINT16_MAX,
                                            .is_store = has_type(o, "write") && !has_type(o, "read"),
                                            .is_atomic = has_type(o, "read/write")};
        *row = (uint32_t)s->len;
        s->rows[s->len++] = made;
        if (!made.opcode || !made.line || !made.kernel) return ls_nomem("%zu instructions", s->len);
    }
    *out = *row;
    return LS_OK;
}

static ls_err add_lines(struct om *o, uint64_t used)
{
    uint32_t row;
    LS_TRY(row_of(o, PAT_WARP_SPACE_GLOBAL, &row));
    struct pat_sector_sums one = {.warps = o->count, .sectors = used};
    if (used <= o->needed) one.classes[PAT_LANES_COALESCED] = o->count;
    pat_sectors_add(&o->out->rows[row].sums, &one);
    pat_sectors_add(&o->out->all, &one);
    return LS_VECTOR_ADD(&o->pending, (struct pending){row, o->needed, used});
}

static ls_err add_conflicts(struct om *o, uint64_t conflicts)
{
    uint32_t row;
    LS_TRY(row_of(o, PAT_WARP_SPACE_SHARED, &row));
    const struct pat_sector_sums one = {
        .warps = o->count, .passes = o->count + conflicts, .passes_least = o->count};
    pat_sectors_add(&o->out->rows[row].sums, &one);
    pat_sectors_add(&o->out->all, &one);
    return LS_OK;
}

/* The length of a cache line is at the end of each kernel. */
static void set_line_bytes(struct om *o, uint64_t bytes)
{
    if (bytes == 0 || bytes > LINE_BYTES_MAX) bytes = USUAL_LINE_BYTES;
    for (size_t i = 0; i < o->pending.len; i++) {
        const struct pending *p = &o->pending.rows[i];
        const struct pat_sector_sums one = {.needed_bytes = p->needed * bytes,
                                            .moved_bytes = p->used * bytes};
        pat_sectors_add(&o->out->rows[p->row].sums, &one);
        pat_sectors_add(&o->out->all, &one);
    }
    o->pending.len = 0;
}

/* ---- lines ---- */

/* "key": at the begin of the line; *value: the text after it. */
static bool is_key(const char *line, const char *key, const char **value)
{
    const size_t len = strlen(key);
    pat_scan_blanks(&line);
    if (*line != '"' || strncmp(line + 1, key, len) != 0 || line[len + 1] != '"') return false;
    line += len + 2;
    pat_scan_blanks(&line);
    if (!pat_scan_char(&line, ':')) return false;
    pat_scan_blanks(&line);
    *value = line;
    return true;
}

/* Up to the last quote: quotes inside are not escaped. */
static void take_text(const char *value, char *out, size_t room)
{
    out[0] = '\0';
    const char *end = strrchr(value, '"');
    if (*value != '"' || end == value) return;
    const size_t len = (size_t)(end - value - 1) < room - 1 ? (size_t)(end - value - 1) : room - 1;
    memcpy(out, value + 1, len);
    out[len] = '\0';
    ls_text_clean(out, len, ""); /* it is printed on terminals */
}

static ls_err take_line(struct om *o, const char *line)
{
    static const struct {
        const char *key;
        size_t at, room; /* room 0: a number */
    } keys[] = {
#define OM_TEXT(key, member) {key, offsetof(struct om, member), sizeof(((struct om *)0)->member)}
#define OM_NUMBER(key, member)              \
    {                                       \
        key, offsetof(struct om, member), 0 \
    }
        OM_TEXT("name", kernel),
        OM_TEXT("file", file),
        OM_TEXT("type", type),
        OM_TEXT("isa_instruction", instruction),
        OM_NUMBER("line", line),
        OM_NUMBER("column", column),
        OM_NUMBER("execution_count", count),
        OM_NUMBER("ir_bytes", ir_bytes),
        OM_NUMBER("isa_bytes", isa_bytes),
        OM_NUMBER("needed", needed),
    };
    const char *value;
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!is_key(line, keys[i].key, &value)) continue;
        if (keys[i].room)
            take_text(value, (char *)o + keys[i].at, keys[i].room);
        else if (pat_scan_decimal(&value, &number))
            memcpy((char *)o + keys[i].at, &number, sizeof(number));
        else
            return ls_fail(LS_ERR_FORMAT, "expected a number after \"%s\"", keys[i].key);
        if (strcmp(keys[i].key, "file") == 0) o->instruction[0] = '\0'; /* instruction of the previous row */
        return LS_OK;
    }
    const bool is_used = is_key(line, "used", &value), is_conflicts = is_key(line, "total_conflicts", &value);
    if ((is_used || is_conflicts) && !pat_scan_decimal(&value, &number))
        return ls_fail(LS_ERR_FORMAT, "expected a number of cache lines or conflicts");
    if (is_used) return add_lines(o, number);
    if (is_conflicts) return add_conflicts(o, number);
    if (is_key(line, "cache_line_size", &value) && pat_scan_decimal(&value, &number)) {
        set_line_bytes(o, number);
        o->is_ended = true;
    }
    if (is_key(line, "kernel_analysis", &value)) o->is_ended = false;
    return LS_OK;
}

ls_err pat_sectors_read_omniprobe(const char *path, struct pat_sectors *out)
{
    struct om o = {.out = out};
    struct pat_lines l = {.input = NULL};
    char *line = NULL, why[256];
    ls_err err = pat_lines_init(&l, path);
    l.last_may_lack_end = true;
    while (err == LS_OK && (err = pat_lines_next(&l, &line)) == LS_OK && line) {
        err = take_line(&o, line);
        if (err != LS_ERR_FORMAT) continue;
        snprintf(why, sizeof(why), "%s", ls_last_error());
        ls_fail(err, "%s:%llu: %s", path, (unsigned long long)l.number, why);
    }
    if (err == LS_OK && !o.is_ended)
        err = ls_fail(LS_ERR_TRUNCATED, "%s ends inside the analysis of a kernel, at line %llu", path,
                      (unsigned long long)l.number);
    if (err == LS_OK && out->len == 0)
        err = ls_fail(LS_ERR_FORMAT,
                      "%s: no access in it; a key a line is expected, as omniprobe writes them", path);
    pat_sectors_sort(out);
    pat_lines_fini(&l);
    pat_intern_fini(&o.known);
    free(o.pending.rows);
    return err;
}
