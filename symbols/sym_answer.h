/* SPDX-License-Identifier: BSD-3-Clause */
/* An answer about a file: rows of every kind and their texts. One process makes it and sends it as bytes; the
 * receiver checks it, because the sender may have read a malicious file. */
#ifndef SYM_ANSWER_H
#define SYM_ANSWER_H

#include "common/ls_error.h"
#include "common/ls_index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- rows ---
 *
 * The contents of an ELF file and its DWARF as plain rows: the process that reads the file sends them to the
 * process that asks. Texts are offsets into the texts of the same answer; 0 is "". Addresses are the file's
 * own ("linked"). */

#define SYM_NONE UINT32_MAX

/* A loaded segment (PT_LOAD). */
struct sym_segment {
    uint64_t offset_bytes, file_bytes; /* in the file */
    uint64_t linked, len_bytes;        /* in memory */
    uint64_t align_bytes;
    uint64_t flags; /* PF_* */
};
struct sym_section {
    uint64_t base, end;
    uint32_t name;
    uint32_t is_tls; /* thread-local: its addresses are not data addresses, because each thread has a copy */
};
/* A global or static variable. Sorted by base, then larger ones first. */
struct sym_variable {
    uint64_t base, end;       /* thread-local ones: offsets in the module's block */
    uint64_t elem_size_bytes; /* element size of an array; 0: no array, or not known */
    uint32_t name;
    uint32_t around; /* row of the smallest variable that contains this one, SYM_NONE */
    uint32_t is_tls; /* thread-local rows come after all others */
    uint32_t reserved;
};
/* A function of the symbol tables. Sorted by base, one for each. */
struct sym_routine {
    uint64_t base, end;
    uint32_t symbol;   /* name, demangled */
    uint32_t function; /* the same without the compiler's suffixes (.constprop.0) */
};
/* Function and line of an instruction; one row for each address of the question, in order. */
struct sym_line {
    uint32_t function; /* innermost, inlined ones included */
    uint32_t symbol;   /* the function with its machine code */
    uint32_t file, line;
    uint32_t first_inline, inlines_len; /* rows of struct sym_inline */
    uint32_t column;                    /* 0: not known */
    uint32_t reserved;
};
/* One inlined call: the function into which the previous one was inlined, and the line of the call. */
struct sym_inline {
    uint32_t function, file, line;
    uint32_t column; /* 0: not known */
};
/* --- types --- */

enum sym_type_kind { SYM_TYPE_STRUCT, SYM_TYPE_CLASS, SYM_TYPE_UNION, SYM_TYPE_SCALAR, SYM_TYPE_KINDS };
enum sym_member_kind {
    SYM_MEMBER_WHOLE,     /* the type itself: the first row of each type */
    SYM_MEMBER_FIELD,     /* a named member */
    SYM_MEMBER_BASE,      /* a base class */
    SYM_MEMBER_ANONYMOUS, /* a struct or union without a name */
    SYM_MEMBER_BITS,      /* neighbouring bit fields, which are its members */
    SYM_MEMBER_KINDS
};
/* A type that a question named. */
struct sym_type {
    uint64_t len_bytes;
    uint32_t name; /* with its namespaces and classes */
    uint32_t kind; /* enum sym_type_kind */
    uint32_t first_member, members_len;
    uint32_t lost; /* members left out: too many, too deep, or without an offset */
    uint32_t reserved;
};
/* A member, or a member of a member, in the order of the source; parents come before their children. */
struct sym_member {
    uint64_t offset_bytes;   /* in the type; below an array: in its first element */
    uint64_t len_bytes;      /* 0: an array of open length */
    uint64_t elem_len_bytes; /* of an array, else 0 */
    uint32_t path; /* as written in the source: "pos[].x"; a base class has the path of its parent */
    uint32_t type_name;
    uint32_t parent;              /* counted from the type's first row; SYM_NONE for that row */
    uint32_t kind;                /* enum sym_member_kind */
    uint32_t first_bit, bits_len; /* of a bit field, from offset_bytes; 0: none */
};
/* X(name): how the type of an object was found. */
#define SYM_HOW_LIST(X) X(NOT) X(VARIABLE) X(CONTAINER) X(NEW) X(SIZEOF) X(POINTER) X(RETURN) X(VOID)
#define SYM_HOW_ENUM(name) SYM_HOW_##name,
enum sym_how { SYM_HOW_LIST(SYM_HOW_ENUM) SYM_HOW_COUNT };
#undef SYM_HOW_ENUM
/* One for each question about a type, in their order. */
struct sym_typing {
    uint32_t type;    /* row of struct sym_type, SYM_NONE: not found */
    uint32_t how;     /* enum sym_how */
    uint32_t is_lost; /* it was not found within the limits of the search */
    uint32_t reserved;
};

