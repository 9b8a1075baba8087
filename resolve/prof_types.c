/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_types.h"

#include "common/ls_hash.h"
#include "resolve/prof_site_names.h"
#include "resolve/prof_sites.h"

#include <stdlib.h>
#include <string.h>

/* --- origins --- */

static uint32_t prof_origin_intern(struct prof_typing *t, uint64_t key, const struct prof_type_origin *origin)
{
    uint32_t row;
    for (size_t step = 0; ls_index_next(&t->by_key, key, &step, &row);) {
        const struct prof_type_origin *known = &t->origins.rows[row];
        if (known->file == origin->file && known->linked == origin->linked && known->site == origin->site &&
            known->is_tls == origin->is_tls && known->is_frame == origin->is_frame &&
            known->is_access == origin->is_access)
            return row + 1;
    }
    if (t->origins.len >= UINT32_MAX - 1 || LS_VECTOR_ROOM(&t->origins) != LS_OK ||
        ls_index_put(&t->by_key, key, (uint32_t)t->origins.len) != LS_OK)
        return 0;
    t->origins.rows[t->origins.len] = *origin;
    t->origins.rows[t->origins.len].type = PROF_NO_TYPE;
    return (uint32_t)++t->origins.len;
}

uint32_t prof_typing_site(struct prof_typing *t, uint32_t site)
{
    return prof_origin_intern(t, ls_index_key(0, site), &(struct prof_type_origin){.site = site});
}

uint32_t prof_typing_variable(struct prof_typing *t, sym_file *file, const struct sym_thing *variable)
{
    const struct prof_type_origin origin = {.file = file,
                                            .linked = variable->base,
                                            .len_bytes = variable->end - variable->base,
                                            .site = PROF_NO_SITE,
                                            .is_tls = variable->is_tls};
    return prof_origin_intern(t, ls_index_key((uint64_t)(uintptr_t)file, variable->base), &origin);
}

uint32_t prof_typing_frame(struct prof_typing *t, sym_file *file, uint64_t linked)
{
    const struct prof_type_origin origin = {
        .file = file, .linked = linked, .site = PROF_NO_SITE, .is_frame = true};
    return prof_origin_intern(t, ls_index_key((uint64_t)(uintptr_t)file + 1, linked), &origin);
}

uint32_t prof_typing_access(struct prof_typing *t, sym_file *file, uint64_t linked)
{
    const struct prof_type_origin origin = {
        .file = file, .linked = linked, .site = PROF_NO_SITE, .is_access = true};
    return prof_origin_intern(t, ls_index_key((uint64_t)(uintptr_t)file + 2, linked), &origin);
}

/* --- votes --- */

const struct prof_vote *prof_typing_vote_of(const struct prof_typing *t, uint32_t origin, uint64_t ip)
{
    uint32_t row;
    for (size_t step = 0; ls_index_next(&t->by_vote, ls_index_key(origin, ip), &step, &row);)
        if (t->votes.rows[row].origin == origin && t->votes.rows[row].ip == ip) return &t->votes.rows[row];
    return NULL;
}

bool prof_typing_wants_vote(const struct prof_typing *t, uint32_t origin, uint64_t ip)
{
    if (origin - 1 >= t->origins.len || t->origins.rows[origin - 1].file) return false;
    const uint32_t known = origin < t->votes_of.len ? t->votes_of.rows[origin] : 0;
    return known < PROF_SITE_VOTES_MAX && t->votes.len < PROF_VOTES_MAX &&
           !prof_typing_vote_of(t, origin, ip);
}

ls_err prof_typing_vote(struct prof_typing *t, const struct prof_vote *vote)
{
    while (t->votes_of.len <= vote->origin)
        LS_TRY(LS_VECTOR_ADD(&t->votes_of, 0));
    LS_TRY(ls_index_put(&t->by_vote, ls_index_key(vote->origin, vote->ip), (uint32_t)t->votes.len));
    LS_TRY(LS_VECTOR_ADD(&t->votes, *vote));
    t->votes.rows[t->votes.len - 1].number = ++t->votes_of.rows[vote->origin];
    return LS_OK;
}

