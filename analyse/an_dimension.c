/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_dimension.h"
#include "analyse/an_calls.h"
#include "analyse/an_cost.h"
#include "analyse/an_function.h"
#include "common/ls_text.h"
#include "run_h5/prof_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- nodes --- */

static uint32_t an_node_parent(const struct an_tables *t, uint32_t node)
{
    const uint32_t p = t->nodes[node].parent;
    return node == 0 || p >= node ? AN_NO_KEY : p;
}

static const char *an_node_label(const struct an_tables *t, uint32_t node, char out[AN_LABEL_BYTES])
{
    (void)out;
    if (node == 0) return "all";
    return *t->nodes[node].label ? t->nodes[node].label : "(no label)";
}

/* The node itself or the nearest above it of that kind. */
static uint32_t an_nearest_of_kind(const struct an_tables *t, uint32_t node, uint32_t kind)
{
    for (uint32_t n = node; n != AN_NO_KEY; n = an_node_parent(t, n))
        if (t->nodes[n].kind == kind) return n;
    return AN_NO_KEY;
}

static uint32_t an_site_of_node(const struct an_tables *t, uint32_t node)
{
    return an_nearest_of_kind(t, node, PROF_NODE_SITE);
}

static uint32_t an_symbol_of_node(const struct an_tables *t, uint32_t node)
{
    const uint32_t symbol = an_nearest_of_kind(t, node, PROF_NODE_SYMBOL);
    return symbol != AN_NO_KEY ? symbol : an_nearest_of_kind(t, node, PROF_NODE_TLS);
}

/* The object that a user would name: blocks of one site are one object. */
static uint32_t an_object_of_node(const struct an_tables *t, uint32_t node)
{
    const uint32_t site = an_site_of_node(t, node);
    return site != AN_NO_KEY && t->nodes[node].kind == PROF_NODE_BLOCK ? site : node;
}

static int an_compare_kinds(const struct an_tables *t, uint32_t a, uint32_t b)
{
    return (t->nodes[a].kind > t->nodes[b].kind) - (t->nodes[a].kind < t->nodes[b].kind);
}

static const char *an_kind_label(const struct an_tables *t, uint32_t node, char out[AN_LABEL_BYTES])
{
    (void)out;
    return t->nodes[node].kind < PROF_NODE_KIND_COUNT ? prof_kind_names[t->nodes[node].kind] : "unknown";
}

/* --- lines --- */

static int an_compare_modules(const struct an_tables *t, uint32_t a, uint32_t b)
{
    return strcmp(t->lines[a].module, t->lines[b].module);
}

static int an_compare_functions(const struct an_tables *t, uint32_t a, uint32_t b)
{
    int c = an_compare_modules(t, a, b);
    if (c == 0) c = strcmp(t->lines[a].function, t->lines[b].function);
    return c || !t->by_file ? c : strcmp(t->lines[a].file, t->lines[b].file);
}

static int an_compare_sources(const struct an_tables *t, uint32_t a, uint32_t b)
{
    const struct prof_line *x = &t->lines[a], *y = &t->lines[b];
    int c = strcmp(x->file, y->file);
    if (c == 0) c = (x->line > y->line) - (x->line < y->line);
    return c ? c : an_compare_functions(t, a, b);
}

static int an_compare_files(const struct an_tables *t, uint32_t a, uint32_t b)
{
    return strcmp(t->lines[a].file, t->lines[b].file);
}

static uint32_t an_file_of_line(const struct an_tables *t, uint32_t row)
{
    return *t->lines[row].file ? row : AN_NO_KEY;
}

static const char *an_module_name(const struct prof_line *l)
{
    return *l->module ? ls_base_name(l->module) : "unknown module";
}

static const char *an_function_name(const struct prof_line *l)
{
    return *l->function ? l->function : "?";
}

static const char *an_ip_label(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    const struct prof_line *l = &t->lines[row];
    if (*l->file)
        snprintf(out, AN_LABEL_BYTES, "0x%" PRIx64 " %s %s:%u", l->ip, an_function_name(l),
                 ls_base_name(l->file), l->line);
    else
        snprintf(out, AN_LABEL_BYTES, "0x%" PRIx64 " %s (%s)", l->ip,
                 *l->function || !*l->symbol ? an_function_name(l) : l->symbol, an_module_name(l));
    return out;
}

