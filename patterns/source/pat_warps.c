/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_warps.h"

#include "config.h"

#include "common/ls_text.h"
#include "patterns/source/pat_input.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAP_BYTES = 120, NAME_BYTES = 24, NAMES_MAX = 1 << 16 };

struct header {
    uint64_t maps, map_entries, records;
};

struct record {
    uint64_t grid;
    int32_t cta[3], warp, opcode, opcode_short, is_load, is_store, size_bytes, line;
    uint64_t ip;
    uint64_t addrs[PAT_WARP_LANES];
};
_Static_assert(sizeof(struct header) == 24, "the header has 24 bytes");
_Static_assert(sizeof(struct record) == 312, "a record has 312 bytes");

/* Tables of names, as the map entries call them. */
enum { OPCODES, OPCODES_SHORT, LINES, TABLES };
static const char *const table_names[TABLES] = {"ID_TO_OPCODE", "ID_TO_OPCODE_SHORT", "ID_TO_LINE"};

struct pat_warps {
    struct pat_records records;
    uint64_t maps_left, announced, seen, accesses, skipped; /* announced: 0 means not given */
    char **names[TABLES];                                   /* [NAMES_MAX], by number; NULL: none */
    struct record record;
};

/* ---- names ---- */

static ls_err add_name(pat_warps *r, const uint8_t *entry)
{
    char table[NAME_BYTES + 1] = "", value[PAT_WARP_NAME_BYTES] = "";
    uint16_t id;
    memcpy(table, entry, NAME_BYTES);
    memcpy(&id, entry + NAME_BYTES, sizeof(id));
    memcpy(value, entry + NAME_BYTES + sizeof(id), sizeof(value) - 1);
    ls_text_clean(value, strlen(value), ""); /* cleaned, because it is printed on terminals */
    for (int t = 0; t < TABLES; t++) {
        if (strcasecmp(table, table_names[t]) != 0) continue;
        if (!r->names[t] && !(r->names[t] = calloc(NAMES_MAX, sizeof(char *))))
            return ls_nomem("names of a trace");
        char *copy = strdup(value);
        if (!copy) return ls_nomem("names of a trace");
        free(r->names[t][id]);
        r->names[t][id] = copy;
    }
    return LS_OK;
}

static const char *name_of(const pat_warps *r, int table, int32_t id)
{
    const char *name = id >= 0 && id < NAMES_MAX && r->names[table] ? r->names[table][id] : NULL;
    return name ? name : "";
}

/* Operations of NVIDIA's processors on memory, by the part of their names before the first point (CUDA Binary Utilities, instruction set
 * reference). */
static const struct {
    const char *name;
    enum pat_warp_space space;
    bool is_atomic, is_published;
} operations[] = {
    {"LD", PAT_WARP_SPACE_GLOBAL, false, true},      {"ST", PAT_WARP_SPACE_GLOBAL, false, true},
    {"LDG", PAT_WARP_SPACE_GLOBAL, false, true},     {"STG", PAT_WARP_SPACE_GLOBAL, false, true},
    {"LDS", PAT_WARP_SPACE_SHARED, false, true},     {"STS", PAT_WARP_SPACE_SHARED, false, true},
    {"LDGSTS", PAT_WARP_SPACE_GLOBAL, false, false}, {"LDSM", PAT_WARP_SPACE_SHARED, false, false},
    {"STSM", PAT_WARP_SPACE_SHARED, false, false},   {"LDL", PAT_WARP_SPACE_LOCAL, false, false},
    {"STL", PAT_WARP_SPACE_LOCAL, false, false},     {"LDC", PAT_WARP_SPACE_OTHER, false, false},
    {"ATOM", PAT_WARP_SPACE_GLOBAL, true, false},    {"ATOMG", PAT_WARP_SPACE_GLOBAL, true, false},
    {"RED", PAT_WARP_SPACE_GLOBAL, true, false},     {"REDG", PAT_WARP_SPACE_GLOBAL, true, false},
    {"ATOMS", PAT_WARP_SPACE_SHARED, true, false},
};

static void set_operation(const pat_warps *r, struct pat_warp *w)
{
    const char *name = name_of(r, OPCODES_SHORT, r->record.opcode_short);
    w->opcode = name_of(r, OPCODES, r->record.opcode);
    if (!*name) name = w->opcode;
    if (!*w->opcode) w->opcode = name;
    w->space = *name ? PAT_WARP_SPACE_OTHER : PAT_WARP_SPACE_GLOBAL;
    w->is_published = !*name;
    const size_t len = strcspn(name, ".");
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strlen(operations[i].name) != len || strncasecmp(operations[i].name, name, len) != 0) continue;
        w->space = operations[i].space;
        w->is_atomic = operations[i].is_atomic;
        w->is_published = operations[i].is_published;
    }
}