/* --- questions --- */

enum prof_evidence { PROF_BY_FRAME, PROF_BY_NEW, PROF_BY_SIZEOF, PROF_BY_POINTER, PROF_EVIDENCES };
/* Frames of a path that may be of an allocator. */
enum { PROF_TYPE_FRAMES_MAX = 24 };

/* A question, and its answer. */
struct prof_question {
    sym_file *file;
    uint64_t linked;
    const char *text; /* after its first character */
    char kind;
    uint8_t step;     /* caller: row of the site's clues, PROF_CLUES_MAX: a frame below these */
    uint8_t evidence; /* a frame below: its distance from the allocation */
    uint32_t origin;
    uint32_t vote;         /* row of votes, from 1; 0: it is no vote */
    uint64_t offset_bytes; /* the place of the access in the type, for votes */
    uint32_t type, how;
    bool is_lost; /* it was not found within limits, or the file could not be read */
};
struct prof_asking {
    struct prof_typing *typing;
    struct prof_sites *sites;
    const struct prof_caller_tables *tables;
    prof_names *names;
    LS_VECTOR(struct prof_question) questions;
};

static char prof_kind_of(const struct prof_type_origin *o)
{
    if (o->is_frame) return 's';
    if (o->is_access) return 'a';
    return o->is_tls ? 't' : 'v';
}

static ls_err prof_ask_variable(struct prof_asking *a, uint32_t row)
{
    const struct prof_type_origin *o = &a->typing->origins.rows[row];
    return LS_VECTOR_ADD(&a->questions, (struct prof_question){.file = o->file,
                                                               .linked = o->linked,
                                                               .text = "",
                                                               .kind = prof_kind_of(o),
                                                               .origin = row,
                                                               .type = PROF_NO_TYPE});
}

static ls_err prof_ask_frame(struct prof_asking *a, uint32_t frame, struct prof_question q)
{
    const char *path = prof_frame_module(a->tables, frame);
    if (!path) return LS_OK;
    LS_TRY(sym_files_get(a->tables->files, path, &q.file));
    q.linked = prof_frame_offset(a->tables, frame);
    q.type = PROF_NO_TYPE;
    return LS_VECTOR_ADD(&a->questions, q);
}

/* About the frames up to the first one outside of allocators, and the source lines of its callers. */
static ls_err prof_ask_site(struct prof_asking *a, uint32_t row, uint32_t site)
{
    const struct prof_site *s = &a->sites->rows.rows[site];
    const struct prof_site_facts *facts = &a->sites->facts.rows[site];
    uint32_t frame = s->frame;
    for (int i = 0; i < PROF_TYPE_FRAMES_MAX && frame < a->tables->frames_len; i++) {
        LS_TRY(prof_ask_frame(
            a, frame,
            (struct prof_question){
                .text = "", .kind = 'f', .origin = row, .step = PROF_CLUES_MAX, .evidence = (uint8_t)i}));
        if (frame == (facts->clues_len > 0 ? facts->clues[0].frame : s->label_frame)) break;
        frame = a->tables->frames[frame].parent;
    }
    for (uint32_t i = 0; i < facts->clues_len; i++) {
        const struct prof_clue *c = &facts->clues[i];
        const struct {
            const char *text;
            char kind;
            enum prof_evidence evidence;
        } asked[] = {{"", 'f', PROF_BY_FRAME},
                     {c->made, 'n', PROF_BY_NEW},
                     {c->measured, 'e', PROF_BY_SIZEOF},
                     {c->assigned, 'p', PROF_BY_POINTER}};
        for (size_t k = 0; k < sizeof(asked) / sizeof(asked[0]); k++)
            if (asked[k].text)
                LS_TRY(prof_ask_frame(a, c->frame,
                                      (struct prof_question){.text = asked[k].text,
                                                             .kind = asked[k].kind,
                                                             .step = (uint8_t)i,
                                                             .evidence = (uint8_t)asked[k].evidence,
                                                             .origin = row}));
    }
    return LS_OK;
}