static const char *an_line_label(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    const struct prof_line *l = &t->lines[row];
    if (*l->file)
        snprintf(out, AN_LABEL_BYTES, "%s:%u %s", ls_base_name(l->file), l->line, an_function_name(l));
    else
        snprintf(out, AN_LABEL_BYTES, "%s (%s, no line)", an_function_name(l), an_module_name(l));
    return out;
}

static const char *an_function_label(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    const struct prof_line *l = &t->lines[row];
    snprintf(out, AN_LABEL_BYTES, "%s (%s)", an_function_name(l), an_module_name(l));
    return out;
}

static const char *an_file_label(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    (void)out;
    return t->lines[row].file;
}

static const char *an_module_label(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    (void)out;
    return *t->lines[row].module ? t->lines[row].module : "unknown module";
}

/* --- call stacks --- */

static uint32_t an_call_of_burst(const struct an_call_tree *c, uint32_t burst)
{
    return c ? c->call_of_burst[burst] : AN_NO_KEY;
}

static const char *an_call_label(const struct an_call *c, char out[AN_LABEL_BYTES])
{
    if (c->function[0] != '[' || !*c->module) return c->function;
    snprintf(out, AN_LABEL_BYTES, "%s (%s)", c->function, ls_base_name(c->module));
    return out;
}

static uint32_t an_calls_of_burst(const struct an_tables *t, uint32_t burst)
{
    return an_call_of_burst(t->calls, burst);
}

static uint32_t an_calls_parent(const struct an_tables *t, uint32_t call)
{
    return t->calls->rows[call].parent;
}

static const char *an_calls_label(const struct an_tables *t, uint32_t call, char out[AN_LABEL_BYTES])
{
    return an_call_label(&t->calls->rows[call], out);
}

static uint32_t an_callers_of_burst(const struct an_tables *t, uint32_t burst)
{
    return an_call_of_burst(t->callers, burst);
}

static uint32_t an_callers_parent(const struct an_tables *t, uint32_t call)
{
    return t->callers->rows[call].parent;
}

static const char *an_callers_label(const struct an_tables *t, uint32_t call, char out[AN_LABEL_BYTES])
{
    return an_call_label(&t->callers->rows[call], out);
}

/* --- threads, processes, phases --- */

/* The sums of ranks whose samples are not in the file have the number 0. */
static const char *an_numbered(uint32_t number, const char *name, char out[AN_LABEL_BYTES])
{
    if (number)
        snprintf(out, AN_LABEL_BYTES, "%u %s", number, name);
    else
        snprintf(out, AN_LABEL_BYTES, "%s", name);
    return out;
}

static const char *an_thread_label(const struct an_tables *t, uint32_t thread, char out[AN_LABEL_BYTES])
{
    return an_numbered(t->threads[thread].tid, t->threads[thread].name, out);
}

static const char *an_process_label(const struct an_tables *t, uint32_t process, char out[AN_LABEL_BYTES])
{
    return an_numbered(t->processes[process].pid, ls_base_name(t->processes[process].exe), out);
}

static uint32_t an_rank_of_thread(const struct an_tables *t, uint32_t thread)
{
    const uint32_t process = an_tables_process(t, thread);
    return process < t->processes_len && t->processes[process].rank >= 0 ? process : AN_NO_KEY;
}

static int an_compare_ranks(const struct an_tables *t, uint32_t a, uint32_t b)
{
    return (t->processes[a].rank > t->processes[b].rank) - (t->processes[a].rank < t->processes[b].rank);
}

static const char *an_rank_label(const struct an_tables *t, uint32_t process, char out[AN_LABEL_BYTES])
{
    snprintf(out, AN_LABEL_BYTES, "rank %d", t->processes[process].rank);
    return out;
}

static uint32_t an_phase_parent(const struct an_tables *t, uint32_t phase)
{
    const uint32_t p = t->phases[phase].parent;
    return p < phase ? p : AN_NO_KEY;
}

