/* SPDX-License-Identifier: BSD-3-Clause */
/* An answer about a file: rows of every kind and their texts. One process makes it and sends it as bytes; the
 * receiver checks it, since the sender may have read a file made to break it. */
#ifndef SYM_ANSWER_H
#define SYM_ANSWER_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "symbols/sym_facts.h"

#include <stdbool.h>
#include <stddef.h>

/* --- being made --- */

struct sym_rows {
    void *rows;
    size_t len, room;
};
/* Zeroed is empty. is_short: memory ran out, the answer is worthless. */
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
