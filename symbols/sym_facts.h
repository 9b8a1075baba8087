/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of an ELF file and its DWARF as plain rows: they travel from the process that reads the file
 * to the one that asks. Texts are offsets into the texts of the same answer; 0 is "". Addresses are the
 * file's own ("linked"). */
#ifndef SYM_FACTS_H
#define SYM_FACTS_H

#include <stdint.h>

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
    uint32_t is_tls; /* its addresses are not data addresses: each thread has a copy */
};
/* A global or static variable. Sorted by base, then larger ones first. */
struct sym_variable {
    uint64_t base, end;       /* thread-local ones: offsets in the module's block */
    uint64_t elem_size_bytes; /* element size of an array; 0: no array, or not known */
    uint32_t name;
    uint32_t around; /* row of the smallest variable that contains this one, SYM_NONE */
    uint32_t is_tls; /* these rows are after all others */
    uint32_t reserved;
};
/* A function of the symbol tables. Sorted by base, one for each. */
struct sym_routine {
    uint64_t base, end;
    uint32_t symbol;   /* name, demangled */
    uint32_t function; /* the same without the compiler's suffixes (.constprop.0) */
};
/* The place of an instruction; one for each address asked for, in their order. */
struct sym_line {
    uint32_t function; /* innermost, inlined ones included */
    uint32_t symbol;   /* the function with its machine code */
    uint32_t file, line;
    uint32_t first_inline, inlines_len; /* rows of struct sym_inline */
};
/* One step outwards: the function that the previous one was inlined into, and the place of that call. */
struct sym_inline {
    uint32_t function, file, line;
    uint32_t reserved;
};
/* The file as a whole: one row. */
struct sym_head {
    uint32_t build_id; /* hexadecimal */
    uint32_t problem;  /* why the file has no facts */
    uint64_t tls_len_bytes;
    uint32_t is_fixed; /* it can only be loaded where it was linked */
    uint32_t unwinds;  /* asked for: its unwinding tables can be followed */
};

/* X(kind, C struct) */
#define SYM_ROW_LIST(X)               \
    X(heads, struct sym_head)         \
    X(segments, struct sym_segment)   \
    X(sections, struct sym_section)   \
    X(variables, struct sym_variable) \
    X(routines, struct sym_routine)   \
    X(lines, struct sym_line)         \
    X(inlines, struct sym_inline)

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
    SYM_QUESTIONS
};

#endif
