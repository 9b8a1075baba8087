/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_site_names.h"

#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "resolve/prof_maps.h"
#include "resolve/prof_source_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lines of source files --- */

typedef struct prof_source_text prof_source_text;

enum { PROF_SOURCE_FILES_MAX = 4096 };

struct prof_text_file {
    char *path;
    struct prof_source_file file;
};

struct prof_source_text {
    LS_VECTOR(struct prof_text_file) files;
    size_t last; /* asked for */
};

/* NULL: out of memory. */
static prof_source_text *prof_source_text_new(void)
{
    return calloc(1, sizeof(prof_source_text));
}

static void prof_source_text_free(prof_source_text *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->files.len; i++) {
        free(s->files.rows[i].path);
        prof_source_file_fini(&s->files.rows[i].file);
    }
    free(s->files.rows);
    free(s);
}

static struct prof_text_file *prof_text_open(prof_source_text *s, const char *path)
{
    if (s->files.len >= PROF_SOURCE_FILES_MAX || LS_VECTOR_ROOM(&s->files) != LS_OK) return NULL;
    struct prof_text_file f = {.path = strdup(path)};
    if (!f.path) return NULL;
    f.file = prof_source_file_read(path);
    s->last = s->files.len++;
    s->files.rows[s->last] = f;
    return &s->files.rows[s->last];
}

/* Callers ask file by file: the last one is nearly always right. */
static struct prof_text_file *prof_text_file_of(prof_source_text *s, const char *path)
{
    if (s->last < s->files.len && strcmp(s->files.rows[s->last].path, path) == 0)
        return &s->files.rows[s->last];
    for (size_t i = 0; i < s->files.len; i++)
        if (strcmp(s->files.rows[i].path, path) == 0) {
            s->last = i;
            return &s->files.rows[i];
        }
    return prof_text_open(s, path);
}

/* Line number `line` of the file that a module's author names, "" where there is none. Valid until
 * prof_source_text_free. */
static const char *prof_source_line(prof_source_text *s, const char *path, uid_t author, uint32_t line)
{
    const struct prof_text_file *f = prof_text_file_of(s, path);
    const char *text = f ? prof_source_file_line(&f->file, author, line) : NULL;
    return text ? text : "";
}

enum { PROF_CALLERS_MAX = 8, PROF_CALLER_BYTES = 256, PROF_WRAPPERS_MAX = 6, PROF_LEVEL_INNER = -1 };

/* A site while labels are made unique. */
struct prof_naming {
    struct prof_site *site;
    uint64_t identity;
    struct prof_caller first;  /* outside of allocators */
    struct prof_caller caller; /* frame in the label: first, or the one to which wrappers return memory */
    const char *inner;         /* name of the memory in the class that allocates it, NULL: none */
    unsigned parts; /* number of variables in the label: more than 1 if they could not be distinguished */
    uint32_t order; /* id of the first site with this identity */
    bool is_large;  /* a site with this identity */
    bool is_device; /* memory of devices has separate names */
};

struct prof_namer {
    const struct prof_caller_tables *tables;
    prof_names *names;
    prof_source_text *text;
    struct prof_naming *rows;
    size_t len;
};

/* The function without its arguments, which the line makes needless; long template arguments are left out, the end of
 * a name never is. */
static void prof_short_function(const char *function, char out[PROF_CALLER_BYTES / 2])
{
    enum { LONG = 72, ROOM = PROF_CALLER_BYTES / 2 - 4 };
    char plain[PROF_LABEL_BYTES];
    prof_plain_function(function, plain);
    const char *end = strstr(function, plain);
    for (const char *next = end;
         next && (next = strstr(next + 1, plain)) != NULL && next < strchrnul(function, '(');)
        end = next;
    size_t len = end ? (size_t)(end - function) + strlen(plain) : strlen(function), at = 0;
    int depth = 0;
    for (size_t i = 0; i < len && at < ROOM; i++) {
        const bool is_bracket = len > LONG && strncmp(plain, "operator", 8) != 0;
        if (is_bracket && function[i] == '>' && --depth == 0) at += (size_t)sprintf(out + at, "...");
        if (depth == 0 || !is_bracket) out[at++] = function[i];
        if (is_bracket && function[i] == '<') depth++;
    }
    out[at] = '\0';
}