/* ---- records ---- */

/* Convert the record to an access; false if it is no access. */
static bool set_access(const pat_warps *r, struct pat_warp *w)
{
    const struct record *x = &r->record;
    *w = (struct pat_warp){.grid = x->grid,
                           .ip = x->ip,
                           .cta = {x->cta[0], x->cta[1], x->cta[2]},
                           .warp = x->warp,
                           .line = name_of(r, LINES, x->line),
                           .size_bytes = (uint16_t)x->size_bytes,
                           .is_load = x->is_load != 0,
                           .is_store = x->is_store != 0,
                           .addrs = x->addrs};
    set_operation(r, w);
    for (unsigned i = 0; i < PAT_WARP_LANES; i++)
        w->active |= (uint32_t)(x->addrs[i] != 0) << i;
    if (x->cta[0] == -1) return false; /* the writer's mark for none */
    if (x->size_bytes < 0 || x->size_bytes > UINT16_MAX) return false;
    return w->is_atomic || w->is_load != w->is_store;
}

static ls_err check_end(const pat_warps *r)
{
    if (r->seen < r->announced)
        return ls_fail(LS_ERR_TRUNCATED,
                       "%s ends at byte %llu, after %llu of the %llu records that its header announces",
                       pat_input_name(r->records.input), (unsigned long long)r->records.at_bytes,
                       (unsigned long long)r->seen, (unsigned long long)r->announced);
    if (r->accesses) return LS_OK;
    return ls_fail(LS_ERR_FORMAT, "%s: no record is an access of a warp", pat_input_name(r->records.input));
}

static ls_err read_names(pat_warps *r)
{
    const uint8_t *bytes;
    for (; r->maps_left; r->maps_left--) {
        LS_TRY(pat_records_next(&r->records, MAP_BYTES, &bytes));
        if (!bytes)
            return ls_fail(LS_ERR_TRUNCATED, "%s ends at byte %llu, before the last map entry",
                           pat_input_name(r->records.input), (unsigned long long)r->records.at_bytes);
        LS_TRY(add_name(r, bytes));
    }
    return LS_OK;
}

ls_err pat_warps_next(pat_warps *r, struct pat_warp *w, bool *has_ended)
{
    const uint8_t *bytes;
    LS_TRY(read_names(r));
    for (;;) {
        LS_TRY(pat_records_next(&r->records, sizeof(r->record), &bytes));
        *has_ended = !bytes;
        if (!bytes) return check_end(r);
        r->seen++;
        memcpy(&r->record, bytes, sizeof(r->record));
        if (set_access(r, w)) break;
        r->skipped++;
    }
    r->accesses++;
    return LS_OK;
}

uint64_t pat_warps_skipped(const pat_warps *r)
{
    return r->skipped;
}

/* The header is followed by a map entry of one of the tables. */
bool pat_warps_recognise(const void *bytes, size_t len)
{
    struct header h;
    char name[NAME_BYTES + 1] = "";
    if (len < sizeof(h) + MAP_BYTES) return false;
    memcpy(&h, bytes, sizeof(h));
    memcpy(name, (const char *)bytes + sizeof(h), NAME_BYTES);
    for (int t = 0; t < TABLES; t++)
        if (strcasecmp(name, table_names[t]) == 0)
            return h.maps > 0 && h.maps < 100 && h.map_entries < UINT32_MAX;
    return false;
}

static ls_err start(pat_warps *r, const char *path)
{
    const uint8_t *bytes;
    struct header h;
    LS_TRY(pat_records_init(&r->records, path));
    LS_TRY(pat_records_next(&r->records, sizeof(h), &bytes));
    if (!bytes) return ls_fail(LS_ERR_TRUNCATED, "%s is empty; expected a header of 24 bytes", path);
    memcpy(&h, bytes, sizeof(h));
    r->maps_left = h.map_entries;
    r->announced = h.records;
    return LS_OK;
}

ls_err pat_warps_open(const char *path, pat_warps **out)
{
    pat_warps *r = calloc(1, sizeof(*r));
    if (!r) return ls_nomem("reading %s", path);
    const ls_err err = start(r, path);
    if (err == LS_OK)
        *out = r;
    else
        pat_warps_free(r);
    return err;
}

void pat_warps_free(pat_warps *r)
{
    if (!r) return;
    for (int t = 0; t < TABLES; t++) {
        for (size_t i = 0; r->names[t] && i < NAMES_MAX; i++)
            free(r->names[t][i]);
        free(r->names[t]);
    }
    pat_records_fini(&r->records);
    free(r);
}