static int prof_compare_questions(const void *a, const void *b)
{
    const struct prof_question *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->linked > y->linked) - (x->linked < y->linked);
}

/* --- types of all files --- */

static bool prof_type_is(const struct prof_typing *t, uint32_t row, const struct sym_answer *a,
                         const struct sym_type *type)
{
    const struct prof_type_row *known = &t->types.rows[row];
    const uint32_t first = t->first_members.rows[row];
    if (known->len_bytes != type->len_bytes || t->first_members.rows[row + 1] - first != type->members_len ||
        strcmp(known->name, sym_answer_text(a, type->name)) != 0)
        return false;
    for (uint32_t m = 0; m < type->members_len; m++) {
        const struct sym_member *x = &a->members[type->first_member + m];
        const struct prof_member *y = &t->members.rows[first + m];
        if (x->offset_bytes != y->offset_bytes || x->len_bytes != y->len_bytes ||
            strcmp(sym_answer_text(a, x->path), y->path) != 0)
            return false;
    }
    return true;
}

static ls_err prof_type_add(struct prof_asking *a, const struct sym_answer *answer,
                            const struct sym_type *type)
{
    struct prof_typing *t = a->typing;
    const uint32_t row = (uint32_t)t->types.len, first = (uint32_t)t->members.len;
    const struct prof_type_row own = {.id = row,
                                      .kind = type->kind,
                                      .name = prof_name_of(a->names, sym_answer_text(answer, type->name)),
                                      .len_bytes = type->len_bytes,
                                      .lost = type->lost};
    if (t->first_members.len == 0) LS_TRY(LS_VECTOR_ADD(&t->first_members, 0));
    for (uint32_t i = 0; i < type->members_len; i++) {
        const struct sym_member *m = &answer->members[type->first_member + i];
        const struct prof_member copy = {.type = row,
                                         .parent = m->parent == SYM_NONE ? UINT32_MAX : first + m->parent,
                                         .kind = m->kind,
                                         .path = prof_name_of(a->names, sym_answer_text(answer, m->path)),
                                         .type_name =
                                             prof_name_of(a->names, sym_answer_text(answer, m->type_name)),
                                         .offset_bytes = m->offset_bytes,
                                         .len_bytes = m->len_bytes,
                                         .elem_len_bytes = m->elem_len_bytes,
                                         .first_bit = m->first_bit,
                                         .bits_len = m->bits_len};
        LS_TRY(LS_VECTOR_ADD(&t->members, copy));
    }
    LS_TRY(LS_VECTOR_ADD(&t->types, own));
    return LS_VECTOR_ADD(&t->first_members, (uint32_t)t->members.len);
}

/* Equal types of several files are one. */
static ls_err prof_type_intern(struct prof_asking *a, const struct sym_answer *answer,
                               const struct sym_type *type, uint32_t *out)
{
    struct prof_typing *t = a->typing;
    const uint64_t key = ls_hash_text(LS_HASH_BEGIN, sym_answer_text(answer, type->name));
    for (size_t step = 0; ls_index_next(&t->by_name, key, &step, out);)
        if (prof_type_is(t, *out, answer, type)) return LS_OK;
    *out = (uint32_t)t->types.len;
    LS_TRY(prof_type_add(a, answer, type));
    return ls_index_put(&t->by_name, key, *out);
}

/* --- asking --- */

/* The questions of an answer begin with row `first`. */
static ls_err prof_slot_add(struct prof_asking *a, const struct sym_slot *slot, const uint32_t *types,
                            size_t first)
{
    struct prof_typing *t = a->typing;
    struct prof_question *q = &a->questions.rows[first + slot->question];
    struct prof_type_origin *o = &t->origins.rows[q->origin];
    if (q->vote) {
        q->offset_bytes = (uint64_t)slot->offset_bytes;
        return LS_OK;
    }
    struct sym_slot copy = *slot;
    copy.type = types[slot->type];
    if (o->slots_len == 0) o->first_slot = (uint32_t)t->slots.len;
    LS_TRY(LS_VECTOR_ADD(&t->slots, copy));
    o->slots_len++;
    return LS_OK;
}