/* function:line, function (module+0x12), module+0x12; file.py:line function */
static void prof_caller_text(const struct prof_namer *n, const struct prof_caller *p,
                             char out[PROF_CALLER_BYTES])
{
    const uint64_t offset = prof_frame_offset(n->tables, p->frame);
    const char *module = *p->module ? ls_base_name(p->module) : "generated code";
    char function[PROF_CALLER_BYTES / 2];
    prof_short_function(p->function, function);
    if (prof_script_of(n->tables, p))
        prof_script_text(p, out, PROF_CALLER_BYTES);
    else if (*function && p->line > 0)
        snprintf(out, PROF_CALLER_BYTES, "%s:%u", function, p->line);
    else if (*function)
        snprintf(out, PROF_CALLER_BYTES, "%s (%.80s+0x%" PRIx64 ")", function, module, offset);
    else if (p->line > 0)
        snprintf(out, PROF_CALLER_BYTES, "%s:%u", ls_base_name(p->file), p->line);
    else
        snprintf(out, PROF_CALLER_BYTES, "%s+0x%" PRIx64, module, offset);
}

/* --- the source of a caller --- */

/* A caller's place in the source, with the memory that it points into. */
struct prof_read_place {
    struct prof_source_place place;
    const char *lines[PROF_LABEL_LINES_MAX];
    char callee[PROF_LABEL_BYTES];
};

static uid_t prof_author_of(const struct prof_namer *n, const struct prof_caller *p)
{
    if (prof_script_of(n->tables, p)) return n->tables->author;
    return n->tables->files ? sym_files_author(n->tables->files, p->module) : LS_OWNER_OURS;
}

/* The line of the caller and those before it, as far as its statement may begin. len is 0 if they cannot be read. */
static void prof_place_of(const struct prof_namer *n, const struct prof_caller *p,
                          struct prof_read_place *out)
{
    const uint32_t first = p->line > PROF_LABEL_LINES_MAX ? p->line - PROF_LABEL_LINES_MAX + 1 : 1;
    prof_plain_function(p->callee, out->callee);
    out->place = (struct prof_source_place){.lines = out->lines,
                                            .callee = out->callee,
                                            .column = p->column,
                                            .is_fortran = prof_is_fortran(p->file)};
    if (p->line == 0 || !*p->file) return;
    const uid_t author = prof_author_of(n, p);
    for (uint32_t line = first; line <= p->line; line++)
        out->lines[out->place.len++] = prof_source_line(n->text, p->file, author, line);
}

static const char *prof_clue_text(const struct prof_namer *n, const char *text)
{
    return *text ? prof_name_of(n->names, text) : NULL;
}

/* --- the first name of the memory --- */

/* A search for the name, from caller to caller. */
struct prof_search {
    const struct prof_namer *n;
    struct prof_caller caller;
    int parameter; /* the caller gets the memory through this argument of its call, -1: as the value */
};

/* Find out whether a caller hands its variable on to its own caller, and how. */
static struct prof_source_use prof_use_of(const struct prof_namer *n, const struct prof_caller *caller,
                                          const char *variable)
{
    char function[PROF_LABEL_BYTES];
    const struct prof_source_use none = {.parameter = -1};
    if (!*variable || strpbrk(variable, ".->:%[*")) return none;
    prof_plain_function(caller->function, function);
    const struct prof_text_file *file = prof_text_file_of(n->text, caller->file);
    if (!file || !*function) return none;
    return prof_source_find_use(&(struct prof_source_function){.file = &file->file,
                                                               .author = prof_author_of(n, caller),
                                                               .line = caller->line,
                                                               .name = function,
                                                               .is_fortran = prof_is_fortran(caller->file)},
                                variable);
}

/* Does the caller hand its variable on to its own caller? Set how. */
static bool prof_is_handed_over(struct prof_search *s, const char *variable)
{
    const struct prof_source_use use = prof_use_of(s->n, &s->caller, variable);
    s->parameter = use.is_returned ? -1 : use.parameter;
    return use.is_returned || use.parameter >= 0;
}