static const char *an_phase_label(const struct an_tables *t, uint32_t phase, char out[AN_LABEL_BYTES])
{
    (void)out;
    return *t->phases[phase].name ? t->phases[phase].name : "(no name)";
}

/* --- MPI --- */

static uint32_t an_mpi_of_burst(const struct an_tables *t, uint32_t burst)
{
    return t->bursts[burst].mpi > LS_MPI_CALL_NONE && t->bursts[burst].mpi < LS_MPI_CALLS_LEN
               ? t->bursts[burst].mpi
               : AN_NO_KEY;
}

static const char *an_mpi_label(const struct an_tables *t, uint32_t call, char out[AN_LABEL_BYTES])
{
    static const char *const classes[] = {[LS_MPI_NONE] = "",
                                          [LS_MPI_WAITS] = " (waits)",
                                          [LS_MPI_TRANSFERS] = " (transfers)",
                                          [LS_MPI_COLLECTIVE] = " (collective)"};
    (void)t;
    snprintf(out, AN_LABEL_BYTES, "%s%s", prof_mpi_names[call], classes[ls_mpi_class_of(call)]);
    return out;
}

static uint32_t an_mpi_line_of_burst(const struct an_tables *t, uint32_t burst)
{
    const struct prof_burst *b = &t->bursts[burst];
    return b->mpi_ip ? an_tables_line(t, an_tables_process(t, b->thread), b->mpi_ip) : AN_NO_KEY;
}

/* --- types --- */

static uint32_t an_type_of_member(const struct an_tables *t, uint32_t member)
{
    return t->members[member].type;
}

/* Types of the same name in different programs and libraries are one key. */
static int an_compare_types(const struct an_tables *t, uint32_t a, uint32_t b)
{
    return a == b ? 0 : strcmp(t->types[a].name, t->types[b].name);
}

static const char *an_type_label(const struct an_tables *t, uint32_t type, char out[AN_LABEL_BYTES])
{
    (void)out;
    return *t->types[type].name ? t->types[type].name : "(no name)";
}

static bool an_is_field(const struct prof_member *m)
{
    return m->kind == PROF_MEMBER_FIELD || m->kind == PROF_MEMBER_BITS;
}

static int an_compare_fields(const struct an_tables *t, uint32_t a, uint32_t b)
{
    const struct prof_member *x = &t->members[a], *y = &t->members[b];
    if (a == b) return 0;
    int c = an_compare_types(t, x->type, y->type);
    if (c == 0) c = strcmp(x->path, y->path);
    return c ? c : (int)an_is_field(x) - (int)an_is_field(y);
}

/* "Particle.pos[].x"; bytes that belong to no member: "Particle (no member)". */
static const char *an_field_label(const struct an_tables *t, uint32_t member, char out[AN_LABEL_BYTES])
{
    const struct prof_member *m = &t->members[member];
    const char *type = t->types[m->type].name;
    const bool is_scalar = t->types[m->type].kind == PROF_TYPE_SCALAR;
    if (m->kind == PROF_MEMBER_WHOLE && is_scalar) return type;
    snprintf(out, AN_LABEL_BYTES, "%.300s%s%.190s%s", type, *m->path ? "." : "", m->path,
             an_is_field(m) ? "" : " (no member)");
    return out;
}

/* --- the sample itself --- */

static uint32_t an_level_of_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i)
{
    (void)t;
    return an_is_measured(s, i) && s->level[i] < PROF_LEVEL_COUNT ? s->level[i] : AN_NO_KEY;
}

static const char *an_level_label(const struct an_tables *t, uint32_t level, char out[AN_LABEL_BYTES])
{
    (void)out;
    return level == PROF_LEVEL_L1 && t->run && prof_level_l1_is_l2(t->run) ? "L1 or L2"
                                                                           : prof_level_names[level];
}

static uint32_t an_numa_of_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i)
{
    (void)t;
    return s->numa[i] == UINT8_MAX ? AN_NO_KEY : s->numa[i];
}