/* A variable in a function's stack frame. */
struct sym_slot {
    int64_t offset_bytes; /* of its first byte, from the canonical frame address: below 0 for locals */
    uint64_t len_bytes;
    uint32_t type;     /* row of struct sym_type; of an array: that of its elements */
    uint32_t question; /* row of struct sym_typing; in their order */
};

/* Why an image that is mapped data has no names. */
#define SYM_PROBLEM_NOT_ELF "not an ELF file"

/* The file as a whole: one row. */
struct sym_head {
    uint32_t build_id; /* hexadecimal */
    uint32_t problem;  /* reason why the file could not be read */
    uint64_t tls_len_bytes;
    uint32_t is_fixed; /* it can only be loaded at its linked address */
    uint32_t unwinds;  /* answer to a question: its unwinding tables are sound */
    uint32_t author;   /* ls_owner.h: of the file and of its debug file */
    uint32_t reserved;
};

/* X(kind, C struct) */
#define SYM_ROW_LIST(X)               \
    X(heads, struct sym_head)         \
    X(segments, struct sym_segment)   \
    X(sections, struct sym_section)   \
    X(variables, struct sym_variable) \
    X(routines, struct sym_routine)   \
    X(lines, struct sym_line)         \
    X(inlines, struct sym_inline)     \
    X(types, struct sym_type)         \
    X(members, struct sym_member)     \
    X(typings, struct sym_typing)     \
    X(slots, struct sym_slot)

#define SYM_ROW_ENUM(kind, row) SYM_ROW_##kind,
enum sym_row_kind { SYM_ROW_LIST(SYM_ROW_ENUM) SYM_ROW_COUNT };
#undef SYM_ROW_ENUM

/* Kinds of questions about a file. */
enum sym_question {
    SYM_ASK_HEAD,
    SYM_ASK_VARIABLES,
    SYM_ASK_FUNCTIONS,
    SYM_ASK_LINES,
    SYM_ASK_UNWIND,
    SYM_ASK_TYPES,
    SYM_QUESTIONS
};

/* --- being made --- */

struct sym_rows {
    void *rows;
    size_t len, room;
};
/* Zeroed is empty. is_short: memory ran out, so the answer is incomplete and must not be used. */
struct sym_draft {
    struct sym_rows rows[SYM_ROW_COUNT];
    char *text;
    size_t text_len, text_room;
    struct ls_index by_text; /* offsets of texts by their hash */
    bool is_short;
};

/* A new zeroed row; a scratch row when memory is short.  Valid until the next one of its kind. */
void *sym_draft_row(struct sym_draft *d, enum sym_row_kind kind);
#define SYM_DRAFT_ROW(d, kind) ((SYM_ROW_TYPE_##kind *)sym_draft_row((d), SYM_ROW_##kind))
typedef struct sym_head SYM_ROW_TYPE_heads;
typedef struct sym_segment SYM_ROW_TYPE_segments;
typedef struct sym_section SYM_ROW_TYPE_sections;
typedef struct sym_variable SYM_ROW_TYPE_variables;
typedef struct sym_routine SYM_ROW_TYPE_routines;
typedef struct sym_line SYM_ROW_TYPE_lines;
typedef struct sym_inline SYM_ROW_TYPE_inlines;
typedef struct sym_type SYM_ROW_TYPE_types;
typedef struct sym_member SYM_ROW_TYPE_members;
typedef struct sym_typing SYM_ROW_TYPE_typings;
typedef struct sym_slot SYM_ROW_TYPE_slots;

/* The offset of this text: equal texts have one. NULL is "". */
uint32_t sym_draft_text(struct sym_draft *d, const char *text);
/* The text at an offset that sym_draft_text gave.  Valid until the next sym_draft_text. */
static inline const char *sym_draft_text_at(const struct sym_draft *d, uint32_t offset)
{
    return offset ? d->text + offset : "";
}
void sym_draft_fini(struct sym_draft *d);

/* The bytes of the answer. Owns: the caller frees *out_bytes.  Errors: LS_ERR_NOMEM. */
ls_err sym_draft_pack(const struct sym_draft *d, uint8_t **out_bytes, size_t *out_len);

/* --- received --- */

/* Points into bytes, which it owns. Zeroed is empty. */
struct sym_answer {
    uint8_t *bytes;
    const char *text;
    size_t text_len;
#define SYM_ANSWER_FIELD(kind, row) \
    row *kind;                      \
    size_t kind##_len;
    SYM_ROW_LIST(SYM_ANSWER_FIELD)
#undef SYM_ANSWER_FIELD
};

/* Take bytes (len_bytes, from malloc; freed also after a failure). Every length, text offset and row number
 * in *out is then good.  Errors: LS_ERR_FORMAT. */
ls_err sym_answer_unpack(uint8_t *bytes, size_t len_bytes, struct sym_answer *out);
void sym_answer_fini(struct sym_answer *a);

static inline const char *sym_answer_text(const struct sym_answer *a, uint32_t offset)
{
    return a->text ? a->text + offset : "";
}

#endif