/* The clues of a caller's line. */
static struct prof_clue prof_clue_of(const struct prof_namer *n, const struct prof_caller *caller)
{
    struct prof_read_place p;
    struct prof_source_clues found;
    prof_place_of(n, caller, &p);
    prof_source_find_clues(&p.place, &found);
    const struct prof_source_use use = prof_use_of(n, caller, found.assigned);
    return (struct prof_clue){.frame = caller->frame,
                              .made = prof_clue_text(n, found.made),
                              .measured = prof_clue_text(n, found.measured),
                              .assigned = prof_clue_text(n, found.assigned),
                              .is_return = found.is_return,
                              .is_header = use.is_behind,
                              .header_len = use.header_len};
}

/* Note the headers that allocators in front of the first caller put before the memory. */
static void prof_note_headers(const struct prof_namer *n, const struct prof_naming *row,
                              struct prof_site_facts *facts)
{
    struct prof_caller caller;
    bool has_next = prof_caller_first(n->tables, row->site->frame, &caller);
    while (has_next && (caller.frame != row->first.frame || caller.depth != row->first.depth)) {
        const struct prof_clue clue =
            caller.line > 0 ? prof_clue_of(n, &caller) : (struct prof_clue){.frame = 0};
        if (clue.is_header && facts->clues_len + 1 < PROF_CLUES_MAX) facts->clues[facts->clues_len++] = clue;
        has_next = prof_caller_next(n->tables, &caller);
    }
}

/* Note the clues of the caller's line, and of the lines of callers to which it returns the memory. */
static void prof_note_clues(const struct prof_namer *n, struct prof_naming *row,
                            struct prof_site_facts *facts)
{
    struct prof_caller caller = row->first;
    facts->clues_len = 0;
    if (prof_script_of(n->tables, &caller)) return; /* its objects are the interpreter's */
    prof_note_headers(n, row, facts);
    do
        facts->clues[facts->clues_len++] = prof_clue_of(n, &caller);
    while (facts->clues_len < PROF_CLUES_MAX && prof_caller_next(n->tables, &caller));
}

static enum prof_source_result prof_search_here(const struct prof_search *s, struct prof_source_name *out)
{
    struct prof_read_place p;
    prof_place_of(s->n, &s->caller, &p);
    out->parts = 1;
    if (s->parameter < 0 && prof_is_rust(s->caller.file) &&
        prof_rust_binding(p.lines, p.place.len, out->text))
        return PROF_SOURCE_NAMED;
    if (s->parameter < 0) return prof_source_find_name(&p.place, out);
    return p.place.len > 0 && prof_source_argument(&p.place, s->parameter, out->text) ? PROF_SOURCE_NAMED
                                                                                      : PROF_SOURCE_NOTHING;
}

/* The name that the first caller gives which keeps the memory: wrappers return it, or set a variable of their
 * caller; in a class template the object's name is better than the member's. */
static bool prof_search_name(const struct prof_namer *n, struct prof_naming *row, char out[PROF_LABEL_BYTES])
{
    struct prof_search s = {.n = n, .caller = row->first, .parameter = -1};
    const char *member = NULL;
    bool is_found = false;
    for (int i = 0; i < PROF_WRAPPERS_MAX; i++) {
        struct prof_source_name name;
        const enum prof_source_result result = prof_search_here(&s, &name);
        if (result == PROF_SOURCE_NOTHING) {
            if (!is_found && s.caller.line > 0) row->caller = s.caller;
            break;
        }
        if (result == PROF_SOURCE_NAMED) {
            is_found = true;
            row->caller = s.caller;
            row->parts = name.parts;
            row->inner = member;
            memcpy(out, name.text, PROF_LABEL_BYTES);
            if (name.parts == 1 && !prof_is_handed_over(&s, out)) {
                if (!prof_is_of_template(s.caller.function) || strpbrk(out, ".->:")) break;
                member = prof_name_of(n->names, out);
            } else if (name.parts > 1)
                break;
        }
        if (!prof_caller_next_outside(n->tables, &s.caller)) break;
    }
    return is_found;
}

/* The variable of a script that gets the memory, in the caller or in one that it returns the memory to, which is
 * the row's caller then. */