static const char *an_numa_label(const struct an_tables *t, uint32_t node, char out[AN_LABEL_BYTES])
{
    (void)t;
    snprintf(out, AN_LABEL_BYTES, "NUMA node %u", node);
    return out;
}

static uint32_t an_op_of_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i)
{
    (void)t;
    return s->op[i] < 3 ? s->op[i] : AN_NO_KEY;
}

static const char *an_op_label(const struct an_tables *t, uint32_t op, char out[AN_LABEL_BYTES])
{
    static const char *const names[] = {"load", "store", "prefetch"};
    (void)t;
    (void)out;
    return names[op];
}

static uint32_t an_locked_of_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i)
{
    (void)t;
    return s->locked[i] > 1 ? AN_NO_KEY : s->locked[i];
}

/* The words are the same as in perf mem report. */
static const char *an_locked_label(const struct an_tables *t, uint32_t locked, char out[AN_LABEL_BYTES])
{
    (void)t;
    (void)out;
    return locked ? "yes" : "no";
}

static uint32_t an_cpu_of_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i)
{
    (void)t;
    return s->cpu[i] < AN_SAMPLE_KEYS_MAX ? s->cpu[i] : AN_NO_KEY;
}

static uint32_t an_cpu_of_burst(const struct an_tables *t, uint32_t burst)
{
    return t->bursts[burst].cpu < AN_SAMPLE_KEYS_MAX ? t->bursts[burst].cpu : AN_NO_KEY;
}

static const char *an_cpu_label(const struct an_tables *t, uint32_t cpu, char out[AN_LABEL_BYTES])
{
    (void)t;
    snprintf(out, AN_LABEL_BYTES, "CPU %u", cpu);
    return out;
}

/* Key of a burst, which belongs to the slice of its begin. */
static uint32_t an_slice_of_burst(const struct an_tables *t, uint32_t burst)
{
    const uint64_t time_ns = t->bursts[burst].time_ns;
    if (time_ns == UINT64_MAX || t->duration_ns == 0 || time_ns >= t->duration_ns) return AN_NO_KEY;
    return (uint32_t)((unsigned __int128)time_ns * t->slices / t->duration_ns);
}

static const char *an_slice_label(const struct an_tables *t, uint32_t slice, char out[AN_LABEL_BYTES])
{
    const double seconds = (double)t->duration_ns / 1e9 / t->slices;
    const int digits = seconds >= 1 ? 1 : seconds >= 0.01 ? 3 : 6;
    snprintf(out, AN_LABEL_BYTES, "%.*f..%.*f s", digits, slice * seconds, digits, (slice + 1) * seconds);
    return out;
}

#define AN_LINE_COLUMNS (PROF_MASK(thread) | PROF_MASK(ip) | PROF_MASK(time_ns))