static ls_err prof_take_answers(struct prof_asking *a, const struct sym_answer *answer, size_t first)
{
    uint32_t *rows = malloc((answer->types_len + 1) * sizeof(*rows));
    ls_err e = rows ? LS_OK : ls_nomem("%zu types", answer->types_len);
    for (size_t i = 0; e == LS_OK && i < answer->types_len; i++)
        e = prof_type_intern(a, answer, &answer->types[i], &rows[i]);
    for (size_t i = 0; e == LS_OK && i < answer->typings_len; i++) {
        struct prof_question *q = &a->questions.rows[first + i];
        q->how = answer->typings[i].how;
        q->is_lost = answer->typings[i].is_lost;
        if (answer->typings[i].type != SYM_NONE) q->type = rows[answer->typings[i].type];
    }
    for (size_t i = 0; e == LS_OK && i < answer->slots_len; i++)
        e = prof_slot_add(a, &answer->slots[i], rows, first);
    free(rows);
    return e;
}

/* The questions [from, to) are about one file. */
static ls_err prof_ask_file(struct prof_asking *a, size_t from, size_t to)
{
    struct sym_answer answer;
    size_t texts_len = 0;
    for (size_t i = from; i < to; i++)
        texts_len += strlen(a->questions.rows[i].text) + 2;
    uint64_t *linked = malloc((to - from) * sizeof(*linked));
    char *texts = malloc(texts_len), *at = texts;
    ls_err e = linked && texts ? LS_OK : ls_nomem("%zu questions about types", to - from);
    for (size_t i = from; e == LS_OK && i < to; i++) {
        linked[i - from] = a->questions.rows[i].linked;
        *at++ = a->questions.rows[i].kind;
        at = stpcpy(at, a->questions.rows[i].text) + 1;
    }
    if (e == LS_OK) {
        const struct sym_type_questions q = {linked, to - from, texts, texts_len};
        e = sym_file_types(a->tables->files, a->questions.rows[from].file, &q, &answer);
        if (e == LS_OK) {
            for (size_t i = from; i < to; i++)
                a->questions.rows[i].is_lost = answer.typings_len == 0 && answer.heads_len > 0 &&
                                               *sym_answer_text(&answer, answer.heads[0].problem) != '\0';
            e = prof_take_answers(a, &answer, from);
            sym_answer_fini(&answer);
        }
    }
    free(linked);
    free(texts);
    return e;
}

static ls_err prof_ask_files(struct prof_asking *a)
{
    if (a->questions.len == 0) return LS_OK;
    qsort(a->questions.rows, a->questions.len, sizeof(*a->questions.rows), prof_compare_questions);
    for (size_t from = 0, to; from < a->questions.len; from = to) {
        for (to = from + 1;
             to < a->questions.len && a->questions.rows[to].file == a->questions.rows[from].file; to++)
            ;
        LS_TRY(prof_ask_file(a, from, to));
    }
    return LS_OK;
}

static ls_err prof_ask_all(struct prof_asking *a)
{
    for (uint32_t i = 0; i < a->typing->origins.len; i++) {
        const struct prof_type_origin *o = &a->typing->origins.rows[i];
        LS_TRY(o->file ? prof_ask_variable(a, i) : prof_ask_site(a, i, o->site));
    }
    return prof_ask_files(a);
}

/* --- decisions --- */

/* All answers about one site. */
struct prof_evidence_of_site {
    const struct prof_question *by[PROF_CLUES_MAX][PROF_EVIDENCES];
    const struct prof_question *container;
    bool is_lost; /* one of the answers */
};

