/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that ranks share: data, lines, phases, types and sums, found by their names. Addresses, processes and times of
 * single ranks are not in them. */
#include "tools/merge/mrg_internal.h"

#include "common/ls_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return ls_hash_bytes(ls_hash_text(hash, text), "", 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return ls_hash_bytes(hash, &number, sizeof(number));
}

static const char *name_of(const struct mrg_input *in, const char *text)
{
    return prof_name_of(in->job->names, text);
}

/* --- data --- */

/* Merge blocks into their allocation site, and list the ranges of all processes side by side. */
static bool is_left_out(const struct prof_node *n)
{
    return n->kind == PROF_NODE_BLOCK || n->kind == PROF_NODE_PROCESS;
}

static ls_err node_add(struct mrg_input *in, const struct prof_node *from, uint32_t parent, uint32_t *out)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_nodes];
    const uint64_t key = hash_number(hash_number(hash_text(LS_HASH_BEGIN, from->label), from->kind), parent);
    for (size_t step = 0; ls_index_next(by_key, key, &step, out);) {
        const struct prof_node *n = &t->nodes.rows[*out];
        if (n->parent == parent && n->kind == from->kind && strcmp(n->label, from->label) == 0) return LS_OK;
    }
    *out = (uint32_t)t->nodes.len;
    const struct prof_node node = {.id = *out,
                                   .parent = parent,
                                   .kind = from->kind,
                                   .process = PROF_NO_PROCESS,
                                   .label = name_of(in, from->label),
                                   .elem_size_bytes = from->elem_size_bytes,
                                   .dims = from->dims,
                                   .died_ns = UINT64_MAX};
    LS_TRY(LS_VECTOR_ADD(&t->nodes, node));
    return ls_index_put(by_key, key, *out);
}

ls_err mrg_node(struct mrg_input *in, uint32_t node, uint32_t *out)
{
    *out = UINT32_MAX;
    if (node >= in->tables.nodes_len) return LS_OK;
    if (in->node_of[node] == UINT32_MAX) {
        const struct prof_node *from = &in->tables.nodes[node];
        uint32_t parent = UINT32_MAX;
        if (node > 0) LS_TRY(mrg_node(in, from->parent, &parent)); /* ends, because parents come first */
        if (is_left_out(from))
            in->node_of[node] = parent;
        else
            LS_TRY(node_add(in, from, parent, &in->node_of[node]));
    }
    *out = in->node_of[node];
    return LS_OK;
}

/* --- lines --- */

static bool is_line(const struct prof_line *a, const struct prof_line *b)
{
    return a->line == b->line && strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->module, b->module) == 0 && strcmp(a->symbol, b->symbol) == 0;
}

/* Lines of the sums belong to process 0; their address is their number, from 1 on. */
static ls_err line_add(struct mrg_input *in, const struct prof_line *from, uint32_t *out)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_lines];
    const uint64_t key =
        hash_text(hash_text(hash_text(hash_number(LS_HASH_BEGIN, from->line), from->function), from->file),
                  from->module);
    for (size_t step = 0; ls_index_next(by_key, key, &step, out);)
        if (is_line(&t->lines.rows[*out], from)) return LS_OK;
    *out = (uint32_t)t->lines.len;
    const struct prof_line line = {.ip = t->lines.len + 1,
                                   .module = name_of(in, from->module),
                                   .function = name_of(in, from->function),
                                   .file = name_of(in, from->file),
                                   .line = from->line,
                                   .symbol = name_of(in, from->symbol),
                                   .until_ns = UINT64_MAX};
    LS_TRY(LS_VECTOR_ADD(&t->lines, line));
    return ls_index_put(by_key, key, *out);
}

ls_err mrg_line(struct mrg_input *in, uint32_t line, uint32_t *out)
{
    *out = UINT32_MAX;
    if (line >= in->tables.lines_len) return LS_OK;
    if (in->line_of[line] == UINT32_MAX) LS_TRY(line_add(in, &in->tables.lines[line], &in->line_of[line]));
    *out = in->line_of[line];
    return LS_OK;
}

/* --- phases --- */

static ls_err phase_add(struct mrg_input *in, const char *name, uint32_t parent, uint32_t *out)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_phases];
    const uint64_t key = hash_number(hash_text(LS_HASH_BEGIN, name), parent);
    for (size_t step = 0; ls_index_next(by_key, key, &step, out);)
        if (t->phases.rows[*out].parent == parent && strcmp(t->phases.rows[*out].name, name) == 0)
            return LS_OK;
    *out = (uint32_t)t->phases.len;
    LS_TRY(LS_VECTOR_ADD(&t->phases,
                         (struct prof_phase){.id = *out, .parent = parent, .name = name_of(in, name)}));
    return ls_index_put(by_key, key, *out);
}