const struct an_dimension an_dimensions[] = {
    {.name = "node",
     .title = "data",
     .text = "the tree of registered ranges, other named data, and regions, down to allocation sites",
     .none = "(no node)",
     .columns = PROF_MASK(node),
     .base = AN_BASE_NODE,
     .key_of_row = an_object_of_node,
     .parent = an_node_parent,
     .label = an_node_label},
    {.name = "block",
     .title = "data",
     .text = "the same tree down to the single blocks of an allocation site",
     .none = "(no node)",
     .columns = PROF_MASK(node),
     .base = AN_BASE_NODE,
     .parent = an_node_parent,
     .label = an_node_label},
    {.name = "object",
     .title = "object",
     .text = "a range, allocation site, variable, stack or file, without the tree above it",
     .none = "(no node)",
     .columns = PROF_MASK(node),
     .base = AN_BASE_NODE,
     .key_of_row = an_object_of_node,
     .label = an_node_label},
    {.name = "site",
     .title = "allocation site",
     .text = "where heap blocks were allocated",
     .none = "(not at a known allocation site)",
     .columns = PROF_MASK(node),
     .base = AN_BASE_NODE,
     .key_of_row = an_site_of_node,
     .label = an_node_label},
    {.name = "symbol",
     .title = "variable",
     .text = "a global, static or thread-local variable",
     .none = "(in no variable)",
     .columns = PROF_MASK(node),
     .base = AN_BASE_NODE,
     .key_of_row = an_symbol_of_node,
     .label = an_node_label},
    {.name = "kind",
     .title = "kind of data",
     .text = "range, site, symbol, stack, file, ...",
     .none = "(no node)",
     .columns = PROF_MASK(node),
     .base = AN_BASE_NODE,
     .compare = an_compare_kinds,
     .label = an_kind_label},
    {.name = "type",
     .title = "type",
     .text = "the type of the object: struct, class, union, or a plain type",
     .none = "(type not known)",
     .columns = PROF_MASK(member),
     .base = AN_BASE_MEMBER,
     .key_of_row = an_type_of_member,
     .compare = an_compare_types,
     .label = an_type_label},
    {.name = "field",
     .title = "field",
     .text = "the member of a type",
     .none = "(type not known)",
     .columns = PROF_MASK(member),
     .base = AN_BASE_MEMBER,
     .compare = an_compare_fields,
     .label = an_field_label},
    {.name = "function",
     .title = "function",
     .text = "a function: the time that began in it, the accesses that it makes",
     .none = "(not known)",
     .columns = AN_LINE_COLUMNS,
     .base = AN_BASE_LINE,
     .compare = an_compare_functions,
     .is_named = an_function_is_named,
     .label = an_function_label},
    {.name = "line",
     .title = "line",
     .text = "a source line",
     .none = "(not known)",
     .columns = AN_LINE_COLUMNS,
     .base = AN_BASE_LINE,
     .compare = an_compare_sources,
     .label = an_line_label},
    {.name = "file",
     .title = "source file",
     .text = "the source file of the code",
     .none = "(not known)",
     .columns = AN_LINE_COLUMNS,
     .base = AN_BASE_LINE,
     .key_of_row = an_file_of_line,
     .compare = an_compare_files,
     .label = an_file_label},
    {.name = "ip",
     .title = "instruction",
     .text = "an instruction",
     .none = "(not known)",
     .columns = AN_LINE_COLUMNS,
     .base = AN_BASE_LINE,
     .label = an_ip_label},
    {.name = "module",
     .title = "module",
     .text = "the program or library that the code is from",
     .none = "(not known)",
     .columns = AN_LINE_COLUMNS,
     .base = AN_BASE_LINE,
     .compare = an_compare_modules,
     .label = an_module_label},
    {.name = "calls",
     .title = "call stack",
     .text = "call stacks, from main to the function at work",
     .none = "(no call stack: record with --callstack)",
     .columns = PROF_MASK(burst),
     .base = AN_BASE_BURST,
     .key_of_row = an_calls_of_burst,
     .parent = an_calls_parent,
     .label = an_calls_label},
    {.name = "callers",
     .title = "function and callers",
     .text = "call stacks, from the function at work to its callers",
     .none = "(no call stack: record with --callstack)",
     .columns = PROF_MASK(burst),
     .base = AN_BASE_BURST,
     .key_of_row = an_callers_of_burst,
     .parent = an_callers_parent,
     .label = an_callers_label},
    {.name = "thread",
     .title = "thread",
     .text = "a thread",
     .none = "(not known)",
     .columns = PROF_MASK(thread),
     .base = AN_BASE_THREAD,
     .label = an_thread_label},
    {.name = "process",
     .title = "process",
     .text = "a process, once for each program it ran",
     .none = "(not known)",
     .columns = PROF_MASK(thread),
     .base = AN_BASE_THREAD,
     .key_of_row = an_tables_process,
     .label = an_process_label},
    {.name = "rank",
     .title = "MPI rank",
     .text = "a rank of an MPI job, with the programs that it started",
     .none = "(no rank)",
     .columns = PROF_MASK(thread),
     .base = AN_BASE_THREAD,
     .key_of_row = an_rank_of_thread,
     .compare = an_compare_ranks,
     .label = an_rank_label,
     .is_ordered = true},
    {.name = "phase",
     .title = "phase",
     .text = "a phase that the program named, inside the phase around it",
     .none = "(outside all phases)",
     .columns = PROF_MASK(phase),
     .base = AN_BASE_PHASE,
     .parent = an_phase_parent,
     .label = an_phase_label},
    {.name = "mpi",
     .title = "MPI function",
     .text = "the function of MPI that the thread was in, and whether it waits for other ranks",
     .none = "(outside of MPI)",
     .columns = PROF_MASK(burst),
     .base = AN_BASE_BURST,
     .key_of_row = an_mpi_of_burst,
     .label = an_mpi_label},
    {.name = "mpi-line",
     .title = "caller of MPI",
     .text = "the source line that called the function of MPI",
     .none = "(outside of MPI)",
     .columns = PROF_MASK(burst),
     .base = AN_BASE_BURST,
     .key_of_row = an_mpi_line_of_burst,
     .compare = an_compare_sources,
     .label = an_line_label},
    {.name = "slice",
     .title = "time",
     .text = "a slice of the run's wall time; report --slices sets how many",
     .none = "(not known)",
     .columns = PROF_MASK(burst),
     .base = AN_BASE_BURST,
     .key_of_row = an_slice_of_burst,
     .label = an_slice_label,
     .is_ordered = true},
    {.name = "level",
     .title = "level (inferred)",
     .text = "the cache level, or memory, that served the load",
     .none = "stores, and loads without a latency",
     .columns = PROF_MASK(level),
     .base = AN_BASE_SAMPLE,
     .key_of_sample = an_level_of_sample,
     .label = an_level_label,
     .is_ordered = true},
    {.name = "op",
     .title = "access",
     .text = "load, store or prefetch",
     .none = "(not known)",
     .columns = PROF_MASK(op),
     .base = AN_BASE_SAMPLE,
     .key_of_sample = an_op_of_sample,
     .label = an_op_label},
    {.name = "locked",
     .title = "locked",
     .text = "by an atomic instruction or not: yes, no",
     .none = "(not known)",
     .columns = PROF_MASK(locked),
     .base = AN_BASE_SAMPLE,
     .key_of_sample = an_locked_of_sample,
     .label = an_locked_label},
    {.name = "numa",
     .title = "NUMA node",
     .text = "the NUMA node of the page (on machines with several)",
     .none = "(not known: a machine with one NUMA node, or a page without memory)",
     .columns = PROF_MASK(numa),
     .base = AN_BASE_SAMPLE,
     .key_of_sample = an_numa_of_sample,
     .label = an_numa_label},
    {.name = "cpu",
     .title = "CPU",
     .text = "the logical CPU",
     .none = "(not known)",
     .columns = PROF_MASK(cpu),
     .base = AN_BASE_SAMPLE,
     .key_of_sample = an_cpu_of_sample,
     .key_of_burst = an_cpu_of_burst,
     .label = an_cpu_label},
    {.name = NULL},
};