static bool prof_script_variable(const struct prof_namer *n, struct prof_naming *row,
                                 char out[PROF_LABEL_BYTES])
{
    enum { RETURNS_MAX = 4 };
    struct prof_caller caller = row->first;
    for (int i = 0; i < RETURNS_MAX; i++) {
        const struct prof_script *s = prof_script_of(n->tables, &caller);
        struct prof_read_place p;
        prof_place_of(n, &caller, &p);
        if (!s || p.place.len == 0) return false;
        const char *end =
            s->end_line > s->line ? prof_source_line(n->text, s->file, n->tables->author, s->end_line) : "";
        const char *after =
            s->end_column > 0 && s->end_column <= strlen(end) + 1 ? end + s->end_column - 1 : "";
        const enum prof_python_use use = prof_python_label(p.lines, p.place.len, s, after, out);
        if (use == PROF_PYTHON_NAMED) row->caller = caller;
        if (use != PROF_PYTHON_RETURN) return use == PROF_PYTHON_NAMED;
        if (!prof_script_caller_next(n->tables, &caller)) return false;
    }
    return false;
}

static void prof_name_site(const struct prof_namer *n, struct prof_naming *row)
{
    char variable[PROF_LABEL_BYTES], caller[PROF_CALLER_BYTES];
    struct prof_site *site = row->site;
    if (!prof_caller_of_site(n->tables, site->frame, &row->first)) return;
    row->caller = row->first;
    const bool is_found = prof_script_of(n->tables, &row->first) ? prof_script_variable(n, row, variable)
                                                                 : prof_search_name(n, row, variable);
    site->label_frame = row->caller.frame;
    if (is_found) {
        site->label = prof_name_of(n->names, variable);
        return;
    }
    site->label_frame = row->caller.frame;
    prof_caller_text(n, &row->caller, caller);
    site->label = prof_name_of(n->names, caller);
}

/* --- variables of one statement --- */

static int prof_compare_parts(const void *a, const void *b)
{
    const struct prof_naming *x = *(struct prof_naming *const *)a, *y = *(struct prof_naming *const *)b;
    if (x->site->label != y->site->label) return strcmp(x->site->label, y->site->label);
    if (x->caller.line != y->caller.line) return x->caller.line < y->caller.line ? -1 : 1;
    const int by_file = strcmp(x->caller.file, y->caller.file);
    return by_file ? by_file : (x->identity > y->identity) - (x->identity < y->identity);
}

static bool prof_is_same_statement(const struct prof_naming *x, const struct prof_naming *y)
{
    return x->site->label == y->site->label && x->caller.line == y->caller.line &&
           strcmp(x->caller.file, y->caller.file) == 0;
}

/* allocate(a(n), b(n)): its calls are in the order of the variables, if there is one for each. */
static void prof_split_statement(const struct prof_namer *n, struct prof_naming *const *rows, size_t len)
{
    uint64_t places[PROF_LABEL_BYTES];
    size_t places_len = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t place = prof_frame_offset(n->tables, rows[i]->caller.frame);
        size_t at = 0;
        while (at < places_len && places[at] < place)
            at++;
        if (at < places_len && places[at] == place) continue;
        if (places_len == rows[0]->parts) return; /* a copy of the loop, or of the function */
        memmove(&places[at + 1], &places[at], (places_len - at) * sizeof(places[0]));
        places[at] = place;
        places_len++;
    }
    if (places_len != rows[0]->parts) return;
    const char *const all = rows[0]->site->label;
    for (size_t i = 0; i < len; i++) {
        const char *name = all;
        for (size_t at = 0; places[at] != prof_frame_offset(n->tables, rows[i]->caller.frame); at++)
            name = strstr(name, ", ") + 2;
        rows[i]->site->label = prof_name_printf(n->names, "%.*s", (int)strcspn(name, ","), name);
    }
}

static void prof_split_statements(struct prof_namer *n)
{
    struct prof_naming **rows = calloc(n->len + 1, sizeof(struct prof_naming *));
    size_t len = 0;
    for (size_t i = 0; rows && i < n->len; i++)
        if (n->rows[i].parts > 1 && n->rows[i].parts < PROF_LABEL_BYTES) rows[len++] = &n->rows[i];
    if (len > 0) qsort(rows, len, sizeof(*rows), prof_compare_parts);
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && prof_is_same_statement(rows[from], rows[to]); to++)
            ;
        prof_split_statement(n, &rows[from], to - from);
    }
    free(rows);
}

/* --- unique labels --- */