ls_err mrg_phase(struct mrg_input *in, uint32_t phase, uint32_t *out)
{
    *out = UINT32_MAX;
    if (phase >= in->tables.phases_len) return LS_OK;
    if (in->phase_of[phase] == UINT32_MAX) {
        uint32_t parent = UINT32_MAX;
        if (in->tables.phases[phase].parent < phase)
            LS_TRY(mrg_phase(in, in->tables.phases[phase].parent, &parent));
        LS_TRY(phase_add(in, in->tables.phases[phase].name, parent, &in->phase_of[phase]));
    }
    *out = in->phase_of[phase];
    return LS_OK;
}

/* --- types --- */

/* The members of a type of the file: rows [first, end). */
static void members_of(const struct an_tables *t, uint32_t type, size_t *first, size_t *end)
{
    for (*first = 0; *first < t->members_len && t->members[*first].type != type;)
        ++*first;
    for (*end = *first; *end < t->members_len && t->members[*end].type == type;)
        ++*end;
}

static bool is_member(const struct prof_member *a, const struct prof_member *b)
{
    return a->kind == b->kind && a->offset_bytes == b->offset_bytes && a->len_bytes == b->len_bytes &&
           a->first_bit == b->first_bit && strcmp(a->path, b->path) == 0;
}

static ls_err member_add(struct mrg_input *in, const struct prof_member *from, uint32_t type, uint32_t parent)
{
    struct prof_member m = *from;
    m.type = type;
    m.parent = parent;
    m.path = name_of(in, m.path);
    m.type_name = name_of(in, m.type_name);
    return LS_VECTOR_ADD(&in->job->tables.members, m);
}

/* Find the type with all its members, or add it: types of one name may differ in another program. */
static ls_err type_add(struct mrg_input *in, uint32_t type)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_types];
    const struct prof_type_row *from = &in->tables.types[type];
    size_t first, end;
    members_of(&in->tables, type, &first, &end);
    uint64_t key = hash_number(hash_text(LS_HASH_BEGIN, from->name), from->len_bytes);
    for (size_t m = first; m < end; m++)
        key = hash_number(hash_text(key, in->tables.members[m].path), in->tables.members[m].offset_bytes);
    uint32_t to = UINT32_MAX, row;
    for (size_t step = 0; to == UINT32_MAX && ls_index_next(by_key, key, &step, &row);) {
        size_t same = 0;
        while (first + same < end && row + same < t->members.len &&
               t->members.rows[row + same].type == t->members.rows[row].type &&
               is_member(&t->members.rows[row + same], &in->tables.members[first + same]))
            same++;
        if (first + same == end) to = row;
    }
    if (to == UINT32_MAX) { /* by_key has the row of its first member, the type itself */
        to = (uint32_t)t->members.len;
        const uint32_t id = (uint32_t)t->types.len;
        struct prof_type_row copy = *from;
        copy.id = id;
        copy.name = name_of(in, from->name);
        LS_TRY(LS_VECTOR_ADD(&t->types, copy));
        for (size_t m = first; m < end; m++) {
            const uint32_t parent = in->tables.members[m].parent;
            LS_TRY(member_add(in, &in->tables.members[m], id,
                              parent == UINT32_MAX ? parent : to + (uint32_t)(parent - first)));
        }
        LS_TRY(ls_index_put(by_key, key, to));
    }
    for (size_t m = first; m < end; m++)
        in->member_of[m] = to + (uint32_t)(m - first);
    return LS_OK;
}

ls_err mrg_member(struct mrg_input *in, uint32_t member, uint32_t *out)
{
    *out = UINT32_MAX;
    if (member >= in->tables.members_len) return LS_OK;
    if (in->member_of[member] == UINT32_MAX) LS_TRY(type_add(in, in->tables.members[member].type));
    *out = in->member_of[member];
    return LS_OK;
}

/* --- sums --- */

/* The key is at the begin of the struct; all its columns have 32 bits. */
enum { KEY_BYTES = offsetof(struct prof_sum, mpi_line) + sizeof(uint32_t) };

ls_err mrg_sum(struct mrg_tables *t, const struct prof_sum *key, struct prof_sum **out)
{
    struct ls_index *by_key = &t->by_key[PROF_TABLE_sums];
    const uint64_t hash = ls_hash_bytes(LS_HASH_BEGIN, key, KEY_BYTES);
    uint32_t row;
    for (size_t step = 0; ls_index_next(by_key, hash, &step, &row);) {
        *out = &t->sums.rows[row];
        if (memcmp(*out, key, KEY_BYTES) == 0) return LS_OK;
    }
    struct prof_sum sum = {.rank_of_most = UINT32_MAX};
    memcpy(&sum, key, KEY_BYTES);
    row = (uint32_t)t->sums.len;
    LS_TRY(LS_VECTOR_ADD(&t->sums, sum));
    *out = &t->sums.rows[row];
    return ls_index_put(by_key, hash, row);
}