const struct an_dimension *an_dimension_named(const char *name, size_t name_len)
{
    for (const struct an_dimension *d = an_dimensions; d->name; d++)
        if (strlen(d->name) == name_len && memcmp(d->name, name, name_len) == 0) return d;
    return NULL;
}

bool an_dimension_is_origin(const struct an_dimension *d)
{
    if (d->base == AN_BASE_SAMPLE) return d->key_of_burst != NULL;
    return d->base != AN_BASE_NODE && d->base != AN_BASE_MEMBER;
}

const char *an_dimension_path(const struct an_dimension *d, const struct an_tables *t, uint32_t key,
                              char out[AN_LABEL_BYTES])
{
    if (key == AN_NO_KEY) return d->none;
    if (key == AN_NO_DATA) return "no data (computing)";
    const uint32_t parent = d->parent ? d->parent(t, key) : AN_NO_KEY;
    /* omit the key that contains everything */
    if (parent == AN_NO_KEY || (d->base == AN_BASE_NODE && parent == 0)) return d->label(t, key, out);
    char own[AN_LABEL_BYTES], above[AN_LABEL_BYTES];
    snprintf(out, AN_LABEL_BYTES, "%s/%s", an_dimension_path(d, t, parent, above), d->label(t, key, own));
    return out;
}