/* By label, then identity: names are unique pointers, but runs must compare. */
static int prof_compare_namings(const void *a, const void *b)
{
    const struct prof_naming *x = a, *y = b;
    const int by_label = x->site->label == y->site->label ? 0 : strcmp(x->site->label, y->site->label);
    if (by_label) return by_label;
    if (x->is_device != y->is_device) return x->is_device - y->is_device;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return (x->site->id > y->site->id) - (x->site->id < y->site->id);
}

/* The last level of a site of a script: sites may differ in frames of libraries inside of the caller. */
static bool prof_level_is_innermost(const struct prof_namer *n, const struct prof_naming *row, unsigned level)
{
    return level == PROF_CALLERS_MAX && prof_script_of(n->tables, &row->caller);
}

/* Text number `level` about a site: 0 its caller, k the k-th caller outside of allocators. False: none. */
static bool prof_level_text(const struct prof_namer *n, const struct prof_naming *row, unsigned level,
                            char out[PROF_CALLER_BYTES])
{
    struct prof_caller caller = row->caller;
    const bool is_innermost = prof_level_is_innermost(n, row, level);
    if (is_innermost) prof_script_innermost(n->tables, row->site->frame, &caller);
    for (unsigned i = 0; i < level && !is_innermost; i++)
        if (!prof_script_caller_next(n->tables, &caller)) return false;
    prof_caller_text(n, &caller, out);
    return true;
}

/* [from, to): one label, several sites. Does the text of this level split them? */
static bool prof_level_splits(const struct prof_namer *n, size_t from, size_t to, unsigned level)
{
    char first[PROF_CALLER_BYTES] = "", other[PROF_CALLER_BYTES];
    prof_level_text(n, &n->rows[from], level, first);
    for (size_t i = from + 1; i < to; i++) {
        other[0] = '\0';
        prof_level_text(n, &n->rows[i], level, other);
        if (strcmp(first, other) != 0) return true;
    }
    return false;
}

static bool prof_is_labelled_alike(const struct prof_naming *a, const struct prof_naming *b)
{
    return a->site->label == b->site->label && a->is_device == b->is_device;
}

static void prof_append_level(const struct prof_namer *n, size_t from, size_t to, unsigned level)
{
    for (size_t i = from; i < to; i++) {
        char text[PROF_CALLER_BYTES];
        if (!prof_level_text(n, &n->rows[i], level, text)) continue;
        struct prof_site *site = n->rows[i].site;
        const bool is_inside = level == 0 || prof_level_is_innermost(n, &n->rows[i], level);
        const size_t len = strlen(text);
        if (is_inside && strncmp(text, site->label, len) == 0 &&
            (!site->label[len] || site->label[len] == ' '))
            continue; /* the label is the caller already */
        site->label = prof_name_printf(n->names, is_inside ? "%s (%s)" : "%s < %s", site->label, text);
    }
}

static void prof_append_number(const struct prof_namer *n, size_t from, size_t to)
{
    unsigned number = 0;
    uint32_t order = UINT32_MAX;
    for (size_t i = from; i < to; i++) {
        struct prof_site *site = n->rows[i].site;
        if (n->rows[i].order != order) number++;
        order = n->rows[i].order;
        site->label = prof_name_printf(n->names, "%s #%u", site->label, number);
    }
}

/* scores.start_, scores.sizes_: members of one object. */
static void prof_append_inner(const struct prof_namer *n, size_t from, size_t to)
{
    bool splits = false;
    for (size_t i = from + 1; i < to; i++)
        splits = splits || n->rows[i].inner != n->rows[from].inner;
    for (size_t i = from; i < to && splits; i++)
        if (n->rows[i].inner)
            n->rows[i].site->label =
                prof_name_printf(n->names, "%s.%s", n->rows[i].site->label, n->rows[i].inner);
}

/* Make the labels of every group of several sites unique: append a level, or after the last level numbers. */
static void prof_distinguish_by(struct prof_namer *n, int level)
{
    qsort(n->rows, n->len, sizeof(*n->rows), prof_compare_namings);
    for (size_t from = 0, to; from < n->len; from = to) {
        for (to = from + 1; to < n->len && prof_is_labelled_alike(&n->rows[to], &n->rows[from]); to++)
            ;
        if (n->rows[to - 1].order == n->rows[from].order) continue; /* one site */
        if (level == PROF_LEVEL_INNER)
            prof_append_inner(n, from, to);
        else if (level > PROF_CALLERS_MAX)
            prof_append_number(n, from, to);
        else if (prof_level_splits(n, from, to, (unsigned)level))
            prof_append_level(n, from, to, (unsigned)level);
    }
}