static bool prof_is_found(const struct prof_question *q)
{
    return q && q->type != PROF_NO_TYPE;
}

/* One type, or two plain ones of one size: names of pointers may have namespaces or not. */
static bool prof_is_alike(const struct prof_typing *t, uint32_t a, uint32_t b)
{
    const struct prof_type_row *x = &t->types.rows[a], *y = &t->types.rows[b];
    return a == b ||
           (x->kind == PROF_TYPE_SCALAR && y->kind == PROF_TYPE_SCALAR && x->len_bytes == y->len_bytes);
}

/* The type that a caller's line shows; NULL: none. *out_disputed: others show another one. */
static const struct prof_question *prof_type_of_caller(const struct prof_typing *t,
                                                       const struct prof_question *const by[PROF_EVIDENCES],
                                                       const struct prof_clue *clue, bool *out_disputed)
{
    const struct prof_question *made = by[PROF_BY_NEW], *measured = by[PROF_BY_SIZEOF],
                               *pointer = by[PROF_BY_POINTER], *frame = by[PROF_BY_FRAME];
    if (prof_is_found(made)) return made; /* a pointer to a base class is no objection */
    if (prof_is_found(measured)) {
        *out_disputed = prof_is_found(pointer) && !prof_is_alike(t, pointer->type, measured->type);
        return measured;
    }
    if (prof_is_found(pointer)) return pointer;
    return clue->is_return && prof_is_found(frame) && frame->how == SYM_HOW_RETURN ? frame : NULL;
}

/* Does the caller hand the memory on without a type? Then the next one shows it. */
static bool prof_is_handed_on(const struct prof_question *const by[PROF_EVIDENCES],
                              const struct prof_clue *clue)
{
    const struct prof_question *pointer = by[PROF_BY_POINTER], *frame = by[PROF_BY_FRAME];
    return clue->is_return || (pointer && pointer->how == SYM_HOW_VOID) ||
           (frame && frame->how == SYM_HOW_VOID);
}

/* *out_header: the type of an object in front of the memory that the program uses, NULL: there is none. */
static const struct prof_question *prof_type_of_site(const struct prof_typing *t,
                                                     const struct prof_evidence_of_site *e,
                                                     const struct prof_site_facts *facts, bool *out_disputed,
                                                     const struct prof_question **out_header)
{
    if (e->container) return e->container;
    for (uint32_t i = 0; i < facts->clues_len; i++) {
        if (facts->clues[i].is_header) {
            *out_header = e->by[i][PROF_BY_POINTER];
            continue;
        }
        const struct prof_question *found = prof_type_of_caller(t, e->by[i], &facts->clues[i], out_disputed);
        if (found) return found;
        if (!prof_is_handed_on(e->by[i], &facts->clues[i])) break;
    }
    return NULL;
}

/* new T[n] of a class with a destructor keeps n in front of the elements (Itanium C++ ABI, 2.7). */
enum { PROF_COUNT_BYTES = 8, PROF_HEADER_ALIGN_BYTES = 16 };

/* Set the place of the elements behind the header of a wrapper, whose length is a multiple of the largest alignment unless
 * the source shows it. False: the blocks do not consist of such a header and elements. */
static bool prof_decide_header(const struct prof_asking *a, struct prof_type_origin *o,
                               const struct prof_question *header, uint64_t one)
{
    const struct prof_site_facts *facts = &a->sites->facts.rows[o->site];
    const uint64_t alone = prof_is_found(header) ? a->typing->types.rows[header->type].len_bytes : 0;
    const uint64_t count = header ? facts->clues[header->step].header_len : 0;
    const uint64_t padded =
        (alone + PROF_HEADER_ALIGN_BYTES - 1) / PROF_HEADER_ALIGN_BYTES * PROF_HEADER_ALIGN_BYTES;
    const uint64_t first = count > 0 ? alone * count : padded;
    if (first == 0 || facts->least_bytes < first || facts->least_bytes - first < one) return false;
    o->first_bytes = first;
    o->is_array = (facts->least_bytes - first) % one == 0 && (facts->most_bytes - first) % one == 0;
    return true;
}