/* --- causes of kernel time, incidents, source lines --- */

static ls_err kernel_add(struct mrg_input *in, const struct prof_kernel *from)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_kernels];
    struct prof_kernel k = *from;
    k.process = 0;
    k.frame = UINT32_MAX;
    LS_TRY(mrg_node(in, from->node, &k.node));
    LS_TRY(mrg_line(in, from->line, &k.line));
    const uint64_t key = hash_number(hash_number(hash_number(LS_HASH_BEGIN, k.cause), k.node), k.line);
    uint32_t row;
    for (size_t step = 0; ls_index_next(by_key, key, &step, &row);) {
        struct prof_kernel *to = &t->kernels.rows[row];
        if (to->cause != k.cause || to->node != k.node || to->line != k.line) continue;
        to->calls += k.calls;
        to->bytes += k.bytes;
        to->time_ns += k.time_ns;
        to->error_ns = hypot(to->error_ns, k.error_ns);
        return LS_OK;
    }
    LS_TRY(LS_VECTOR_ADD(&t->kernels, k));
    return ls_index_put(by_key, key, (uint32_t)t->kernels.len - 1);
}

static ls_err event_add(struct mrg_input *in, const struct prof_event *from)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_events];
    const uint64_t key = hash_text(hash_text(LS_HASH_BEGIN, from->kind), from->text);
    struct prof_event e = *from;
    uint32_t row;
    for (size_t step = 0; ls_index_next(by_key, key, &step, &row);) {
        struct prof_event *to = &t->events.rows[row];
        if (strcmp(to->kind, e.kind) != 0 || strcmp(to->text, e.text) != 0) continue;
        to->count += e.count;
        return LS_OK;
    }
    e.process = from->process == PROF_NO_PROCESS ? PROF_NO_PROCESS : 0;
    e.kind = name_of(in, from->kind);
    e.text = name_of(in, from->text);
    if (e.time_ns != UINT64_MAX) e.time_ns += in->shift_ns;
    LS_TRY(LS_VECTOR_ADD(&t->events, e));
    return ls_index_put(by_key, key, (uint32_t)t->events.len - 1);
}

static ls_err source_add(struct mrg_input *in, const struct prof_source *from)
{
    struct mrg_tables *t = &in->job->tables;
    struct ls_index *by_key = &t->by_key[PROF_TABLE_sources];
    const uint64_t key = hash_number(hash_text(LS_HASH_BEGIN, from->file), from->line);
    uint32_t row;
    for (size_t step = 0; ls_index_next(by_key, key, &step, &row);)
        if (t->sources.rows[row].line == from->line && strcmp(t->sources.rows[row].file, from->file) == 0)
            return LS_OK;
    const struct prof_source s = {name_of(in, from->file), from->line,
                                  prof_name_line(in->job->names, from->text, strlen(from->text))};
    LS_TRY(LS_VECTOR_ADD(&t->sources, s));
    return ls_index_put(by_key, key, (uint32_t)t->sources.len - 1);
}

static bool is_of_rank_left_out(const struct mrg_input *in, uint32_t process)
{
    return process < in->tables.processes_len && in->rank_of[process] == MRG_LEFT_OUT;
}

ls_err mrg_others(struct mrg_input *in)
{
    size_t len;
    const struct prof_kernel *kernels = prof_kernels(in->profile, &len);
    for (size_t i = 0; i < len; i++)
        if (!is_of_rank_left_out(in, kernels[i].process)) LS_TRY(kernel_add(in, &kernels[i]));
    const struct prof_event *events = prof_events(in->profile, &len);
    for (size_t i = 0; i < len; i++)
        if (!is_of_rank_left_out(in, events[i].process)) LS_TRY(event_add(in, &events[i]));
    const struct prof_source *sources = prof_sources(in->profile, &len);
    for (size_t i = 0; i < len; i++)
        LS_TRY(source_add(in, &sources[i]));
    return LS_OK;
}

void mrg_tables_fini(struct mrg_tables *t)
{
    free(t->nodes.rows);
    free(t->lines.rows);
    free(t->phases.rows);
    free(t->types.rows);
    free(t->members.rows);
    free(t->sums.rows);
    free(t->kernels.rows);
    free(t->events.rows);
    free(t->sources.rows);
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        ls_index_fini(&t->by_key[id]);
}