static int prof_compare_identities(const void *a, const void *b)
{
    const struct prof_naming *x = a, *y = b;
    if (x->identity != y->identity) return x->identity < y->identity ? -1 : 1;
    return (x->site->id > y->site->id) - (x->site->id < y->site->id);
}

/* Sites of one identity get the order of the first of them. */
static void prof_set_orders(struct prof_namer *n)
{
    qsort(n->rows, n->len, sizeof(*n->rows), prof_compare_identities);
    for (size_t i = 0; i < n->len; i++) {
        const bool is_same = i > 0 && n->rows[i].identity == n->rows[i - 1].identity;
        n->rows[i].order = is_same ? n->rows[i - 1].order : n->rows[i].site->id;
        if (is_same && n->rows[i - 1].is_large) n->rows[i].is_large = true;
    }
    for (size_t i = n->len; i-- > 1;) /* also those before the large one */
        if (n->rows[i].is_large && n->rows[i].identity == n->rows[i - 1].identity)
            n->rows[i - 1].is_large = true;
}

/* A recording knows a random part of the small blocks, a trace knows all: small sites with the label of large
 * ones must not change the names of these, or names of two runs could not be compared. */
static void prof_set_small_apart(struct prof_namer *n)
{
    qsort(n->rows, n->len, sizeof(*n->rows), prof_compare_namings);
    for (size_t from = 0, to; from < n->len; from = to) {
        const char *const label = n->rows[from].site->label;
        bool has_large = false;
        for (to = from; to < n->len && prof_is_labelled_alike(&n->rows[to], &n->rows[from]); to++)
            has_large = has_large || n->rows[to].is_large;
        for (size_t i = from; i < to && has_large; i++)
            if (!n->rows[i].is_large)
                n->rows[i].site->label = prof_name_printf(n->names, "%s (small)", label);
    }
}

static void prof_name_all(struct prof_namer *n, struct prof_sites *s, const uint64_t *identities)
{
    for (size_t i = 0; i < n->len; i++) {
        struct prof_site *site = &s->rows.rows[i];
        n->rows[i] = (struct prof_naming){
            .site = site,
            .identity = (site->frame < n->tables->frames_len ? identities[site->frame] : 0) +
                        s->facts.rows[i].is_mapping + 2 * s->facts.rows[i].is_device,
            .is_large = s->facts.rows[i].is_large,
            .is_device = s->facts.rows[i].is_device};
        prof_name_site(n, &n->rows[i]);
        const bool is_accessed = site->node != PROF_NO_NODE || s->facts.rows[i].is_in_range;
        if (is_accessed && site->frame < n->tables->frames_len)
            prof_note_clues(n, &n->rows[i], &s->facts.rows[i]);
    }
    prof_split_statements(n);
    prof_set_orders(n);
    prof_set_small_apart(n);
    for (int level = PROF_LEVEL_INNER; level <= PROF_CALLERS_MAX + 1; level++)
        prof_distinguish_by(n, level);
}

static void prof_name_nodes(const struct prof_sites *s, prof_tree *tree)
{
    for (size_t i = s->rows.len; i-- > 0;) { /* backwards: the first site of a node names it */
        const struct prof_site *site = &s->rows.rows[i];
        if (site->node != PROF_NO_NODE) prof_tree_node(tree, site->node)->label = site->label;
    }
}

ls_err prof_sites_name(struct prof_sites *s, const struct prof_caller_tables *tables, prof_names *names,
                       prof_tree *tree)
{
    struct prof_namer n = {.tables = tables,
                           .names = names,
                           .text = prof_source_text_new(),
                           .rows = calloc(s->rows.len + 1, sizeof(*n.rows)),
                           .len = s->rows.len};
    uint64_t *identities = calloc(tables->frames_len + 1, sizeof(*identities));
    const bool has_memory = n.text && n.rows && identities;
    if (has_memory) {
        prof_path_identities(tables, identities);
        prof_name_all(&n, s, identities);
        prof_name_nodes(s, tree);
    }
    free(identities);
    free(n.rows);
    prof_source_text_free(n.text);
    return has_memory ? LS_OK : ls_nomem("the names of %zu sites", s->rows.len);
}