static void prof_decide_site(struct prof_asking *a, struct prof_type_origin *o,
                             const struct prof_evidence_of_site *e)
{
    const struct prof_site_facts *facts = &a->sites->facts.rows[o->site];
    struct prof_site *site = &a->sites->rows.rows[o->site];
    bool is_disputed = false;
    const struct prof_question *header = NULL;
    const struct prof_question *q = prof_type_of_site(a->typing, e, facts, &is_disputed, &header);
    if (!q && e->is_lost) site->typing = PROF_TYPING_LOST;
    if (!q) return;
    const uint64_t one = a->typing->types.rows[q->type].len_bytes, least = facts->least_bytes;
    site->disputed = is_disputed;
    if (header) {
        if (!prof_decide_header(a, o, header, one)) return;
        site->typing = q->how;
        site->type = o->type = q->type;
        return;
    }
    if (one > least) {
        site->typing = PROF_TYPING_TOO_LARGE;
        return;
    }
    site->typing = q->how;
    site->type = o->type = q->type;
    /* if the lengths are no multiples, untyped data follows the first object */
    o->is_array = q->how == SYM_HOW_CONTAINER || q->how == SYM_HOW_NEW || facts->unit_bytes % one == 0;
    if (q->how == SYM_HOW_NEW && least % one == PROF_COUNT_BYTES && least > one)
        o->first_bytes = PROF_COUNT_BYTES;
}

static ls_err prof_decide_all(struct prof_asking *a)
{
    struct prof_evidence_of_site *sites = calloc(a->typing->origins.len + 1, sizeof(*sites));
    if (!sites) return ls_nomem("the types of %zu sites", a->typing->origins.len);
    for (size_t i = 0; i < a->questions.len; i++) {
        const struct prof_question *q = &a->questions.rows[i];
        struct prof_type_origin *o = &a->typing->origins.rows[q->origin];
        struct prof_evidence_of_site *e = &sites[q->origin];
        if (o->file) {
            o->type = q->type;
            o->is_array = true;
        } else if (q->step < PROF_CLUES_MAX)
            e->by[q->step][q->evidence] = q;
        e->is_lost |= q->is_lost;
        const bool is_container =
            !o->file && q->step == PROF_CLUES_MAX && prof_is_found(q) && q->how == SYM_HOW_CONTAINER;
        if (is_container && (!e->container || q->evidence < e->container->evidence))
            e->container = q; /* the innermost one */
    }
    for (size_t i = 0; i < a->typing->origins.len; i++)
        if (!a->typing->origins.rows[i].file) prof_decide_site(a, &a->typing->origins.rows[i], &sites[i]);
    free(sites);
    return LS_OK;
}

/* --- sites without a type in their source --- */

static int prof_compare_votes(const void *a, const void *b)
{
    const struct prof_question *x = a, *y = b;
    if (x->origin != y->origin) return x->origin < y->origin ? -1 : 1;
    return (x->vote > y->vote) - (x->vote < y->vote);
}

/* Votes are right only if the elements of the type lie where they were accessed: also the first one. */
static bool prof_is_vote_for(const struct prof_asking *a, const struct prof_question *q, uint32_t type)
{
    if (q->type != type) return false;
    const struct prof_vote *v = &a->typing->votes.rows[q->vote - 1];
    const uint64_t one = a->typing->types.rows[type].len_bytes;
    return one > 0 && v->offset_bytes % one == q->offset_bytes;
}

/* The rows [from, to) are the votes about one site: more than half of them must agree. */
static void prof_count_votes(struct prof_asking *a, size_t from, size_t to)
{
    const struct prof_question *rows = a->questions.rows;
    struct prof_type_origin *o = &a->typing->origins.rows[rows[from].origin];
    const struct prof_site_facts *facts = &a->sites->facts.rows[o->site];
    struct prof_site *site = &a->sites->rows.rows[o->site];
    size_t known = 0, most = 0;
    uint32_t best = PROF_NO_TYPE;
    if (to > from + PROF_VOTERS_MAX) to = from + PROF_VOTERS_MAX; /* they are in order */
    if (o->type != PROF_NO_TYPE || site->typing == PROF_TYPING_TOO_LARGE) return;
    for (size_t i = from; i < to; i++) {
        size_t same = 0;
        if (rows[i].type == PROF_NO_TYPE) continue;
        known++;
        for (size_t k = from; k < to; k++)
            same += prof_is_vote_for(a, &rows[k], rows[i].type);
        if (same > most) {
            most = same;
            best = rows[i].type;
        }
    }
    if (2 * most <= known || best == PROF_NO_TYPE) return;
    const uint64_t one = a->typing->types.rows[best].len_bytes;
    if (one > facts->least_bytes) return;
    site->disputed = most < known;
    site->typing = PROF_TYPING_ACCESS;
    site->type = o->type = best;
    o->is_array = facts->unit_bytes % one == 0;
}

/* Ask about the instructions that accessed blocks of sites without a type. */
static ls_err prof_decide_by_votes(struct prof_asking *a)
{
    a->questions.len = 0;
    for (size_t i = 0; i < a->typing->votes.len; i++) {
        const struct prof_vote *v = &a->typing->votes.rows[i];
        const struct prof_type_origin *o = &a->typing->origins.rows[v->origin - 1];
        if (o->type != PROF_NO_TYPE && o->is_array) continue;
        LS_TRY(LS_VECTOR_ADD(&a->questions, (struct prof_question){.file = v->file,
                                                                   .linked = v->linked,
                                                                   .text = "",
                                                                   .kind = 'a',
                                                                   .origin = v->origin - 1,
                                                                   .vote = (uint32_t)i + 1,
                                                                   .type = PROF_NO_TYPE}));
    }
    LS_TRY(prof_ask_files(a));
    if (a->questions.len > 0)
        qsort(a->questions.rows, a->questions.len, sizeof(*a->questions.rows), prof_compare_votes);
    for (size_t i = 0; i < a->questions.len; i++) {
        struct prof_vote *v = &a->typing->votes.rows[a->questions.rows[i].vote - 1];
        v->type = a->questions.rows[i].type;
        v->place_bytes = a->questions.rows[i].offset_bytes;
    }
    for (size_t from = 0, to; from < a->questions.len; from = to) {
        for (to = from + 1;
             to < a->questions.len && a->questions.rows[to].origin == a->questions.rows[from].origin; to++)
            ;
        prof_count_votes(a, from, to);
    }
    return LS_OK;
}

#define PROF_HOW_SAME(name) \
    _Static_assert((int)PROF_TYPING_##name == (int)SYM_HOW_##name, "run.h5 has the numbers of symbols/");
SYM_HOW_LIST(PROF_HOW_SAME)
#undef PROF_HOW_SAME

ls_err prof_typing_finish(struct prof_typing *t, struct prof_sites *sites,
                          const struct prof_caller_tables *tables, prof_names *names)
{
    struct prof_asking a = {.typing = t, .sites = sites, .tables = tables, .names = names};
    ls_err e = t->origins.len > 0 ? prof_ask_all(&a) : LS_OK;
    if (e == LS_OK) e = prof_decide_all(&a);
    if (e == LS_OK) e = prof_decide_by_votes(&a);
    free(a.questions.rows);
    return e;
}

void prof_typing_fini(struct prof_typing *t)
{
    free(t->origins.rows);
    free(t->types.rows);
    free(t->members.rows);
    free(t->first_members.rows);
    free(t->slots.rows);
    free(t->votes.rows);
    free(t->votes_of.rows);
    ls_index_fini(&t->by_vote);
    ls_index_fini(&t->by_key);
    ls_index_fini(&t->by_name);
    *t = (struct prof_typing){0};
}
